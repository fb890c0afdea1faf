// udp_tx with its streams as plain ports; MAC = 1 puts mac_tx after it.
module udp_tx_tb #(
    parameter int W   = 64,
    parameter int MAC = 0
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           request_valid,
    output logic           request_ready,
    input  logic [   15:0] payload_length,
    input  logic [   47:0] source_mac,
    input  logic [   47:0] destination_mac,
    input  logic [   31:0] source_ip,
    input  logic [   31:0] destination_ip,
    input  logic [   15:0] source_port,
    input  logic [   15:0] destination_port,
    input  logic           payload_valid,
    output logic           payload_ready,
    input  logic [  W-1:0] payload_data,
    input  logic [W/8-1:0] payload_keep,
    input  logic           payload_last,
    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,
    output logic [  W-1:0] mii_data,
    output logic [W/8-1:0] mii_control,
    output logic           mii_error,
    output logic           started,
    output logic           underrun
);
  tx_stream_if #(.W(W)) payload ();
  tx_stream_if #(.W(W)) out ();

  assign payload.valid = payload_valid;
  assign payload.data = payload_data;
  assign payload.keep = payload_keep;
  assign payload.last = payload_last;
  assign payload_ready = payload.ready;
  assign out_valid = out.valid;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;

  udp_tx #(
      .W(W)
  ) dut (
      .clk,
      .rst,
      .request_valid,
      .request_ready,
      .payload_length,
      .source_mac,
      .destination_mac,
      .source_ip,
      .destination_ip,
      .source_port,
      .destination_port,
      .payload(payload.snk),
      .out(out.src)
  );

  if (MAC != 0) begin : gen_mac
    mac_tx #(
        .W(W)
    ) mac_tx (
        .clk,
        .rst,
        .in(out.snk),
        .mii_data,
        .mii_control,
        .mii_error,
        .started,
        .underrun
    );
  end else begin : gen_bare
    assign out.ready = out_ready;
    assign mii_data = '0;
    assign mii_control = '0;
    assign mii_error = 1'b0;
    assign started = 1'b0;
    assign underrun = 1'b0;
  end
endmodule

// tx_register, or with SPARE tx_spare, with its streams as plain ports.
module tx_register_tb #(
    parameter int W = 64,
    parameter bit FROM_MEMORY = 1'b0,
    parameter bit SPARE = 1'b0
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    output logic           in_ready,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last
);
  tx_stream_if #(.W(W)) in ();
  tx_stream_if #(.W(W)) out ();

  assign in.valid = in_valid;
  assign in.data = in_data;
  assign in.keep = in_keep;
  assign in.last = in_last;
  assign in_ready = in.ready;
  assign out_valid = out.valid;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;
  assign out.ready = out_ready;

  if (SPARE) begin : g_spare
    tx_spare #(
        .W(W)
    ) dut (
        .clk,
        .rst,
        .in (in.snk),
        .out(out.src)
    );
  end else begin : g_register
    tx_register #(
        .W(W),
        .FROM_MEMORY(FROM_MEMORY)
    ) dut (
        .clk,
        .rst,
        .in (in.snk),
        .out(out.src)
    );
  end
endmodule

// mac_tx with its stream as plain ports.
module mac_tx_tb #(
    parameter int W = 64
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    output logic           in_ready,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    output logic [  W-1:0] mii_data,
    output logic [W/8-1:0] mii_control,
    output logic           mii_error,
    output logic           started,
    output logic           underrun
);
  tx_stream_if #(.W(W)) in ();

  assign in.valid = in_valid;
  assign in.data  = in_data;
  assign in.keep  = in_keep;
  assign in.last  = in_last;
  assign in_ready = in.ready;

  mac_tx #(
      .W(W)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .mii_data,
      .mii_control,
      .mii_error,
      .started,
      .underrun
  );
endmodule

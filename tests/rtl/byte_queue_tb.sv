// byte_queue with its streams as plain ports.
module byte_queue_tb #(
    parameter int W = 64,
    parameter int BYTES = 256
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           clear,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic [   15:0] room,
    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep
);
  stream_if #(.W(W)) in ();
  tx_stream_if #(.W(W)) out ();

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {out_valid, out_data, out_keep} = {out.valid, out.data, out.keep};
  assign out.ready = out_ready;

  byte_queue #(
      .W(W),
      .BYTES(BYTES)
  ) dut (
      .clk,
      .rst,
      .clear,
      .in(in.snk),
      .room,
      .out(out.src)
  );
endmodule

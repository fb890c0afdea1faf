// frame_memory with plain ports.
module frame_memory_tb #(
    parameter int W = 64,
    parameter int WORDS = 16
) (
    input logic clk,
    input logic rst,

    input  logic                 write,
    input  logic [        W-1:0] write_data,
    input  logic [$clog2(W/8):0] write_stop,
    input  logic                 write_last,
    input  logic                 commit,
    input  logic                 discard,
    output logic                 full,
    output logic                 tight,
    output logic                 kept,
    output logic                 overflow,

    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last
);
  tx_stream_if #(.W(W)) out ();
  assign out_valid = out.valid;
  assign out.ready = out_ready;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;

  frame_memory #(
      .W(W),
      .WORDS(WORDS)
  ) dut (
      .clk,
      .rst,
      .write,
      .write_data,
      .write_stop,
      .write_last,
      .commit,
      .discard,
      .full,
      .tight,
      .kept,
      .overflow,
      .out(out.src)
  );
endmodule

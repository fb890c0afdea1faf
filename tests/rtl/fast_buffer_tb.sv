// fast_buffer with plain ports.
module fast_buffer_tb
  import fast_pkg::*;
#(
    parameter int W = 64,
    parameter int DEPTH = 16
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic           out_valid,
    input  logic           out_take,
    output logic [   63:0] out_data,
    output logic [    7:0] out_first,
    output logic           out_has_stop,
    output logic           out_only,
    output logic           out_breaks,
    output logic [    2:0] out_trailing,
    output logic           out_last,
    output logic           out_cut,
    output logic [    4:0] out_error,
    output logic           overflow,
    output logic [$clog2(DEPTH):0] waiting
);
  stream_if #(.W(W)) in ();
  beat_t out;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {out_data, out_first, out_has_stop, out_only} = {out.data, out.first, out.has_stop, out.only};
  assign {out_breaks, out_trailing, out_last, out_cut, out_error} = {out.breaks, out.trailing, out.last, out.cut, out.error};

  // What may take a beat is known when it is offered.
  fast_buffer #(
      .W(W),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .out_valid,
      .out_take(out_take && out_valid),
      .out,
      .overflow,
      .waiting
  );
endmodule

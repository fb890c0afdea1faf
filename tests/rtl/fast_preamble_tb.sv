// fast_preamble with plain ports.
module fast_preamble_tb
  import fast_pkg::*;
#(
    parameter int W = 64
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           restart,
    input  logic           room,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic           out_valid,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,
    output logic           out_err,
    output logic           begins_valid,
    output logic           after_gap,
    output logic           begins_session,
    output logic           from_first,
    output logic           packet_valid,
    output logic           packet_good,
    output logic           packet_first,
    output logic [   31:0] packet_number,
    output logic [   31:0] packet_lost,
    output logic           old,
    output logic           malformed,
    output logic           overflow
);
  stream_if #(.W(W)) in ();
  stream_if #(.W(W)) out ();
  packet_t packet;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};
  assign {packet_good, packet_first, packet_number, packet_lost} = packet;

  fast_preamble #(
      .W(W)
  ) dut (
      .clk,
      .rst,
      .restart,
      .room,
      .in(in.snk),
      .out(out.src),
      .begins_valid,
      .after_gap,
      .begins_session,
      .from_first,
      .packet_valid,
      .packet,
      .old,
      .malformed,
      .overflow
  );
endmodule

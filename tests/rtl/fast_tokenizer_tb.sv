// fast_buffer, fast_tokenizer and fast_token_queue with plain ports.
module fast_tokenizer_tb
  import fast_pkg::*;
#(
    parameter int W = 64,
    parameter int DEPTH = 2048 / (W / 8)
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic           token_valid,
    input  logic           token_take,
    input  logic           token_cut,
    input  logic [    3:0] cut_count,
    output logic [8*Window-1:0] token_data,
    output logic [    3:0] token_count,
    output logic           token_first,
    output logic           token_last,
    output logic           token_null,
    output logic           token_finish,
    output logic [    4:0] token_error,
    output logic [   13:0] token_offset,
    output logic [HashedBits-1:0] ahead,
    output logic           overflow,
    output logic [$clog2(DEPTH):0] waiting
);
  stream_if #(.W(W)) in ();
  token_t token;
  logic beat_valid, beat_take, room, given_valid;
  beat_t beat;
  token_t given;
  ahead_t given_ahead;
  logic [HashedBits-1:0] ahead_now, ahead_waiting;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {token_data, token_count, token_first, token_last} = {token.data, token.count, token.first, token.last};
  assign {token_null, token_finish, token_error, token_offset} = {token.is_null, token.finish, token.error, token.offset};

  fast_buffer #(
      .W(W),
      .DEPTH(DEPTH)
  ) buffer (
      .clk,
      .rst,
      .in(in.snk),
      .out_valid(beat_valid),
      .out_take(beat_take),
      .out(beat),
      .overflow,
      .waiting
  );

  fast_tokenizer #(
      .W(W)
  ) tokenizer (
      .clk,
      .rst,
      .beat_valid,
      .beat_take,
      .beat,
      .room,
      .token_valid(given_valid),
      .token(given),
      .ahead(given_ahead)
  );

  fast_token_queue queue (
      .clk,
      .rst,
      .room,
      .in_valid(given_valid),
      .in(given),
      .out_valid(token_valid),
      .out(token),
      .out_take(token_take && token_valid),
      .out_cut(token_cut),
      .cut_count
  );

  // Of the token that is at the output in the next cycle.
  assign ahead_now = given_ahead.single ? HashedBits'(given_ahead.bits[6:0]) : given_ahead.bits;
  assign ahead = room ? ahead_now : ahead_waiting;
  always_ff @(posedge clk) if (room) ahead_waiting <= ahead_now;
endmodule

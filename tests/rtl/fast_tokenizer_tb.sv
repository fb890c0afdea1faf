// fast_buffer and fast_tokenizer with plain ports.
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
    output logic [8*Window-1:0] token_data,
    output logic [    3:0] token_count,
    output logic           token_first,
    output logic           token_last,
    output logic           token_null,
    output logic           token_finish,
    output logic [    4:0] token_error,
    output logic [   13:0] token_offset,
    output logic           load,
    output logic [HashedBits-1:0] ahead,
    output logic           overflow,
    output logic [$clog2(DEPTH):0] waiting
);
  stream_if #(.W(W)) in ();
  token_t token;
  logic beat_valid, beat_take, beat_last;
  logic [W-1:0] beat_data;
  logic [W/8-1:0] beat_first;
  logic [3:0] beat_stops, beat_bytes;
  logic [2:0] beat_trailing;
  fast_error_e beat_error;

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
      .out_data(beat_data),
      .out_first(beat_first),
      .out_stops(beat_stops),
      .out_trailing(beat_trailing),
      .out_bytes(beat_bytes),
      .out_last(beat_last),
      .out_error(beat_error),
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
      .beat_data,
      .beat_first,
      .beat_stops,
      .beat_trailing,
      .beat_bytes,
      .beat_last,
      .beat_error,
      .token_valid,
      .token,
      .token_take(token_take && token_valid),
      .load,
      .ahead
  );
endmodule

// CheckSum, BodyLength and NoMDEntries of a message, worked out while the numbers of the same beat are.
//
// Sum and place of each byte are running counts of the stream: a message's checksum and length are differences of two.
//
// Latency: 4 cycles; the value of BodyLength or NoMDEntries comes 3 cycles behind the beat. Throughput: a beat a cycle.
// Parameter: W. Counts of a message below 2^17 bytes do not wrap (fix_parser).
module fix_checks
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Halves = N < 4 ? 1 : N / 4
) (
    input logic clk,
    input logic rst,

    input logic                             in_valid,
    input logic                             in_last,
    input logic                             in_err,
    input fix_beat_t                        in_beat,
    input logic      [ $clog2(N+1)-1:0]     in_count,
    input logic      [Halves-1:0]           in_begin,
    input logic      [Halves-1:0][7:0]      in_begin_sum,
    input logic      [Halves-1:0][7:0]      in_sum,
    input logic      [7:0]                  in_total,
    input logic      [Halves-1:0][3:0]      in_place,
    input logic      [Halves-1:0]           in_digits_good,
    input logic      [Halves-1:0][2:0][3:0] in_digits,
    input logic                             small_good,       // 3 cycles later
    input logic      [LengthBits-1:0]       small_number,

    output logic      out_valid,
    output logic      out_last,
    output logic      out_err,
    output fix_beat_t out_beat,
    output logic      sum_good,     // of the message that ends in the beat
    output logic      length_good,
    output logic      entries_good
);
  localparam int Delay = 4;
  localparam int ChecksumLength = 7;  // of 10=ddd and its SOH
  localparam logic [7:0] BeginSum = "8" + "=" + "F" + "I" + "X";
  // Of 10=ddd and its SOH without the digits' values. 10=abc adds 100 a + 10 b + c to what is told, and a + b + c to the sum.
  localparam logic [7:0] ChecksumSum = "1" + "0" + "=" + 8'd3 * "0" + Soh;

  logic [Delay:1] valid, last, err;
  fix_beat_t [Delay:1] beat;

  always_ff @(posedge clk) begin
    valid <= rst ? '0 : {valid[Delay-1:1], in_valid};
    last <= {last[Delay-1:1], in_last};
    err <= {err[Delay-1:1], in_err};
    beat <= {beat[Delay-1:1], in_beat};
  end
  assign out_valid = valid[Delay];
  assign out_last = last[Delay];
  assign out_err = err[Delay];
  assign out_beat = beat[Delay];

  // ---- running counts ----------------------------------------------------------------------------------

  typedef struct packed {
    logic [7:0] sum;
    logic [LengthBits-1:0] place;
    logic [7:0] found_sum;               // before the last 8=FIX
    logic [7:0] begin_sum;               // before the message
    logic [LengthBits-1:0] body_place;   // behind BodyLength
  } state_t;

  state_t state, next, saved;
  logic [7:0] finish_begin_sum;
  logic finish_half, length_half;
  assign finish_half = Halves > 1 && in_beat.finish_half;
  assign length_half = Halves > 1 && in_beat.length_half;

  always_comb begin
    next = state;
    finish_begin_sum = state.begin_sum;
    for (int h = 0; h < Halves; h++) begin
      if (in_begin[h]) next.found_sum = state.sum + in_begin_sum[h] - BeginSum;
      if (in_beat.begins[h]) next.begin_sum = next.found_sum;
      if (finish_half == (h > 0)) finish_begin_sum = next.begin_sum;
    end
    if (in_beat.length) next.body_place = state.place + LengthBits'(in_place[Halves>1?length_half : 0]);
    next.sum = state.sum + in_total;
    next.place = state.place + LengthBits'(in_count);
  end

  logic [2:0][3:0] digits;
  logic [7:0] finish_sum_1, begin_sum_1, low_1, high_1, sum_2, weight_2;
  logic [LengthBits-1:0] finish_place_1, body_place_1, body_2, body_3;
  logic [3:1] digits_good;
  logic sum_good_3, byte_1, byte_2;

  assign digits = in_digits[Halves>1?finish_half : 0];

  always_ff @(posedge clk) begin
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '0;
      saved <= '0;
    end

    finish_sum_1 <= state.sum + in_sum[Halves>1?finish_half : 0];
    begin_sum_1 <= finish_begin_sum;
    finish_place_1 <= state.place + LengthBits'(in_place[Halves>1?finish_half : 0]);
    body_place_1 <= next.body_place;
    // 11 b + 2 c and 101 a; above 255 nothing can be right.
    low_1 <= {1'b0, digits[1], 3'b0} + {3'b0, digits[1], 1'b0} + {4'b0, digits[1]} + {3'b0, digits[0], 1'b0};
    high_1 <= digits[2][1] ? 8'd202 : digits[2][0] ? 8'd101 : 8'd0;
    digits_good[1] <= in_digits_good[Halves>1?finish_half : 0];
    byte_1 <= {digits[2], digits[1], digits[0]} <= 12'h255;
    byte_2 <= byte_1;

    sum_2 <= finish_sum_1 - begin_sum_1;
    weight_2 <= low_1 + high_1 + ChecksumSum;
    body_2 <= finish_place_1 - body_place_1;
    digits_good[2] <= digits_good[1];

    sum_good_3 <= digits_good[2] && byte_2 && sum_2 == weight_2;
    body_3 <= body_2 - LengthBits'(ChecksumLength);
    digits_good[3] <= digits_good[2];
    sum_good <= sum_good_3;
  end

  // ---- against what the message says -------------------------------------------------------------------

  typedef struct packed {
    logic length_good;
    logic [LengthBits-1:0] length;
    logic entries_good;
    logic [LengthBits-1:0] entries;
  } told_t;

  told_t told, told_next, told_saved;
  always_comb begin
    told_next = told;
    if (beat[3].length) {told_next.length_good, told_next.length} = {small_good, small_number};
    if (beat[3].entries) {told_next.entries_good, told_next.entries} = {small_good, small_number};
  end

  always_ff @(posedge clk) begin
    if (valid[3]) begin
      told <= err[3] ? told_saved : told_next;
      if (last[3] && !err[3]) told_saved <= told_next;
    end
    if (rst) begin
      told <= '0;
      told_saved <= '0;
    end
    // A CheckSum that is not three digits is not as long as the body is counted to: it is wrong itself.
    length_good <= !digits_good[3] || (told.length_good && told.length == body_3);
    // NoMDEntries 0 may end in the beat that ends the message.
    entries_good <= told_next.entries_good && told_next.entries == LengthBits'(beat[3].entry_count);
  end
endmodule

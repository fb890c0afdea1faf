// W=64: checks CheckSum, BodyLength and NoMDEntries of a message, computed while fix_messages finds where it ends.
//
//   sums, places, digits ─ prepared ─┬─ what they come to in this beat ─ good or not
//   beat of fix_messages ────────────┴─ running sum and length of the message
//
// Latency: 2 cycles after the beat of fix_messages, 3 after sums and digits; the value of BodyLength or NoMDEntries is used with them, in time for
// a message that ends in the beat after theirs (a good one does not end sooner). Throughput: a beat a cycle. Parameter: W.
// Overflow: a message below 2^17 bytes does not wrap the length (fix_messages sees to it).
module fix_checks
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Halves = N < 4 ? 1 : N / 4
) (
    input logic clk,
    input logic rst,

    // A cycle before the beat of fix_messages.
    input logic [$clog2(N+1)-1:0]     in_count,
    input logic [Halves-1:0]          in_begin,
    input logic [Halves-1:0][7:0]     in_begin_sum,
    input logic [Halves-1:0][7:0]     in_sum,
    input logic [7:0]                 in_total,
    input logic [Halves-1:0][3:0]     in_place,
    input logic [Halves-1:0]          in_digits_good,
    input logic [Halves-1:0][2:0][3:0] in_digits,

    input logic                  in_valid,
    input logic                  in_last,
    input logic                  in_err,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input message_beat_t         in_beat,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [EntryBits-1:0]  entry_count,   // a cycle later
    input logic                  small_good,    // two cycles later
    input logic [LengthBits-1:0] small_number,

    output logic sum_good,      // of the message that ends in the beat
    output logic length_good,
    output logic entries_good
);
  localparam int ChecksumLength = 7;  // of 10=ddd and its SOH
  localparam logic [7:0] BeginSum = "8" + "=" + "F" + "I" + "X";
  // Of 10=ddd and its SOH without the digits' values. 10=abc adds 100 a + 10 b + c to the stated sum, and a + b + c to the bytes' own.
  localparam logic [7:0] ChecksumSum = "1" + "0" + "=" + 8'd3 * "0" + Soh;

  typedef logic [LengthBits-1:0] length_t;

  // ---- prepared: each half as if the message began or ended in it ------------------------------------------

  logic [Halves-1:0] begin_here, digits_good, byte_good;
  logic [Halves-1:0][7:0] sum, sum_behind, low, high;
  logic [Halves-1:0][4:0] place_before, place_behind;  // bytes before CheckSum's field; bytes after the SOH; two's complement
  logic [7:0] total;
  logic [$clog2(N+1)-1:0] count;

  always_ff @(posedge clk) begin
    begin_here <= in_begin;
    sum <= in_sum;
    total <= in_total;
    count <= in_count;
    digits_good <= in_digits_good;
    for (int h = 0; h < Halves; h++) begin
      automatic logic [2:0][3:0] digits = in_digits[h];
      sum_behind[h] <= in_total - (in_begin_sum[h] - BeginSum);
      place_before[h] <= {1'b0, in_place[h]} - 5'(ChecksumLength);
      place_behind[h] <= 5'(in_count) - {1'b0, in_place[h]};
      // 11 b + 2 c and 101 a; no CheckSum above 255 is right.
      low[h] <= {1'b0, digits[1], 3'b0} + {3'b0, digits[1], 1'b0} + {4'b0, digits[1]} + {3'b0, digits[0], 1'b0};
      high[h] <= ChecksumSum + (digits[2][1] ? 8'd202 : digits[2][0] ? 8'd101 : 8'd0);
      byte_good[h] <= digits <= 12'h255;
    end
  end

  // ---- the message so far ----------------------------------------------------------------------------------

  typedef struct packed {
    logic [7:0] found_sum;  // from the last 8=FIX on
    logic [7:0] sum;        // of the message
    length_t body;          // bytes after BodyLength
  } state_t;

  state_t state, next, saved;
  logic end_half, length_half;
  assign end_half = Halves > 1 && in_beat.finish_half;
  assign length_half = Halves > 1 && in_beat.length_half;

  always_comb begin
    next.found_sum = state.found_sum + total;
    next.sum = state.sum + total;
    for (int h = 0; h < Halves; h++) begin
      if (begin_here[h]) next.found_sum = sum_behind[h];
      if (in_beat.begins[h]) next.sum = next.found_sum;
    end
    next.body = in_beat.length ? length_t'(place_behind[length_half]) : state.body + length_t'(count);
  end

  logic [7:0] sum_given, sum_here;
  length_t body;
  logic sum_possible, checksum_shaped, prices;
  logic [2:1] valid_reg, last_reg, err_reg, of_length_reg, of_entries_reg;  // of BodyLength, of NoMDEntries

  always_ff @(posedge clk) begin
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '0;
      saved <= '0;
    end
    prices <= in_beat.prices;
    sum_given <= low[end_half] + high[end_half];
    sum_here <= state.sum + sum[end_half];
    sum_possible <= digits_good[end_half] && byte_good[end_half];
    checksum_shaped <= digits_good[end_half];
    body <= state.body + length_t'($signed(place_before[end_half]));

    valid_reg <= {valid_reg[1], in_valid} & {2{!rst}};
    last_reg <= {last_reg[1], in_last};
    err_reg <= {err_reg[1], in_err};
    of_length_reg <= {of_length_reg[1], in_beat.length};
    of_entries_reg <= {of_entries_reg[1], in_beat.entries};
  end

  // ---- against what the message says -------------------------------------------------------------------

  typedef struct packed {
    logic good;
    length_t number;
  } given_t;

  given_t now, length, entries, saved_length, saved_entries;
  logic of_length, of_entries;
  assign now = '{small_good, small_number};
  assign of_length = valid_reg[2] && of_length_reg[2];
  assign of_entries = valid_reg[2] && of_entries_reg[2];

  function automatic logic is_given(input given_t given, input length_t number);
    return given.good && given.number == number;
  endfunction

  always_ff @(posedge clk) begin
    if (of_length) length <= now;
    if (of_entries) entries <= now;
    if (valid_reg[2] && err_reg[2]) {length, entries} <= {saved_length, saved_entries};
    if (valid_reg[2] && last_reg[2] && !err_reg[2]) begin
      saved_length  <= of_length ? now : length;
      saved_entries <= of_entries ? now : entries;
    end
    if (rst) {length, entries, saved_length, saved_entries} <= '0;

    sum_good <= sum_possible && sum_here == sum_given;
    // If CheckSum is not three digits, the body's end is not where it was counted to; the message fails by its CheckSum anyway.
    length_good <= !checksum_shaped || (of_length ? is_given(now, body) : is_given(length, body));
    entries_good <= !prices || entry_count == '0  // which fix_entries has seen to
        || (of_entries ? is_given(now, length_t'(entry_count)) : is_given(entries, length_t'(entry_count)));
  end
endmodule

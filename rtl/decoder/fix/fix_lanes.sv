// W=64: turns the stream's beats into what they mean for the message, and the numbers of its entries.
//
//   in ─ fix_window ─┬─ fix_fields ─┬─ fix_values ─ fix_messages ─┬─ fix_entries ─┬─ beat, its numbers good or not
//                    └─ fix_symbols ┘  fix_integer (lengths) ───────┴─ fix_checks ──┴─ the message good or not
//                                      fix_digits ─ fix_number (price, quantity) ─ fix_entry_numbers ─ numbers
//
// `numbers` come a cycle after their beat: for the entry that the beat closed if `of_closed`, else for the one that is open after it.
//
// Latency: 7 cycles. Throughput: a beat a cycle; 3 cycles without a beat after a segment's end and after its last bytes: between two frames
// there are at least 5 bytes of gap, 8 of preamble and 54 of headers, 8 cycles. Parameters: W; INSTRUMENTS; TRADES_ONLY, other entries
// are not pushed. Overflow: none.
module fix_lanes
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit TRADES_ONLY = 1'b0
) (
    input logic   clk,
    input logic   rst,
    input logic   table_rst,  // of the table of instruments too
    stream_if.snk in,

    input logic                           instrument_write,
    input logic [$clog2(INSTRUMENTS)-1:0] instrument_index,
    input fix_instrument_t                instrument,
    output logic                          instrument_busy,

    output fix_number_beat_t number_beat,  // a cycle before the beat
    output sequence_t        number,       // with it: MsgSeqNum, if there is one

    output logic         out_valid,
    output logic         out_last,
    output logic         out_err,
    output fix_beat_t    out_beat,
    output logic         numbers_good,
    output logic         sum_good,
    output logic         length_good,
    output logic         entries_good,
    input  logic         of_closed,
    output fix_numbers_t numbers
);
  localparam int N = W / 8;
  localparam int Half = N < 4 ? N : 4;
  localparam int Halves = N / Half;
  localparam int CountBits = $clog2(N + 1);

  logic window_valid, window_last, window_err;
  logic [CountBits-1:0] window_count;
  logic [2:0] window_skip;
  logic [N-1:0][7:0] window_data;
  logic [Halves-1:0][Half-1:0] window_soh, window_before, window_after;
  logic [Halves-1:0] window_extra;
  logic [Halves-1:0][SymbolChars-1:0][7:0] window_chars;
  logic [Halves-1:0][7:0] window_char;
  logic [Halves-1:0] window_equals;
  number_chars_t [Halves-1:0] window_number;
  tag_t [N-1:0] window_tag;
  logic [N-1:0] window_bare, window_begin, window_begin_before, window_begin_after;

  fix_window #(
      .W(W)
  ) window_stage (
      .clk,
      .rst,
      .in,
      .out_valid(window_valid),
      .out_last(window_last),
      .out_err(window_err),
      .out_count(window_count),
      .out_skip(window_skip),
      .out_data(window_data),
      .out_soh(window_soh),
      .out_extra(window_extra),
      .out_chars(window_chars),
      .out_number(window_number),
      .out_tag(window_tag),
      .out_bare(window_bare),
      .out_before(window_before),
      .out_after(window_after),
      .out_begin(window_begin),
      .out_begin_before(window_begin_before),
      .out_begin_after(window_begin_after)
  );

  logic field_valid, field_last, field_err;
  logic [CountBits-1:0] field_count;
  logic [Halves-1:0] field_end, field_bare, field_short, field_extra, field_single, field_digits_good, field_begin;
  tag_t [Halves-1:0] field_tag;
  logic [Halves-1:0][7:0] field_char;
  pair_t [Halves-1:0] field_sum, field_total;
  logic [Halves-1:0][7:0] field_begin_sum;
  logic [Halves-1:0][2:0][3:0] field_digits;
  logic [Halves-1:0][INSTRUMENTS-1:0] field_match;
  logic [Halves-1:0][3:0] field_place;
  number_marks_t [Halves-1:0] field_marks;

  always_comb begin
    for (int h = 0; h < Halves; h++) begin
      window_char[h] = window_chars[h][0];
      window_equals[h] = window_number[h][SymbolChars].equals;
    end
  end

  fix_fields #(
      .W(W)
  ) fields_stage (
      .clk,
      .rst,
      .in_valid(window_valid),
      .in_last(window_last),
      .in_err(window_err),
      .in_count(window_count),
      .in_skip(window_skip),
      .in_data(window_data),
      .in_soh(window_soh),
      .in_extra(window_extra),
      .in_char(window_char),
      .in_number(window_number),
      .in_tag(window_tag),
      .in_bare(window_bare),
      .in_before(window_before),
      .in_after(window_after),
      .in_begin(window_begin),
      .in_begin_before(window_begin_before),
      .in_begin_after(window_begin_after),
      .out_valid(field_valid),
      .out_last(field_last),
      .out_err(field_err),
      .out_count(field_count),
      .out_end(field_end),
      .out_tag(field_tag),
      .out_bare(field_bare),
      .out_short(field_short),
      .out_extra(field_extra),
      .out_single(field_single),
      .out_char(field_char),
      .out_digits_good(field_digits_good),
      .out_digits(field_digits),
      .out_place(field_place),
      .out_sum(field_sum),
      .out_total(field_total),
      .out_begin(field_begin),
      .out_begin_sum(field_begin_sum),
      .out_marks(field_marks)
  );

  fix_symbols #(
      .HALVES(Halves),
      .INSTRUMENTS(INSTRUMENTS)
  ) symbols_stage (
      .clk,
      .rst(table_rst),
      .instrument_write,
      .instrument_index,
      .instrument,
      .instrument_busy,
      .chars(window_chars),
      .equals(window_equals),
      .match(field_match)
  );

  logic value_valid, value_last, value_err;
  logic [CountBits-1:0] value_count;
  logic [Halves-1:0] value_end, value_start, value_start_bare, value_checksum, value_goes_on, value_short, value_extra;
  logic [Halves-1:0] value_digits_good, value_begin;
  tag_t [Halves-1:0] value_tag;
  logic [Halves-1:0][2:0][3:0] value_digits;
  logic [Halves-1:0][3:0] value_place;
  logic [Halves-1:0] value_w, value_x, value_n, value_a4, value_digit, value_hit;
  logic [Halves-1:0][1:0] value_code;
  logic [Halves-1:0][InstrumentBits-1:0] value_index;
  logic [Halves-1:0][ScaleBits-1:0] value_price_scale, value_quantity_scale;
  logic [Halves-1:0][7:0] value_sum, value_begin_sum;
  logic [7:0] value_total;
  logic [ScaleBits-1:0] number_price_scale, number_quantity_scale;

  always_ff @(posedge clk) begin
    value_valid <= field_valid && !rst;
    {value_last, value_err, value_count} <= {field_last, field_err, field_count};
    {value_end, value_tag, value_short, value_extra} <= {field_end, field_tag, field_short, field_extra};
    for (int h = 0; h < Halves; h++) begin
      value_start[h] <= field_tag[h][TagBegin] && !field_bare[h];
      value_start_bare[h] <= field_tag[h][TagBegin] && field_bare[h];
      value_checksum[h] <= field_tag[h][TagChecksum];
      value_goes_on[h] <= field_end[h] && !field_tag[h][TagChecksum] && !(field_tag[h][TagBegin] && !field_bare[h]);
    end
    {value_begin, value_place, value_digits_good, value_digits} <= {field_begin, field_place, field_digits_good, field_digits};
  end

  fix_values #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) values_stage (
      .clk,
      .rst,
      .instrument_write,
      .instrument_index,
      .instrument_price_scale(instrument.price_scale),
      .instrument_quantity_scale(instrument.quantity_scale),
      .in_valid(field_valid),
      .in_last(field_last),
      .in_err(field_err),
      .in_end(field_end),
      .in_tag(field_tag),
      .in_single(field_single),
      .in_char(field_char),
      .in_match(field_match),
      .in_sum(field_sum),
      .in_begin_sum(field_begin_sum),
      .in_total(field_total),
      .out_w(value_w),
      .out_x(value_x),
      .out_n(value_n),
      .out_a4(value_a4),
      .out_digit(value_digit),
      .out_code(value_code),
      .out_hit(value_hit),
      .out_index(value_index),
      .out_price_scale(value_price_scale),
      .out_quantity_scale(value_quantity_scale),
      .number_price_scale,
      .number_quantity_scale,
      .out_sum(value_sum),
      .out_begin_sum(value_begin_sum),
      .out_total(value_total)
  );

  // ---- messages, their entries, the checks and the numbers beside them --------------------------------

  logic message_valid, message_last, message_err, message_truncated, message_skipped;
  entry_field_t [Halves-1:0] message_field;
  message_beat_t message_beat;

  fix_messages messages_stage (
      .clk,
      .rst,
      .in_valid(value_valid),
      .in_last(value_last),
      .in_err(value_err),
      .in_count(value_count),
      .in_end(value_end),
      .in_tag(value_tag),
      .in_start(value_start),
      .in_start_bare(value_start_bare),
      .in_checksum(value_checksum),
      .in_goes_on(value_goes_on),
      .in_short(value_short),
      .in_extra(value_extra),
      .in_w(value_w),
      .in_x(value_x),
      .in_n(value_n),
      .in_a4(value_a4),
      .in_digit(value_digit),
      .in_code(value_code),
      .in_hit(value_hit),
      .in_index(value_index),
      .in_price_scale(value_price_scale),
      .in_quantity_scale(value_quantity_scale),
      .out_valid(message_valid),
      .out_last(message_last),
      .out_err(message_err),
      .out_field(message_field),
      .out_beat(message_beat),
      .out_truncated(message_truncated),
      .out_skipped(message_skipped)
  );

  // MsgSeqNum: a beat of a good message has at most one.
  logic [3:1] sequence_good;
  sequence_t [3:1] sequence_reg;
  /* verilator lint_off UNUSEDSIGNAL */  // its last characters
  number_marks_t sequence_marks;
  /* verilator lint_on UNUSEDSIGNAL */
  assign sequence_marks = field_marks[Halves>1&&field_tag[Halves-1][TagSequence]?Halves-1 : 0];
  assign number = sequence_reg[3];
  always_ff @(posedge clk) begin
    sequence_reg <= {sequence_reg[2:1], sequence_marks.value[SequenceDigits-1:0]};
    sequence_good <= {
      sequence_good[2:1],
      sequence_marks.closed && sequence_marks.digit[0] && sequence_marks.digit[NumberChars-1:SequenceDigits] == '0 &&
          {sequence_marks.point, sequence_marks.other, sequence_marks.minus} == '0
    };
  end

  logic [EntryBits-1:0] entry_count;
  logic [ScaleBits-1:0] price_scale, quantity_scale;
  logic good_as_price, good_as_quantity;

  fix_entries #(
      .TRADES_ONLY(TRADES_ONLY)
  ) entries_stage (
      .clk,
      .rst,
      .in_valid(message_valid),
      .in_last(message_last),
      .in_err(message_err),
      .in_field(message_field),
      .in_beat(message_beat),
      .in_truncated(message_truncated),
      .in_skipped(message_skipped),
      .entry_count,
      .price_scale,
      .quantity_scale,
      .good_as_price,
      .good_as_quantity,
      .number_good(sequence_good[3]),
      .number_beat,
      .out_valid,
      .out_last,
      .out_err,
      .out_beat,
      .out_numbers_good(numbers_good)
  );

  logic small_good;
  logic [LengthBits-1:0] small_number;

  fix_checks #(
      .W(W)
  ) checks_stage (
      .clk,
      .rst,
      .in_count(value_count),
      .in_begin(value_begin),
      .in_begin_sum(value_begin_sum),
      .in_sum(value_sum),
      .in_total(value_total),
      .in_place(value_place),
      .in_digits_good(value_digits_good),
      .in_digits(value_digits),
      .in_valid(message_valid),
      .in_last(message_last),
      .in_err(message_err),
      .in_beat(message_beat),
      .entry_count,
      .small_good,
      .small_number,
      .sum_good,
      .length_good,
      .entries_good
  );

  // The price and the quantity in the beat, whichever halves they end in: a good message has at most one of each.
  fix_digits_t [Halves-1:0] half_digits;
  fix_digits_t price_digits, quantity_digits;
  logic price_good, quantity_good, price_minus, quantity_minus, price_wide, quantity_wide, price_zero, quantity_zero;
  logic signed [NumberBits-1:0] price_value, quantity_value;

  for (genvar h = 0; h < Halves; h++) begin : gen_digits
    fix_digits point_out (
        .marks(field_marks[h]),
        .digits(half_digits[h])
    );
  end
  assign price_digits = half_digits[field_tag[1][TagEntryPrice]];
  assign quantity_digits = half_digits[field_tag[1][TagEntrySize]];

  fix_number price_number (
      .clk,
      .number(price_digits),
      .scale(number_price_scale),
      .good(price_good),
      .minus(price_minus),
      .value(price_value),
      .wide(price_wide),
      .zero(price_zero)
  );
  fix_number quantity_number (
      .clk,
      .number(quantity_digits),
      .scale(number_quantity_scale),
      .good(quantity_good),
      .minus(quantity_minus),
      .value(quantity_value),
      .wide(quantity_wide),
      .zero(quantity_zero)
  );

  // The scale must have been that of the instrument that fix_entries found.
  logic [2:1][ScaleBits-1:0] used_price_scale, used_quantity_scale;
  always_ff @(posedge clk) begin
    used_price_scale <= {used_price_scale[1], number_price_scale};
    used_quantity_scale <= {used_quantity_scale[1], number_quantity_scale};
  end
  assign good_as_price = price_good && used_price_scale[2] == price_scale;
  assign good_as_quantity = quantity_good && !quantity_minus && used_quantity_scale[2] == quantity_scale;

  logic unused;
  assign unused = &{1'b0, price_minus, quantity_wide};

  fix_entry_numbers entry_numbers (
      .clk,
      .valid(out_valid),
      .last(out_last),
      .err(out_err),
      .beat(out_beat),
      .price(price_value),
      .price_wide,
      .price_zero,
      .quantity(quantity_value),
      .quantity_zero,
      .of_closed,
      .out(numbers)
  );

  fix_integer small_integer (
      .clk,
      .marks(field_marks),
      .second(field_tag[1][TagLength] || field_tag[1][TagEntries]),
      .good(small_good),
      .number(small_number)
  );

endmodule

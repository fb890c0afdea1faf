// W=64: from the stream's beats to what they mean for the message, and the numbers of its entries.
//
//   in ─ fix_window ─ fix_fields ─┬─ fix_values ─ fix_parser ─ fix_checks ─┬─ beat, good or not
//                                 ├─ fix_integer (lengths) ──────┘         │
//                                 └─ fix_number (price, quantity) ─────────┴─ numbers
//
// A number comes a cycle behind its beat: `closed` is, of the entry that was open before that, `open` of the one that is open behind it.
//
// Latency: 7 cycles. Throughput: a beat a cycle; 3 cycles without a beat behind a segment's end and behind its last bytes: between two frames
// there are at least 5 bytes of gap, 8 of preamble and 54 of headers, 8 cycles. Parameters: W; INSTRUMENTS. Overflow: none.
module fix_lanes
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16
) (
    input logic   clk,
    input logic   rst,
    input logic   table_rst,  // of the table of instruments too
    stream_if.snk in,

    input logic                           instrument_write,
    input logic [$clog2(INSTRUMENTS)-1:0] instrument_index,
    input fix_instrument_t                instrument,

    output logic         out_valid,
    output logic         out_last,
    output logic         out_err,
    output fix_beat_t    out_beat,
    output logic         price_good,
    output logic         quantity_good,
    output logic         sum_good,
    output logic         length_good,
    output logic         entries_good,
    output fix_numbers_t closed,
    output fix_numbers_t open
);
  localparam int N = W / 8;
  localparam int Half = N < 4 ? N : 4;
  localparam int Halves = N / Half;
  localparam int CountBits = $clog2(N + 1);

  fix_instrument_t [INSTRUMENTS-1:0] instruments;
  always_ff @(posedge clk) begin
    if (instrument_write) instruments[instrument_index] <= instrument;
    if (table_rst) for (int i = 0; i < INSTRUMENTS; i++) instruments[i].used <= 1'b0;
  end

  logic window_valid, window_last, window_err;
  logic [CountBits-1:0] window_count;
  logic [2:0] window_skip;
  logic [N-1:0][7:0] window_data;
  logic [Halves-1:0][Half-1:0] window_soh, window_begin;
  logic [Halves-1:0] window_short, window_extra, window_before, window_bare_before, window_behind, window_bare_behind;
  logic [Halves-1:0][SymbolChars:0][7:0] window_chars;
  number_chars_t [Halves-1:0] window_number;
  tag_t [Halves-1:0] window_tag_before, window_tag_behind;

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
      .out_short(window_short),
      .out_extra(window_extra),
      .out_chars(window_chars),
      .out_number(window_number),
      .out_before(window_before),
      .out_tag_before(window_tag_before),
      .out_bare_before(window_bare_before),
      .out_behind(window_behind),
      .out_tag_behind(window_tag_behind),
      .out_bare_behind(window_bare_behind),
      .out_begin(window_begin)
  );

  logic field_valid, field_last, field_err;
  logic [CountBits-1:0] field_count;
  logic [Halves-1:0] field_end, field_bare, field_short, field_extra, field_single, field_digits_good, field_begin;
  tag_t [Halves-1:0] field_tag;
  logic [Halves-1:0][7:0] field_char;
  pair_t [Halves-1:0] field_sum, field_begin_sum, field_total;
  logic [Halves-1:0][2:0][3:0] field_digits;
  logic [Halves-1:0][INSTRUMENTS-1:0] field_match;
  logic [Halves-1:0][3:0] field_place;
  number_marks_t field_price, field_quantity;
  number_chars_t field_small;

  fix_fields #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) fields_stage (
      .clk,
      .rst,
      .instruments,
      .in_valid(window_valid),
      .in_last(window_last),
      .in_err(window_err),
      .in_count(window_count),
      .in_skip(window_skip),
      .in_data(window_data),
      .in_soh(window_soh),
      .in_short(window_short),
      .in_extra(window_extra),
      .in_chars(window_chars),
      .in_number(window_number),
      .in_before(window_before),
      .in_tag_before(window_tag_before),
      .in_bare_before(window_bare_before),
      .in_behind(window_behind),
      .in_tag_behind(window_tag_behind),
      .in_bare_behind(window_bare_behind),
      .in_begin(window_begin),
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
      .out_match(field_match),
      .out_place(field_place),
      .out_sum(field_sum),
      .out_total(field_total),
      .out_begin(field_begin),
      .out_begin_sum(field_begin_sum),
      .out_price(field_price),
      .out_quantity(field_quantity),
      .out_small(field_small)
  );

  logic value_valid, value_last, value_err;
  logic [CountBits-1:0] value_count;
  logic [Halves-1:0] value_end, value_bare, value_short, value_extra, value_digits_good, value_begin;
  tag_t [Halves-1:0] value_tag;
  logic [Halves-1:0][2:0][3:0] value_digits;
  logic [Halves-1:0][3:0] value_place;
  logic [Halves-1:0] value_w, value_x, value_digit, value_hit;
  logic [Halves-1:0][1:0] value_code;
  logic [Halves-1:0][InstrumentBits-1:0] value_index;
  logic [Halves-1:0][ScaleBits-1:0] value_price_scale, value_quantity_scale;
  logic [Halves-1:0][7:0] value_sum, value_begin_sum;
  logic [7:0] value_total;
  logic [ScaleBits-1:0] number_price_scale, number_quantity_scale;

  always_ff @(posedge clk) begin
    value_valid <= field_valid && !rst;
    {value_last, value_err, value_count} <= {field_last, field_err, field_count};
    {value_end, value_tag, value_bare, value_short, value_extra} <= {field_end, field_tag, field_bare, field_short, field_extra};
    {value_begin, value_place, value_digits_good, value_digits} <= {field_begin, field_place, field_digits_good, field_digits};
  end

  fix_values #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) values_stage (
      .clk,
      .rst,
      .instruments,
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

  // ---- parser, the checks and the numbers beside it ----------------------------------------------------

  logic parsed_valid, parsed_last, parsed_err;
  fix_beat_t parsed_beat;
  logic [ScaleBits-1:0] price_scale, quantity_scale;
  logic [InstrumentBits-1:0] instrument_unused;

  fix_parser #(
      .W(W)
  ) parser_stage (
      .clk,
      .rst,
      .in_valid(value_valid),
      .in_last(value_last),
      .in_err(value_err),
      .in_count(value_count),
      .in_end(value_end),
      .in_tag(value_tag),
      .in_bare(value_bare),
      .in_short(value_short),
      .in_extra(value_extra),
      .in_w(value_w),
      .in_x(value_x),
      .in_digit(value_digit),
      .in_code(value_code),
      .in_hit(value_hit),
      .in_index(value_index),
      .in_price_scale(value_price_scale),
      .in_quantity_scale(value_quantity_scale),
      .out_valid(parsed_valid),
      .out_last(parsed_last),
      .out_err(parsed_err),
      .out_beat(parsed_beat),
      .instrument(instrument_unused),
      .price_scale,
      .quantity_scale
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
      .in_valid(parsed_valid),
      .in_last(parsed_last),
      .in_err(parsed_err),
      .in_beat(parsed_beat),
      .small_good,
      .small_number,
      .out_valid,
      .out_last,
      .out_err,
      .out_beat,
      .sum_good,
      .length_good,
      .entries_good
  );

  logic price_shaped, price_minus, price_negative, quantity_shaped, quantity_minus;
  logic [53:0] price_magnitude, quantity_magnitude;

  fix_number price_number (
      .clk,
      .marks(field_price),
      .scale(number_price_scale),
      .good(price_shaped),
      .minus(price_minus),
      .negative(price_negative),
      .magnitude(price_magnitude)
  );

  logic quantity_negative;
  fix_number quantity_number (
      .clk,
      .marks(field_quantity),
      .scale(number_quantity_scale),
      .good(quantity_shaped),
      .minus(quantity_minus),
      .negative(quantity_negative),
      .magnitude(quantity_magnitude)
  );

  logic unused;
  assign unused = &{1'b0, price_minus, quantity_negative};

  // The scales were those of the instrument, as the parser has it.
  logic [ScaleBits-1:0] used_price_scale, used_quantity_scale;
  logic [1:0] price_scale_right, quantity_scale_right;
  always_ff @(posedge clk) begin
    {used_price_scale, used_quantity_scale} <= {number_price_scale, number_quantity_scale};
    price_scale_right <= {price_scale_right[0], used_price_scale == price_scale};
    quantity_scale_right <= {quantity_scale_right[0], used_quantity_scale == quantity_scale};
  end
  assign price_good = price_shaped && price_scale_right[1];
  assign quantity_good = quantity_shaped && !quantity_minus && quantity_scale_right[1];

  fix_entry_numbers entry_numbers (
      .clk,
      .valid(out_valid),
      .last(out_last),
      .err(out_err),
      .beat(out_beat),
      .price_negative,
      .price_magnitude,
      .quantity_magnitude,
      .closed,
      .open
  );

  fix_integer small_integer (
      .clk,
      .chars(field_small),
      .good(small_good),
      .number(small_number)
  );

endmodule

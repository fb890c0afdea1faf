// FIX market data (35=W and 35=X) out of a TCP stream, in whatever segments it comes: committed events out.
//
//   in ─ fix_window ─ fix_fields ─┬─ fix_parser ───────────── delay ─┬─ fix_commit ─ event
//                                 └─ fix_number (price, quantity), ──┘
//                                    fix_integer (lengths)
//
// `in` is the payload in order, each byte once; a segment that proves bad (err) counts as not received, and comes again. An event leaves when its
// message is complete and good (BodyLength, CheckSum, order of fields, numbers) and so is every segment it lies in; whole messages or nothing.
// Behind a message that is not, the next `8=FIX` is looked for. Entries of instruments not in the table, and of types other than bid (0), offer
// (1) and trade (2) are passed over. Kinds: trade; else by MDUpdateAction add, modify, delete, in 35=W add. Fields whose data may hold SOH
// (RawData and its like) are not understood in a message with prices.
//
// Latency: 9 cycles from the segment's last beat to the first event; if that beat is empty, a verdict only, 2 cycles, but 9 from the last bytes.
// Throughput: a beat a cycle; the parser needs 3 cycles without a beat behind a segment's last (headers take longer).
// Parameters: W, 8 or 64; INSTRUMENTS; EVENTS, entries of messages not committed yet, a power of two. Overflow: fix_commit.
module decoder_fix
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64
) (
    input logic       clk,
    input logic       rst,
    input logic       restart,  // the stream begins anew: what was open is forgotten
    stream_if.snk     in,

    input logic                           instrument_write,
    input logic [$clog2(INSTRUMENTS)-1:0] instrument_index,
    input fix_instrument_t                instrument,

    output logic                                     event_valid,
    output event_t                                   event_data,
    output logic          [InstrumentBits-1:0]       event_instrument,
    output logic          [     FixCauses-1:0][31:0] count              // by fix_cause_e
);
  localparam int N = W / 8;
  localparam int Half = N < 4 ? N : 4;
  localparam int Halves = N / Half;
  localparam int CountBits = $clog2(N + 1);

  fix_instrument_t [INSTRUMENTS-1:0] instruments;
  always_ff @(posedge clk) begin
    if (instrument_write) instruments[instrument_index] <= instrument;
    if (rst) for (int i = 0; i < INSTRUMENTS; i++) instruments[i].used <= 1'b0;
  end

  logic window_valid, window_last, window_err;
  logic [CountBits-1:0] window_count;
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
      .rst(rst || restart),
      .in,
      .out_valid(window_valid),
      .out_last(window_last),
      .out_err(window_err),
      .out_count(window_count),
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
  logic [Halves-1:0][7:0] field_char, field_sum, field_begin_sum;
  logic [Halves-1:0][2:0][3:0] field_digits;
  logic [Halves-1:0][INSTRUMENTS-1:0] field_match;
  logic [Halves-1:0][LengthBits-1:0] field_place, field_begin_place;
  logic [7:0] field_total;
  number_chars_t field_price, field_quantity, field_small;

  fix_fields #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) fields_stage (
      .clk,
      .rst(rst || restart),
      .instruments,
      .in_valid(window_valid),
      .in_last(window_last),
      .in_err(window_err),
      .in_count(window_count),
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
      .out_begin_place(field_begin_place),
      .out_price(field_price),
      .out_quantity(field_quantity),
      .out_small(field_small)
  );

  // ---- parser, and the numbers beside it ---------------------------------------------------------------

  localparam int Delay = 4;  // the numbers' cycles behind the parser's

  logic [Delay:0] beat_valid, beat_last, beat_err;
  fix_beat_t [Delay:0] beats;
  logic [ScaleBits-1:0] price_scale, quantity_scale;

  fix_parser #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) parser_stage (
      .clk,
      .rst(rst || restart),
      .instruments,
      .in_valid(field_valid),
      .in_last(field_last),
      .in_err(field_err),
      .in_count(field_count),
      .in_end(field_end),
      .in_tag(field_tag),
      .in_bare(field_bare),
      .in_short(field_short),
      .in_extra(field_extra),
      .in_single(field_single),
      .in_char(field_char),
      .in_digits_good(field_digits_good),
      .in_digits(field_digits),
      .in_match(field_match),
      .in_place(field_place),
      .in_sum(field_sum),
      .in_total(field_total),
      .in_begin(field_begin),
      .in_begin_sum(field_begin_sum),
      .in_begin_place(field_begin_place),
      .out_valid(beat_valid[0]),
      .out_last(beat_last[0]),
      .out_err(beat_err[0]),
      .out_beat(beats[0]),
      .price_scale,
      .quantity_scale
  );

  always_ff @(posedge clk) begin
    beat_valid[Delay:1] <= rst || restart ? '0 : beat_valid[Delay-1:0];
    beat_last[Delay:1] <= beat_last[Delay-1:0];
    beat_err[Delay:1] <= beat_err[Delay-1:0];
    beats[Delay:1] <= beats[Delay-1:0];
  end

  logic price_good, price_negative, quantity_good, quantity_negative, small_good;
  logic [53:0] price_magnitude, quantity_magnitude;
  logic [LengthBits-1:0] small_number;

  fix_number price_number (
      .clk,
      .chars(field_price),
      .scale(Halves > 1 || beats[0].price ? price_scale : quantity_scale),
      .good(price_good),
      .negative(price_negative),
      .magnitude(price_magnitude)
  );

  if (Halves > 1) begin : gen_quantity
    fix_number quantity_number (
        .clk,
        .chars(field_quantity),
        .scale(quantity_scale),
        .good(quantity_good),
        .negative(quantity_negative),
        .magnitude(quantity_magnitude)
    );
  end else begin : gen_one_number
    // A beat of one byte ends one field: the one unit serves both.
    assign quantity_good = price_good;
    assign quantity_negative = price_negative;
    assign quantity_magnitude = price_magnitude;
    logic unused;
    assign unused = &{1'b0, field_quantity};
  end

  fix_integer small_integer (
      .clk,
      .chars(field_small),
      .good(small_good),
      .number(small_number)
  );

  // ---- the verdict ---------------------------------------------------------------------------------------

  // A good end is told at once, past the beats that hold no bytes: it takes effect when the bytes before it have.
  // A bad end counts as bytes: what it takes back must be gone before a later segment is told good.
  localparam int Depth = 7;  // cycles from `in` to fix_commit, but one
  logic [Depth-1:0] bytes_under_way;
  logic ended_good;
  always_ff @(posedge clk) begin
    bytes_under_way <= {bytes_under_way[Depth-2:0], in.valid && (in.keep != '0 || (in.last && in.err))};
    ended_good <= in.valid && in.last && !in.err;
    if (rst || restart) begin
      bytes_under_way <= '0;
      ended_good <= 1'b0;
    end
  end

  fix_commit #(
      .EVENTS(EVENTS)
  ) commit_stage (
      .clk,
      .rst,
      .restart,
      .valid(beat_valid[Delay]),
      .last(beat_last[Delay]),
      .err(beat_err[Delay]),
      .beat(beats[Delay]),
      .price_good,
      .price_negative,
      .price_magnitude,
      .quantity_good,
      .quantity_negative,
      .quantity_magnitude,
      .small_good,
      .small_number,
      .drained(bytes_under_way == '0),
      .ended_good,
      .event_valid,
      .event_data,
      .event_instrument,
      .count
  );
endmodule

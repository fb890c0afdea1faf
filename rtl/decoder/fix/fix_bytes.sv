// W=8: turns the stream's bytes into what they mean for the message, and the numbers of its entries.
//
//   in ─ register ─┬─ fix_byte_scan ─ tag and value ─┬─ fix_byte_parser ─┬─ beat
//                  ├─ fix_byte_symbols ─ instrument ─┼────────┘          │
//                  │                                 ├─ fix_byte_numbers ┼─ numbers
//                  └─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─┴─ fix_byte_checks ─┴─ good or not
//
// When all bytes of a segment have passed, its changes are saved if it is good, and undone if it is bad.
//
// Latency: 6 cycles. The numbers of an entry are there when it is pushed: the last is at its scale 12 cycles after its SOH, and no SOH that
// pushes comes to `beat` sooner. Throughput: a byte a cycle; 7 cycles without one after a segment's end (asserted): between two frames there
// are at least 67. Parameter: INSTRUMENTS. Overflow: none.
module fix_bytes
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,
    input logic table_rst,  // of the table of instruments too
    stream_if.snk in,

    input  logic                                   instrument_write,  // see fix_byte_symbols
    input  logic            [$clog2(INSTRUMENTS)-1:0] instrument_index,
    input  fix_instrument_t                        instrument,
    output logic                                   instrument_busy,

    output fix_number_beat_t number_beat,  // of the same beat
    output sequence_t        number,       // with it: MsgSeqNum, if there is one

    output logic         out_valid,
    output logic         out_last,
    output logic         out_err,
    output fix_beat_t    out_beat,
    output logic         price_good,
    output logic         quantity_good,
    output logic         sum_good,
    output logic         length_good,
    output logic         entries_good,
    output fix_numbers_t numbers
);
  localparam int Stages = 6;

  // ---- bytes on their way --------------------------------------------------------------------------------

  fix_byte_t [Stages:1] at;  // so many cycles after `in`
  logic save, restore, restores;
  assign restores = at[Stages].valid && at[Stages].err;

  always_ff @(posedge clk) begin
    at[1] <= '{
        valid: in.valid,
        last: in.last,
        err: in.last && in.err,
        present: in.valid && in.keep[0],
        soh: in.valid && in.keep[0] && in.data == Soh,
        equals: in.valid && in.keep[0] && in.data == "=",
        digit: in.valid && in.keep[0] && in.data >= "0" && in.data <= "9",
        point: in.valid && in.keep[0] && in.data == ".",
        minus: in.valid && in.keep[0] && in.data == "-",
        data: in.data
    };
    at[Stages:2] <= at[Stages-1:1];
    save <= at[Stages].valid && at[Stages].last && !at[Stages].err;
    restore <= restores;
    if (rst) begin
      at <= '0;
      {save, restore} <= '0;
    end
  end

  // ---- fields ------------------------------------------------------------------------------------------

  logic [4:0] length;
  logic scan_begins;
  fix_field_t scanned;
  sequence_t scanned_number;
  fix_field_t [Stages:2] field;  // of the bytes before at[]
  logic [Stages:2] begins;

  fix_byte_scan scan (
      .clk,
      .rst,
      .save,
      .restore,
      .in(at[1]),
      .length,
      .field(scanned),
      .sequence_digits(scanned_number),
      .begins(scan_begins)
  );

  // MsgSeqNum stays until the next one: a good message has only one.
  always_ff @(posedge clk) if (at[2].soh && scanned.tag[TagSequence]) number <= scanned_number;

  assign field[2] = scanned;
  assign begins[2] = scan_begins;
  always_ff @(posedge clk) begin
    field[Stages:3]  <= field[Stages-1:2];
    begins[Stages:3] <= begins[Stages-1:2];
  end

  logic hit;
  logic [$clog2(INSTRUMENTS)-1:0] index;
  logic [ScaleBits-1:0] price_scale, quantity_scale;
  /* verilator lint_off UNUSEDSIGNAL */  // as many bits as there are instruments
  logic [InstrumentBits-1:0] number_instrument;
  /* verilator lint_on UNUSEDSIGNAL */

  fix_byte_symbols #(
      .INSTRUMENTS(INSTRUMENTS)
  ) symbols (
      .clk,
      .table_rst,
      .rst,
      .save,
      .restore,
      .instrument_write,
      .instrument_index,
      .instrument,
      .instrument_busy,
      .data(at[1].data),
      .place(length[3:0]),
      .present(at[3].present),
      .equals(at[3].equals),
      .hit,
      .index,
      .scales_index(number_instrument[$clog2(INSTRUMENTS)-1:0]),
      .price_scale,
      .quantity_scale
  );

  // ---- messages ----------------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // its number is used before
  fix_field_t ended;
  /* verilator lint_on UNUSEDSIGNAL */
  assign ended = field[5];

  fix_byte_parser parser (
      .clk,
      .rst,
      .in_valid(at[5].valid),
      .in_last(at[5].last),
      .in_err(at[5].err),
      .in_present(at[5].present),
      .in_end(at[5].soh),
      .in_tag(ended.tag),
      .in_bare(ended.bare),
      .in_short(ended.brief),
      .in_w(ended.w),
      .in_x(ended.x),
      .in_n(ended.n),
      .in_a4(ended.a4),
      .in_number_good(ended.sequence_good),
      .in_digit(ended.single && ended.integer_value[3:2] == '0),
      .in_code(ended.integer_value[1:0]),
      .in_hit(hit),
      .in_index(InstrumentBits'(index)),
      .out_valid,
      .out_last,
      .out_err,
      .out_beat,
      .number_beat,
      .instrument(number_instrument)
  );

  // ---- numbers -----------------------------------------------------------------------------------------

  logic [ScaleBits-1:0] scale, missing, missing_reg;
  logic scale_good;
  logic [6:4] number_good, minus;

  assign scale = field[2].tag[TagEntryPrice] ? price_scale : quantity_scale;
  assign missing = scale - field[2].decimals;
  always_ff @(posedge clk) begin
    missing_reg <= missing;
    scale_good <= scale <= ScaleBits'(MaxScale) && field[2].decimals <= scale;
    // Not more than 16 digits at that scale.
    number_good <= {
      number_good[5:4], field[3].number && scale_good && (field[3].digits == '0 || 6'(field[3].digits) + 6'(missing_reg) <= 6'(NumberChars))
    };
    minus <= {minus[5:4], field[3].minus};
  end
  assign price_good = number_good[6];
  assign quantity_good = number_good[6] && !minus[6];

  // A number ends at least six bytes after a symbol: the instrument's scales may be read a cycle late.
  logic number_ends;
  assign number_ends = at[2].valid && at[2].soh && (field[2].tag[TagEntryPrice] || field[2].tag[TagEntrySize]);
  assert property (@(posedge clk) disable iff (rst) !number_ends || $stable(number_instrument));

  fix_byte_numbers entry_numbers (
      .clk,
      .rst,
      .save,
      .restores,
      .clear(out_valid && out_beat.clear),
      .in(at[2]),
      .in_price(field[2].tag[TagEntryPrice]),
      .in_quantity(field[2].tag[TagEntrySize]),
      .missing,
      .was_equals(at[3].equals),
      .numbers
  );

  fix_byte_checks checks (
      .clk,
      .rst,
      .save,
      .restore,
      .in(at[6]),
      .beat(out_beat),
      .in_begin(begins[6]),
      .value_good(field[6].integer_good),
      .value(field[6].integer_value),
      .next_three(ended.three),
      .next_value(ended.integer_value),
      .sum_good,
      .length_good,
      .entries_good
  );

  logic unused;
  assign unused = &{1'b0, length[4], field};
endmodule

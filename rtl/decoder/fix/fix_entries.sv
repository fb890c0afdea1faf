// W=64: follows the entries of a message: which one a number belongs to, when one is complete, whether something is missing or twice.
//
//   fields ─ state before and behind each ─ register ─ what is wrong, which entry is complete ─ beat
//
// In 35=W an entry begins with 269, in 35=X with 279; in it 269, instrument (X; in W before the entries), 270 and 271 come once at most, and 270 and
// 271 behind both others. MsgSeqNum comes once, before 268. An instrument holds for the next entries too, until another is named; of 55 and 48 in one entry, either may be
// in the table. What comes in another order is malformed, and so is no entry where 268 is not just 0. Fields of other tags are passed over.
//
// Latency: 2 cycles, 1 for `entry_count` and the scales. Throughput: a beat a cycle, with two fields. Parameter: TRADES_ONLY, entries of other
// kinds are not pushed. Overflow: entries are counted modulo 2^10, more have room nowhere (fix_commit).
module fix_entries
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter bit TRADES_ONLY = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic               in_valid,
    input logic               in_last,
    input logic               in_err,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it of both
    input entry_field_t [1:0] in_field,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic               in_truncated,
    input logic               in_skipped,
    input message_beat_t      in_beat,

    output logic [EntryBits-1:0] entry_count,     // of a message that ends in this beat
    output logic [ScaleBits-1:0] price_scale,     // of a number in this beat
    output logic [ScaleBits-1:0] quantity_scale,
    input logic [1:0] good_as_price,              // a number at that scale, in either half
    input logic [1:0] good_as_quantity,
    input logic       number_good,                // MsgSeqNum

    output fix_number_beat_t number_beat,  // a cycle before the beat is out

    output logic      out_valid,
    output logic      out_last,
    output logic      out_err,
    output fix_beat_t out_beat,
    output logic      out_numbers_good  // that are in the beat
);
  // ---- state -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic has_number;        // MsgSeqNum
    logic has_entries;
    logic none_told;         // NoMDEntries is 0
    logic entry_open;
    logic has_type;
    logic [1:0] entry_type;  // 0 bid, 1 offer, 2 trade, 3 any other
    logic [1:0] action;
    logic has_price;
    logic has_quantity;
    logic named;             // an instrument was named, in this message
    logic named_here;        // in this entry
    logic known;             // it is in the table
    logic [InstrumentBits-1:0] instrument;
  } entry_t;

  typedef struct packed {
    entry_t entry;
    logic [EntryBits-1:0] entry_count;
    logic [ScaleBits-1:0] price_scale;
    logic [ScaleBits-1:0] quantity_scale;
  } state_t;

  state_t state, next, saved;
  entry_t [1:0] entry;  // before each half
  entry_t behind;

  always_comb begin
    behind = state.entry;
    next = state;
    for (int h = 0; h < 2; h++) begin
      automatic entry_t was = behind;
      /* verilator lint_off UNUSEDSIGNAL */  // not all of it
      automatic entry_field_t field = in_field[h];
      /* verilator lint_on UNUSEDSIGNAL */
      entry[h] = was;
      behind.has_number = field.number || (was.has_number && !field.begins);
      behind.has_entries = field.entries || (was.has_entries && !field.begins);
      behind.none_told = field.entries ? field.none : was.none_told;
      behind.entry_open = field.opens || (was.entry_open && !field.begins && !field.finish);
      behind.has_type = field.entry_type || (was.has_type && !field.action);
      behind.entry_type = field.entry_type ? field.code | {2{!field.digit}} : was.entry_type;
      behind.action = field.opens ? field.code & {2{field.action}} : was.action;
      behind.has_price = field.price || (was.has_price && !field.opens);
      behind.has_quantity = field.size || (was.has_quantity && !field.opens);
      behind.named = field.symbol || (was.named && !field.begins);
      behind.named_here = field.symbol || (was.named_here && !field.begins && !field.opens);
      behind.known = field.symbol ? (was.named_here && was.known) || field.hit : was.known && !field.begins;
      behind.instrument = was.instrument;
      if (field.symbol && !(was.named_here && was.known)) begin
        behind.instrument = field.index;
        next.price_scale = field.price_scale;
        next.quantity_scale = field.quantity_scale;
      end
    end
    next.entry = behind;
    // Two entries of a good message do not begin in one beat.
    if (in_field[0].begins || in_field[1].begins) next.entry_count = '0;
    else if (in_field[0].opens || in_field[1].opens) next.entry_count = state.entry_count + 1'b1;
  end

  // Of the message that ends, or was open, before the beat's other half: a good one has no entry that begins in the beat in which it ends.
  entry_t [1:0] was;
  entry_field_t [1:0] field;
  logic counted;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  message_beat_t beat_1;
  /* verilator lint_on UNUSEDSIGNAL */
  logic truncated_1, skipped_1, valid_1, last_1, err_1;

  always_ff @(posedge clk) begin
    was <= entry;
    field <= in_field;
    counted <= state.entry_count != '0;
    entry_count <= state.entry_count;
    {price_scale, quantity_scale} <= {next.price_scale, next.quantity_scale};
    {truncated_1, skipped_1, beat_1} <= {in_truncated, in_skipped, in_beat};
    valid_1 <= in_valid && !rst;
    {last_1, err_1} <= {in_last, in_err};
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '0;
      saved <= '0;
    end
  end

  // ---- what is wrong -------------------------------------------------------------------------------------

  logic [1:0] closes, wrong;
  logic malformed, malformed_next, malformed_saved;
  logic [2:0] spoilt;  // before the beat and behind each half
  fix_beat_t beat;
  logic numbers_good;

  always_comb begin
    for (int h = 0; h < 2; h++) begin
      // An entry without a type, or without a price and not a deletion, is incomplete.
      automatic logic incomplete = was[h].entry_open && (!was[h].has_type || !was[h].named || (!was[h].has_price && was[h].action != 2'd2));
      automatic logic number = field[h].price || field[h].size;
      closes[h] = field[h].opens || field[h].finish;
      wrong[h] = field[h].malformed || (field[h].finish && field[h].prices && !was[h].has_entries) ||
          (field[h].finish && field[h].prices && !counted && !was[h].none_told) || (closes[h] && field[h].prices && incomplete) ||
          (field[h].opens && !was[h].has_entries) ||
          // An entry's numbers were read with its instrument's scales.
          (field[h].symbol && was[h].entry_open && (was[h].has_price || was[h].has_quantity)) ||
          (field[h].entries && (was[h].has_entries || !was[h].has_number)) || (field[h].number && (was[h].has_number || !number_good)) ||
          (field[h].action && (!field[h].type_x || !field[h].digit || field[h].code == 2'd3)) ||
          (field[h].entry_type && field[h].type_x && (!was[h].entry_open || was[h].has_type)) ||
          (number && (!was[h].entry_open || !was[h].has_type || !was[h].named)) || (field[h].price && was[h].has_price) ||
          (field[h].size && was[h].has_quantity);
    end
    spoilt[0] = malformed;
    spoilt[1] = ((spoilt[0] || wrong[0]) && !field[0].begins) || field[0].malformed_behind;
    spoilt[2] = ((spoilt[1] || wrong[1] || (field[0].opens && closes[1])) && !field[1].begins) || field[1].malformed_behind;
    malformed_next = spoilt[2];
  end

  assign number_beat = '{
          valid: valid_1,
          last: last_1,
          err: err_1,
          begins: field[0].begins || field[1].begins,
          number: field[0].number || field[1].number,
          duplicate: field[0].duplicate || field[1].duplicate
      };

  // ---- the entry that is closed, as the next begins or the message ends ----------------------------------------

  always_comb begin
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it
    automatic entry_t last = closes[0] ? was[0] : was[1];
    /* verilator lint_on UNUSEDSIGNAL */
    automatic logic wanted = (closes[0] || closes[1]) && last.entry_open && last.entry_type != 2'd3;
    beat = '0;
    numbers_good = 1'b1;
    beat.push = wanted && last.known && (!TRADES_ONLY || (last.entry_type == 2'd2 && (last.action == 2'd0 || last.action == 2'd3)));
    beat.unknown = wanted && !last.known;
    unique case (last.action)
      2'd1: beat.kind = KIND_MODIFY;
      2'd2: beat.kind = KIND_DELETE;
      default: beat.kind = last.entry_type == 2'd2 ? KIND_TRADE : KIND_ADD;
    endcase
    beat.type_x = closes[0] ? field[0].type_x : field[1].type_x;
    beat.side = side_e'(last.entry_type == 2'd1);
    beat.instrument = last.instrument;
    for (int h = 0; h < 2; h++) begin
      automatic logic counts = was[h].known && was[h].entry_type != 2'd3;
      if (field[h].price && counts) begin
        beat.price = 1'b1;
        beat.price_half = h == 1;
        if (!good_as_price[h]) numbers_good = 1'b0;
      end
      if (field[h].size && counts) begin
        beat.quantity = 1'b1;
        beat.quantity_half = h == 1;
        if (!good_as_quantity[h]) numbers_good = 1'b0;
      end
    end
    beat.price_first = field[0].price || !field[0].opens;
    beat.quantity_first = field[0].size || !field[0].opens;
    beat.clear = field[0].opens || field[1].opens;
    beat.length = beat_1.length;
    beat.length_half = beat_1.length_half;
    beat.entries = beat_1.entries;
    beat.begins = beat_1.begins;
    beat.finish = field[0].finish || field[1].finish;
    beat.finish_half = beat_1.finish_half;
    beat.prices = field[0].finish ? field[0].prices : field[1].prices;
    beat.begins_anew = beat_1.begins_anew;
    beat.malformed = field[0].finish ? spoilt[0] || wrong[0] : spoilt[1] || wrong[1] || field[0].opens;
    beat.truncated = truncated_1;
    beat.skipped = skipped_1;
    beat.entry_count = '0;
  end

  always_ff @(posedge clk) begin
    out_valid <= valid_1 && !rst;
    out_last <= last_1;
    out_err <= err_1;
    out_beat <= beat;
    out_numbers_good <= numbers_good;
    if (valid_1) begin
      malformed <= err_1 ? malformed_saved : malformed_next;
      if (last_1 && !err_1) malformed_saved <= malformed_next;
    end
    if (rst) begin
      malformed <= 1'b0;
      malformed_saved <= 1'b0;
    end
  end
endmodule

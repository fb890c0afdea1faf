// W=64: follows the entries of a message: which entry a number belongs to, when an entry is complete, what is missing or there twice.
//
//   fields ─ state before and after each ─ register ─ what is wrong, which entry is complete ─ beat
//
// An entry begins with 269 in 35=W, with 279 in 35=X. In it come 269, the instrument (35=W: before the entries), 270 and 271, each once at most,
// and 270 and 271 after the two others. MsgSeqNum comes once, before 268. An instrument counts for the entries after it too, until
// another is named; if an entry has both 55 and 48, either may be in the table. Another order is malformed, and so is a message without
// entries unless its 268 is just 0. Fields of other tags are passed over.
//
// Latency: 2 cycles, 1 for `entry_count` and the scales. Throughput: a beat a cycle, with two fields. Parameter: TRADES_ONLY, entries of other
// kinds are not pushed. Overflow: entries are counted modulo 2^10; fix_commit has no room for more.
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
    /* verilator lint_off UNUSEDSIGNAL */  // not all of both is used here
    input entry_field_t [1:0] in_field,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic               in_truncated,
    input logic               in_skipped,
    input message_beat_t      in_beat,

    output logic [EntryBits-1:0] entry_count,     // of a message that ends in this beat
    output logic [ScaleBits-1:0] price_scale,     // of a number in this beat
    output logic [ScaleBits-1:0] quantity_scale,
    input logic       good_as_price,              // the beat's price is a number at that scale
    input logic       good_as_quantity,
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
    logic zero_entries;      // NoMDEntries is 0
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
  entry_t after;

  always_comb begin
    after = state.entry;
    next = state;
    for (int h = 0; h < 2; h++) begin
      automatic entry_t was = after;
      /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
      automatic entry_field_t field = in_field[h];
      /* verilator lint_on UNUSEDSIGNAL */
      entry[h] = was;
      after.has_number = field.number || (was.has_number && !field.begins);
      after.has_entries = field.entries || (was.has_entries && !field.begins);
      after.zero_entries = field.entries ? field.none : was.zero_entries;
      after.entry_open = field.opens || (was.entry_open && !field.begins && !field.finish);
      after.has_type = field.entry_type || (was.has_type && !field.action);
      after.entry_type = field.entry_type ? field.code | {2{!field.digit}} : was.entry_type;
      after.action = field.opens ? field.code & {2{field.action}} : was.action;
      after.has_price = field.price || (was.has_price && !field.opens);
      after.has_quantity = field.size || (was.has_quantity && !field.opens);
      after.named = field.symbol || (was.named && !field.begins);
      after.named_here = field.symbol || (was.named_here && !field.begins && !field.opens);
      after.known = field.symbol ? (was.named_here && was.known) || field.hit : was.known && !field.begins;
      after.instrument = was.instrument;
      if (field.symbol && !(was.named_here && was.known)) begin
        after.instrument = field.index;
        next.price_scale = field.price_scale;
        next.quantity_scale = field.quantity_scale;
      end
    end
    next.entry = after;
    // Two entries of a good message do not begin in one beat.
    if (in_field[0].begins || in_field[1].begins) next.entry_count = '0;
    else if (in_field[0].opens || in_field[1].opens) next.entry_count = state.entry_count + 1'b1;
  end

  // A good message has no entry that begins in the beat in which the message ends: the count before the beat is complete then.
  entry_t [1:0] was;
  entry_field_t [1:0] field;
  logic counted;
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
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
  logic [2:0] malformed_at;  // before the beat, after its first half, after its second
  fix_beat_t beat;
  logic numbers_good;

  always_comb begin
    for (int h = 0; h < 2; h++) begin
      // An entry without a type, or without a price and not a deletion, is incomplete.
      automatic logic incomplete = was[h].entry_open && (!was[h].has_type || !was[h].named || (!was[h].has_price && was[h].action != 2'd2));
      automatic logic number = field[h].price || field[h].size;
      closes[h] = field[h].opens || field[h].finish;
      wrong[h] = field[h].malformed || (field[h].finish && field[h].prices && !was[h].has_entries) ||
          (field[h].finish && field[h].prices && !counted && !was[h].zero_entries) || (closes[h] && field[h].prices && incomplete) ||
          (field[h].opens && !was[h].has_entries) ||
          // An entry's numbers were read with its instrument's scales.
          (field[h].symbol && was[h].entry_open && (was[h].has_price || was[h].has_quantity)) ||
          (field[h].entries && (was[h].has_entries || !was[h].has_number)) || (field[h].number && (was[h].has_number || !number_good)) ||
          (field[h].action && (!field[h].type_x || !field[h].digit || field[h].code == 2'd3)) ||
          (field[h].entry_type && field[h].type_x && (!was[h].entry_open || was[h].has_type)) ||
          (number && (!was[h].entry_open || !was[h].has_type || !was[h].named)) || (field[h].price && was[h].has_price) ||
          (field[h].size && was[h].has_quantity);
    end
    malformed_at[0] = malformed;
    malformed_at[1] = ((malformed_at[0] || wrong[0]) && !field[0].begins) || field[0].malformed_after;
    malformed_at[2] = ((malformed_at[1] || wrong[1] || (field[0].opens && closes[1])) && !field[1].begins) || field[1].malformed_after;
    malformed_next = malformed_at[2];
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
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
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
        if (!good_as_price) numbers_good = 1'b0;
      end
      if (field[h].size && counts) begin
        beat.quantity = 1'b1;
        if (!good_as_quantity) numbers_good = 1'b0;
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
    beat.malformed = field[0].finish ? malformed_at[0] || wrong[0] : malformed_at[1] || wrong[1] || field[0].opens;
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

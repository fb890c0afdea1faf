// W=8: follows the fields of a message: which entry a number belongs to, when an entry is complete, when the message ends.
//
// A message is 8, 9, 35 in this order, anything, 10. In 35=W an entry begins with 269, in 35=X with 279; in it 269, instrument (X; in W before the
// entries), 270 and 271 come once at most, and 270 and 271 after both others. MsgSeqNum comes once, before 268. An instrument holds for the next
// entries too, until another is named; of 55 and 48 in one entry, either may be in the table. Another order is malformed, and so is a message
// without entries unless its 268 is just 0. Fields of other tags are skipped.
//
// A field is acted on at its SOH. Its tag is one-hot or zero, so no condition on one tag needs to exclude the others.
//
// Latency: 1 cycle. Throughput: a byte a cycle. No parameters. Overflow: a message longer than 2^16 bytes is truncated, at a byte that
// is not an SOH; entries are counted modulo 2^10; fix_commit has no room for more.
module fix_byte_parser
  import tickwire_pkg::*;
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic                      in_valid,
    input logic                      in_last,
    input logic                      in_err,
    input logic                      in_present,
    input logic                      in_end,      // an SOH
    input tag_t                      in_tag,
    input logic                      in_bare,     // see fix_byte_scan
    input logic                      in_short,
    input logic                      in_w,        // the value is this one character
    input logic                      in_x,
    input logic                      in_n,
    input logic                      in_a4,       // "A" or "4"
    input logic                      in_number_good,  // as MsgSeqNum
    input logic                      in_digit,    // 0 to 3:
    input logic [               1:0] in_code,
    input logic                      in_hit,      // the value is the symbol of
    input logic [InstrumentBits-1:0] in_index,

    output logic                      out_valid,
    output logic                      out_last,
    output logic                      out_err,
    output fix_beat_t                 out_beat,
    output fix_number_beat_t         number_beat,  // of the same beat
    output logic [InstrumentBits-1:0] instrument  // whose scales a number in the beat has; known before the beat
);
  typedef struct packed {
    logic outside;           // outside any message; else one of these:
    logic at_length;         // 9 is next
    logic at_type;           // 35 is next
    logic in_body;
    logic skipping;
    logic malformed;
    logic prices;
    logic type_x;
    logic begins_anew;       // 35=A or 4
    logic has_number;        // MsgSeqNum
    logic has_entries;
    logic none_given;        // NoMDEntries is 0
    logic [EntryBits-1:0] entry_count;
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
    logic [LengthBits-1:0] size;  // of the message, a byte more or less
  } state_t;

  state_t state, next, saved;
  fix_beat_t beat;

  logic begins, finishes, length_ends, type_ends, field, action, entry_type, opens, closes, incomplete, wanted;

  assign begins = in_end && in_tag[TagBegin] && (!in_bare || state.outside);
  assign finishes = in_end && in_tag[TagChecksum] && !state.outside;
  assign length_ends = in_end && state.at_length && !in_tag[TagChecksum] && !(in_tag[TagBegin] && !in_bare);
  assign type_ends = in_end && state.at_type && !in_tag[TagChecksum] && !(in_tag[TagBegin] && !in_bare);
  assign field = in_end && state.in_body && state.prices;
  assign action = field && in_tag[TagAction];
  assign entry_type = field && in_tag[TagEntryType];
  assign opens = action || (entry_type && !state.type_x);
  assign closes = (opens || finishes) && state.entry_open;

  // An entry without a type or instrument, or without a price though not a deletion.
  assign incomplete = state.entry_open && (!state.has_type || !state.named || (!state.has_price && state.action != 2'd2));
  assign wanted = closes && state.entry_type != 2'd3;

  // Why this field makes the message malformed.
  logic bad_end, bad_start, bad_symbol, bad_entry, bad_number;
  assign bad_end = finishes && (!state.in_body ||
      (state.prices && (!state.has_entries || incomplete || (state.entry_count == '0 && !state.none_given))));
  assign bad_start = (length_ends && !in_tag[TagLength]) || (type_ends && !in_tag[TagType]) ||
      (in_end && state.in_body && (in_tag[TagLength] || in_tag[TagType]));
  assign bad_symbol = field && ((in_tag[TagSymbol] && state.entry_open && (state.has_price || state.has_quantity)) ||
      (in_tag[TagEntries] && (state.has_entries || !state.has_number)) ||
      (in_tag[TagSequence] && (state.has_number || !in_number_good)));  // an entry's numbers were read with its instrument's scales
  assign bad_entry = (opens && (!state.has_entries || incomplete)) ||
      (action && (!state.type_x || !in_digit || in_code == 2'd3)) ||
      (entry_type && state.type_x && (!state.entry_open || state.has_type));
  assign bad_number = field && (in_tag[TagEntryPrice] || in_tag[TagEntrySize]) &&
      (!state.entry_open || !state.has_type || !state.named ||
       (in_tag[TagEntryPrice] && state.has_price) || (in_tag[TagEntrySize] && state.has_quantity));

  // Before the byte count wraps; no field ends here.
  logic too_long;
  assign too_long = !in_end && !state.outside && state.size[LengthBits-1];

  always_comb begin
    next = state;
    next.size = state.size + LengthBits'(in_present);
    next.malformed = state.malformed || (in_end && in_short) || bad_end || bad_start || bad_symbol || bad_entry || bad_number;
    if (in_end && state.outside && !in_tag[TagBegin]) next.skipping = 1'b1;
    if (length_ends) {next.at_length, next.at_type} = 2'b01;
    if (type_ends) begin
      {next.at_type, next.in_body} = 2'b01;
      next.prices = in_w || in_x;
      next.type_x = in_x;
      next.begins_anew = in_a4;
    end
    if (field && in_tag[TagSymbol]) begin
      if (!state.named_here || !state.known) begin
        next.known = in_hit;
        next.instrument = in_index;
      end
      next.named = 1'b1;
      next.named_here = 1'b1;
    end
    if (field && in_tag[TagSequence]) next.has_number = 1'b1;
    if (field && in_tag[TagEntries]) begin
      next.has_entries = 1'b1;
      next.none_given = in_digit && in_code == 2'd0;
    end
    if (opens) begin
      next.entry_open = 1'b1;
      next.entry_count = state.entry_count + 1'b1;
      next.has_type = 1'b0;
      next.has_price = 1'b0;
      next.has_quantity = 1'b0;
      next.named_here = 1'b0;
      next.action = action ? in_code : 2'd0;
    end
    if (entry_type) begin
      next.has_type = 1'b1;
      next.entry_type = in_digit ? in_code : 2'd3;
    end
    if (field && in_tag[TagEntryPrice]) next.has_price = 1'b1;
    if (field && in_tag[TagEntrySize]) next.has_quantity = 1'b1;
    if (finishes || too_long) begin
      {next.outside, next.at_length, next.at_type, next.in_body} = 4'b1000;
      next.entry_open = 1'b0;
      if (too_long) next.skipping = 1'b1;
    end
    if (begins) begin
      {next.outside, next.at_length, next.at_type, next.in_body} = 4'b0100;
      next.skipping = 1'b0;
      next.malformed = 1'b0;
      next.prices = 1'b0;
      next.begins_anew = 1'b0;
      next.has_number = 1'b0;
      next.has_entries = 1'b0;
      next.entry_count = '0;
      next.entry_open = 1'b0;
      next.named = 1'b0;
      next.named_here = 1'b0;
      next.known = 1'b0;
      next.size = '0;
    end
  end

  always_comb begin
    beat = '0;
    beat.begins[0] = begins;
    beat.truncated = (begins && !state.outside) || too_long;
    beat.skipped = in_end && state.outside && !in_tag[TagBegin] && !state.skipping;
    beat.length = length_ends;
    beat.finish = finishes;
    beat.prices = state.prices;
    beat.begins_anew = state.begins_anew;
    beat.malformed = next.malformed;
    beat.entry_count = state.entry_count;
    beat.entries = field && in_tag[TagEntries];
    beat.clear = opens;
    beat.price = field && in_tag[TagEntryPrice] && state.known && state.entry_type != 2'd3;
    beat.price_first = 1'b1;
    beat.quantity = field && in_tag[TagEntrySize] && state.known && state.entry_type != 2'd3;
    beat.quantity_first = 1'b1;

    // The entry that is closed, as the next begins or the message ends.
    beat.push = wanted && state.known;
    beat.unknown = wanted && !state.known;
    beat.type_x = state.type_x;
    beat.side = side_e'(state.entry_type == 2'd1);
    beat.instrument = state.instrument;
    unique case (state.action)
      2'd1: beat.kind = KIND_MODIFY;
      2'd2: beat.kind = KIND_DELETE;
      default: beat.kind = state.entry_type == 2'd2 ? KIND_TRADE : KIND_ADD;
    endcase
  end

  always_ff @(posedge clk) begin
    out_valid <= in_valid && !rst;
    out_last <= in_last;
    out_err <= in_err;
    out_beat <= beat;
    instrument <= next.instrument;
    number_beat <= '{
        valid: in_valid && !rst,
        last: in_last,
        err: in_err,
        begins: begins,
        number: field && in_tag[TagSequence],
        duplicate: in_end && state.in_body && in_tag[TagDuplicate] && !in_n
    };
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '0;
      state.outside <= 1'b1;
      saved <= '0;
      saved.outside <= 1'b1;
    end
  end

  assert property (@(posedge clk) disable iff (rst) $onehot({state.outside, state.at_length, state.at_type, state.in_body}));
  assert property (@(posedge clk) disable iff (rst) $onehot0(in_tag));
endmodule

// Follows the fields of a message: which entry a number belongs to, when an entry is complete, when the message ends.
//
// A message is 8, 9, 35 in this order, anything, 10. In 35=W an entry begins with 269, in 35=X with 279; in it 269, instrument (X; in W before the
// entries), 270 and 271 come once at most, and 270 and 271 behind both others. An instrument holds for the next entries too, until another
// is named; of 55 and 48 in one entry, either may be in the table. What comes in another order is malformed, and so is no entry where 268 is not
// just 0. Fields of other tags are passed over.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameter: W. Overflow: a message longer than 2^16 bytes is truncated; entries are
// counted modulo 2^10, more have room nowhere (fix_commit).
module fix_parser
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Halves = N < 4 ? 1 : N / 4
) (
    input logic clk,
    input logic rst,

    input logic                               in_valid,
    input logic                               in_last,
    input logic                               in_err,
    input logic [          $clog2(N+1)-1:0]   in_count,
    input logic [         Halves-1:0]         in_end,
    input tag_t [         Halves-1:0]         in_tag,
    input logic [         Halves-1:0]         in_bare,
    input logic [Halves-1:0] in_extra,
    input logic [         Halves-1:0]         in_short,
    input logic [Halves-1:0] in_w,  // the value is this one character
    input logic [Halves-1:0] in_x,
    input logic [Halves-1:0] in_digit,  // 0 to 3:
    input logic [Halves-1:0][1:0] in_code,
    input logic [Halves-1:0] in_hit,  // the value is the symbol of
    input logic [Halves-1:0][InstrumentBits-1:0] in_index,
    input logic [Halves-1:0][ScaleBits-1:0] in_price_scale,
    input logic [Halves-1:0][ScaleBits-1:0] in_quantity_scale,

    output logic                              out_valid,
    output logic                              out_last,
    output logic                              out_err,
    output fix_beat_t                         out_beat,
    output logic [InstrumentBits-1:0]         instrument,      // of a number in the beat; W=8: known before it
    output logic [ScaleBits-1:0]              price_scale,     // and its scales
    output logic [ScaleBits-1:0]              quantity_scale
);
  typedef enum logic [1:0] {
    OUTSIDE,
    LENGTH,   // 9 is next
    TYPE,     // 35 is next
    BODY
  } phase_e;

  typedef struct packed {
    phase_e phase;
    logic skipping;
    logic malformed;
    logic prices;
    logic type_x;
    logic has_entries;
    logic none_told;         // NoMDEntries is 0
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
    logic [ScaleBits-1:0] price_scale;
    logic [ScaleBits-1:0] quantity_scale;
    logic [LengthBits-1:0] size;  // of the message, a beat more or less
  } state_t;

  state_t state, next, saved;
  fix_beat_t beat;

  /* verilator lint_off UNUSEDSIGNAL */  // these look at parts of the state

  // An entry that is closed, as the next begins or the message ends.
  function automatic fix_beat_t closed(input fix_beat_t b, input state_t s);
    logic wanted;
    closed = b;
    closed.type_x = s.type_x;
    wanted = s.entry_open && s.entry_type != 2'd3;
    closed.push = wanted && s.known;
    closed.unknown = wanted && !s.known;
    closed.side = side_e'(s.entry_type == 2'd1);
    closed.instrument = s.instrument;
    unique case (s.action)
      2'd1: closed.kind = KIND_MODIFY;
      2'd2: closed.kind = KIND_DELETE;
      default: closed.kind = s.entry_type == 2'd2 ? KIND_TRADE : KIND_ADD;
    endcase
  endfunction

  // An entry without a type, or without a price and not a deletion, is incomplete.
  function automatic logic incomplete(input state_t s);
    return s.entry_open && (!s.has_type || !s.named || (!s.has_price && s.action != 2'd2));
  endfunction

  function automatic state_t opened(input state_t s);
    opened = s;
    opened.entry_open = 1'b1;
    opened.entry_count = s.entry_count + 1'b1;
    opened.has_type = 1'b0;
    opened.has_price = 1'b0;
    opened.has_quantity = 1'b0;
    opened.named_here = 1'b0;
    opened.action = 2'd0;
    if (!s.has_entries || incomplete(s)) opened.malformed = 1'b1;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    next = state;
    beat = '0;
    for (int h = 0; h < Halves; h++) begin
      automatic tag_t tag = in_tag[h];
      automatic state_t was = next;  // what is asked is of before the field: there are no chains of what its tag, one only, does not change
      if (in_end[h]) begin
        if (in_short[h]) next.malformed = 1'b1;
        if (tag[TagBegin] && (!in_bare[h] || was.phase == OUTSIDE)) begin
          if (was.phase != OUTSIDE) beat.truncated = 1'b1;
          next.phase = LENGTH;
          next.skipping = 1'b0;
          next.malformed = 1'b0;
          next.prices = 1'b0;
          next.has_entries = 1'b0;
          next.entry_count = '0;
          next.entry_open = 1'b0;
          next.named = 1'b0;
          next.named_here = 1'b0;
          next.known = 1'b0;
          next.size = '0;
          beat.begins[h] = 1'b1;
        end else if (was.phase == OUTSIDE) begin
          if (!was.skipping) beat.skipped = 1'b1;
          next.skipping = 1'b1;
        end else if (tag[TagChecksum]) begin
          if (was.phase != BODY) next.malformed = 1'b1;
          if (was.prices && (!was.has_entries || incomplete(was))) next.malformed = 1'b1;
          if (was.prices && was.entry_count == '0 && !was.none_told) next.malformed = 1'b1;
          if (beat.clear && was.entry_open) next.malformed = 1'b1;
          if (was.entry_open) beat = closed(beat, was);
          beat.finish = 1'b1;
          beat.prices = was.prices;
          beat.malformed = next.malformed;
          beat.entry_count = was.entry_count;
          beat.finish_half = h > 0;
          next.phase = OUTSIDE;
          next.entry_open = 1'b0;
        end else if (was.phase == LENGTH) begin
          if (!tag[TagLength]) next.malformed = 1'b1;
          beat.length = 1'b1;
          beat.length_half = h > 0;
          next.phase = TYPE;
        end else if (was.phase == TYPE) begin
          if (!tag[TagType]) next.malformed = 1'b1;
          next.prices = in_w[h] || in_x[h];
          next.type_x = in_x[h];
          next.phase = BODY;
        end else if (tag[TagLength] || tag[TagType]) begin
          next.malformed = 1'b1;
        end else if (was.prices) begin
          if (tag[TagSymbol]) begin
            if (!was.named_here || !was.known) begin
              next.known = in_hit[h];
              next.instrument = in_index[h];
              next.price_scale = in_price_scale[h];
              next.quantity_scale = in_quantity_scale[h];
            end
            next.named = 1'b1;
            next.named_here = 1'b1;
            // An entry's numbers were read with its instrument's scales.
            if (was.entry_open && (was.has_price || was.has_quantity)) next.malformed = 1'b1;
          end
          if (tag[TagEntries]) begin
            if (was.has_entries) next.malformed = 1'b1;
            next.has_entries = 1'b1;
            next.none_told = in_digit[h] && in_code[h] == 2'd0;
            beat.entries = 1'b1;
          end
          if (tag[TagAction] || (tag[TagEntryType] && !was.type_x)) begin
            if (beat.clear) next.malformed = 1'b1;
            if (was.entry_open) beat = closed(beat, was);
            if (tag[TagAction] && !was.type_x) next.malformed = 1'b1;
            next = opened(next);
            beat.clear = 1'b1;
          end
          if (tag[TagAction]) begin
            next.action = in_code[h];
            if (!in_digit[h] || in_code[h] == 2'd3) next.malformed = 1'b1;
          end
          if (tag[TagEntryType]) begin
            if (was.type_x && (!was.entry_open || was.has_type)) next.malformed = 1'b1;
            next.has_type = 1'b1;
            next.entry_type = in_digit[h] ? in_code[h] : 2'd3;
          end
          if (tag[TagEntryPrice] || tag[TagEntrySize]) begin
            if (!was.entry_open || !was.has_type || !was.named) next.malformed = 1'b1;
          end
          if (tag[TagEntryPrice]) begin
            if (was.has_price) next.malformed = 1'b1;
            next.has_price = 1'b1;
            beat.price = was.known && was.entry_type != 2'd3;
            beat.price_first = !beat.clear;
          end
          if (tag[TagEntrySize]) begin
            if (was.has_quantity) next.malformed = 1'b1;
            next.has_quantity = 1'b1;
            beat.quantity = was.known && was.entry_type != 2'd3;
            beat.quantity_first = !beat.clear;
          end
        end
      end
      if (in_extra[h]) begin
        if (next.phase != OUTSIDE) next.malformed = 1'b1;
        else begin
          if (!next.skipping) beat.skipped = 1'b1;
          next.skipping = 1'b1;
        end
      end
    end
    if (next.phase != OUTSIDE && beat.begins == '0) next.size = state.size + LengthBits'(in_count);
    // Too long: before the places wrap.
    if (state.phase != OUTSIDE && state.size[LengthBits-1] && !beat.finish && beat.begins == '0) begin
      next.phase = OUTSIDE;
      next.entry_open = 1'b0;
      next.skipping = 1'b1;
      beat.truncated = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    out_valid <= in_valid && !rst;
    out_last <= in_last;
    out_err <= in_err;
    out_beat <= beat;
    instrument <= next.instrument;
    price_scale <= next.price_scale;
    quantity_scale <= next.quantity_scale;
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '0;
      saved <= '0;
    end
  end
endmodule

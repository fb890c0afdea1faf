// W=64: follows messages from field to field: where one begins, what each of its fields means, where it ends.
//
// A message is 8, 9, 35 in this order, anything, 10. Another order is malformed. What entries hold: see fix_entries.
//
// Latency: 1 cycle. Throughput: a beat a cycle, with two fields. No parameters. Overflow: a message longer than 2^16 bytes is truncated.
module fix_messages
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic                            in_valid,
    input logic                            in_last,
    input logic                            in_err,
    input logic [3:0]                      in_count,
    input logic [1:0]                      in_end,
    /* verilator lint_off UNUSEDSIGNAL */  // not all tags are used here
    input tag_t [1:0]                      in_tag,             // 0 where no field ends
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [1:0]                      in_start,           // 8=FIX after an SOH
    input logic [1:0]                      in_start_bare,      // not after one: in a message it is text
    input logic [1:0]                      in_checksum,
    input logic [1:0]                      in_goes_on,         // any other field, or 8=FIX within a message
    input logic [1:0]                      in_extra,
    input logic [1:0]                      in_short,
    input logic [1:0]                      in_w,               // the value is this one character
    input logic [1:0]                      in_x,
    input logic [1:0]                      in_n,
    input logic [1:0]                      in_a4,
    input logic [1:0]                      in_digit,           // 0 to 3:
    input logic [1:0][1:0]                 in_code,
    input logic [1:0]                      in_hit,             // the value is the symbol of
    input logic [1:0][InstrumentBits-1:0]  in_index,
    input logic [1:0][ScaleBits-1:0]       in_price_scale,
    input logic [1:0][ScaleBits-1:0]       in_quantity_scale,

    output logic               out_valid,
    output logic               out_last,
    output logic               out_err,
    output entry_field_t [1:0] out_field,
    output message_beat_t      out_beat,
    output logic               out_truncated,  // another began before it ended, or it is too long
    output logic               out_skipped     // bytes outside messages begin
);
  // One of them is set.
  typedef struct packed {
    logic outside;   // after a message's end
    logic skipping;  // outside too, after bytes that belong to no message
    logic length;    // 9 is next
    logic type_;     // 35 is next
    logic other;     // in the body: of 35=A or 4, of W, of X, of none of them
    logic a4;
    logic w;
    logic x;
  } phase_t;
  localparam phase_t Outside = '{outside: 1'b1, default: 1'b0};
  localparam phase_t Skipping = '{skipping: 1'b1, default: 1'b0};

  typedef struct packed {
    phase_t phase;
    logic fresh;                  // it began in the beat before
    logic [LengthBits-1:0] size;  // else of the message, a beat more or less
  } state_t;

  state_t state, next, saved;
  phase_t [1:0] phase;  // before each half
  phase_t after;
  logic [1:0] out, begins, finish, of_length, skips;
  logic too_long;

  always_comb begin
    after = state.phase;
    for (int h = 0; h < 2; h++) begin
      automatic phase_t was = after;
      phase[h] = was;
      out[h] = was.outside || was.skipping;
      begins[h] = in_start[h] || (in_start_bare[h] && out[h]);
      finish[h] = in_checksum[h] && !out[h];
      after.length = begins[h] || (was.length && !in_end[h]);
      after.outside = (finish[h] && !in_extra[h]) || (was.outside && !in_end[h]);
      after.skipping = (in_goes_on[h] && !in_start_bare[h] && out[h]) || (in_checksum[h] && (out[h] || in_extra[h])) ||
          (was.skipping && !in_end[h]);
      after.type_ = (was.length && in_goes_on[h]) || (was.type_ && !in_end[h]);
      after.other = (was.type_ && in_goes_on[h] && !in_w[h] && !in_x[h] && !in_a4[h]) || (was.other && (in_goes_on[h] || !in_end[h]));
      after.a4 = (was.type_ && in_goes_on[h] && in_a4[h]) || (was.a4 && (in_goes_on[h] || !in_end[h]));
      after.w = (was.type_ && in_goes_on[h] && in_w[h]) || (was.w && (in_goes_on[h] || !in_end[h]));
      after.x = (was.type_ && in_goes_on[h] && in_x[h]) || (was.x && (in_goes_on[h] || !in_end[h]));
      of_length[h] = was.length && in_goes_on[h];
      skips[h] = (was.outside && in_end[h] && !in_start[h] && !in_start_bare[h]) || (finish[h] && in_extra[h]);
    end

    // Before the byte count wraps.
    too_long = state.size[LengthBits-1] && !state.fresh && !out[0] && in_checksum == '0 && in_start == '0;
    next.phase = too_long ? Skipping : after;
    next.fresh = begins != '0;
    next.size = (state.size & {LengthBits{!state.fresh}}) + LengthBits'(in_count);
  end

  entry_field_t [1:0] field;
  always_comb begin
    for (int h = 0; h < 2; h++) begin
      /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
      automatic phase_t was = phase[h];
      /* verilator lint_on UNUSEDSIGNAL */
      automatic logic live = was.w || was.x;
      field[h] = '0;
      field[h].begins = begins[h];
      field[h].finish = finish[h];
      field[h].symbol = live && in_tag[h][TagSymbol];
      field[h].entries = live && in_tag[h][TagEntries];
      field[h].action = live && in_tag[h][TagAction];
      field[h].entry_type = live && in_tag[h][TagEntryType];
      field[h].price = live && in_tag[h][TagEntryPrice];
      field[h].size = live && in_tag[h][TagEntrySize];
      field[h].number = live && in_tag[h][TagSequence];
      field[h].duplicate = (live || was.a4) && in_tag[h][TagDuplicate] && !in_n[h];
      field[h].opens = live && (in_tag[h][TagAction] || (in_tag[h][TagEntryType] && was.w));
      field[h].type_x = was.x;
      field[h].prices = was.w || was.x;
      field[h].malformed = in_end[h] && (in_short[h] || (was.length && !in_tag[h][TagLength]) || (was.type_ && !in_tag[h][TagType]) ||
          (!was.length && in_tag[h][TagLength]) || (!was.type_ && in_tag[h][TagType]));
      field[h].malformed_after = in_extra[h] && (begins[h] || (in_goes_on[h] && !out[h]));
      field[h].none = in_digit[h] && in_code[h] == 2'd0;
      field[h].digit = in_digit[h];
      field[h].code = in_code[h];
      field[h].hit = in_hit[h];
      field[h].index = in_index[h];
      field[h].price_scale = in_price_scale[h];
      field[h].quantity_scale = in_quantity_scale[h];
    end
  end

  always_ff @(posedge clk) begin
    out_valid <= in_valid && !rst;
    out_last <= in_last;
    out_err <= in_err;
    out_field <= field;
    out_beat.begins <= begins;
    out_beat.finish_half <= finish[1];
    out_beat.length <= of_length != '0;
    out_beat.length_half <= of_length[1];
    out_beat.entries <= field[0].entries || field[1].entries;
    out_beat.prices <= finish[0] ? field[0].prices : field[1].prices;
    out_beat.begins_anew <= finish[0] ? phase[0].a4 : phase[1].a4;
    out_truncated <= (in_start & ~out) != '0 || too_long;
    out_skipped <= skips != '0;
    if (in_valid) begin
      state <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      state <= '{phase: Outside, fresh: 1'b0, size: '0};
      saved <= '{phase: Outside, fresh: 1'b0, size: '0};
    end
  end
endmodule

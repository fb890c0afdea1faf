// W=8: reads the bytes since the last SOH, one at a time: the tag, and what its value could be.
//
// A tag is up to three digits after an SOH and before the first "=". `8=FIX` counts wherever it stands, unless after a digit; the last
// of "=" and `8=FIX` says what the field is; a field with a second "=" has no tag. The value is what stands after the last "=".
//
// Latency: 1 cycle: `field` describes the bytes before the one that has just left. Throughput: a byte a cycle. No parameters.
// Overflow: a value's length stops at 17; the counts of a longer one do not matter.
module fix_byte_scan
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic save,
    input logic restore,  // no byte comes in the same cycle

    /* verilator lint_off UNUSEDSIGNAL */  // not its end
    input fix_byte_t in,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic       [4:0] length,  // of the value before `in`
    output fix_field_t       field,   // a cycle after `in`: without that byte
    output sequence_t        sequence_digits,  // as `field`, if its value is MsgSeqNum
    output logic             begins   // a cycle after `in`: it was the X of 8=FIX
);
  localparam logic [3:0] None = 4'hF;  // no digit
  localparam int Longest = NumberChars + 1;

  typedef struct packed {
    logic [2:0][3:0] tag;  // its digits, [0] the last
    logic no_tag;          // other characters, more digits, or a second "="
    logic in_value;
    logic begun;           // 8=FIX, and no "=" since
    logic bare;            // it does not follow an SOH
    logic [2:0] begin_place;  // characters of 8=FIX so far
    logic begin_bare;
    logic behind_digit;    // the last byte is one
    logic [1:0] size;      // of the field, up to 3
    logic [4:0] length;
    logic all_digits;
    logic [LengthBits-1:0] integer_value;
    sequence_t sequence_;  // its last digits
    logic w;               // the last byte
    logic x;
    logic n;
    logic a4;
    logic minus;
    logic point;
    logic any_digit;
    logic wrong;           // not a number
    logic [4:0] digits;
    logic [ScaleBits-1:0] decimals;
  } state_t;

  state_t state, next, saved;
  logic [LengthBits-1:0] times_ten;
  logic found;

  assign found = in.present && state.begin_place == 3'd4 && in.data == "X";

  // 10 v + d: 5 v + d / 2 in one sum, where 4 v leaves room for the digit.
  logic [LengthBits-2:0] four_times;
  assign four_times = {state.integer_value[LengthBits-4:0], in.data[3] ? 2'b11 : in.data[2:1]};
  assign times_ten  = {four_times + state.integer_value[LengthBits-2:0] + (LengthBits - 1)'(in.data[3]), in.data[0]};

  always_comb begin
    next = state;
    if (in.present) begin
      // Where 8=FIX is.
      next.begin_place = 3'd0;
      if (in.data == "8" && !state.behind_digit) begin
        next.begin_place = 3'd1;
        next.begin_bare = state.size != 2'd0;
      end
      if (state.begin_place == 3'd1 && in.equals) next.begin_place = 3'd2;
      if (state.begin_place == 3'd2 && in.data == "F") next.begin_place = 3'd3;
      if (state.begin_place == 3'd3 && in.data == "I") next.begin_place = 3'd4;
      next.behind_digit = in.digit;
      if (state.size != 2'd3) next.size = state.size + 2'd1;

      // The tag.
      if (in.equals) begin
        next.in_value = 1'b1;
        if (state.in_value) next.no_tag = 1'b1;
        next.begun = 1'b0;
      end else if (!state.in_value) begin
        if (!in.digit || state.tag[2] != None) next.no_tag = 1'b1;
        next.tag = {state.tag[1:0], in.data[3:0]};
      end
      if (found) begin
        next.begun = 1'b1;
        next.bare = state.begin_bare;
      end

      // The value.
      next.w = in.data == "W";
      next.x = in.data == "X";
      next.n = in.data == "N";
      next.a4 = in.data == "A" || in.data == "4";
      if (state.length != 5'(Longest)) next.length = state.length + 5'd1;
      if (!in.digit) next.all_digits = 1'b0;
      if (in.minus && state.length == '0) next.minus = 1'b1;
      else if (in.point && !state.point) next.point = 1'b1;
      else if (!in.digit) next.wrong = 1'b1;
      if (in.digit) begin
        next.integer_value = times_ten;
        next.sequence_ = {state.sequence_[SequenceDigits-2:0], in.data[3:0]};
        next.any_digit = 1'b1;
        if (state.point) next.decimals = state.decimals + 1'b1;
        if (state.digits != '0 || in.data[3:0] != '0) next.digits = state.digits + 5'd1;
      end
      if (in.equals) begin
        next.length = '0;
        next.all_digits = 1'b1;
        next.integer_value = '0;
        next.sequence_ = '0;
        next.minus = 1'b0;
        next.point = 1'b0;
        next.any_digit = 1'b0;
        next.wrong = 1'b0;
        next.digits = '0;
        next.decimals = '0;
      end

      // An SOH leaves the value as it is.
      if (in.soh) begin
        next = state;
        next.tag = {3{None}};
        next.no_tag = 1'b0;
        next.in_value = 1'b0;
        next.begun = 1'b0;
        next.begin_place = 3'd0;
        next.behind_digit = 1'b0;
        next.size = 2'd0;
      end
    end
  end

  always_ff @(posedge clk) begin
    state <= restore ? saved : next;
    if (save) saved <= state;
    if (rst) begin
      state <= '0;
      state.tag <= {3{None}};
      saved <= '0;
      saved.tag <= {3{None}};
    end
  end

  function automatic tag_t tag_of(input logic [2:0][3:0] digits);
    tag_of = '0;
    unique case (digits)
      12'hFF9: tag_of[TagLength] = 1'b1;
      12'hF10: tag_of[TagChecksum] = 1'b1;
      12'hF34: tag_of[TagSequence] = 1'b1;
      12'hF35: tag_of[TagType] = 1'b1;
      12'hF43: tag_of[TagDuplicate] = 1'b1;
      12'hF48, 12'hF55: tag_of[TagSymbol] = 1'b1;
      12'h268: tag_of[TagEntries] = 1'b1;
      12'h269: tag_of[TagEntryType] = 1'b1;
      12'h270: tag_of[TagEntryPrice] = 1'b1;
      12'h271: tag_of[TagEntrySize] = 1'b1;
      12'h279: tag_of[TagAction] = 1'b1;
      default: ;
    endcase
  endfunction

  assign length = state.length;

  always_ff @(posedge clk) begin
    field.tag <= state.in_value && !state.no_tag && !state.begun ? tag_of(state.tag) : '0;
    field.tag[TagBegin] <= state.begun;
    field.bare <= state.bare;
    field.brief <= state.size != 2'd3;
    field.w <= state.length == 5'd1 && state.w;
    field.x <= state.length == 5'd1 && state.x;
    field.n <= state.length == 5'd1 && state.n;
    field.a4 <= state.length == 5'd1 && state.a4;
    field.single <= state.length == 5'd1 && state.all_digits;
    field.three <= state.length == 5'd3 && state.all_digits;
    field.integer_good <= state.length inside {[5'd1 : 5'd5]} && state.all_digits;
    field.sequence_good <= state.length != '0 && state.length <= 5'(SequenceDigits) && state.all_digits;
    field.number <= state.any_digit && !state.wrong && state.length != 5'(Longest);
    field.digits <= state.digits;
    field.decimals <= state.decimals;
    field.integer_value <= state.integer_value;
    field.minus <= state.minus;
    begins <= found;
    sequence_digits <= state.sequence_;
  end

  assert property (@(posedge clk) disable iff (rst) !(in.present && (save || restore)));
endmodule

// Divides, or shifts, one bit a cycle: the quotient towards minus infinity and the rest with the divisor's sign, as Python has them.
//
//   a, b ─ without signs ─ 64 steps of subtract and shift ─ signs ─ quotient
//
// By zero: 0. A shift by less than 0 or more than 63: 0, or to the right the sign.
//
// Latency: `start` to `done` 69 cycles, always; `quotient` is there with it and stays. Throughput: one at a time. No parameters. Overflow: none.
module processor_divide
  import processor_pkg::*;
(
    input  logic       clk,
    input  logic       rst,
    input  logic       start,
    input  operation_e operation,  // PROCESSOR_DIVIDE, PROCESSOR_MODULO, PROCESSOR_SHIFT_LEFT or PROCESSOR_SHIFT_RIGHT
    input  value_t     a,
    input  value_t     b,
    output logic       done,
    output value_t     quotient
);
  typedef logic [ValueWidth-1:0] unsigned_t;

  operation_e kind;
  logic a_negative, b_negative, by_zero, too_far, divides, shifts_left;  // the last two of the operation
  unsigned_t value, divisor, remainder;
  logic [6:0] steps;
  value_t given_a, given_b;
  logic given, opened, busy, ended, signed_again, moves;  // moves: a shift's next step
  logic [ValueWidth:0] next_remainder, difference;
  logic take;

  assign next_remainder = {remainder, value[ValueWidth-1]};
  assign difference = next_remainder - {1'b0, divisor};
  assign take = !difference[ValueWidth];

  // The last step: what the signs change is one addition.
  unsigned_t left, right, left_part, right_part;
  logic minus, minus_part;
  always_comb begin
    left = value;
    right = '0;
    minus = 1'b0;
    if (kind == PROCESSOR_DIVIDE) begin
      // Of unlike signs -value, and one less if there is a rest: ~value + 1, or ~value.
      left = a_negative != b_negative ? ~value : value;
      right = unsigned_t'(a_negative != b_negative && remainder == '0);
    end else if (kind == PROCESSOR_MODULO) begin
      minus = a_negative;
      unique case ({
        a_negative, b_negative
      })
        2'b00: left = remainder;
        2'b11: left = '0;
        2'b10: left = divisor;
        default: left = remainder;
      endcase
      if (a_negative) right = remainder;
      else if (b_negative) right = divisor;
      if (!a_negative && b_negative) minus = 1'b1;
      if (remainder == '0) {left, right, minus} = '0;
    end
  end

  always_ff @(posedge clk) begin
    // Taken in any case: whether it is meant comes late.
    {given_a, given_b} <= {a, b};
    given <= start && !rst;
    opened <= given && !rst;
    signed_again <= ended && !rst;
    done <= signed_again && !rst;
    ended <= busy && steps == 7'd1 && !rst;
    busy <= (opened || (busy && steps != 7'd1)) && !rst;
    if (start) begin
      kind <= operation;
      divides <= operation inside {PROCESSOR_DIVIDE, PROCESSOR_MODULO};
      shifts_left <= operation == PROCESSOR_SHIFT_LEFT;
    end
    if (given) {value, divisor} <= {given_a, given_b};
    if (opened) begin
      // Without signs; a shift's distance stays in `divisor`.
      a_negative <= value[ValueWidth-1];
      b_negative <= divisor[ValueWidth-1];
      by_zero <= divisor == '0;
      too_far <= |divisor[ValueWidth-1:6];
      remainder <= '0;
      steps <= 7'(ValueWidth);
      moves <= 1'b0;  // by less than ValueWidth
      if (divides && value[ValueWidth-1]) value <= -value;
      if (divides && divisor[ValueWidth-1]) divisor <= -divisor;
    end
    if (busy) begin
      steps <= steps - 1'b1;
      moves <= steps - 1'b1 <= 7'(divisor[5:0]);
      if (divides) begin
        remainder <= take ? difference[ValueWidth-1:0] : next_remainder[ValueWidth-1:0];
        value <= {value[ValueWidth-2:0], take};
      end else if (moves) begin
        value <= shifts_left ? value << 1 : unsigned_t'($signed(value) >>> 1);
      end
    end
    {left_part, right_part, minus_part} <= {left, right, minus};
    if (signed_again) begin
      quotient <= left_part + (right_part ^ {ValueWidth{minus_part}}) + unsigned_t'(minus_part);
      if (divides && by_zero) quotient <= '0;
      if (!divides && too_far) quotient <= shifts_left ? '0 : {ValueWidth{a_negative}};
    end
  end

  assert property (@(posedge clk) disable iff (rst) !start || !(given || opened || busy || ended || signed_again));
endmodule

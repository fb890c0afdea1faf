// What is wrong with a field, and the packet's verdict (FAST 1.1, 10).
//
//   value ─ of its type? ─┬─ worst error ─ first of the packet ─ verdict
//   what else is known ───┘       │
//                             put off: of an exponent, of a subtraction length
//
// Latency: 2 cycles from a value to the verdict, if the packet ends with it. Throughput: a value a cycle. Nothing overflows.
module fast_judge
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input step_t step,
    input execute_t word,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [71:0] value,
    input logic has_value,
    input logic overlong,
    input logic too_long,  // an integer of more than ten bytes
    input logic known,  // the template identifier
    input fast_error_e state_error,

    input logic busy,  // the dictionary is being taken back
    output logic commit,  // pulse: the packet was good
    output logic undo,  // it was not
    output logic failed,  // there was an error
    output logic finished,
    output logic finished_good,
    output fast_verdict_t verdict
);
  logic fits, fits_exponent;
  fast_range range (
      .sum(value),
      .is_signed(word.signed_value),
      .width(word.width),
      .fits,
      .fits_exponent
  );

  logic
      judges,
      overlong5,
      too_long5,
      unknown5,
      is_exponent,
      is_second,
      is_delta,
      is_whole,
      is_subtraction,
      is_text,
      is_message,
      finishes,
      has_value5;
  logic outside, outside_exponent;  // of its type; of what a decimal's exponent may be
  fast_error_e state_error5, early, late;
  logic [13:0] offset;

  always_ff @(posedge clk) begin
    judges <= valid && !rst;
    overlong5 <= overlong;
    too_long5 <= too_long;
    unknown5 <= step.message && step.take && !known;
    is_exponent <= word.kind == VALUE_EXPONENT && word.signed_value;  // not the length of a byte vector
    is_subtraction <= word.kind == VALUE_EXPONENT && word.value_type == TypeSubtraction;
    is_second <= word.kind == VALUE_MANTISSA || (word.kind == VALUE_TEXT && word.operation == OPERATOR_DELTA);
    is_delta <= word.operation == OPERATOR_DELTA;
    is_whole <= word.whole;
    is_text <= step.text;
    is_message <= step.message;
    finishes <= step.finish;
    has_value5 <= has_value;
    outside_exponent <= has_value && word.kind == VALUE_EXPONENT && word.signed_value && !fits_exponent;
    outside <= 1'b0;
    if (has_value) begin
      case (word.kind)
        VALUE_UNSIGNED, VALUE_SIGNED, VALUE_MANTISSA: outside <= !fits;
        VALUE_EXPONENT: outside <= word.whole ? !fits_exponent : !fits;
        default: ;
      endcase
    end
    state_error5 <= state_error;
    early <= step.early;
    late <= step.late;
    offset <= step.offset;
  end

  fast_error_e code, own, not_overlong, pending;

  always_comb begin
    own = late;
    if (outside_exponent && !is_subtraction) own = FAST_R1;
    if (is_delta && outside) own = is_whole ? FAST_R1 : FAST_R4;
    if (state_error5 != FAST_GOOD) own = state_error5;
    if (is_second && pending != FAST_GOOD) own = pending;
    if (!is_delta && outside) own = is_whole ? FAST_R1 : FAST_D2;
    if (unknown5) own = FAST_D9;
    if (too_long5 && !is_message) own = is_whole ? FAST_R1 : is_delta ? FAST_R4 : FAST_D2;
    if (is_subtraction && (outside || too_long5)) own = FAST_D7;
    not_overlong = own;
    if (overlong5) own = is_text ? FAST_R9 : FAST_R6;
    if (is_second && pending == FAST_R6) own = FAST_R6;
    if (early != FAST_GOOD) own = early;
    if (early == FAST_TRUNCATED && pending == FAST_R6) own = FAST_R6;
  end

  // What is wrong with an exponent is reported with its mantissa, which may be worse: of a decimal with one operator all, of others a needless byte. All that is
  // wrong with a subtraction length is reported with its string.
  logic put_off, failing;
  assign put_off = is_exponent && has_value5 && (is_whole || is_subtraction || not_overlong == FAST_GOOD) && early == FAST_GOOD;
  assign code = put_off ? FAST_GOOD : own;
  assign failing = judges && code != FAST_GOOD;

  fast_error_e first_code;
  logic [13:0] first_offset, last_offset;
  logic undoing;

  // The verdict, a cycle later.
  logic ends;
  assign commit = ends && !failed;
  assign undo   = ends && failed;

  always_ff @(posedge clk) begin
    if (judges && is_exponent) pending <= put_off ? own : FAST_GOOD;
    if (judges && (is_second || finishes)) pending <= FAST_GOOD;
    if (failing && !failed) begin
      failed <= 1'b1;
      first_code <= code;
      first_offset <= offset;
    end
    ends <= judges && finishes && !rst;
    if (ends) failed <= 1'b0;
    last_offset <= offset;
    undoing <= undo || (undoing && busy);
    finished <= commit || (undoing && !busy);
    finished_good <= commit;
    if (rst) begin
      failed <= 1'b0;
      pending <= FAST_GOOD;
      finished <= 1'b0;
      undoing <= 1'b0;
    end
  end
  assign verdict = '{valid: ends, good: !failed, code: failed ? first_code : FAST_GOOD, offset: failed ? first_offset : last_offset};
endmodule

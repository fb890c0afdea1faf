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
    input logic always_fits,  // it has wrapped around
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

  logic judges, overlong5, is_exponent, is_second, is_delta, is_whole, is_subtraction, is_text, finishes, has_value5;
  logic outside, outside_exponent;  // of its type; of what a decimal's exponent may be
  // What is wrong whatever the value is, found out a cycle before: what is reported before all else; before what the dictionary says; that; after all else.
  fast_error_e early, mid, state_error5, low;
  logic has_early, has_mid, has_state_error, has_low;
  fast_error_e too_long_now, outside_code;
  logic unknown, subtraction;
  logic [13:0] offset;

  assign unknown = step.message && step.take && !known;
  assign subtraction = word.kind == VALUE_EXPONENT && word.value_type == TypeSubtraction;
  assign too_long_now = subtraction ? FAST_D7 : word.whole ? FAST_R1 : word.operation == OPERATOR_DELTA ? FAST_R4 : FAST_D2;

  always_ff @(posedge clk) begin
    judges <= valid && !rst;
    overlong5 <= overlong;
    is_exponent <= word.kind == VALUE_EXPONENT && word.signed_value;  // not the length of a byte vector
    is_subtraction <= subtraction;
    is_second <= word.kind == VALUE_MANTISSA || (word.kind == VALUE_TEXT && word.operation == OPERATOR_DELTA);
    is_delta <= word.operation == OPERATOR_DELTA;
    is_whole <= word.whole;
    is_text <= step.text;
    finishes <= step.finish;
    has_value5 <= has_value;
    outside_exponent <= has_value && word.kind == VALUE_EXPONENT && word.signed_value && !fits_exponent && !subtraction;
    outside <= 1'b0;
    if (has_value && !always_fits) begin
      case (word.kind)
        VALUE_UNSIGNED, VALUE_SIGNED, VALUE_MANTISSA: outside <= !fits;
        VALUE_EXPONENT: outside <= word.whole ? !fits_exponent : !fits;
        default: ;
      endcase
    end
    outside_code <= too_long_now;
    early <= step.early;
    has_early <= step.early != FAST_GOOD;
    mid <= too_long && !step.message ? too_long_now : FAST_D9;
    has_mid <= (too_long && !step.message) || unknown || (too_long && subtraction);
    state_error5 <= state_error;
    has_state_error <= state_error != FAST_GOOD;
    low <= step.late;
    has_low <= step.late != FAST_GOOD;
    offset <= step.offset;
  end

  fast_error_e own, pending;
  logic second_pending, any, any_but_overlong;

  assign second_pending = is_second && pending != FAST_GOOD;
  assign any_but_overlong = has_mid || outside || second_pending || has_state_error || outside_exponent || has_low;
  assign any = has_early || overlong5 || any_but_overlong;

  always_comb begin
    own = low;
    if (outside_exponent) own = FAST_R1;
    if (is_delta && outside) own = outside_code;
    if (has_state_error) own = state_error5;
    if (second_pending) own = pending;
    if (!is_delta && outside) own = outside_code;
    if (has_mid) own = mid;
    if (overlong5) own = is_text ? FAST_R9 : FAST_R6;
    if (is_second && pending == FAST_R6) own = FAST_R6;
    if (has_early) own = early;
    if (has_early && early == FAST_TRUNCATED && pending == FAST_R6) own = FAST_R6;
  end

  // What is wrong with an exponent is reported with its mantissa, which may be worse: of a decimal with one operator all, of others a needless byte. All that is
  // wrong with a subtraction length is reported with its string.
  logic put_off, failing;
  assign put_off = is_exponent && has_value5 && (is_whole || is_subtraction || !any_but_overlong) && !has_early;
  assign failing = judges && any && !put_off;

  fast_error_e first_code;
  logic [13:0] first_offset, last_offset;
  logic undoing;

  // The verdict, a cycle later.
  logic ends, bad_frame;
  assign commit = ends && !failed;
  assign undo   = ends && failed;

  always_ff @(posedge clk) begin
    if (judges && is_exponent) pending <= put_off ? own : FAST_GOOD;
    if (judges && (is_second || finishes)) pending <= FAST_GOOD;
    if (failing && !failed) begin
      failed <= 1'b1;
      first_code <= own;
      first_offset <= offset;
    end
    ends <= judges && finishes && !rst;
    bad_frame <= early == FAST_FRAME;
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
  assign verdict = '{
          valid: ends,
          good: !failed,
          frame_good: !bad_frame,
          code: failed ? first_code : FAST_GOOD,
          offset: failed ? first_offset : last_offset
      };
endmodule

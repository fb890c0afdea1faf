// What the strategy SmallArray does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_small_array_reference
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [2:0] state_before,
    input  value_t orders_before,
    output value_t [2:0] state_after,
    output value_t orders_after,
    output outcome_t outcome
);
  value_t [2:0] field_0;  // counts
  value_t orders;
  int leaves;
  value_t [0:0] locals;
  value_t [3:0] t;  // what is used a little later

  always_comb begin
    orders = orders_before;
    outcome = '0;
    leaves = 0;
    locals = '0;
    field_0 = state_before[2:0];
    t = '0;
    case (handler)
      HANDLER_BOOK: begin
        // 10: def on_book(self, book: Book) -> None:
        // 11: self.counts[self.which] += book.bid.orders
        locals[0] = parameters[0];
        t[0] = locals[0];
        t[1] = '0;
        if (is_index(t[0], 64'sd3)) t[1] = field_0[t[0]];
        else outcome.index_faults += 8'd1;
        t[2] = add(t[1], inputs[7]);
        t[3] = locals[0];
        if (is_index(t[3], 64'sd3)) field_0[t[3]] = t[2];
        else outcome.index_faults += 8'd1;
        if (leaves == 1) leaves = 0;
      end
      default: ;
    endcase
    state_after = state_before;
    state_after[2:0] = field_0;
    orders_after = orders;
  end
endmodule

// What the strategy Extremes does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_extremes_reference
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [0:0] state_before,
    input  value_t orders_before,
    output value_t [0:0] state_after,
    output value_t orders_after,
    output outcome_t outcome
);
  value_t field_0;  // widest
  value_t orders;
  int leaves;
  value_t [2:0] locals;
  value_t [1:0] t;  // what is used a little later

  always_comb begin
    orders = orders_before;
    outcome = '0;
    leaves = 0;
    locals = '0;
    field_0 = state_before[0];
    t = '0;
    case (handler)
      HANDLER_BOOK: begin
        // 10: def on_book(self, book: Book) -> None:
        // 11: spread = abs(book.ask.price - book.bid.price)
        locals[0] = absolute(subtract(inputs[8], inputs[5]));
        // 12: self.widest = max(self.widest, spread)
        field_0 = maximum(field_0, locals[0]);
        // 13: size = min(book.ask.quantity, self.limit) if book.changed else -book.bid.quantity
        if (inputs[3] != 0) begin
          t[0] = minimum(inputs[9], parameters[0]);
        end
        else begin
          t[0] = negate(inputs[6]);
        end
        locals[1] = t[0];
        // 14: self.sell(book.instrument, MARKET, size)
        t[1] = locals[1];
        if (outcome.count < MostIntents) begin
          orders = orders + 64'sd1;
          outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd0, 1'b0, 1'b1, inputs[2], 64'sd0, t[1]);
          outcome.count += 3'd1;
          locals[2] = orders;
        end
        else begin
          outcome.intent_faults += 8'd1;
          locals[2] = '0;
        end
        if (leaves == 1) leaves = 0;
      end
      default: ;
    endcase
    state_after = state_before;
    state_after[0] = field_0;
    orders_after = orders;
  end
endmodule

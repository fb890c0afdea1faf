// What the strategy BestChange does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_best_change_reference
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [1:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [0:0] state_before,
    input  value_t orders_before,
    output value_t [0:0] state_after,
    output value_t orders_after,
    output outcome_t outcome
);
  value_t field_0;  // last
  value_t orders;
  int leaves;
  value_t [0:0] locals;
  value_t [5:0] t;  // what is used a little later

  always_comb begin
    orders = orders_before;
    outcome = '0;
    leaves = 0;
    locals = '0;
    field_0 = state_before[0];
    t = '0;
    case (handler)
      HANDLER_BOOK: begin
        // 11: def on_book(self, book: Book) -> None:
        // 12: if book.instrument == self.instrument and book.tradable and book.ask.exists and book.ask.price != self.last:
        t[0] = equal(inputs[2], parameters[0]);
        if (t[0] != 0) begin
          t[1] = inputs[4];
        end
        else begin
          t[1] = 64'sd0;
        end
        t[2] = t[1];
        if (t[2] != 0) begin
          t[3] = not_equal(inputs[10], 64'sd0);
        end
        else begin
          t[3] = 64'sd0;
        end
        t[4] = t[3];
        if (t[4] != 0) begin
          t[5] = not_equal(inputs[8], field_0);
        end
        else begin
          t[5] = 64'sd0;
        end
        if (t[5] != 0) begin
          // 13: self.last = book.ask.price
          field_0 = inputs[8];
          // 14: self.buy(book.instrument, book.ask.price, self.size)
          if (outcome.count < MostIntents) begin
            orders = orders + 64'sd1;
            outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd0, 1'b1, 1'b0, inputs[2], inputs[8], parameters[1]);
            outcome.count += 3'd1;
            locals[0] = orders;
          end
          else begin
            outcome.intent_faults += 8'd1;
            locals[0] = '0;
          end
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

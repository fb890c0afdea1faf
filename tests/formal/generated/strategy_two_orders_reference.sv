// What the strategy TwoOrders does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_two_orders_reference
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [1:0] state_before,
    input  value_t orders_before,
    output value_t [1:0] state_after,
    output value_t orders_after,
    output outcome_t outcome
);
  value_t field_0;  // bought
  value_t field_1;  // active
  value_t orders;
  int leaves;
  value_t [1:0] locals;
  value_t [2:0] t;  // what is used a little later

  always_comb begin
    orders = orders_before;
    outcome = '0;
    leaves = 0;
    locals = '0;
    field_0 = state_before[0];
    field_1 = state_before[1];
    t = '0;
    case (handler)
      HANDLER_BOOK: begin
        // 11: def on_book(self, book: Book) -> None:
        // 12: if self.active:
        if (field_1 != 0) begin
          // 13: self.bought = self.buy(book.instrument, book.bid.price, self.size, time_in_force=TimeInForce.IOC)
          if (outcome.count < MostIntents) begin
            orders = orders + 64'sd1;
            outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd3, 1'b1, 1'b0, inputs[2], inputs[5], parameters[0]);
            outcome.count += 3'd1;
            locals[0] = orders;
          end
          else begin
            outcome.intent_faults += 8'd1;
            locals[0] = '0;
          end
          t[0] = locals[0];
          field_0 = t[0];
          // 14: self.sell(book.instrument, book.ask.price, self.size)
          if (outcome.count < MostIntents) begin
            orders = orders + 64'sd1;
            outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd0, 1'b1, 1'b1, inputs[2], inputs[8], parameters[0]);
            outcome.count += 3'd1;
            locals[1] = orders;
          end
          else begin
            outcome.intent_faults += 8'd1;
            locals[1] = '0;
          end
        end
        if (leaves == 1) leaves = 0;
      end
      HANDLER_TRADE: begin
        // 16: def on_trade(self, trade: Trade) -> None:
        // 17: self.active = trade.side == Side.BUY or not self.active
        t[1] = equal(inputs[4], 64'sd0);
        if (t[1] != 0) begin
          t[2] = 64'sd1;
        end
        else begin
          t[2] = is_zero(field_1);
        end
        field_1 = t[2];
        if (leaves == 1) leaves = 0;
      end
      default: ;
    endcase
    state_after = state_before;
    state_after[0] = field_0;
    state_after[1] = field_1;
    orders_after = orders;
  end
endmodule

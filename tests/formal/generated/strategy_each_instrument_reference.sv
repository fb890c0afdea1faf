// What the strategy EachInstrument does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_each_instrument_reference
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
  value_t [1:0] field_0;  // highest
  value_t orders;
  int leaves;
  value_t [0:0] locals;
  value_t [1:0] t;  // what is used a little later

  always_comb begin
    orders = orders_before;
    outcome = '0;
    leaves = 0;
    locals = '0;
    field_0 = state_before[1:0];
    t = '0;
    case (handler)
      HANDLER_TRADE: begin
        // 10: def on_trade(self, trade: Trade) -> None:
        // 11: if trade.price > self.highest[trade.instrument]:
        t[0] = '0;
        if (is_index(inputs[2], 64'sd2)) t[0] = field_0[inputs[2]];
        else outcome.index_faults += 8'd1;
        if (greater(inputs[5], t[0]) != 0) begin
          // 12: self.highest[trade.instrument] = trade.price
          if (is_index(inputs[2], 64'sd2)) field_0[inputs[2]] = inputs[5];
          else outcome.index_faults += 8'd1;
          // 13: if self.position(trade.instrument) < self.most:
          t[1] = '0;
          if (is_index(inputs[2], 2)) t[1] = positions[inputs[2]];
          else outcome.index_faults += 8'd1;
          if (less(t[1], parameters[0]) != 0) begin
            // 14: self.sell(trade.instrument, trade.price, trade.quantity)
            if (outcome.count < MostIntents) begin
              orders = orders + 64'sd1;
              outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd0, 1'b1, 1'b1, inputs[2], inputs[5], inputs[6]);
              outcome.count += 3'd1;
              locals[0] = orders;
            end
            else begin
              outcome.intent_faults += 8'd1;
              locals[0] = '0;
            end
          end
        end
        if (leaves == 1) leaves = 0;
      end
      default: ;
    endcase
    state_after = state_before;
    state_after[1:0] = field_0;
    orders_after = orders;
  end
endmodule

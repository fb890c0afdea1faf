// What the strategy Follows does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_follows_reference
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
  value_t field_0;  // order
  value_t orders;
  int leaves;
  value_t [0:0] locals;
  value_t [4:0] t;  // what is used a little later

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
        // 11: if self.order == 0:
        if (equal(field_0, 64'sd0) != 0) begin
          // 12: self.order = self.buy(book.instrument, book.bid.price, self.size)
          if (outcome.count < MostIntents) begin
            orders = orders + 64'sd1;
            outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd0, 1'b1, 1'b0, inputs[2], inputs[5], parameters[0]);
            outcome.count += 3'd1;
            locals[0] = orders;
          end
          else begin
            outcome.intent_faults += 8'd1;
            locals[0] = '0;
          end
          t[0] = locals[0];
          field_0 = t[0];
        end
        else begin
          // 13: elif book.tradable:
          if (inputs[4] != 0) begin
            // 14: self.replace(self.order, book.bid.price, self.size)
            t[1] = field_0;
            if (outcome.count < MostIntents) begin
              outcome.intents[outcome.count[1:0]] = replacement(t[1], inputs[5], parameters[0]);
              outcome.count += 3'd1;
            end
            else outcome.intent_faults += 8'd1;
          end
          else begin
            // 16: self.cancel(self.order)
            t[2] = field_0;
            if (outcome.count < MostIntents) begin
              outcome.intents[outcome.count[1:0]] = cancel(t[2]);
              outcome.count += 3'd1;
            end
            else outcome.intent_faults += 8'd1;
          end
        end
        if (leaves == 1) leaves = 0;
      end
      HANDLER_ORDER: begin
        // 18: def on_order(self, report: Report) -> None:
        // 19: if report.order == self.order and report.kind == ReportKind.REJECTED:
        t[3] = equal(inputs[7], field_0);
        if (t[3] != 0) begin
          t[4] = equal(inputs[3], 64'sd4);
        end
        else begin
          t[4] = 64'sd0;
        end
        if (t[4] != 0) begin
          // 20: self.order = OrderRef(0)
          field_0 = 64'sd0;
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

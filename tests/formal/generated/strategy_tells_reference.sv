// What the strategy Tells does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module strategy_tells_reference
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
  value_t field_0;  // seen
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
        // 9: def on_book(self, book: Book) -> None:
        // 10: self.seen += 1
        field_0 = add(field_0, 64'sd1);
        // 11: if book.changed:
        if (inputs[3] != 0) begin
          // 12: self.emit(3, self.seen, book.bid.orders - book.ask.orders, -self.seen)
          t[0] = field_0;
          t[1] = subtract(inputs[7], inputs[10]);
          t[2] = negate(field_0);
          outcome.records[outcome.record_count[0]].tag = 8'd3;
          outcome.records[outcome.record_count[0]].count = 3'd3;
          outcome.records[outcome.record_count[0]].values[0] = t[0];
          outcome.records[outcome.record_count[0]].values[1] = t[1];
          outcome.records[outcome.record_count[0]].values[2] = t[2];
          outcome.record_count += 3'd1;
        end
        // 13: self.emit(7)
        outcome.records[outcome.record_count[0]].tag = 8'd7;
        outcome.records[outcome.record_count[0]].count = 3'd0;
        outcome.record_count += 3'd1;
        if (leaves == 1) leaves = 0;
      end
      HANDLER_ORDER: begin
        // 15: def on_order(self, report: Report) -> None:
        // 16: if report.reason != 0:
        if (not_equal(inputs[9], 64'sd0) != 0) begin
          // 17: self.emit(255, report.reason, self.seen if report.reason > 5 else 0)
          t[3] = greater(inputs[9], 64'sd5);
          if (t[3] != 0) begin
            t[4] = field_0;
          end
          else begin
            t[4] = 64'sd0;
          end
          t[5] = t[4];
          outcome.records[outcome.record_count[0]].tag = 8'd255;
          outcome.records[outcome.record_count[0]].count = 3'd2;
          outcome.records[outcome.record_count[0]].values[0] = inputs[9];
          outcome.records[outcome.record_count[0]].values[1] = t[5];
          outcome.record_count += 3'd1;
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

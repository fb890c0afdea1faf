// best_price with its counter, for a core that has no other strategy.
//
// Latency, throughput, overflow: as best_price. Parameter: HANDLE, the first of its handles in the order store.
module best_price_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import strategy_csr_pkg::Counters, strategy_csr_pkg::CountersAt, strategy_csr_pkg::COUNT_INTENT_OVERFLOW;
#(
    parameter int HANDLE = 0
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,

    market_if.book        market,
    strategy_write_if.snk write,
    order_feedback_if.listener feedback,
    intent_if.src         intent,
    output logic          overflow
);
  /* verilator lint_off UNUSEDSIGNAL */  // why it was not sent does not matter here
  order_outcome_t outcome;
  refused_t refused;
  /* verilator lint_on UNUSEDSIGNAL */
  logic not_sent, cancel_sent;  // pulses: what became of its orders and cancels (own_order)
  assign {outcome, refused} = {feedback.outcome, feedback.refused};
  assign not_sent = (refused.valid && refused.order.strategy) || (outcome.dropped_valid && outcome.dropped_order.strategy);
  assign cancel_sent = outcome.sent_valid && outcome.sent.order.kind == ORDER_CANCEL && outcome.sent.order.strategy;

  logic [Counters-1:0] pulse;
  always_ff @(posedge clk) begin
    pulse <= '0;
    pulse[COUNT_INTENT_OVERFLOW] <= overflow && !rst;
  end

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr,
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  best_price #(
      .HANDLE(HANDLE)
  ) best_price (
      .clk,
      .rst,
      .market,
      .write,
      .not_sent,
      .cancel_sent,
      .working(feedback.change),
      .intent,
      .overflow
  );
endmodule

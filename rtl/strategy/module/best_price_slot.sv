// best_price with its counter, for a core that has no other strategy.
//
// Latency, throughput, overflow: as best_price. Parameter: HANDLE, the first of its handles in the order store.
module best_price_slot
  import tickwire_pkg::*;
  import order_pkg::*;
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
    input logic            not_sent,  // pulses: what became of its orders and cancels (own_order)
    input logic            cancel_sent,
    input working_change_t working,
    intent_if.src         intent,
    output logic          overflow
);
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
      .working,
      .intent,
      .overflow
  );
endmodule

// System C in a strategy slot: each trade is compared with the stops, and what fires asks risk for its order.
//
//   market.trades ─ stop_orders ─ intent
//   write ─────────────┘
//
// Latency, throughput, overflow: stop_orders. At W = 64 a quarter of the stops is compared in a cycle, so that a trade of the shortest kind finds them
// ready; at W = 8 bytes come slowly and the part is small and slow: a quarter of a quarter, or two, a cycle later; 16 words are what a distributed RAM has.
// Parameters: W; SLOTS; INSTRUMENTS.
module stops_slot
  import stop_pkg::*;
#(
    parameter int W = 64,
    parameter int SLOTS = 64,
    parameter int INSTRUMENTS = 16,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic          clk,
    input logic          rst,
    csr_if.stage         csr,
    market_if.trades     market,
    stop_write_if.snk    write,
    intent_if.src        intent
);
  stops_csr_pkg::status_t status;
  logic [Slot:0] armed_count;  // and firing

  assign status.operation_state.armed = 16'(armed_count);

  csr_status #(
      .T(stops_csr_pkg::status_t),
      .FIELDS(stops_csr_pkg::StatusFields),
      .MAP(stops_csr_pkg::StatusMap)
  ) csr_status (
      .clk,
      .csr,
      .shown(1'b1),
      .value(status)
  );

  logic unused;
  assign unused = &{1'b0, write.slot};

  stop_orders #(
      .SLOTS(SLOTS),
      .GROUP(W != 8 ? SLOTS / 4 : SLOTS < 32 ? 2 : SLOTS / 16),
      .REGISTERED(W == 8),
      .INSTRUMENTS(INSTRUMENTS)
  ) stop_orders (
      .clk,
      .rst,
      .event_valid(market.trade_valid),
      .event_ready(market.trade_ready),
      .event_instrument(market.trade_instrument),
      .event_price(market.trade_price),
      .write_valid(write.valid),
      .write_ready(write.ready),
      .write_operation(write.operation),
      .write_slot(write.slot[Slot-1:0]),
      .write_watch(write.watch),
      .answer_valid(write.answer_valid),
      .answer(write.answer),
      .intent,
      .armed_count
  );
endmodule

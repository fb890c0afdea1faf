// Tick to trade on an order log in FAST, by the shortest path: packets at line rate to the best prices of one instrument, and from them to orders.
//
//   MII ─ line_receive ─ order_log_decoder ─ price_book_stage ─ best_price_slot ─ order_path ─ MII
//   host ─ trading_host ─ csr_if of each stage; orders, reports
//
// Latency: last FCS byte in to first preamble byte out 20 to 22 cycles, by where in a beat the packet ends, whatever is in it, but where the next levels
// of a side are not found in time (docs/concepts/order-log.md). Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 64 (XGMII, 156.25 MHz); LEVELS of a side at hand; HOST_WORDS, beats stored for the host.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module order_log_trader
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int LEVELS = 8,
    parameter int HOST_WORDS = 512
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // XGMII
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included
    tx_stream_if.src    session_bytes,      // what the peer sends: see byte_queue
    host_message_if.snk messages,
    order_report_if.src reports,
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  localparam int Instruments = 4;  // that the session knows; the log is of number 0
  localparam int Handles = 4;  // best_price: its order, its replacement, its cancel; and one that is not used

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_DECODER,
    CSR_BOOK,
    CSR_STRATEGY,
    CSR_ORDER_PATH,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  // ---- host ------------------------------------------------------------------------------------------

  logic enable, tick, millisecond;
  logic [63:0] time_ns;
  net_config_t net_config;
  stream_if #(.W(W)) packets ();
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intents ();
  order_feedback_if feedback ();

  trading_host #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .SLOTS(0),
      .COMPUTED(Handles),
      .BEST_PRICE(1'b1),
      .BOOK(1'b1),
      .ORDER_LOG(1'b1),
      .STAGES(CSR_STAGES)
  ) trading_host (
      .clk,
      .rst,
      .axil,
      .csr,
      .time_from_outside,
      .time_ns,
      .tick,
      .millisecond,
      .prepare(prepare.src),
      .stop(stop_write.src),
      .strategy(strategy_write.src),
      .intent(host_intents.src),
      .feedback(feedback.listener),
      .reports
  );

  // ---- receive ---------------------------------------------------------------------------------------

  line_if #(.W(W)) line ();
  line_verdict_if verdict ();

  line_receive #(
      .W(W),
      .AT_ONCE(1'b1),
      .HOST_WORDS(HOST_WORDS)
  ) line_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii(rx_a),
      .enable,
      .net_config,
      .out(packets.src),
      .line(line.src),
      .verdict(verdict.src),
      .host(host_frames)
  );

  // ---- the log, the book, the strategy -----------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // the decoder counts the rest
  feed_status_t feed_status;
  /* verilator lint_on UNUSEDSIGNAL */
  price_entry_if entries ();
  market_if #(.N(1)) market ();
  intent_if intents ();
  logic intent_overflow, log_gap;

  order_log_decoder order_log_decoder (
      .clk,
      .rst,
      .in(packets.snk),
      .judged(verdict.cause_valid),
      .accepted(verdict.cause == CAUSE_ACCEPTED),
      .csr(csr[CSR_DECODER].stage),
      .entries(entries.src),
      .status(feed_status)
  );

  price_book_stage #(
      .LEVELS(LEVELS)
  ) price_book_stage (
      .clk,
      .rst,
      .csr(csr[CSR_BOOK].stage),
      .entries(entries.snk),
      .market(market.best_prices),
      .gap(log_gap)
  );

  best_price_slot best_price_slot (
      .clk,
      .rst,
      .csr(csr[CSR_STRATEGY].stage),
      .market(market.book),
      .write(strategy_write.snk),
      .feedback(feedback.listener),
      .intent(intents.src),
      .overflow(intent_overflow)
  );

  // ---- risk, orders, the session -----------------------------------------------------------------------

  logic sent, price_wide_unused;
  intent_if no_stops ();
  committed_event_if session_prices ();

  stops_none stops_none (
      .write (stop_write.snk),
      .intent(no_stops.src)
  );

  order_path #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .COMPUTED(Handles)
  ) order_path (
      .clk,
      .rst,
      .csr(csr[CSR_ORDER_PATH].stage),
      .time_ns,
      .tick,
      .millisecond,
      .enable,
      .net_config,
      .line(line.snk),
      .verdict(verdict.snk),
      .market(market.last_price),
      .stops(no_stops.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intents.snk),
      .prepare(prepare.snk),
      .feed_alive(feed_status.commit),
      .gap(log_gap || intent_overflow),
      .tx,
      .messages,
      .session_bytes,
      .session_prices(session_prices.src),
      .price_wide(price_wide_unused),
      .feedback(feedback.source),
      .sent
  );

  assign session_prices.ready = 1'b1;  // its prices are not read

  // ---- for a simulation or a logic analyser ------------------------------------------------------------

  assign probe.delivered_valid = feed_status.commit;
  assign {probe.delivered_sequence, probe.delivered_messages} = {feed_status.first_sequence, feed_status.messages};
  assign probe.path = '{
          received: packets.valid && packets.last,
          decoded: entries.verdict_valid2,
          booked: market.top.verdict_valid,
          intended: intents.valid && intents.ready,
          passed: sent
      };
endmodule

// Tick to trade on ITCH: lines A and B (low latency), order book, best_price, stop orders, a FIX session.
//
//   MII ─ net_receive ─ itch_stage ─ instrument_stage ─ order_book_stage ─┬─ register ─ best_price_slot ─┬─ order_path ─ MII
//                                                                         └─ stops_slot ─────────────────┘
//   host ─ trading_host ─ csr_if of each stage; orders, reports
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); BOOK_ORDERS in the order book, BOOK_LEVELS of a side at
// hand; STOPS, 8 to 64; HOST_WORDS, beats stored for the host, by line.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module itch_trader
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int BOOK_ORDERS = 12288,
    parameter int BOOK_LEVELS = 8,
    parameter int STOPS = 16,
    parameter int HOST_WORDS = 1024
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // W = 8: GMII; W = 64: XGMII
    mii_if.rx           rx_b,
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included;
    output logic        host_line,          // of line B: 1
    tx_stream_if.src    session_bytes,      // what the peer sends: see byte_queue
    host_message_if.snk messages,
    order_report_if.src reports,
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  localparam int Instruments = 8;
  localparam int Events = W == 8 ? 1 : 2;  // a beat
  localparam int Computed = Instruments;  // handles of orders whose price is computed

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_FEED,
    CSR_INSTRUMENT,
    CSR_BOOK,
    CSR_STOPS,
    CSR_STRATEGY,
    CSR_ORDER_PATH,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  // ---- host ------------------------------------------------------------------------------------------

  logic enable, tick, millisecond;
  logic [63:0] time_ns;
  net_config_t net_config;
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intents ();
  order_feedback_if feedback ();

  trading_host #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .SLOTS(STOPS),
      .COMPUTED(Computed),
      .BEST_PRICE(1'b1),
      .BOOK(1'b1),
      .LOW_LATENCY(1'b1),
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

  // ---- receive, decode -------------------------------------------------------------------------------

  receive_status_t receive_status_unused;
  logic feed_a_unused, feed_b_unused;
  stream_if #(.W(W)) data_a ();
  stream_if #(.W(W)) data_b ();
  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  feed_if feed ();
  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  found_instrument_t found;
  instrument_write_t written_unused;

  net_receive #(
      .W(W),
      .HOST_WORDS(HOST_WORDS)
  ) net_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii_a(rx_a),
      .mii_b(rx_b),
      .enable,
      .net_config,
      .data_a(data_a.src),
      .data_b(data_b.src),
      .feed_a(feed_a_unused),
      .feed_b(feed_b_unused),
      .line_a(line.src),
      .verdict(verdict.src),
      .host(host_frames),
      .host_line,
      .status(receive_status_unused)
  );

  itch_stage #(
      .W(W),
      .PACKETS(0)
  ) itch_stage (
      .clk,
      .rst,
      .csr(csr[CSR_FEED].stage),
      .line_a(data_a.snk),
      .line_b(data_b.snk),
      .events(decoded.src),
      .feed(feed.decoder)
  );

  instrument_stage #(
      .INSTRUMENTS(Instruments),
      .LOCATES(1'b1),
      .ADDS(1'b1),
      .CHARACTERS(W == 8)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feed.listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(written_unused),
      .csr(csr[CSR_INSTRUMENT].stage)
  );

  // ---- book, strategies --------------------------------------------------------------------------------

  market_if #(.N(Events)) market ();
  market_if #(.N(Events)) best_prices ();
  book_level_if level_reads ();
  committed_event_if session_prices ();
  book_status_t book_status_unused;
  intent_if intents ();
  intent_if stops ();
  logic price_wide, book_overflow, trade_overflow, intent_overflow;

  order_book_stage #(
      .INSTRUMENTS(Instruments),
      .ORDERS(BOOK_ORDERS),
      .K(BOOK_LEVELS)
  ) order_book_stage (
      .clk,
      .rst,
      .csr(csr[CSR_BOOK].stage),
      .events(events.snk),
      .feed(feed.listener),
      .found,
      .session(session_prices.snk),
      .session_wide(price_wide),
      .level_reads(level_reads.book),
      .each_change(1'b0),
      .market(market.src),
      .status(book_status_unused),
      .overflow(book_overflow),
      .trade_overflow
  );

  stops_slot #(
      .W(W),
      .SLOTS(STOPS),
      .INSTRUMENTS(Instruments)
  ) stops_slot (
      .clk,
      .rst,
      .csr(csr[CSR_STOPS].stage),
      .market(market.trades),
      .write(stop_write.snk),
      .intent(stops.src)
  );

  market_register market_register (
      .clk,
      .rst,
      .in(market.book),
      .out(best_prices.src)
  );

  best_price_slot #(
      .HANDLE(STOPS)
  ) best_price_slot (
      .clk,
      .rst,
      .csr(csr[CSR_STRATEGY].stage),
      .market(best_prices.book),
      .write(strategy_write.snk),
      .feedback(feedback.listener),
      .intent(intents.src),
      .overflow(intent_overflow)
  );

  level_reads_none level_reads_none (.levels(level_reads.strategy));

  // ---- risk, orders, the session -----------------------------------------------------------------------

  logic sent;

  order_path #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .STOPS(STOPS),
      .COMPUTED(Computed)
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
      .stops(stops.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intents.snk),
      .prepare(prepare.snk),
      .feed_alive(feed.status.commit),
      .gap(feed.status.gap || trade_overflow || book_overflow || intent_overflow),
      .tx,
      .messages,
      .session_bytes,
      .session_prices(session_prices.src),
      .price_wide,
      .feedback(feedback.source),
      .sent
  );

  // ---- for a simulation or a logic analyser ------------------------------------------------------------

  assign probe.delivered_valid = feed.status.commit && feed.status.packet_valid && feed.status.packet == MOLD_PACKET;
  assign {probe.delivered_sequence, probe.delivered_messages} = {feed.status.first_sequence, feed.status.messages};
  assign probe.path = '{
          received: feed.payload_end,
          decoded: events.verdict_valid,
          booked: market.top.verdict_valid,
          intended: intents.valid && intents.ready,
          passed: sent
      };
endmodule

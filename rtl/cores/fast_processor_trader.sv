// Tick to trade on an order log in FAST with a strategy of one's own as a program: one line, order book, strategy processor, a FIX session.
//
//   MII ─ line_receive ─ fast_stage ─ instrument_stage ─ order_book_stage ─ strategy_slot ─ order_path ─ MII
//                                                                           └ processor_slot
//   host ─ trading_host ─ csr_if of each stage; orders, reports
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); BOOK_ORDERS in the order book, BOOK_LEVELS of a side at
// hand; HOST_WORDS, beats stored for the host.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module fast_processor_trader
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int BOOK_ORDERS = 6144,
    parameter int BOOK_LEVELS = 8,
    parameter int HOST_WORDS = 1024
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // W = 8: GMII; W = 64: XGMII
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included
    tx_stream_if.src    session_bytes,      // what the peer sends: see byte_queue
    host_message_if.snk messages,
    order_report_if.src reports,
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  localparam int Instruments = 16;
  localparam int Events = W == 8 ? 1 : 2;  // a beat
  localparam int Computed = Instruments;  // handles of orders whose price is computed

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_FEED,
    CSR_INSTRUMENT,
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
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intents ();
  order_feedback_if feedback ();

  trading_host #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .SLOTS(0),
      .COMPUTED(Computed),
      .BOOK(1'b1),
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

  stream_if #(.W(W)) data_a ();
  stream_if #(.W(W)) data_b ();
  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  feed_if feeds[1] ();
  record_if feed_records[2] ();  // none: there is no ring
  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  found_instrument_t found;
  instrument_write_t instrument_written;

  line_receive #(
      .W(W),
      .HOST_WORDS(HOST_WORDS)
  ) line_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii(rx_a),
      .enable,
      .net_config,
      .out(data_a.src),
      .line(line.src),
      .verdict(verdict.src),
      .host(host_frames)
  );

  // There is no line B.
  assign {data_b.valid, data_b.data, data_b.keep, data_b.last, data_b.err} = '0;

  fast_stage #(
      .W(W),
      .LINES(1)
  ) fast_stage (
      .clk,
      .rst,
      .csr(csr[CSR_FEED].stage),
      .instrument(instrument_written),
      .line_a(data_a.snk),
      .feed_a(1'b1),
      .line_b(data_b.snk),
      .feed_b(1'b1),
      .events(decoded.src),
      .feeds,
      .ring_setting('0),
      .records(feed_records)
  );

  instrument_stage #(
      .INSTRUMENTS(Instruments)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feeds[0].listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(instrument_written),
      .csr(csr[CSR_INSTRUMENT].stage)
  );

  // ---- book, strategies --------------------------------------------------------------------------------

  market_if #(.N(Events)) market ();
  book_level_if level_reads ();
  committed_event_if session_prices ();
  book_status_t book_status_unused;
  intent_if intents ();
  intent_if no_stops ();
  prepare_if prepared ();
  record_if strategy_record ();
  program_if strategy ();
  logic price_wide, book_overflow, trade_overflow, intent_overflow, each_change, program_fault, program_refused;

  order_book_stage #(
      .INSTRUMENTS(Instruments),
      .ORDERS(BOOK_ORDERS),
      .K(BOOK_LEVELS),
      .TRADES(0)
  ) order_book_stage (
      .clk,
      .rst,
      .csr(csr[CSR_BOOK].stage),
      .events(events.snk),
      .feed(feeds[0].listener),
      .found,
      .session(session_prices.snk),
      .session_wide(price_wide),
      .level_reads(level_reads.book),
      .each_change,
      .market(market.src),
      .status(book_status_unused),
      .overflow(book_overflow),
      .trade_overflow
  );

  assign market.trade_ready = 1'b1;

  stops_none stops_none (
      .write (stop_write.snk),
      .intent(no_stops.src)
  );

  strategy_slot #(
      .HANDLE(0),
      .ORDERS(Computed),
      .WITH_TRADES(1'b0),
      .WITH_TIMERS(1'b0),
      .INSTRUMENTS(Instruments),
      .N(Events),
      .WITH_SECONDS(1'b0)
  ) strategy_slot (
      .clk,
      .rst,
      .market(market.book),
      .levels(level_reads.strategy),
      .each_change,
      .csr(csr[CSR_STRATEGY].stage),
      .write(strategy_write.snk),
      .strategy(strategy.slot),
      .feedback(feedback.listener),
      .host_prepare(prepare.snk),
      .prepare(prepared.src),
      .intent(intents.src),
      .record(strategy_record.src),
      .overflow(intent_overflow),
      .program_fault,
      .program_refused
  );

  processor_slot processor_slot (
      .clk,
      .rst,
      .slot(strategy.program_side)
  );

  // ---- risk, orders, the session -----------------------------------------------------------------------

  logic sent;

  order_path #(
      .W(W),
      .INSTRUMENTS(Instruments),
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
      .stops(no_stops.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intents.snk),
      .prepare(prepared.snk),
      .feed_alive(feeds[0].status.commit),
      .gap(feeds[0].status.gap || trade_overflow || book_overflow || intent_overflow),
      .tx,
      .messages,
      .session_bytes,
      .session_prices(session_prices.src),
      .price_wide,
      .feedback(feedback.source),
      .sent
  );

  // ---- for a simulation or a logic analyser ------------------------------------------------------------

  assign probe.delivered_valid = feeds[0].status.commit && feeds[0].status.packet_valid && feeds[0].status.packet == MOLD_PACKET;
  assign {probe.delivered_sequence, probe.delivered_messages} = {feeds[0].status.first_sequence, feeds[0].status.messages};
  assign probe.path = '{
          received: feeds[0].payload_end,
          decoded: events.verdict_valid,
          booked: market.top.verdict_valid,
          intended: intents.valid && intents.ready,
          passed: sent
      };

  logic unused;
  assign unused = &{
    1'b0, feed_records[0].valid, feed_records[0].record, feed_records[1].valid, feed_records[1].record,
    strategy_record.valid, strategy_record.record, program_fault, program_refused
  };
endmodule

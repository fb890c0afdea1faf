// Stop orders on the prices of a FIX session, on one line (system C): a price comes in on the session, and the order leaves on it.
//
//   MII ─ line_receive ─ order_path ─ session_market ─ stops_slot ─ order_path ─ MII
//   host ─ trading_host ─ csr_if of each stage; orders, reports
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); STOPS, 8 to 64; HOST_WORDS, beats stored for the host.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module fix_stops
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int STOPS = 64,
    parameter int HOST_WORDS = 2048
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
  localparam int Events = 1;

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_STOPS,
    CSR_ORDER_PATH,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  logic enable, tick, millisecond, price_wide, sent;
  logic [63:0] time_ns;
  net_config_t net_config;
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intents ();
  intent_if stop_intents ();
  intent_if intents ();
  order_feedback_if feedback ();
  committed_event_if session_prices ();
  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  market_if #(.N(Events)) market ();
  stream_if #(.W(W)) data_a ();

  trading_host #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .SLOTS(STOPS),
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

  session_market session_market (
      .prices(session_prices.snk),
      .price_wide,
      .market(market.session)
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
      .intent(stop_intents.src)
  );

  strategy_none strategy_none (
      .write(strategy_write.snk),
      .intent(intents.src)
  );

  order_path #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .STOPS(STOPS),
      .PRICES(1'b1),
      .GROUPS(1'b0)
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
      .stops(stop_intents.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intents.snk),
      .prepare(prepare.snk),
      .feed_alive(1'b0),
      .gap(1'b0),
      .tx,
      .messages,
      .session_bytes,
      .session_prices(session_prices.src),
      .price_wide,
      .feedback(feedback.source),
      .sent
  );

  assign {probe.delivered_valid, probe.delivered_sequence, probe.delivered_messages} = '0;  // there is no feed
  assign probe.path = '{passed: sent, default: '0};
endmodule

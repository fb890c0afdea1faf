// Tick to trade on an order log in FAST, by the shortest path: packets at line rate to the best prices of one instrument, and from them to orders.
//
//   MII ─ line_receive ─ order_log_decoder ─ price_book ─ best_price ─ risk ─ order ─┬─ order_transmit ─ MII
//                     └───────────────────────── session ──────────────┴─────────────┘
//   host ─ csr_if of each stage; orders, reports
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
    input logic clk,
    input logic rst,

    // XGMII: control is a bit a byte. Of line B nothing is heard.
    input  logic [  W-1:0] rx_a_data,
    input  logic [W/8-1:0] rx_a_control,
    input  logic           rx_a_error,
    input  logic [  W-1:0] rx_b_data,
    input  logic [W/8-1:0] rx_b_control,
    input  logic           rx_b_error,
    output logic [  W-1:0] tx_data,
    output logic [W/8-1:0] tx_control,
    output logic           tx_error,

    // Good frames that no module here takes, FCS included.
    output logic           host_valid,
    input  logic           host_ready,
    output logic [  W-1:0] host_data,
    output logic [W/8-1:0] host_keep,
    output logic           host_last,
    output logic           host_line,

    // What was decoded and proved good, for a simulation or a logic analyser: packets, by their numbers.
    output logic        delivered_valid,
    output logic [63:0] delivered_sequence,
    output logic [15:0] delivered_messages,
    output path_t       path,  // how far packets and orders come

    // The FIX session: what the peer sends (see byte_queue), the host's messages (see host_message), what became of orders (see order_reports).
    output logic           session_valid,
    input  logic           session_ready,
    output logic [  W-1:0] session_data,
    output logic [W/8-1:0] session_keep,
    input  logic           message_valid,
    output logic           message_ready,
    input  logic [    7:0] message_data,
    input  logic           message_last,
    input  logic           message_numbered,
    input  logic [   10:0] message_number_at,
    output logic           answer_valid,
    output logic [    1:0] answer,
    output logic [   35:0] answer_number,
    output logic           report_valid,
    input  logic           report_ready,
    output logic [    1:0] report_what,
    output logic [    3:0] report_reason,
    output logic [   31:0] report_client_id,
    output logic [   35:0] report_number,
    output logic [   63:0] report_time,

    // The clock may be set from outside (a simulation that skips idle time, a PTP servo).
    input logic        time_set,
    input logic [63:0] time_value,
    // And with it the timers of TCP and of the control plane: pulses in addition to their own.
    input logic        time_tick,         // 256 us
    input logic        time_millisecond,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic        axil_wvalid,
    output logic        axil_wready,
    input  logic [31:0] axil_wdata,
    input  logic [ 3:0] axil_wstrb,
    output logic        axil_bvalid,
    input  logic        axil_bready,
    output logic [ 1:0] axil_bresp,
    input  logic        axil_arvalid,
    output logic        axil_arready,
    input  logic [10:0] axil_araddr,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp
);
  localparam int Instruments = 4;  // that the session knows; the log is of number 0
  localparam int Handles = 4;  // best_price: its order, its replacement, its cancel; and one that is not used
  localparam int Texts = 16;

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_DECODER,
    CSR_BOOK,
    CSR_STRATEGY,
    CSR_RISK,
    CSR_ORDER,
    CSR_SESSION,
    CSR_TRANSMIT,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  // ---- host ------------------------------------------------------------------------------------------

  logic enable, tick, millisecond, started;
  logic [63:0] time_ns;
  net_config_t net_config;
  stream_if #(.W(W)) packets ();
  axil_if #(.ADDRESS(11)) axil ();
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intents ();
  order_feedback_if feedback ();

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  host_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .SLOTS(0),
      .COMPUTED(Handles),
      .BEST_PRICE(1'b1),
      .BOOK(1'b1),
      .ORDER_LOG(1'b1),
      .STAGES(CSR_STAGES)
  ) host_stage (
      .clk,
      .rst,
      .axil(axil.snk),
      .csr,
      .time_set,
      .time_value,
      .time_tick,
      .time_millisecond,
      .time_ns,
      .tick,
      .millisecond,
      .payload_end(packets.valid && packets.last),
      .arbitrated(1'b0),
      .heartbeat(1'b0),
      .started,
      .prepare(prepare.src),
      .stop(stop_write.src),
      .strategy(strategy_write.src),
      .intent(host_intents.src),
      .feedback(feedback.listener),
      .report_valid,
      .report_ready,
      .report({report_what, report_reason, report_client_id, report_number, report_time})
  );

  // ---- receive ---------------------------------------------------------------------------------------

  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  tx_stream_if #(.W(W)) host_frames ();

  line_receive #(
      .W(W),
      .AT_ONCE(1'b1),
      .HOST_WORDS(HOST_WORDS)
  ) line_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii_data(rx_a_data),
      .mii_control(rx_a_control),
      .mii_error(rx_a_error),
      .enable,
      .net_config,
      .out(packets.src),
      .line(line.src),
      .verdict(verdict.src),
      .host(host_frames.src)
  );

  assign {host_valid, host_data, host_keep, host_last} = {host_frames.valid, host_frames.data, host_frames.keep, host_frames.last};
  assign {host_frames.ready, host_line} = {host_ready, 1'b0};

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

  logic connected, session_alive, session_overflow, price_wide_unused;
  intent_if no_stops ();
  order_if passed ();
  order_text_if #(.W(W)) text ();
  order_message_if #(.W(W)) order_message ();
  execution_report_if execution_reports ();
  committed_event_if session_prices ();
  tx_stream_if #(.W(W)) host_messages ();
  tx_stream_if #(.W(W)) session_bytes ();
  tx_stream_if #(.W(W)) orders ();
  tx_stream_if #(.W(W)) control ();

  stops_none stops_none (
      .write (stop_write.snk),
      .intent(no_stops.src)
  );

  risk_stage #(
      .W(W),
      .HANDLES(Handles + 1),
      .COMPUTED(Handles),
      .TEXTS(Texts),
      .INSTRUMENTS(Instruments),
      .REPORTS(1'b1),
      .DIRECT(1'b0)
  ) risk_stage (
      .clk,
      .rst,
      .csr(csr[CSR_RISK].stage),
      .market(market.last_price),  // none: the price that the collar is around is the host's
      .stops(no_stops.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intents.snk),
      .prepare(prepare.snk),
      .out(passed.src),
      .text(text.store),
      .feed_alive(feed_status.commit),
      .session_alive,
      .connected,
      .gap(log_gap || intent_overflow || session_overflow),
      .reports(execution_reports.snk),
      .feedback(feedback.risk)
  );

  order_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .COMPUTED(1'b1)
  ) order_stage (
      .clk,
      .rst,
      .csr(csr[CSR_ORDER].stage),
      .time_ns,
      .connected,
      .in(passed.snk),
      .text(text.reader),
      .message(order_message.src),
      .feedback(feedback.order),
      .message_valid,
      .message_ready,
      .message_data,
      .message_last,
      .message_numbered,
      .message_number_at,
      .host_messages(host_messages.src),
      .answer({answer_valid, answer, answer_number})
  );

  session_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .PRICES(1'b0),
      .REPORTS(1'b1)
  ) session_stage (
      .clk,
      .rst,
      .csr(csr[CSR_SESSION].stage),
      .enable,
      .tick,
      .millisecond,
      .net_config,
      .line(line.snk),
      .verdict(verdict.snk),
      .order(order_message.snk),
      .host_messages(host_messages.snk),
      .frames(orders.src),
      .control(control.src),
      .prices(session_prices.src),
      .price_wide(price_wide_unused),
      .reports(execution_reports.src),
      .host_bytes(session_bytes.src),
      .connected,
      .alive(session_alive),
      .overflow(session_overflow)
  );

  assign session_prices.ready = 1'b1;  // its prices are not read
  assign {session_valid, session_data, session_keep} = {session_bytes.valid, session_bytes.data, session_bytes.keep};
  assign session_bytes.ready = session_ready;

  order_transmit #(
      .W(W)
  ) order_transmit (
      .clk,
      .rst,
      .csr(csr[CSR_TRANSMIT].stage),
      .net_config,
      .orders(orders.snk),
      .control(control.snk),
      .mii_data(tx_data),
      .mii_control(tx_control),
      .mii_error(tx_error),
      .started
  );

  // ---- for a simulation or a logic analyser ------------------------------------------------------------

  assign {delivered_valid, delivered_sequence, delivered_messages} = {feed_status.commit, feed_status.first_sequence, feed_status.messages};
  assign path = '{
          received: packets.valid && packets.last,
          decoded: entries.verdict_valid2,
          booked: market.top.verdict_valid,
          intended: intents.valid && intents.ready,
          passed: passed.valid && passed.ready
      };

  logic unused;
  assign unused = &{1'b0, session_prices.valid, session_prices.data, rx_b_data, rx_b_control, rx_b_error};
endmodule

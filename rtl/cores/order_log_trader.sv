// Tick to trade on an order log in FAST, by the shortest path: packets at line rate to the best prices of one instrument, and from them to orders.
//
//   MII ─ line_rx ─ order_log_decoder ─ price_book ─ best_price ─ risk ─ order ─ tcp_session ─ net_transmit ─ MII
//              ├─────────────────── decoder_fix ──────────────────────┘       └─ orders ─┘   │
//              └─ control_plane ──────────────────────────────────────────────────────────────┘
//   host ─ csr_if of each stage; orders, reports
//
// Latency: last FCS byte in to first preamble byte out 20 to 22 cycles, by where in a beat the packet ends, whatever is in it, but where the next levels
// of a side are not found in time (docs/concepts/order-log.md). Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 64 (XGMII, 156.25 MHz); LEVELS of a side at hand; HOST_WORDS, beats stored for the host.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module order_log_trader
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import tcp_pkg::*;
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

  // ---- host ------------------------------------------------------------------------------------------

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_NET_TRANSMIT,
    CSR_DECODER,
    CSR_BOOK,
    CSR_STRATEGY,
    CSR_TCP,
    CSR_CONTROL,
    CSR_FIX,
    CSR_RISK,
    CSR_ORDER,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  logic enable, tick, millisecond;
  logic [63:0] time_ns;
  net_config_t net_config;
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intent ();

  receive_status_t receive_status;
  /* verilator lint_off UNUSEDSIGNAL */  // the decoder counts the rest
  feed_status_t feed_status;
  /* verilator lint_on UNUSEDSIGNAL */
  execution_fault_t execution_fault;
  refused_t refused;
  order_outcome_t outcome;
  order_report_t order_report;
  logic started, payload_end;

  axil_if #(.ADDRESS(11)) axil ();
  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  host_stage #(
      .W(W),
      .SESSIONS(1),
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
      .payload_end,
      .arbitrated(1'b0),
      .heartbeat(1'b0),
      .started,
      .prepare(prepare.src),
      .stop(stop_write.src),
      .strategy(strategy_write.src),
      .intent(host_intent.src),
      .refused,
      .outcome,
      .report_valid,
      .report_ready,
      .report(order_report)
  );

  assign {report_what, report_reason, report_client_id, report_number, report_time} = order_report;

  assign {stop_write.ready, stop_write.answer_valid, stop_write.answer} = '0;  // there are no stops

  // ---- receive ---------------------------------------------------------------------------------------

  net_registers #(
      .W(W)
  ) net_registers (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .status(receive_status),
      .enable,
      .net_config
  );

  logic fcs_good, line_busy, claimed, feed_unused;
  stream_if #(.W(W)) packets ();
  line_if #(.W(W)) line_a ();
  tx_stream_if #(.W(W)) host_frames ();

  line_rx #(
      .W(W),
      .AT_ONCE(1'b1),
      .HOST_WORDS(HOST_WORDS)
  ) line_rx (
      .clk,
      .rst,
      .enable,
      .mii_data(rx_a_data),
      .mii_control(rx_a_control),
      .mii_error(rx_a_error),
      .net_config,
      .out(packets.src),
      .feed(feed_unused),
      .line(line_a.src),
      .fcs_good,
      .cause_valid(receive_status.cause_valid[0]),
      .cause(receive_status.cause[0]),
      .frame_start(receive_status.frame_start[0]),
      .claimed,
      .host(host_frames.src),
      .host_kept(receive_status.host_frame[0]),
      .host_overflow(receive_status.host_overflow[0])
  );
  assign {receive_status.cause_valid[1], receive_status.frame_start[1]} = '0;
  assign {receive_status.host_frame[1], receive_status.host_overflow[1], host_line} = '0;
  assign receive_status.cause[1] = CAUSE_MII_ERROR;
  always_ff @(posedge clk) line_busy <= line_a.valid;
  assign payload_end = packets.valid && packets.last;

  assign {host_valid, host_data, host_keep, host_last} = {host_frames.valid, host_frames.data, host_frames.keep, host_frames.last};
  assign host_frames.ready = host_ready;

  // ---- the log, the book -------------------------------------------------------------------------------

  price_entry_if entries ();
  logic tradable, book_fault, intent_overflow;
  book_host_if book_host ();
  book_walk_if no_walk ();
  book_top_t book_top;

  order_log_decoder order_log_decoder (
      .clk,
      .rst,
      .in(packets.snk),
      .judged(receive_status.cause_valid[0]),
      .accepted(receive_status.cause[0] == CAUSE_ACCEPTED),
      .csr(csr[CSR_DECODER].stage),
      .entries(entries.src),
      .status(feed_status)
  );
  assign {delivered_valid, delivered_sequence, delivered_messages} = {feed_status.commit, feed_status.first_sequence, feed_status.messages};

  book_registers book_registers (
      .clk,
      .rst,
      .csr(csr[CSR_BOOK].stage),
      .status('{tradable: 16'(tradable), next: entries.next[31:0], fault: book_fault, default: '0}),
      .book(book_host.src),
      .walk(no_walk.src)
  );
  assign {no_walk.level_valid, no_walk.place, no_walk.tick, no_walk.level, no_walk.count} = '0;
  assign no_walk.done = no_walk.valid;  // levels are not read here: none is shown

  price_book #(
      .K(LEVELS)
  ) price_book (
      .clk,
      .rst,
      .entries(entries.snk),
      .host(book_host.snk),
      .top(book_top),
      .tradable,
      .fault(book_fault)
  );

  // ---- the strategy ------------------------------------------------------------------------------------

  market_if #(.N(1)) market ();
  working_change_t working_change;
  intent_if no_stops ();
  intent_if intents ();

  assign {market.change_valid, market.change, market.change_found, market.verdict_valid, market.verdict_good, market.begins_session} = '0;
  assign {market.top, market.book_trades} = {book_top, book_trades_t'('0)};

  best_price_slot best_price_slot (
      .clk,
      .rst,
      .csr(csr[CSR_STRATEGY].stage),
      .market(market.book),
      .write(strategy_write.snk),
      .not_sent((refused.valid && refused.order.strategy) || (outcome.dropped_valid && outcome.dropped_order.strategy)),
      .cancel_sent(outcome.sent_valid && outcome.sent.order.kind == ORDER_CANCEL && outcome.sent.order.strategy),
      .working(working_change),
      .intent(intents.src),
      .overflow(intent_overflow)
  );
  assign {no_stops.valid, no_stops.withdraw, no_stops.soon, no_stops.handle, no_stops.instrument, no_stops.computed} = '0;
  assign {no_stops.price, no_stops.price_soon} = '0;

  // ---- risk, orders, the session -----------------------------------------------------------------------

  logic order_busy, resolve_valid, pinned, peer_mac_valid, connected, session_alive, session_overflow, session_wide;
  logic [TextWidth-1:0] order_busy_text;
  logic [31:0] resolve_ip;
  logic [47:0] peer_mac;
  message_answer_t message_answer;
  stream_if #(.W(W)) session_lanes ();
  committed_event_if session_prices ();
  execution_report_if execution_reports ();
  order_if passed ();
  order_text_if #(.W(W)) text ();
  order_message_if #(.W(W)) order_message ();
  tx_stream_if #(.W(W)) host_messages ();
  tx_stream_if #(.W(W)) session ();
  tx_stream_if #(.W(W)) orders ();
  tx_stream_if #(.W(W)) control ();
  tx_stream_if #(.W(W)) no_report ();

  assign path = '{
          received: payload_end,
          decoded: entries.verdict_valid2,
          booked: book_top.verdict_valid,
          intended: intents.valid && intents.ready,
          passed: passed.valid && passed.ready
      };

  fix_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .PRICES(1'b0),
      .REPORTS(1'b1)
  ) fix_stage (
      .clk,
      .rst,
      .csr(csr[CSR_FIX].stage),
      .restart(!connected),
      .in(session_lanes.snk),
      .events(session_prices.src),
      .event_wide(session_wide),
      .alive(session_alive),
      .overflow(session_overflow),
      .reports(execution_reports.src)
  );

  // A log tells no trades, and prices of the session are not read: the price that the collar is around is the host's.
  assign session_prices.ready = 1'b1;
  assign {market.trade_valid, market.trade_instrument, market.trade_price} = '0;
  assign market.trade_side = SIDE_BUY;
  assign market.trade_ready = 1'b1;

  // A cycle late, for it is far: the book is untradable at once.
  logic gap;
  always_ff @(posedge clk) gap <= (entries.lost || intent_overflow || session_overflow) && !rst;

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
      .market(market.last_price),
      .stops(no_stops.snk),
      .computed_orders(intents.snk),
      .host_orders(host_intent.snk),
      .prepare(prepare.snk),
      .out(passed.src),
      .text(text.store),
      .sending(order_busy),
      .sending_text(order_busy_text),
      .feed_alive(feed_status.commit),
      .session_alive,
      .connected,
      .gap,
      .sent_valid(outcome.sent_valid),
      .sent(outcome.sent),
      .reports(execution_reports.snk),
      .change(working_change),
      .fault(execution_fault),
      .refused
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
      .outcome,
      .busy(order_busy),
      .busy_text(order_busy_text),
      .message_valid,
      .message_ready,
      .message_data,
      .message_last,
      .message_numbered,
      .message_number_at,
      .host_messages(host_messages.src),
      .answer(message_answer)
  );

  tcp_session #(
      .W(W)
  ) tcp_session (
      .clk,
      .rst,
      .tick,
      .csr(csr[CSR_TCP].stage),
      .net_config,
      .line(line_a.snk),
      .fcs_good,
      .line_busy,
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .order(order_message.snk),
      .host_messages(host_messages.snk),
      .frames(orders.src),
      .lanes(session_lanes.src),
      .host_bytes(session.src),
      .connected
  );
  assign {answer_valid, answer, answer_number} = message_answer;
  assign {session_valid, session_data, session_keep} = {session.valid, session.data, session.keep};
  assign session.ready = session_ready;

  control_stage #(
      .W(W),
      .PEERS(1)
  ) control_stage (
      .clk,
      .rst,
      .csr(csr[CSR_CONTROL].stage),
      .enable,
      .millisecond,
      .net_config,
      .line(line_a.snk),
      .cause_valid(receive_status.cause_valid[0]),
      .cause(receive_status.cause[0]),
      .claimed,
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .out(control.src)
  );

  logic report_ready_unused;
  assign {no_report.valid, no_report.data, no_report.keep, no_report.last} = '0;

  net_transmit #(
      .W(W),
      .SESSIONS(1)
  ) net_transmit (
      .clk,
      .rst,
      .csr(csr[CSR_NET_TRANSMIT].stage),
      .net_config,
      .report_request_valid(1'b0),
      .report_request_ready(report_ready_unused),
      .report_length('0),
      .report(no_report.snk),
      .orders(orders.snk),
      .control(control.snk),
      .mii_data(tx_data),
      .mii_control(tx_control),
      .mii_error(tx_error),
      .started
  );

  logic unused;
  assign unused = &{
    1'b0, session_prices.valid, session_prices.data, session_wide, no_walk.after_line, no_walk.instrument, no_walk.side,
    stop_write.valid, stop_write.operation, stop_write.watch, execution_fault, feed_unused, rx_b_data, rx_b_control, rx_b_error,
    report_ready_unused
  };
endmodule

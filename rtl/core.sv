// The whole path: a market-data tick in on the MII; out on it the statistics report of each second, and orders.
//
//   MII rx, line A ─ net_rx ─┬─ feed_path: arbiter, decoder, statistics ─ report ─┐
//                            │                                                   ├─ tx_priority ─ mac_tx ─ MII tx
//                            ├─ order_path: TCP, FIX, stop orders, risk ─ orders ┤
//                            └─ control_plane: ARP, ping, IGMP ──────────────────┘
//   MII rx, line B ─ net_rx ─── feed_path
//                         └─ host_frames ─ host frames        host_registers ─ AXI4-Lite
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md; the same for every report.
// Throughput: line rate on receive, for ever. Parameters: W, bits in a beat: 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz);
// LINES, 2, or 1: then there is no line B and no arbiter; FEED, 1, or 0: no feed_path, prices come on the FIX session alone; SESSIONS, 1, or
// 0: no order_path and no control_plane, and their ports rest; SYMBOLS, slots of the symbol table: a power of two, 16 to 256; PACKETS the
// arbiter keeps; HOST_WORDS, beats kept for the host, by line.
// Overflow: receive never waits; a packet that the arbiter has no room for and a frame for the host that finds none are counted; a heartbeat
// that comes while a report is still being read out counts report_missed; what order_path has no room for: see there.
module core
  import tickwire_pkg::*;
  import feed_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int FEED = 1,
    parameter int SESSIONS = 0,
    parameter int SYMBOLS = 16,
    parameter int PACKETS = 8,
    parameter int HOST_WORDS = 2048
) (
    input logic clk,
    input logic rst,

    // W = 8: GMII, control[0] is dv/en. W = 64: XGMII, control is a bit a byte.
    input  logic [  W-1:0] rx_a_data,
    input  logic [W/8-1:0] rx_a_control,
    input  logic           rx_a_error,
    input  logic [  W-1:0] rx_b_data,
    input  logic [W/8-1:0] rx_b_control,
    input  logic           rx_b_error,
    output logic [  W-1:0] tx_data,
    output logic [W/8-1:0] tx_control,
    output logic           tx_error,

    // Good frames that are nobody's here, FCS included, of either line.
    output logic           host_valid,
    input  logic           host_ready,
    output logic [  W-1:0] host_data,
    output logic [W/8-1:0] host_keep,
    output logic           host_last,
    output logic           host_line,   // 1 is B

    // What the decoder was given and proved good, for a simulation or a logic analyser: messages delivered, from the number of the first on.
    output logic           delivered_valid,
    output logic [   63:0] delivered_sequence,
    output logic [   15:0] delivered_messages,

    // The FIX session: what the peer said (see byte_queue), the host's messages (see host_message), what became of orders (see order_reports).
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
    // And with it the timers of TCP and of the control plane: pulses beside those of their own.
    input logic        time_tick,         // 256 us
    input logic        time_millisecond,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic [ 2:0] axil_awprot,
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
    input  logic [ 2:0] axil_arprot,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp
);
  registers_pkg::registers__in_t  status;
  registers_pkg::registers__out_t setting;
  order_registers_pkg::order_registers__in_t order_status;
  /* verilator lint_off UNUSEDSIGNAL */  // without sessions
  order_registers_pkg::order_registers__out_t order_setting;
  /* verilator lint_on UNUSEDSIGNAL */

  // ---- network receive, by line: 0 is A ----------------------------------------------------------

  net_config_t net_config;
  logic [1:0] cause_valid, frame_start, host_kept, host_overflow, fcs_good;
  logic claimed;  // by the control plane
  net_cause_e [1:0] cause;
  stream_if #(.W(W)) line_a ();
  stream_if #(.W(W)) line_b ();
  line_if #(.W(W)) frame_line_a ();
  line_if #(.W(W)) frame_line_b ();
  tx_stream_if #(.W(W)) frames_a ();
  tx_stream_if #(.W(W)) frames_b ();
  tx_stream_if #(.W(W)) host ();

  always_comb begin
    net_config.local_mac = {setting.local_mac_high.value.value, setting.local_mac_low.value.value};
    net_config.local_ip = setting.local_ip.value.value;
    for (int i = 0; i < GroupSlots; i++) net_config.group[i] = setting.group[i].value.value;
    for (int i = 0; i < PortSlots; i++) net_config.port[i] = setting.port[i].value.value;
  end

  line_rx #(
      .W(W),
      .HOST_WORDS(HOST_WORDS)
  ) rx_a (
      .clk,
      .rst,
      .enable(setting.control.enable.value),
      .mii_data(rx_a_data),
      .mii_control(rx_a_control),
      .mii_error(rx_a_error),
      .net_config,
      .out(line_a.src),
      .line(frame_line_a.src),
      .fcs_good(fcs_good[0]),
      .cause_valid(cause_valid[0]),
      .cause(cause[0]),
      .frame_start(frame_start[0]),
      .claimed(claimed),
      .host(frames_a.src),
      .host_kept(host_kept[0]),
      .host_overflow(host_overflow[0])
  );

  if (LINES == 2) begin : g_line_b
    line_rx #(
        .W(W),
        .HOST_WORDS(HOST_WORDS)
    ) rx_b (
        .clk,
        .rst,
        .enable(setting.control.enable.value),
        .mii_data(rx_b_data),
        .mii_control(rx_b_control),
        .mii_error(rx_b_error),
        .net_config,
        .out(line_b.src),
        .line(frame_line_b.src),
        .fcs_good(fcs_good[1]),
        .cause_valid(cause_valid[1]),
        .cause(cause[1]),
        .frame_start(frame_start[1]),
        .claimed(1'b0),
        .host(frames_b.src),
        .host_kept(host_kept[1]),
        .host_overflow(host_overflow[1])
    );
  end else begin : g_no_line_b
    logic unused;
    assign unused = &{1'b0, rx_b_data, rx_b_control, rx_b_error, frames_b.ready};
    assign {cause_valid[1], frame_start[1], host_kept[1], host_overflow[1], fcs_good[1]} = '0;
    assign {frame_line_b.valid, frame_line_b.data, frame_line_b.first, frame_line_b.offset} = '0;
    assign {frame_line_b.stop, frame_line_b.last, frame_line_b.error} = '0;
    assign cause[1] = CAUSE_MII_ERROR;
    assign {line_b.valid, line_b.data, line_b.keep, line_b.last, line_b.err} = '0;
    assign {frames_b.valid, frames_b.data, frames_b.keep, frames_b.last} = '0;
  end

  tx_merge host_merge (
      .clk,
      .rst,
      .a(frames_a.snk),
      .b(frames_b.snk),
      .from_b(host_line),
      .out(host.src)
  );

  assign host_valid = host.valid;
  assign host.ready = host_ready;
  assign host_data = host.data;
  assign host_keep = host.keep;
  assign host_last = host.last;

  // ---- market data -------------------------------------------------------------------------------

  feed_told_t told;
  logic instrument_write, instrument_used, trade_valid, trade_ready;
  logic [7:0] instrument_index, trade_instrument;
  logic [63:0] instrument_symbol;
  logic signed [PriceWidth-1:0] trade_price;
  tx_stream_if #(.W(W)) report_frame ();

  if (FEED == 1) begin : g_feed
    feed_path #(
        .W(W),
        .LINES(LINES),
        .SYMBOLS(SYMBOLS),
        .PACKETS(PACKETS),
        .TRADES(SESSIONS == 0 ? 0 : 256)
    ) feed_path (
        .clk,
        .rst,
        .setting,
        .local_mac(net_config.local_mac),
        .local_ip(net_config.local_ip),
        .line_a(line_a.snk),
        .line_b(line_b.snk),
        .frames(report_frame.src),
        .instrument_write,
        .instrument_index,
        .instrument_used,
        .instrument_symbol,
        .trade_valid,
        .trade_ready,
        .trade_instrument,
        .trade_price,
        .told
    );
  end else begin : g_no_feed
    logic unused;
    assign unused = &{
      1'b0, line_a.valid, line_b.valid, report_frame.ready,
      instrument_write, instrument_index, instrument_used, instrument_symbol, trade_ready
    };
    assign told = '0;
    assign {trade_valid, trade_instrument, trade_price} = '0;
    assign {report_frame.valid, report_frame.data, report_frame.keep, report_frame.last} = '0;
  end

  assign delivered_valid = told.commit && told.mold_cause_valid && told.mold_cause == MOLD_PACKET;
  assign delivered_sequence = told.first_sequence;
  assign delivered_messages = told.messages;

  // ---- network transmit --------------------------------------------------------------------------

  tx_stream_if #(.W(W)) frame ();
  logic started, underrun;

  if (SESSIONS == 0) begin : g_reports_only
    assign frame.valid = report_frame.valid;
    assign frame.data = report_frame.data;
    assign frame.keep = report_frame.keep;
    assign frame.last = report_frame.last;
    assign report_frame.ready = frame.ready;
  end

  mac_tx #(
      .W(W)
  ) mac_tx (
      .clk,
      .rst,
      .in(frame.snk),
      .mii_data(tx_data),
      .mii_control(tx_control),
      .mii_error(tx_error),
      .started,
      .underrun
  );

  // ---- host --------------------------------------------------------------------------------------

  logic line_answer;
  logic [31:0] line_count;
  logic [Sequence-1:0] last_gap_from, last_gap_to;

  host_status #(
      .W(W),
      .SYMBOLS(SYMBOLS)
  ) host_status (
      .clk,
      .rst,
      .time_load(time_set || setting.time_command.load.value),
      .time_value(time_set ? time_value : {setting.time_set_high.value.value, setting.time_set_low.value.value}),
      .frame_start(frame_start != '0),
      .frame_end(cause_valid != '0),
      .payload_end(told.payload_end),
      .payload_delay(told.arbitrated ? 8'd5 : 8'd4),  // net_rx 3, arbiter 1, feed_select 1
      .cause_valid(cause_valid[0]),
      .cause(cause[0]),
      .mold_cause_valid(told.mold_cause_valid),
      .mold_cause(told.mold_cause),
      .new_session(told.new_session),
      .gap(told.gap),
      .lost(told.lost),
      .commit(told.commit),
      .messages(told.messages),
      .unknown_type(told.unknown_type),
      .bad_length(told.bad_length),
      .count_valid(told.count_valid),
      .filter_hit(told.filter_hit),
      .filter_miss(told.filter_miss),
      .time_backwards(told.time_backwards),
      .heartbeat(told.heartbeat),
      .report_sent(told.report_sent),
      .report_missed(told.report_missed),
      .started,
      .underrun,
      .count_request(setting.counters.req),
      .count_slot(setting.counters.addr[7:2]),
      .line_answer,
      .line_count,
      .last_gap_from(64'(last_gap_from)),
      .last_gap_to(64'(last_gap_to)),
      .status
  );

  line_status #(
      .S(Sequence)
  ) line_status (
      .clk,
      .rst,
      .b_cause_valid(cause_valid[1]),
      .b_cause(cause[1]),
      .host_frame(host_kept),
      .host_overflow,
      .arbiter_events(told.arbiter_events),
      .feed_overflow(told.overflow),
      .gap(told.line_gap),
      .gap_from(told.line_gap_from),
      .gap_to(told.line_gap_to),
      .count_request(setting.line_counters.req),
      .count_slot(setting.line_counters.addr[7:2]),
      .count_answer(line_answer),
      .count(line_count),
      .last_gap_from,
      .last_gap_to
  );

  host_registers #(
      .SESSIONS(SESSIONS)
  ) host_registers (
      .clk,
      .rst,
      .setting,
      .status,
      .order_setting,
      .order_status,
      .axil_awvalid,
      .axil_awready,
      .axil_awaddr,
      .axil_awprot,
      .axil_wvalid,
      .axil_wready,
      .axil_wdata,
      .axil_wstrb,
      .axil_bvalid,
      .axil_bready,
      .axil_bresp,
      .axil_arvalid,
      .axil_arready,
      .axil_araddr,
      .axil_arprot,
      .axil_rvalid,
      .axil_rready,
      .axil_rdata,
      .axil_rresp
  );

  // ---- the order path, and what answers the network --------------------------------------------------

  if (SESSIONS == 1) begin : g_session
    localparam int Tick = W == 8 ? 32_000 : 40_000;  // cycles in 256 us
    localparam int Millisecond = W == 8 ? 125_000 : 156_250;

    logic tick, millisecond, tick_reg, millisecond_reg, resolve_valid, pinned, peer_mac_valid;
    logic [31:0] resolve_ip;
    logic [47:0] peer_mac;
    logic [1:0] transmit_source_unused;
    logic line_busy_reg, session_last_unused, line_b_unused;  // the session is at line A
    control_pkg::control_event_t control_events;
    order_template_pkg::host_answer_e host_answer;
    report_pkg::order_report_t order_report;
    tx_stream_if #(.W(W)) orders ();
    tx_stream_if #(.W(W)) control_frame ();
    tx_stream_if #(.W(W)) control ();
    tx_stream_if #(.W(W)) reports ();
    tx_stream_if #(.W(W)) session ();

    interval #(
        .CYCLES(Tick)
    ) tick_interval (
        .clk,
        .rst,
        .pulse(tick)
    );

    interval #(
        .CYCLES(Millisecond)
    ) millisecond_interval (
        .clk,
        .rst,
        .pulse(millisecond)
    );

    always_ff @(posedge clk) begin
      tick_reg <= tick || time_tick;
      millisecond_reg <= millisecond || time_millisecond;
    end

    control_plane #(
        .W(W),
        .PEERS(1)
    ) control_plane (
        .clk,
        .rst,
        .enable(setting.control.enable.value),
        .millisecond(millisecond_reg),
        .net_config,
        .line(frame_line_a.snk),
        .cause_valid(cause_valid[0]),
        .cause(cause[0]),
        .claimed,
        .resolve_valid,
        .resolve_ip,
        .pinned,
        .peer_mac_valid,
        .peer_mac,
        .out(control_frame.src),
        .events(control_events)
    );

    always_ff @(posedge clk) line_busy_reg <= frame_line_a.valid || frame_line_b.valid;

    order_path #(
        .W(W)
    ) order_path (
        .clk,
        .rst,
        .tick(tick_reg),
        .time_ns({status.time_high.value.next, status.time_low.value.next}),
        .local_mac(net_config.local_mac),
        .local_ip(net_config.local_ip),
        .line(frame_line_a.snk),
        .fcs_good(fcs_good[0]),
        .line_busy(line_busy_reg),
        .resolve_valid,
        .resolve_ip,
        .pinned,
        .peer_mac_valid,
        .peer_mac,
        .feed_heard(told.commit),
        .feed_gap(told.gap),
        .trade_overflow(told.trade_overflow),
        .instrument_write,
        .instrument_index,
        .instrument_used,
        .instrument_symbol,
        .trade_valid,
        .trade_ready,
        .trade_instrument,
        .trade_price,
        .frames(orders.src),
        .session(session.src),
        .message_valid,
        .message_ready,
        .message_data,
        .message_last,
        .message_numbered,
        .message_number_at,
        .answer_valid,
        .answer(host_answer),
        .answer_number,
        .report_valid,
        .report_ready,
        .report(order_report),
        .control_events,
        .setting(order_setting),
        .status(order_status)
    );

    // Orders come as they are; what may wait is cut off by a register, or its `ready` would be too late for where it is made.
    tx_register #(
        .W(W)
    ) report_register (
        .clk,
        .rst,
        .in (report_frame.snk),
        .out(reports.src)
    );

    tx_register #(
        .W(W)
    ) control_register (
        .clk,
        .rst,
        .in (control_frame.snk),
        .out(control.src)
    );

    tx_priority tx_priority (
        .clk,
        .rst,
        .first(orders.snk),
        .second(reports.snk),
        .third(control.snk),
        .source(transmit_source_unused),
        .out(frame.src)
    );

    assign line_b_unused = fcs_good[1];
    assign answer = host_answer;
    assign session_valid = session.valid;
    assign session.ready = session_ready;
    assign session_data = session.data;
    assign session_keep = session.keep;
    assign session_last_unused = session.last;
    assign report_what = order_report.what;
    assign report_reason = order_report.reason;
    assign report_client_id = order_report.client_id;
    assign report_number = order_report.number;
    assign report_time = order_report.time_ns;
  end else begin : g_no_session
    logic unused;
    assign unused = &{
      1'b0, session_ready, message_valid, message_data, message_last, message_numbered, message_number_at, report_ready,
      fcs_good, frame_line_a.valid, frame_line_b.valid,
      trade_valid, trade_instrument, trade_price, told.trade_overflow, time_tick, time_millisecond
    };
    assign claimed = 1'b0;
    assign {instrument_write, instrument_index, instrument_used, instrument_symbol, trade_ready} = '0;
    assign {session_valid, session_data, session_keep} = '0;
    assign {message_ready, answer_valid, answer, answer_number} = '0;
    assign {report_valid, report_what, report_reason, report_client_id, report_number, report_time} = '0;
    assign order_status = '{default: '0};
  end
endmodule

// The host's side of every stage: what it sets, what it writes entry by entry, what it reads, and its own orders.
//
//   AXI4-Lite ─ host_registers ─┬─ settings ─ every stage
//                               ├─ config_port ─ config_if of every stage
//                               │       └─ order_entry ─ prepare (risk), stops, intent
//                               └─ host_status, line_status, order_status ─ status of every stage
//   outcome, refused ─ order_reports ─ report
//
// Latency: as the parts; nothing here is on the path. Wide settings pass a register of their own, for their users are all over the part: they change
// a cycle after the host's register. Throughput: an access at a time. Parameters: W; SESSIONS, 0: without what orders need; INSTRUMENTS; SLOTS, stops;
// COMPUTED, handles for computed orders; BEST_PRICE, whether they are of that strategy; BOOK, RING, FAST: whether there is an order book, a ring in host memory, a
// FAST decoder; FEEDS, side by side; ORDER_LOG, whether that decoder is order_log_decoder.
// Overflow: counters wrap at 2^32; a report that finds no room is lost and counted.
module host_stage
  import tickwire_pkg::*;
  import config_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import tcp_pkg::*;
  import arbiter_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int SESSIONS = 1,
    parameter int INSTRUMENTS = 16,
    parameter int SLOTS = 64,
    parameter int COMPUTED = 0,
    parameter bit BEST_PRICE = 1'b0,
    parameter bit BOOK = 1'b0,
    parameter bit RING = 1'b0,
    parameter bit FAST = 1'b0,
    parameter int FEEDS = 1,
    parameter bit ORDER_LOG = 1'b0
) (
    input logic clk,
    input logic rst,

    // The clock may be set from outside (a simulation that skips idle time, a PTP servo), and with it the timers: pulses in addition to their own.
    input  logic        time_set,
    input  logic [63:0] time_value,
    input  logic        time_tick,
    input  logic        time_millisecond,
    output logic [63:0] time_ns,
    output logic        tick,         // once in 256 us
    output logic        millisecond,

    // ---- settings ------------------------------------------------------------------------------------
    output logic               enable,
    output logic               itch50,
    output net_config_t        net_config,
    output report_config_t     report_config,
    output arbiter_config_t    arbiter_setting,
    output statistics_config_t statistics_setting,
    output tcp_config_t        tcp_config,
    output tcp_command_t       tcp_command,
    output logic        [31:0] next_hop_ip,
    output logic        [15:0] message_length,
    output text_layout_t       layout,
    output risk_setting_t      risk_setting,

    // ---- what is written entry by entry --------------------------------------------------------------
    config_if.src     instrument,
    config_if.src     statistics,
    config_if.src     decoder,
    config_if.src     risk,
    config_if.src     order,
    config_if.src     book,
    config_if.src     processor,
    prepare_if.src    prepare,
    stop_write_if.src stop,
    strategy_write_if.src strategy,
    intent_if.src     intent,

    // ---- status --------------------------------------------------------------------------------------
    input receive_status_t                          receive_status,
    input arbiter_status_t             [FEEDS-1:0]  arbiter_status,
    input logic                                     payload_end,         // the decoder is given a packet's last beat,
    input logic                                     arbitrated,          // through the arbiter
    input feed_status_t                [FEEDS-1:0]  feed_status,
    input statistics_status_t                       statistics_status,
    input book_status_t                             book_status,
    input record_pkg::ring_status_t                 ring_status,
    input logic                                     started,             // net_transmit
    input logic                                     underrun,
    /* verilator lint_off UNUSEDSIGNAL */  // state says more than connected
    input tcp_status_t                              tcp_status,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic                                     peer_mac_valid,
    input control_pkg::control_event_t              control_events,
    input logic                     [FixCauses-1:0] fix_cause,
    input execution_fault_t                         execution_fault,
    input logic                                     trade_overflow,
    input risk_status_t                             risk_status,
    input refused_t                                 refused,
    input order_outcome_t                           outcome,
    input order_status_t                            order_stage_status,
    input logic                     [$clog2(SLOTS):0] armed_count,

    // ---- what became of orders -----------------------------------------------------------------------
    output logic          report_valid,
    input  logic          report_ready,
    output order_report_t report,

    axil_if.snk axil
);
  registers_pkg::registers__in_t status;
  registers_pkg::registers__out_t setting;
  order_registers_pkg::order_registers__in_t order_register_status;
  /* verilator lint_off UNUSEDSIGNAL */  // without sessions
  order_registers_pkg::order_registers__out_t order_setting;
  /* verilator lint_on UNUSEDSIGNAL */

  host_registers #(
      .SESSIONS(SESSIONS)
  ) host_registers (
      .clk,
      .rst,
      .axil,
      .setting,
      .status,
      .order_setting,
      .order_status(order_register_status)
  );

  // ---- settings of the feed --------------------------------------------------------------------------

  assign enable = setting.control.enable.value;
  assign itch50 = setting.control.itch50.value;

  always_ff @(posedge clk) begin
    net_config.local_mac <= {setting.local_mac_high.value.value, setting.local_mac_low.value.value};
    net_config.local_ip  <= setting.local_ip.value.value;
    for (int i = 0; i < GroupSlots; i++) net_config.group[i] <= setting.group[i].value.value;
    for (int i = 0; i < PortSlots; i++) net_config.port[i] <= setting.port[i].value.value;
    net_config.feed <= {
      setting.feeds.ports_3.value, setting.feeds.groups_3.value, setting.feeds.ports_2.value, setting.feeds.groups_2.value,
      setting.feeds.ports_1.value, setting.feeds.groups_1.value, setting.feeds.ports_0.value, setting.feeds.groups_0.value
    };
    report_config <= '{
        destination_mac: {setting.report_mac_high.value.value, setting.report_mac_low.value.value},
        destination_ip: setting.report_ip.value.value,
        source_port: setting.report_port.source.value,
        destination_port: setting.report_port.destination.value
    };
    arbiter_setting <= '{
        source: source_e'(setting.arbitration.source.value),
        window: window_e'(setting.arbitration.window.value),
        time_window: setting.time_window.value.value,
        count_window: setting.count_window.value.value,
        idle_limit: setting.idle_limit.value.value,
        flush: setting.arbitration.flush.value
    };
  end

  assign statistics_setting = '{accumulate: setting.control.accumulate.value, symbol_count: setting.control.symbol_count.value};

  // ---- status of the feed ----------------------------------------------------------------------------

  logic line_answer, own_line_answer, other_line_answer, other_answer, count_taken, line_taken, other_shown, fast_answer;
  logic [31:0] own_line_count, other_line_count, other_count, fast_count;
  logic [63:0] own_gap_from, own_gap_to, other_gap_from, other_gap_to, other_lost;
  registers_pkg::registers__operation_state__in_t operation_state;

  assign time_ns = {status.time_high.value.next, status.time_low.value.next};

  host_status #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .STOPS(SESSIONS == 0 ? 0 : SLOTS),
      .BOOK(BOOK),
      .RING(RING),
      .FEEDS(FEEDS),
      .ORDER_LOG(ORDER_LOG)
  ) host_status (
      .clk,
      .rst,
      .time_load(time_set || setting.time_command.load.value),
      .time_value(time_set ? time_value : {setting.time_set_high.value.value, setting.time_set_low.value.value}),
      .receive_status,
      .payload_end,
      .payload_delay(arbitrated ? 8'd5 : 8'd4),  // net_rx 3, arbiter 1, feed_select 1
      .feed_status(feed_status[0]),
      .statistics_status,
      .book_status,
      .ring_status,
      .started,
      .underrun,
      .count_request(setting.counters.req && !count_taken),
      .count_slot(setting.counters.addr[7:2]),
      .other_answer,
      .other_count,
      .other_shown,
      .other_lost,
      .line_answer,
      .line_count(other_line_answer ? other_line_count : own_line_count),
      .last_gap_from(other_shown ? other_gap_from : own_gap_from),
      .last_gap_to(other_shown ? other_gap_to : own_gap_to),
      .fast_answer,
      .fast_count,
      .operation_state,
      .status
  );

  line_status line_status (
      .clk,
      .rst,
      .b_cause_valid(receive_status.cause_valid[1]),
      .b_cause(receive_status.cause[1]),
      .host_frame(receive_status.host_frame),
      .host_overflow(receive_status.host_overflow),
      .arbiter_events(arbiter_status[0].events),
      .feed_overflow(arbiter_status[0].overflow),
      .gap(arbiter_status[0].gap),
      .gap_from(arbiter_status[0].gap_from),
      .gap_to(arbiter_status[0].gap_to),
      .count_request(setting.line_counters.req && !line_taken),
      .count_slot(setting.line_counters.addr[7:2]),
      .count_answer(own_line_answer),
      .count(own_line_count),
      .last_gap_from(own_gap_from),
      .last_gap_to(own_gap_to)
  );

  assign line_answer = own_line_answer || other_line_answer;

  if (FEEDS > 1) begin : gen_feeds
    feed_counters #(
        .FEEDS(FEEDS)
    ) feed_counters (
        .clk,
        .rst,
        .feed_status,
        .arbiter_status,
        .shown(setting.feed_shown.feed.value),
        .count_request(setting.counters.req),
        .count_slot(setting.counters.addr[7:2]),
        .count_taken,
        .count_answer(other_answer),
        .count(other_count),
        .line_request(setting.line_counters.req),
        .line_slot(setting.line_counters.addr[7:2]),
        .line_taken,
        .line_answer(other_line_answer),
        .line_count(other_line_count),
        .other(other_shown),
        .last_gap_from(other_gap_from),
        .last_gap_to(other_gap_to),
        .lost(other_lost)
    );
  end else begin : gen_one_feed
    assign {count_taken, line_taken, other_shown, other_answer, other_count, other_line_answer, other_line_count} = '0;
    assign {other_gap_from, other_gap_to, other_lost} = '0;
    logic unused;
    assign unused = &{1'b0, setting.feed_shown.feed.value};
  end

  if (FAST) begin : gen_fast
    fast_counters #(
        .FEEDS(FEEDS)
    ) fast_counters (
        .clk,
        .rst,
        .feed_status,
        .shown(setting.feed_shown.feed.value),
        .request(setting.fast_counters.req),
        .slot(setting.fast_counters.addr[7:2]),
        .answer(fast_answer),
        .count(fast_count)
    );
  end else begin : gen_no_fast
    // All are 0.
    always_ff @(posedge clk) fast_answer <= setting.fast_counters.req && !rst;
    assign fast_count = '0;
  end

  // ---- operations ------------------------------------------------------------------------------------

  logic [6:0][31:0] operand;
  config_answer_t answer;
  logic operation_refused;
  config_if entry ();

  always_comb for (int i = 0; i < 7; i++) operand[i] = setting.operand[i].value.value;

  config_port config_port (
      .clk,
      .rst,
      .start(setting.operation.start.value),
      .code(config_operation_e'(setting.operation.code.value)),
      .index(setting.operation.index.value),
      .operand,
      .busy(operation_state.busy.next),
      .answer,
      .refused(operation_refused),
      .entry(entry.src),
      .instrument,
      .statistics,
      .decoder,
      .risk,
      .order,
      .book,
      .processor
  );

  assign operation_state.done.next = answer.done;
  assign operation_state.previous.next = answer.previous;
  assign operation_state.text.next = answer.text;
  assign operation_state.armed.next = 16'(armed_count);

  // ---- orders ----------------------------------------------------------------------------------------

  if (SESSIONS != 0) begin : gen_orders
    localparam int Tick = W == 8 ? 32_000 : 40_000;  // cycles in 256 us
    localparam int Millisecond = W == 8 ? 125_000 : 156_250;

    logic tick_pulse, millisecond_pulse, report_overflow;

    interval #(
        .CYCLES(Tick)
    ) tick_interval (
        .clk,
        .rst,
        .pulse(tick_pulse)
    );

    interval #(
        .CYCLES(Millisecond)
    ) millisecond_interval (
        .clk,
        .rst,
        .pulse(millisecond_pulse)
    );

    always_ff @(posedge clk) begin
      tick <= tick_pulse || time_tick;
      millisecond <= millisecond_pulse || time_millisecond;
    end

    always_ff @(posedge clk) begin
      tcp_config <= '{
        local_mac: net_config.local_mac,
        local_ip: net_config.local_ip,
        local_port: order_setting.tcp_port.local_port.value,
        peer_ip: order_setting.peer_ip.value.value,
        peer_port: order_setting.tcp_port.peer_port.value,
        mss: order_setting.tcp_mss.value.value,
        secret: order_setting.tcp_secret.value.value,
        rto_initial: order_setting.rto_initial.value.value,
        rto_minimum: order_setting.rto_minimum.value.value,
        rto_maximum: order_setting.rto_maximum.value.value,
        keep_alive: order_setting.keep_alive.value.value,
        time_wait: order_setting.time_wait.value.value,
        retries: order_setting.tcp_retries.value.value
      };
      tcp_command <= '{
        connect: order_setting.session_command.connect.value,
        finish: order_setting.session_command.close.value,
        reset: order_setting.session_command.abort.value
      };
      next_hop_ip <= order_setting.next_hop_ip.value.value;
      message_length <= order_setting.message_length.value.value;
      layout <= '{
        side_at: order_setting.text_layout.side_at.value,
        quantity_at: order_setting.text_layout.quantity_at.value,
        quantity_width: order_setting.text_layout.quantity_width.value,
        price_at: order_setting.text_layout_price.price_at.value,
        price_width: order_setting.text_layout_price.price_width.value,
        original_at: order_setting.text_layout_price.original_at.value,
        has_time_in_force: order_setting.text_layout.has_time_in_force.value,
        time_in_force_at: order_setting.text_layout.time_in_force_at.value
      };
      risk_setting <= '{
        limits: '{
            kill: order_setting.kill_switch.kill.value,
            kill_enable: '{
                host: 1'b0,
                session: order_setting.kill_switch.on_session.value,
                feed: order_setting.kill_switch.on_feed.value,
                gap: order_setting.kill_switch.on_gap.value
            },
            max_quantity: order_setting.max_quantity.value.value,
            max_notional: {order_setting.max_notional_high.value.value, order_setting.max_notional_low.value.value},
            rate_orders: order_setting.rate_orders.value.value,
            rate_window: {1'b0, order_setting.rate_window.value.value},
            max_open_orders: order_setting.max_open_orders.value.value
        },
        stale_limit: order_setting.stale_limit.value.value,
        session_stale_limit: order_setting.session_stale_limit.value.value,
        logged_on: order_setting.logged_on.value.value,
        clear: order_setting.kill_switch.clear.value
      };
    end

    order_entry #(
        .SLOTS(SLOTS),
        .COMPUTED(COMPUTED),
        .BEST_PRICE(BEST_PRICE)
    ) order_entry (
        .clk,
        .rst,
        .host(entry.snk),
        .prepare,
        .stop,
        .strategy,
        .intent
    );

    order_reports #(
        .DEPTH(64)
    ) order_reports (
        .clk,
        .rst,
        .time_ns,
        .sent_valid(outcome.sent_valid),
        .sent(outcome.sent),
        .dropped_valid(outcome.dropped_valid),
        .dropped_reason(outcome.dropped_reason),
        .dropped_order(outcome.dropped_order),
        .refused_valid(refused.valid),
        .refused_reason(refused.reason),
        .refused_order(refused.order),
        .report_valid,
        .report_ready,
        .report,
        .overflow(report_overflow)
    );

    order_status order_status (
        .clk,
        .rst,
        .tcp_events(tcp_status.events),
        .control_events,
        .fix_cause,
        .execution_fault,
        .trade_overflow,
        .sent_valid(outcome.sent_valid),
        .dropped_valid(outcome.dropped_valid),
        .report_overflow,
        .operation_refused,
        .refused_valid(refused.valid),
        .refused_reason(refused.reason),
        .request(order_setting.order_counters.req),
        .slot(order_setting.order_counters.addr[7:2]),
        .answer(order_register_status.order_counters.rd_ack),
        .count(order_register_status.order_counters.rd_data)
    );

    assign order_register_status.order_counters.wr_ack = 1'b0;
    assign order_register_status.session_state.tcp.next = tcp_status.state;
    assign order_register_status.session_state.next_hop.next = peer_mac_valid;
    assign order_register_status.session_state.full.next = tcp_status.order_full;
    assign order_register_status.session_state.connecting.next = tcp_status.connecting;
    assign order_register_status.outstanding.value.next = tcp_status.outstanding;
    assign order_register_status.order_state.connection.next = order_stage_status.stopped.connection;
    assign order_register_status.order_state.number_missing.next = order_stage_status.stopped.number;
    assign order_register_status.order_state.number_exhausted.next = order_stage_status.stopped.number_exhausted;
    assign order_register_status.order_state.time_unknown.next = order_stage_status.stopped.time_unknown;
    assign order_register_status.order_state.date_missing.next = order_stage_status.stopped.date_missing;
    assign order_register_status.order_state.host_message.next = order_stage_status.stopped.host_message;
    assign order_register_status.order_state.date_known.next = order_stage_status.date_known;
    assign {order_register_status.next_number_high.value.next, order_register_status.next_number.value.next} = order_stage_status.number;
    assign order_register_status.risk_state.gap.next = risk_status.killed_by.gap;
    assign order_register_status.risk_state.feed.next = risk_status.killed_by.feed;
    assign order_register_status.risk_state.session.next = risk_status.killed_by.session;
    assign order_register_status.risk_state.host.next = risk_status.killed_by.host;
    assign order_register_status.risk_state.feed_stale.next = risk_status.stale.feed;
    assign order_register_status.risk_state.session_stale.next = risk_status.stale.session;
    assign order_register_status.risk_state.open_orders.next = risk_status.open_orders;
  end else begin : gen_no_orders
    assign {tick, millisecond, tcp_config, tcp_command, next_hop_ip, message_length, layout, risk_setting} = '0;
    assign {report_valid, report} = '0;
    assign order_register_status = '{default: '0};
    assign {entry.busy, entry.answer} = '0;
    assign {prepare.busy, prepare.valid, prepare.handle, prepare.order, prepare.original, prepare.collar, prepare.commit} = '0;
    assign prepare.time_in_force = '0;
    assign {stop.valid, stop.operation, stop.slot, stop.watch} = '0;
    assign {strategy.valid, strategy.enabled, strategy.single, strategy.instrument, strategy.side, strategy.replace_done} = '0;
    assign {intent.valid, intent.withdraw, intent.soon, intent.handle, intent.instrument} = '0;
    assign {intent.computed, intent.price, intent.price_soon} = '0;
    logic unused;
    assign unused = &{
      1'b0, time_tick, time_millisecond, tcp_status, peer_mac_valid, control_events, fix_cause, execution_fault, trade_overflow,
      risk_status, refused, outcome, order_stage_status, report_ready, operation_refused, entry.valid, entry.operation,
      entry.index, entry.operand,
      prepare.ready, prepare.answer_valid, prepare.answer, stop.ready, stop.answer_valid, stop.answer, strategy.ready,
      strategy.replace_valid, strategy.replace_original, intent.ready
    };
  end
endmodule

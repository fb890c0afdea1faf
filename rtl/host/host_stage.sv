// The host's side of every stage: what it sets, what it writes entry by entry, what it reads, and its own orders.
//
//   AXI4-Lite ─ axil_csr ────┬─ csr_if of every stage: its registers, and what is written entry by entry
//       operation ─ config_port ─┘
//                            ├─ order_entry ─ prepare (risk), stops, intent
//                            └─ registers ─ settings and status of the feed's stages
//   outcome, refused ─ order_reports ─ report
//
// Latency: as the parts; nothing here is on the path. Wide settings pass a register of their own, for their users are all over the part: they change
// a cycle after the host's register. Throughput: an access at a time. Parameters: W; SESSIONS, 0: without what orders need; INSTRUMENTS; SLOTS, stops;
// COMPUTED, handles for computed orders; BEST_PRICE, whether they are of that strategy; BOOK, RING, FAST: whether there is an order book, a ring in host memory, a
// FAST decoder; FEEDS, side by side; ORDER_LOG, whether that decoder is order_log_decoder; STAGES that
// own their registers.
// Overflow: counters wrap at 2^32; a report that finds no room is lost and counted.
module host_stage
  import tickwire_pkg::*;
  import config_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import host_csr_pkg::Counters, host_csr_pkg::CountersAt, host_csr_pkg::COUNT_REPORT_OVERFLOW, host_csr_pkg::COUNT_OPERATION_REFUSED;
  import arbiter_pkg::*;
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
    parameter bit ORDER_LOG = 1'b0,
    parameter int STAGES = 1
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

    // ---- what is written entry by entry --------------------------------------------------------------
    config_if.src     instrument,
    config_if.src     statistics,
    config_if.src     decoder,
    config_if.src     book,
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
    input refused_t                                 refused,
    input order_outcome_t                           outcome,
    input logic                     [$clog2(SLOTS):0] armed_count,

    // ---- what became of orders -----------------------------------------------------------------------
    output logic          report_valid,
    input  logic          report_ready,
    output order_report_t report,

    csr_if.host csr[STAGES],  // of the stages that own their registers
    axil_if.snk axil
);
  registers_pkg::registers__in_t status;
  registers_pkg::registers__out_t setting;

  // ---- the bus, the stages ---------------------------------------------------------------------------

  csr_if bus ();
  csr_if side[2] ();
  csr_if part[7] ();

  axil_csr #(
      .ORDERS(SESSIONS != 0)
  ) axil_csr (
      .clk,
      .rst,
      .axil,
      .csr(bus.bus)
  );

  csr_split #(
      .N(2)
  ) csr_sides (
      .in (bus.stage),
      .out(side)
  );

  csr_split #(
      .N(STAGES)
  ) csr_stages (
      .in (side[0].stage),
      .out(csr)
  );

  csr_split #(
      .N(7)
  ) csr_parts (
      .in (side[1].stage),
      .out(part)
  );

  registers registers (
      .clk,
      .rst,
      .csr(part[0].stage),
      .hwif_in(status),
      .hwif_out(setting)
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
      .csr(bus.operator)
  );

  csr_operations entry_operations (
      .csr(part[1].stage),
      .out(entry.src)
  );
  csr_operations instrument_operations (
      .csr(part[2].stage),
      .out(instrument)
  );
  csr_operations statistics_operations (
      .csr(part[3].stage),
      .out(statistics)
  );
  csr_operations decoder_operations (
      .csr(part[4].stage),
      .out(decoder)
  );
  csr_operations book_operations (
      .csr(part[5].stage),
      .out(book)
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

    logic [Counters-1:0] pulse;
    always_ff @(posedge clk) begin
      pulse[COUNT_REPORT_OVERFLOW] <= report_overflow && !rst;
      pulse[COUNT_OPERATION_REFUSED] <= operation_refused && !rst;
    end

    csr_counters #(
        .AT(CountersAt),
        .SLOTS(Counters)
    ) csr_counters (
        .clk,
        .rst,
        .csr(part[6].stage),
        .shown(1'b1),
        .pulse,
        .amount('0)
    );
  end else begin : gen_no_orders
    csr_none no_counters (.csr(part[6].stage));
    assign {tick, millisecond} = '0;
    assign {report_valid, report} = '0;
    assign {entry.busy, entry.answer} = '0;
    assign {prepare.busy, prepare.valid, prepare.handle, prepare.order, prepare.original, prepare.collar, prepare.commit} = '0;
    assign prepare.time_in_force = '0;
    assign {stop.valid, stop.operation, stop.slot, stop.watch} = '0;
    assign {strategy.valid, strategy.enabled, strategy.single, strategy.instrument, strategy.side, strategy.replace_done} = '0;
    assign {intent.valid, intent.withdraw, intent.soon, intent.handle, intent.instrument} = '0;
    assign {intent.computed, intent.price, intent.price_soon} = '0;
    logic unused;
    assign unused = &{
      1'b0, time_tick, time_millisecond, refused, outcome, report_ready, operation_refused, entry.valid, entry.operation,
      entry.index, entry.operand,
      prepare.ready, prepare.answer_valid, prepare.answer, stop.ready, stop.answer_valid, stop.answer, strategy.ready,
      strategy.replace_valid, strategy.replace_original, intent.ready
    };
  end
endmodule

// The host's side of the core: its bus to the registers of all stages, operations on entries of their memories, its own orders, time, and latency of reports.
//
//   AXI4-Lite ─ axil_csr ────┬─ csr_if of every stage: its registers, and what is written entry by entry
//       operation ─ config_port ─┘
//                            ├─ order_entry ─ prepare (risk), stops, strategy, intent
//                            └─ own registers: identity, operation, time, latency
//   feedback ─ order_reports ─ report
//
// Latency: as the parts; nothing here is on the path. Throughput: an access at a time. Parameters: W; SESSIONS, 0: without what orders need; INSTRUMENTS; SLOTS, stops;
// COMPUTED, handles for computed orders; BEST_PRICE, whether they are of that strategy; BOOK, RING, FEEDS, ORDER_LOG: what the core says that it is; STAGES.
// Overflow: counters wrap at 2^32; a report that finds no room is lost and counted.
module host_stage
  import tickwire_pkg::*;
  import config_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import host_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int SESSIONS = 1,
    parameter int INSTRUMENTS = 16,
    parameter int SLOTS = 64,
    parameter int COMPUTED = 0,
    parameter bit BEST_PRICE = 1'b0,
    parameter bit BOOK = 1'b0,
    parameter bit RING = 1'b0,
    parameter int FEEDS = 1,
    parameter bit ORDER_LOG = 1'b0,
    parameter int STAGES = 1
) (
    input logic clk,
    input logic rst,

    axil_if.snk axil,
    csr_if.host csr[STAGES],

    // The clock may be set from outside (a simulation that skips idle time, a PTP servo), and with it the timers: pulses in addition to their own.
    input  logic        time_set,
    input  logic [63:0] time_value,
    input  logic        time_tick,
    input  logic        time_millisecond,
    output logic [63:0] time_ns,
    output logic        tick,         // once in 256 us
    output logic        millisecond,

    // From the last beat of a packet to the report that it causes.
    input logic payload_end,  // the decoder is given a packet's last beat,
    input logic arbitrated,   // through the arbiter
    input logic heartbeat,    // statistics: it is of a new second
    input logic started,      // net_transmit

    // Orders of the host, and what became of all.
    prepare_if.src        prepare,
    stop_write_if.src     stop,
    strategy_write_if.src strategy,
    intent_if.src         intent,
    order_feedback_if.listener feedback,
    output logic               report_valid,
    input  logic               report_ready,
    output order_report_t      report
);
  // ---- the bus, the stages ---------------------------------------------------------------------------

  setting_t setting;
  status_t status;
  config_if entry ();
  csr_if bus ();
  csr_if side[2] ();
  csr_if part[4] ();

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
      .N(4)
  ) csr_parts (
      .in (side[1].stage),
      .out(part)
  );

  csr_settings #(
      .T(setting_t),
      .FIELDS(SettingFields),
      .MAP(SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(status)
  );

  csr_operations entry_operations (
      .csr(part[2].stage),
      .out(entry.src)
  );

  // ---- operations ------------------------------------------------------------------------------------

  config_answer_t answer;
  logic busy, operation_refused;
  operation_state_fields_t operation_state;  // a cycle late: the host reads it as it is when its read begins

  always_ff @(posedge clk) operation_state <= '{busy: busy, done: answer.done, previous: answer.previous, text: answer.text};

  config_port config_port (
      .clk,
      .rst,
      .start(setting.operation.start),
      .code(config_operation_e'(setting.operation.code)),
      .index(setting.operation.index),
      .operand(setting.operand),
      .busy,
      .answer,
      .refused(operation_refused),
      .csr(bus.operator)
  );

  // ---- time, latency ---------------------------------------------------------------------------------

  logic [31:0] latency_last, latency_minimum, latency_maximum;

  clock_ns #(
      .W(W)
  ) clock_ns (
      .clk,
      .rst,
      .load(time_set || setting.time_command.load),
      .load_value(time_set ? time_value : {setting.time_set_high, setting.time_set_low}),
      .now(time_ns)
  );

  latency_meter latency_meter (
      .clk,
      .rst,
      .verdict(payload_end),
      .verdict_delay(arbitrated ? 8'd5 : 8'd4),  // net_rx 3, arbiter 1, feed_select 1
      .heartbeat,
      .started,
      .last(latency_last),
      .minimum(latency_minimum),
      .maximum(latency_maximum)
  );

  assign status = '{
          identity: Identity,
          build: '{
              width: 8'(W),
              stops: SESSIONS == 0 ? '0 : 8'(SLOTS),
              instruments: 9'(INSTRUMENTS),
              book: BOOK,
              ring: RING,
              more_feeds: 2'(FEEDS - 1),
              order_log: ORDER_LOG
          },
          operation_state: operation_state,
          time_low: time_ns[31:0],
          time_high: time_ns[63:32],
          latency_last: latency_last,
          latency_minimum: latency_minimum,
          latency_maximum: latency_maximum
      };

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
        .sent_valid(feedback.outcome.sent_valid),
        .sent(feedback.outcome.sent),
        .dropped_valid(feedback.outcome.dropped_valid),
        .dropped_reason(feedback.outcome.dropped_reason),
        .dropped_order(feedback.outcome.dropped_order),
        .refused_valid(feedback.refused.valid),
        .refused_reason(feedback.refused.reason),
        .refused_order(feedback.refused.order),
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
        .csr(part[3].stage),
        .shown(1'b1),
        .pulse,
        .amount('0)
    );
  end else begin : gen_no_orders
    csr_none no_counters (.csr(part[3].stage));
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
      1'b0, time_tick, time_millisecond, feedback.refused, feedback.outcome, report_ready, operation_refused, entry.valid, entry.operation,
      entry.index, entry.operand,
      prepare.ready, prepare.answer_valid, prepare.answer, stop.ready, stop.answer_valid, stop.answer, strategy.ready,
      strategy.replace_valid, strategy.replace_original, intent.ready
    };
  end
endmodule

// The host's side of a core that trades: host_stage, the host's own orders, what became of all, and the timers of the session.
//
//   AXI4-Lite ─ host_stage ─┬─ csr_if of every stage
//                           └─ order_entry ─ prepare (risk), stops, strategy, intent
//   feedback ─ order_reports ─ reports
//
// Latency: as the parts; nothing here is on the path. Throughput: an access at a time. Parameters: W; INSTRUMENTS; SLOTS, stops; COMPUTED, handles for
// computed orders; BEST_PRICE, whether they are of that strategy; BOOK, RING, ORDER_LOG, LOW_LATENCY: what the core says that it is; STAGES.
// Overflow: counters wrap at 2^32; a report that finds no room is lost and counted.
module trading_host
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import host_csr_pkg::Counters, host_csr_pkg::CountersAt, host_csr_pkg::COUNT_REPORT_OVERFLOW, host_csr_pkg::COUNT_OPERATION_REFUSED;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int SLOTS = 64,
    parameter int COMPUTED = 0,
    parameter bit BEST_PRICE = 1'b0,
    parameter bit BOOK = 1'b0,
    parameter bit RING = 1'b0,
    parameter bit ORDER_LOG = 1'b0,
    parameter bit LOW_LATENCY = 1'b0,
    parameter int STAGES = 1
) (
    input logic clk,
    input logic rst,

    axil_if.snk axil,
    csr_if.host csr[STAGES],

    time_set_if.snk     time_from_outside,
    output logic [63:0] time_ns,
    output logic        tick,         // once in 256 us
    output logic        millisecond,

    // Orders of the host, and what became of all.
    prepare_if.src        prepare,
    stop_write_if.src     stop,
    strategy_write_if.src strategy,
    intent_if.src         intent,
    order_feedback_if.listener feedback,
    order_report_if.src reports
);
  logic operation_refused;
  config_if entry ();
  csr_if side[2] ();
  csr_if part[2] ();

  host_stage #(
      .W(W),
      .ORDERS(1'b1),
      .INSTRUMENTS(INSTRUMENTS),
      .SLOTS(SLOTS),
      .BOOK(BOOK),
      .RING(RING),
      .ORDER_LOG(ORDER_LOG),
      .LOW_LATENCY(LOW_LATENCY),
      .STAGES(2)
  ) host_stage (
      .clk,
      .rst,
      .axil,
      .csr(side),
      .time_from_outside,
      .time_ns,
      .latency(NoLatency),
      .operation_refused
  );

  csr_split #(
      .N(STAGES)
  ) csr_stages (
      .in (side[0].stage),
      .out(csr)
  );

  csr_split #(
      .N(2)
  ) csr_parts (
      .in (side[1].stage),
      .out(part)
  );

  csr_operations entry_operations (
      .csr(part[0].stage),
      .out(entry.src)
  );

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
    tick <= tick_pulse || time_from_outside.tick;
    millisecond <= millisecond_pulse || time_from_outside.millisecond;
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
      .report_valid(reports.valid),
      .report_ready(reports.ready),
      .report(reports.data),
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
      .csr(part[1].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );
endmodule

// The slot of a strategy in the language, with its registers: the strategy itself is the processor, a module, or another model of a simulation.
//
//   market.book ─ program_slot ─┬─ intent
//                    │          └─ strategy
//   prepare of the host ─ prepare_merge ─ prepare: program_slot has its orders prepared itself
//   csr ─ program_slot; counters
//
// Latency and throughput: those of the strategy. Parameters: HANDLE, ORDERS: the first of its handles in the order store, and how many;
// OWN_ORDERS that a program may have open, 0: it learns nothing of its orders; WITH_TRADES, WITH_TIMERS: it may have handlers of them; INSTRUMENTS;
// N, WITH_SECONDS: see strategy_clock. Overflow: what finds no room is lost: `overflow` pulses, a gap to risk.
module strategy_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int HANDLE = 16,
    parameter int ORDERS = 16,
    parameter int OWN_ORDERS = 0,
    parameter bit WITH_TRADES = 1'b1,
    parameter bit WITH_TIMERS = 1'b1,
    parameter int INSTRUMENTS = 16,
    parameter int N = 1,
    parameter bit WITH_SECONDS = 1'b1
) (
    input logic clk,
    input logic rst,

    market_if.book        market,
    book_level_if.strategy levels,          // a program's reads of the book
    output logic          each_change,      // it is called at each change of the book
    csr_if.stage          csr,
    strategy_write_if.snk write,           // of best_price: it refuses all
    program_if.slot       strategy,

    order_feedback_if.listener feedback,

    prepare_if.snk host_prepare,
    prepare_if.src prepare,
    intent_if.src  intent,
    record_if.src  record,   // what a program emits
    output logic   overflow,
    output logic   program_fault,   // pulses: see processor_slot
    output logic   program_refused
);
  order_outcome_t outcome;
  refused_t refused;
  working_change_t working;
  logic not_sent, cancel_sent;  // pulses: what became of its orders and cancels
  logic [15:0] not_sent_reason;
  number_t cancel_number;
  assign {outcome, refused, working} = {feedback.outcome, feedback.refused, feedback.change};
  assign not_sent = (refused.valid && refused.order.strategy) || (outcome.dropped_valid && outcome.dropped_order.strategy);
  assign not_sent_reason = outcome.dropped_valid ? 16'd100 + 16'(outcome.dropped_reason) : 16'(refused.reason);
  assign cancel_sent = outcome.sent_valid && outcome.sent.order.kind == ORDER_CANCEL && outcome.sent.order.strategy;
  assign cancel_number = outcome.sent.number;

  config_if program_config ();
  csr_if part[3] ();
  strategy_csr_pkg::setting_t setting;
  logic [NotionalWidth-1:0] max_notional;

  csr_split #(
      .N(3)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_settings #(
      .T(strategy_csr_pkg::setting_t),
      .FIELDS(strategy_csr_pkg::SettingFields),
      .MAP(strategy_csr_pkg::SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );

  csr_operations csr_operations (
      .csr(part[1].stage),
      .out(program_config.src)
  );

  logic [strategy_csr_pkg::Counters-1:0] pulse;
  always_ff @(posedge clk) begin
    pulse[strategy_csr_pkg::COUNT_INTENT_OVERFLOW] <= overflow && !rst;
    pulse[strategy_csr_pkg::COUNT_PROGRAM_FAULT] <= program_fault && !rst;
    pulse[strategy_csr_pkg::COUNT_PROGRAM_REFUSED] <= program_refused && !rst;
  end

  csr_counters #(
      .AT(strategy_csr_pkg::CountersAt),
      .SLOTS(strategy_csr_pkg::Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  assign max_notional = {setting.max_notional_high, setting.max_notional_low};

  prepare_if own_prepare ();

  program_slot #(
      .HANDLE(HANDLE),
      .ORDERS(ORDERS),
      .OWN_ORDERS(OWN_ORDERS),
      .WITH_TRADES(WITH_TRADES),
      .WITH_TIMERS(WITH_TIMERS),
      .INSTRUMENTS(INSTRUMENTS),
      .N(N),
      .WITH_SECONDS(WITH_SECONDS)
  ) program_slot (
      .clk,
      .rst,
      .max_notional,
      .not_sent,
      .not_sent_reason,
      .cancel_sent,
      .cancel_number,
      .working,
      .host(program_config.snk),
      .market,
      .levels,
      .each_change,
      .strategy,
      .prepare(own_prepare.src),
      .intent,
      .record,
      .overflow,
      .fault(program_fault),
      .refused(program_refused)
  );

  prepare_merge prepare_merge (
      .clk,
      .rst,
      .first(host_prepare),
      .second(own_prepare.snk),
      .out(prepare)
  );

  assign {write.ready, write.replace_valid, write.replace_original} = '0;
  logic unused;
  assign unused = &{1'b0, write.valid, write.enabled, write.single, write.instrument, write.side, write.replace_done};
endmodule

// The slot of the strategy that acts on the order book: its preset says which one stands there.
//
//   market.book ─┬─ best_price (strategy/module) ─┬─ intent
//                ├─ program_slot ─────────────────┘
//                │    ├─ processor (strategy/processor)
//                │    └─ external: another module, or another model of a simulation
//                └─ none
//   prepare of the host ─ prepare_merge ─ prepare: program_slot has its orders prepared itself
//
// Latency and throughput: those of the strategy. Parameters: STRATEGY, 1: best_price, 2: a program of the processor, 3: an external
// strategy, 0: none; HANDLE, ORDERS: the first of its handles in the order store, and how many;
// OWN_ORDERS that a program may have open, 0: it learns nothing of its orders; WITH_TRADES, WITH_TIMERS: it may have handlers of them; INSTRUMENTS;
// N, WITH_SECONDS: see strategy_clock. Overflow: what finds no room is lost: `overflow` pulses, a gap to risk.
module strategy_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int STRATEGY = 1,
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
    strategy_write_if.snk write,           // of best_price
    program_if.slot       outside,

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

  if (STRATEGY == 2 || STRATEGY == 3) begin : gen_program
    prepare_if own_prepare ();
    program_if strategy ();

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
        .strategy(strategy.slot),
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

    if (STRATEGY == 2) begin : gen_processor
      processor_slot processor_slot (
          .clk,
          .rst,
          .slot(strategy.program_side)
      );
      assign {outside.event_valid, outside.event_inputs, outside.intent_ready, outside.level_answered, outside.level} = '0;
      assign {outside.hold, outside.load, outside.load_address, outside.load_value} = '0;
      assign outside.event_handler = processor_pkg::HANDLER_BOOK;
      assign outside.load_what = processor_pkg::LOAD_DATA;
    end else begin : gen_outside
      assign outside.event_valid = strategy.event_valid;
      assign outside.event_handler = strategy.event_handler;
      assign outside.event_inputs = strategy.event_inputs;
      assign outside.intent_ready = strategy.intent_ready;
      assign outside.level_answered = strategy.level_answered;
      assign outside.level = strategy.level;
      assign outside.hold = strategy.hold;
      assign outside.load = strategy.load;
      assign outside.load_what = strategy.load_what;
      assign outside.load_address = strategy.load_address;
      assign outside.load_value = strategy.load_value;
      assign strategy.event_ready = outside.event_ready;
      assign strategy.done = outside.done;
      assign strategy.intent_valid = outside.intent_valid;
      assign strategy.intent = outside.intent;
      assign strategy.level_valid = outside.level_valid;
      assign strategy.level_sell = outside.level_sell;
      assign strategy.level_number = outside.level_number;
      assign strategy.record_value_valid = outside.record_value_valid;
      assign strategy.record_value = outside.record_value;
      assign strategy.record_valid = outside.record_valid;
      assign strategy.record_tag = outside.record_tag;
      assign strategy.fault_division = outside.fault_division;
      assign strategy.fault_index = outside.fault_index;
      assign strategy.fault_intents = outside.fault_intents;
      assign strategy.stopped = outside.stopped;
      assign strategy.held = outside.held;
    end

    assign {write.ready, write.replace_valid, write.replace_original} = '0;
    logic unused;
    assign unused = &{1'b0, write.valid, write.enabled, write.single, write.instrument, write.side, write.replace_done};
  end else begin : gen_no_program
    assign prepare.busy = host_prepare.busy;
    assign {prepare.valid, prepare.handle, prepare.order} = {host_prepare.valid, host_prepare.handle, host_prepare.order};
    assign {prepare.original, prepare.time_in_force} = {host_prepare.original, host_prepare.time_in_force};
    assign {prepare.collar, prepare.commit} = {host_prepare.collar, host_prepare.commit};
    assign {host_prepare.ready, host_prepare.answer_valid, host_prepare.answer} = {prepare.ready, prepare.answer_valid, prepare.answer};
    assign {program_config.busy, program_config.answer, program_fault, program_refused, record.valid, record.record} = '0;

    assign {outside.event_valid, outside.event_inputs, outside.intent_ready, outside.level_answered, outside.level} = '0;
    assign {outside.hold, outside.load, outside.load_address, outside.load_value} = '0;
    assign outside.event_handler = processor_pkg::HANDLER_BOOK;
    assign outside.load_what = processor_pkg::LOAD_DATA;
    assign {levels.one_by_one, levels.busy, levels.valid, levels.instrument, levels.number} = '0;
    assign levels.side = SIDE_BUY;
    assign each_change = 1'b0;

    if (STRATEGY == 1) begin : gen_best_price
      best_price #(
          .HANDLE(HANDLE)
      ) best_price (
          .clk,
          .rst,
          .market,
          .write,
          .not_sent,
          .cancel_sent,
          .working,
          .intent,
          .overflow
      );
      logic unused;
      assign unused = &{1'b0, program_config.valid, program_config.operation, program_config.index, program_config.operand, max_notional,
                       not_sent_reason, cancel_number};
    end else begin : gen_none
      assign {write.ready, write.replace_valid, write.replace_original, overflow} = '0;
      assign {intent.valid, intent.withdraw, intent.soon, intent.handle, intent.instrument} = '0;
      assign {intent.computed, intent.price, intent.price_soon} = '0;
      logic unused;
      assign unused = &{1'b0, clk, rst, program_config.valid, program_config.operation, program_config.index, program_config.operand,
                       max_notional, write.valid, write.enabled, write.single, write.instrument, write.side, write.replace_done,
                       market.top, market.book_trades, not_sent, not_sent_reason, cancel_sent, cancel_number,
                       working, intent.ready};
    end
  end
endmodule

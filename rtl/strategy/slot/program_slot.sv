// What a strategy in the language has around it in the core: the events of the order book, its orders, the host's port.
//
//   market.book ─ strategy_events ─┬─ strategy ─┬─ strategy_orders ─ intent
//   working, not sent ─ strategy_own_orders ────┘    └─ prepare
//   host ─ program, data, parameters ┘            └─ strategy_records ─ record
//
// Operation CONFIG_PROGRAM (docs/reference/order-operations.md): while it is held no handler runs, events wait, the program may be loaded,
// and orders be prepared that it is likely to send; a change of parameters is a hold, some words of data, and a release. With OWN_ORDERS the core
// follows the strategy's own orders: on_order, cancels, replacements, positions; without, it runs on_book, on_trade and on_timer, and sends new orders.
// One that is called at each change of the book (`each_change`) has frames of one event (event_by_event). A program that reads levels asks the book for them (book_level_if); frames go into the book one by one then, each when its handlers are done.
// The entry of a handler that the core has no events for is refused: `done` stays low.
//
// Latency: see strategy_events, then the strategy's own, then strategy_orders. Throughput: a handler at a time. Parameters: HANDLE,
// ORDERS: see strategy_orders; OWN_ORDERS: how many may be open, or 0; WITH_TRADES, WITH_TIMERS; INSTRUMENTS; N, WITH_SECONDS: see strategy_clock. Overflow: events that find no room are lost (`overflow`),
// a gap to risk.
module program_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import config_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import processor_pkg::*;
  import slot_pkg::*;
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
    input logic [NotionalWidth-1:0] max_notional,

    // What became of its orders: see strategy_own_orders.
    input logic            not_sent,
    input logic [15:0]     not_sent_reason,
    input logic            cancel_sent,
    input number_t         cancel_number,
    input working_change_t working,

    config_if.snk  host,
    market_if.book market,
    book_level_if.strategy levels,
    output logic   each_change,  // the program is called at each change of the book
    program_if.slot strategy,
    prepare_if.src prepare,
    intent_if.src  intent,
    record_if.src  record,
    output logic   overflow,
    output logic   fault,     // pulse: a division by zero, an index beyond an array, a fifth intent
    output logic   refused    // pulse: an intent that cannot be an order
);
  localparam logic [3:0] Hold = 4'd8;
  localparam logic [3:0] Release = 4'd9;
  localparam logic [3:0] Status = 4'd10;
  localparam logic [3:0] Prepare = 4'd11;

  // ---- what the host writes ----------------------------------------------------------------------------

  logic takes_trades, takes_timer;  // the program has a handler of trades, of a timer
  day_time_t every;
  logic reads_levels;  // it reads levels of the book
  logic follows, reads_positions;  // it needs to know what becomes of its orders
  place_t positions_at;
  logic host_holds, own_holds;
  logic own_load;
  place_t own_address;
  value_t own_value;
  logic host_load;
  processor_load_e host_what;
  place_t host_address;
  value_t host_value;
  logic holding, restart, restarts, begins, preparing, ahead_done, ahead_prepared;
  logic [3:0] what;
  logic [31:0] client_id;
  logic [InstrumentWidth-1:0] ahead_instrument;
  order_type_e ahead_type;
  time_in_force_t ahead_time_in_force;
  side_e ahead_side;
  logic [OrderQuantityWidth-1:0] ahead_quantity;

  // The entry of a handler for which there are no events.
  logic never_runs;
  assign never_runs = what == 4'(LOAD_ENTRY) && host.operand[1][PlaceWidth] &&
      ((!WITH_TRADES && host.index[1:0] == HANDLER_TRADE) || (!WITH_TIMERS && host.index[1:0] == HANDLER_TIMER));

  assign what = host.operand[0][3:0];
  assign begins = host.valid && host.operation == CONFIG_PROGRAM;
  assign host.busy = holding || preparing;

  always_ff @(posedge clk) begin
    {host_load, restart} <= '0;
    host_what <= processor_load_e'(what[1:0]);
    host_address <= host.index[PlaceWidth-1:0];
    host_value <= host.operand[2:1];
    if (host.valid) host.answer <= '0;
    if (begins) begin
      case (what)
        Hold: begin
          {host_holds, holding} <= '1;
          restarts <= host.operand[1][0];
          if (host.operand[1][0]) client_id <= host.operand[2];
        end
        Release: begin
          host_holds <= 1'b0;
          host.answer.done <= 1'b1;
        end
        Prepare: begin
          preparing <= strategy.held;
          ahead_instrument <= host.index[InstrumentWidth-1:0];
          ahead_side <= side_e'(host.operand[1][0]);
          ahead_type <= host.operand[1][1] ? TYPE_MARKET : TYPE_LIMIT;
          ahead_time_in_force <= host.operand[1][4:2];
          ahead_quantity <= host.operand[2][OrderQuantityWidth-1:0];
        end
        Status: begin
          host.answer.done <= 1'b1;
          host.answer.previous <= {1'b0, strategy.stopped};
        end
        default: begin
          host_load <= strategy.held && what < 4'd4 && !never_runs;
          host.answer.done <= strategy.held && what < 4'd4 && !never_runs;
        end
      endcase
    end
    if (host_load && host_what == LOAD_ENTRY && host_address[1:0] == HANDLER_BOOK) begin
      reads_levels <= host_value[PlaceWidth+1];
      each_change <= host_value[PlaceWidth+2];
    end
    if (host_load && host_what == LOAD_ENTRY && host_address[1:0] == HANDLER_TRADE) begin
      takes_trades <= host_value[PlaceWidth];
    end
    if (host_load && host_what == LOAD_ENTRY && host_address[1:0] == HANDLER_ORDER) begin
      follows <= host_value[PlaceWidth+1];
      reads_positions <= host_value[PlaceWidth+2];
      positions_at <= host_value[ValueWidth-DayTimeWidth+:PlaceWidth];
    end
    if (host_load && host_what == LOAD_ENTRY && host_address[1:0] == HANDLER_TIMER) begin
      takes_timer <= host_value[PlaceWidth];
      every <= host_value[ValueWidth-1-:DayTimeWidth];
    end
    if (holding && strategy.held) begin
      holding <= 1'b0;
      restart <= restarts;
      host.answer.done <= 1'b1;
    end
    if (ahead_done) begin
      preparing <= 1'b0;
      host.answer.done <= ahead_prepared;
    end
    if (rst) {reads_levels, each_change, takes_trades, takes_timer, follows} <= '0;
    if (rst) {host_holds, holding, host_load, restart, preparing, host.answer} <= '0;
  end

  assign strategy.hold = host_holds || own_holds;
  assign strategy.load = host_load || own_load;
  assign strategy.load_what = own_load ? LOAD_DATA : host_what;
  assign strategy.load_address = own_load ? own_address : host_address;
  assign strategy.load_value = own_load ? own_value : host_value;

  // ---- its events, its orders --------------------------------------------------------------------------

  logic feed_valid, events_idle, pass, report_valid, answer_taken, events_overflow, own_overflow;
  handler_e feed_handler;
  value_t [EventInputs-1:0] feed_inputs;
  day_time_t feed_now;
  own_report_t report;
  logic [15:0] open;
  value_t now;  // of the last event, or of the exchange's answer
  logic begins_handler;

  strategy_events #(
      .INSTRUMENTS(INSTRUMENTS),
      .WITH_TRADES(WITH_TRADES),
      .WITH_TIMERS(WITH_TIMERS),
      .N(N),
      .WITH_SECONDS(WITH_SECONDS)
  ) strategy_events (
      .clk,
      .rst,
      .market,
      .takes_trades,
      .takes_timer,
      .every,
      .restart,
      .event_valid(feed_valid),
      .event_ready(strategy.event_ready && pass),
      .event_handler(feed_handler),
      .event_inputs(feed_inputs),
      .idle(events_idle),
      .feed_now,
      .overflow(events_overflow)
  );
  assign begins_handler = strategy.event_valid && strategy.event_ready;

  // ---- its reads of the book: of the instrument of the event that it handles

  always_ff @(posedge clk) begin
    levels.one_by_one <= reads_levels;
    levels.busy <= !(events_idle && strategy.event_ready);
    levels.valid <= strategy.level_valid && !levels.answered && !strategy.level_answered;
    levels.side <= strategy.level_sell ? SIDE_SELL : SIDE_BUY;
    levels.number <= strategy.level_number;
    if (begins_handler) levels.instrument <= strategy.event_inputs[2][7:0];
    strategy.level_answered <= levels.answered;
    strategy.level[0] <= value_t'({1'b0, levels.level.price});
    strategy.level[1] <= value_t'({1'b0, levels.level.quantity});
    strategy.level[2] <= value_t'({1'b0, levels.level.orders});
    if (rst) {levels.one_by_one, levels.valid, strategy.level_answered} <= '0;
  end

  // ---- its orders

  logic asked_valid, asked_ready, impossible, own_refused;
  processor_intent_t asked;
  number_t original;

  if (OWN_ORDERS != 0) begin : gen_own_orders
    strategy_own_orders #(
        .ORDERS(OWN_ORDERS),
        .INSTRUMENTS(INSTRUMENTS)
    ) strategy_own_orders (
        .clk,
        .rst,
        .restart,
        .follows,
        .reads_positions,
        .positions_at,
        .in_valid(strategy.intent_valid),
        .in_ready(strategy.intent_ready),
        .in(strategy.intent),
        .out_valid(asked_valid),
        .out_ready(asked_ready),
        .out(asked),
        .original,
        .impossible,
        .not_sent,
        .not_sent_reason,
        .cancel_sent,
        .cancel_number,
        .working,
        .begins(begins_handler),
        .over(strategy.event_ready || strategy.held),
        .pass,
        .report_valid,
        .report,
        .answer_taken,
        .open,
        .host_holds,
        .hold(own_holds),
        .held(strategy.held),
        .load(own_load),
        .load_address(own_address),
        .load_value(own_value),
        .refused(own_refused),
        .overflow(own_overflow)
    );

    always_ff @(posedge clk) begin
      if (begins_handler) now <= strategy.event_inputs[0];
      if (answer_taken) now <= value_t'({1'b0, feed_now});
      refused <= (impossible || own_refused) && !rst;
    end
    assign strategy.event_valid = report_valid || (feed_valid && pass);
    assign strategy.event_handler = report_valid ? HANDLER_ORDER : feed_handler;
    always_comb begin
      strategy.event_inputs = feed_inputs;
      if (report_valid) begin
        strategy.event_inputs = '0;
        strategy.event_inputs[0] = now;
        strategy.event_inputs[2] = value_t'({1'b0, report.instrument});
        strategy.event_inputs[3] = value_t'({1'b0, report.kind});
        strategy.event_inputs[4] = value_t'({1'b0, report.side});
        strategy.event_inputs[5] = value_t'(report.price);
        strategy.event_inputs[6] = value_t'({1'b0, report.quantity});
        strategy.event_inputs[7] = value_t'({1'b0, report.order});
        strategy.event_inputs[8] = value_t'({1'b0, report.remaining});
        strategy.event_inputs[9] = value_t'({1'b0, report.reason});
      end
      strategy.event_inputs[1] = value_t'({1'b0, open});
    end
  end else begin : gen_no_own_orders
    assign {asked_valid, strategy.intent_ready, asked} = {strategy.intent_valid, asked_ready, strategy.intent};
    assign {original, own_holds, own_load, own_address, own_value, own_overflow, own_refused} = '0;
    assign {report_valid, report, answer_taken, open, now} = '0;
    assign pass = 1'b1;
    assign refused = impossible;
    assign strategy.event_valid = feed_valid;
    assign strategy.event_handler = feed_handler;
    assign strategy.event_inputs = feed_inputs;
    logic unused_own;
    assign unused_own = &{1'b0, follows, reads_positions, positions_at, report_valid, report, answer_taken, open, now, feed_now, not_sent,
                          not_sent_reason, cancel_sent, cancel_number, working, begins_handler, own_refused};
  end
  assign overflow = events_overflow || own_overflow;

  strategy_orders #(
      .HANDLE(HANDLE),
      .ORDERS(ORDERS),
      .OWN(OWN_ORDERS != 0)
  ) strategy_orders (
      .clk,
      .rst,
      .restart,
      .client_id,
      .max_notional,
      .asked_valid,
      .asked_ready,
      .asked,
      .original,
      .ahead_valid(preparing),
      .ahead_instrument,
      .ahead_type,
      .ahead_time_in_force,
      .ahead_side,
      .ahead_quantity,
      .ahead_done,
      .ahead_prepared,
      .prepare,
      .intent,
      .refused(impossible)
  );

  strategy_records strategy_records (
      .clk,
      .rst,
      .forget(strategy.held),
      .value_valid(strategy.record_value_valid),
      .value(strategy.record_value),
      .emit(strategy.record_valid),
      .tag(strategy.record_tag),
      .out(record)
  );

  always_ff @(posedge clk) fault <= (strategy.fault_division || strategy.fault_index || strategy.fault_intents) && !rst;

  logic unused;
  assign unused = &{1'b0, strategy.done, levels.level.exists, host.index, host.operand};
endmodule

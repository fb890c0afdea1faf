// What a strategy in the language has around it in the core: the events of the order book, its orders, the host's port.
//
//   market.book ─ strategy_events ─ strategy ─ strategy_orders ─ intent
//   host ─ program, data, parameters ┘                └─ prepare
//
// Operation CONFIG_PROGRAM (docs/reference/order-operations.md): while it is held no handler runs, events wait, the program may be loaded,
// and orders be prepared that it is likely to send; a change of parameters is a hold, some words of data, and a release. Of the strategy's
// handlers the core runs on_book, on_trade and on_timer.
//
// Latency: see strategy_events, then the strategy's own, then strategy_orders. Throughput: a handler at a time. Parameters: HANDLE,
// ORDERS: see strategy_orders; INSTRUMENTS; N, WITH_SECONDS: see strategy_clock. Overflow: events that find no room are lost (`overflow`),
// a gap to risk.
module program_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import config_pkg::*;
  import alu_pkg::*;
#(
    parameter int HANDLE = 16,
    parameter int ORDERS = 16,
    parameter int INSTRUMENTS = 16,
    parameter int N = 1,
    parameter bit WITH_SECONDS = 1'b1
) (
    input logic clk,
    input logic rst,
    input logic [NotionalWidth-1:0] max_notional,

    config_if.snk  host,
    market_if.book market,
    program_if.slot strategy,
    prepare_if.src prepare,
    intent_if.src  intent,
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
  logic holding, restart, restarts, begins, preparing, ahead_done, ahead_prepared;
  logic [3:0] what;
  logic [31:0] client_id;
  logic [InstrumentWidth-1:0] ahead_instrument;
  side_e ahead_side;
  logic [OrderQuantityWidth-1:0] ahead_quantity;

  assign what = host.operand[0][3:0];
  assign begins = host.valid && host.operation == CONFIG_PROGRAM;
  assign host.busy = holding || preparing;

  always_ff @(posedge clk) begin
    {strategy.load, restart} <= '0;
    strategy.load_what <= alu_load_e'(what[1:0]);
    strategy.load_address <= host.index[PlaceWidth-1:0];
    strategy.load_value <= host.operand[2:1];
    if (host.valid) host.answer <= '0;
    if (begins) begin
      case (what)
        Hold: begin
          {strategy.hold, holding} <= '1;
          restarts <= host.operand[1][0];
          if (host.operand[1][0]) client_id <= host.operand[2];
        end
        Release: begin
          strategy.hold <= 1'b0;
          host.answer.done <= 1'b1;
        end
        Prepare: begin
          preparing <= strategy.held;
          ahead_instrument <= host.index[InstrumentWidth-1:0];
          ahead_side <= side_e'(host.operand[1][0]);
          ahead_quantity <= host.operand[2][OrderQuantityWidth-1:0];
        end
        Status: begin
          host.answer.done <= 1'b1;
          host.answer.previous <= {1'b0, strategy.stopped};
        end
        default: begin
          strategy.load <= strategy.held && what < 4'd4;
          host.answer.done <= strategy.held && what < 4'd4;
        end
      endcase
    end
    if (strategy.load && strategy.load_what == LOAD_ENTRY && strategy.load_address[1:0] == HANDLER_TRADE) begin
      takes_trades <= strategy.load_value[PlaceWidth];
    end
    if (strategy.load && strategy.load_what == LOAD_ENTRY && strategy.load_address[1:0] == HANDLER_TIMER) begin
      takes_timer <= strategy.load_value[PlaceWidth];
      every <= strategy.load_value[ValueWidth-1-:DayTimeWidth];
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
    if (rst) {takes_trades, takes_timer, strategy.hold, holding, strategy.load, restart, preparing, host.answer} <= '0;
  end

  // ---- its events, its orders --------------------------------------------------------------------------

  strategy_events #(
      .INSTRUMENTS(INSTRUMENTS),
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
      .event_valid(strategy.event_valid),
      .event_ready(strategy.event_ready),
      .event_handler(strategy.event_handler),
      .event_inputs(strategy.event_inputs),
      .overflow
  );

  assign {strategy.level_answered, strategy.level} = {1'b1, 192'd0};

  strategy_orders #(
      .HANDLE(HANDLE),
      .ORDERS(ORDERS)
  ) strategy_orders (
      .clk,
      .rst,
      .restart,
      .client_id,
      .max_notional,
      .asked_valid(strategy.intent_valid),
      .asked_ready(strategy.intent_ready),
      .asked(strategy.intent),
      .ahead_valid(preparing),
      .ahead_instrument,
      .ahead_side,
      .ahead_quantity,
      .ahead_done,
      .ahead_prepared,
      .prepare,
      .intent,
      .refused
  );

  always_ff @(posedge clk) fault <= (strategy.fault_division || strategy.fault_index || strategy.fault_intents) && !rst;

  logic unused;
  assign unused = &{
    1'b0, strategy.done, strategy.level_valid, strategy.level_sell, strategy.level_number, strategy.record_value_valid,
    strategy.record_value, strategy.record_valid, strategy.record_tag, host.index, host.operand
  };
endmodule

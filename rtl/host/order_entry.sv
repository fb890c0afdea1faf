// Carries out what the host enters: an order is prepared in the order store; then a stop's slot is set, or the order itself is requested.
//
//   host ─ prepare ─┬─ stop: slot ─ done: commit ─ answer
//                   ├─ strategy: parameters ─ done: commit ─ answer
//                   └─ order: commit ─ answer, intent (the last handle) until risk takes it
//   strategy.replace ─ prepare ─ commit ─ strategy.replace_done
//
// The order of a slot has the slot's number as its handle; after these come the strategies', whose orders are computed: they have no price. A stop's
// order is committed in the cycle after that in which the slot takes it: a stop that fires meanwhile leaves unchanged; a strategy's with its parameters.
// The replacement of a strategy's order has the handle after it, its cancel the next one, and both
// all that the order has but its number; the host's entry waits meanwhile. While an order of the host waits for risk, another is not done (`previous` is
// STOP_FIRING).
//
// Latency: those of order_store and stop_orders, about 1,150 cycles. Throughput: an entry at a time. Parameters: SLOTS; COMPUTED,
// handles for computed orders; BEST_PRICE, whether there is that strategy (rtl/strategy/module), with three of them.
// Overflow: none. An entry whose numbers do not fit the message is refused (`text`), and nothing changes; so is one whose trigger or price does not fit
// OrderPriceWidth; one with an unknown slot or kind is not done.
module order_entry
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
  import config_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int COMPUTED = 0,
    parameter bit BEST_PRICE = 1'b0
) (
    input logic        clk,
    input logic        rst,
    config_if.snk      host,
    prepare_if.src     prepare,
    stop_write_if.src  stop,
    strategy_write_if.src strategy,
    intent_if.src      intent
);
  localparam logic [HandleWidth-1:0] LastHandle = HandleWidth'(SLOTS + COMPUTED);

  typedef enum logic [2:0] {
    IDLE,
    CHECK,
    PREPARE,
    PREPARED,
    STOP,
    STOPPED,
    STRATEGY
  } state_e;

  typedef struct packed {
    order_kind_e                       kind;        // ORDER_NEW of a stop
    side_e                             side;
    order_type_e                       order_type;
    logic [InstrumentWidth-1:0]        instrument;
    logic signed [OrderPriceWidth-1:0] trigger;     // for an order the number in OrigClOrdID
    logic signed [OrderPriceWidth-1:0] price;       // limit; for the host's market order the price of its notional
    logic [OrderQuantityWidth-1:0]     quantity;
    logic [31:0]                       client_id;
  } entry_t;

  // ---- what the operands mean ----------------------------------------------------------------------

  localparam int Above = 64 - OrderPriceWidth;

  logic is_entry, is_order, is_cancel, is_strategy;
  logic [1:0][OrderPriceWidth-1:0] operand_price;  // trigger, price
  logic [1:0] price_fits;
  entry_t given;

  assign is_order = host.operation == CONFIG_ORDER;
  assign is_cancel = host.operation == CONFIG_STOP_CANCEL;
  assign is_strategy = BEST_PRICE && host.operation == CONFIG_STRATEGY;
  assign is_entry = is_order || is_cancel || is_strategy || host.operation inside {CONFIG_STOP_SET, CONFIG_STOP_CHANGE};

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      operand_price[i] = {host.operand[2*i+2][31-Above:0], host.operand[2*i+1]};
      price_fits[i] = host.operand[2*i+2][31:31-Above] == '0 || &host.operand[2*i+2][31:31-Above];
    end
    given = '{
        kind: is_order ? order_kind_e'(host.operand[0][3:2]) : ORDER_NEW,
        side: side_e'(host.operand[0][0]),
        order_type: is_strategy ? TYPE_LIMIT : order_type_e'(host.operand[0][1]),
        instrument: host.operand[0][15:8],
        trigger: operand_price[0],
        price: operand_price[1],
        quantity: host.operand[5],
        client_id: host.operand[6]
    };
  end

  // ---- one at a time -------------------------------------------------------------------------------

  state_e state;
  entry_t entered;
  stop_operation_e operation;
  logic of_host, cancels, of_strategy, of_replacement, of_cancel, allowed, fits, waits;  // of_cancel: then of_replacement too
  // What the strategy was set with last.
  logic [OrderQuantityWidth-1:0] strategy_quantity;
  logic [31:0] strategy_client_id;
  logic [InstrumentWidth-1:0] strategy_instrument;
  side_e strategy_side;

  assign host.busy = state != IDLE || waits;

  assign prepare.busy = !(state inside {IDLE, CHECK});
  assign prepare.valid = state == PREPARE;
  assign prepare.handle = of_host ? LastHandle :
      of_strategy ? HandleWidth'(SLOTS) + HandleWidth'({of_cancel, of_replacement && !of_cancel}) : HandleWidth'(stop.slot);
  assign prepare.original = number_t'(entered.trigger);
  assign prepare.time_in_force = '0;  // a day, where the text has it
  assign prepare.collar = of_host || entered.order_type == TYPE_LIMIT;
  assign strategy.valid = state == STRATEGY;
  assign strategy.instrument = entered.instrument;
  assign strategy.side = entered.side;
  assign stop.valid = state == STOP;
  assign stop.operation = operation;
  assign stop.watch = '{side: entered.side, instrument: entered.instrument, trigger: entered.trigger};

  always_comb begin
    prepare.order = '0;
    prepare.order.kind = entered.kind;
    prepare.order.order_type = entered.order_type;
    prepare.order.side = entered.side;
    prepare.order.instrument = entered.instrument;
    prepare.order.price = prepare.collar ? entered.price : entered.trigger;
    prepare.order.quantity = entered.quantity;
    prepare.order.client_id = entered.client_id;
    prepare.order.computed = of_strategy && !of_cancel;
    prepare.order.strategy = of_strategy;
    if (of_strategy) prepare.order.price = '0;
    prepare.commit = (state == PREPARED && prepare.answer_valid && prepare.answer == TEXT_WHOLE && (of_host || of_replacement)) ||
        (stop.answer_valid && stop.answer.done && !cancels) || (strategy.valid && strategy.ready);
  end

  assign intent.soon = intent.valid;
  assign intent.withdraw = 1'b0;
  assign intent.handle = LastHandle;
  assign {intent.computed, intent.price, intent.price_soon} = '0;

  always_ff @(posedge clk) begin
    if (intent.ready) intent.valid <= 1'b0;
    if (host.valid) {host.answer, waits} <= {5'd0, state != IDLE};
    strategy.replace_done <= 1'b0;
    unique case (state)
      IDLE:
      if (host.valid || waits) begin
        waits <= 1'b0;
        {of_replacement, of_cancel} <= '0;
        of_host <= is_order;
        cancels <= is_cancel;
        of_strategy <= is_strategy;
        {strategy.single, strategy.enabled} <= host.operand[0][5:4];
        operation <= is_cancel ? STOP_CANCEL : host.operation == CONFIG_STOP_CHANGE ? STOP_CHANGE : STOP_SET;
        stop.slot <= host.index[7:0];
        entered <= given;
        allowed <= is_strategy ? host.index == '0 : is_order ? host.index == '0 && host.operand[0][3:2] != 2'b11 :
            17'(host.index) + 17'd1 <= 17'(SLOTS);  // of 0 too
        fits <= is_cancel || is_strategy || (price_fits[1] && (is_order || price_fits[0]));
        if (is_entry) state <= CHECK;
      end else if (BEST_PRICE && strategy.replace_valid && !strategy.replace_done) begin
        {of_host, cancels, of_strategy, of_replacement, of_cancel} <= 5'b00110;
        entered <= '{
            kind: ORDER_REPLACE,
            side: strategy_side,
            order_type: TYPE_LIMIT,
            instrument: strategy_instrument,
            trigger: OrderPriceWidth'(strategy.replace_original),
            price: '0,
            quantity: strategy_quantity,
            client_id: strategy_client_id
        };
        state <= PREPARE;
      end
      CHECK: begin
        state <= IDLE;
        if (allowed && !fits) host.answer.text <= TEXT_PRICE_TOO_WIDE;
        else if (allowed && of_host && intent.valid) host.answer.previous <= STOP_FIRING;
        else if (allowed) state <= cancels ? STOP : PREPARE;
      end
      PREPARE: if (prepare.ready) state <= PREPARED;
      PREPARED:
      if (prepare.answer_valid && of_replacement) begin
        strategy.replace_done <= of_cancel;
        of_cancel <= 1'b1;
        entered.kind <= ORDER_CANCEL;
        state <= of_cancel ? IDLE : PREPARE;
      end else if (prepare.answer_valid) begin
        host.answer.text <= prepare.answer;
        state <= prepare.answer != TEXT_WHOLE || of_host ? IDLE : of_strategy ? STRATEGY : STOP;
        if (of_host && prepare.answer == TEXT_WHOLE) begin
          host.answer.done <= 1'b1;
          intent.valid <= 1'b1;
          intent.instrument <= entered.instrument;
        end
      end
      STOP: if (stop.ready) state <= STOPPED;
      STRATEGY:
      if (strategy.ready) begin
        host.answer.done <= 1'b1;
        strategy_quantity <= entered.quantity;
        strategy_client_id <= entered.client_id;
        strategy_instrument <= entered.instrument;
        strategy_side <= entered.side;
        state <= IDLE;
      end
      default:
      if (stop.answer_valid) begin
        host.answer.done <= stop.answer.done;
        host.answer.previous <= stop.answer.previous;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      {host.answer, intent.valid, waits, strategy.replace_done} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(prepare.valid || prepare.commit) || prepare.busy);
endmodule

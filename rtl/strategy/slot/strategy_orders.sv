// Makes orders of a strategy's intents: finds the order that is prepared for an instrument, a type, a time in force, a side and a quantity, or has it
// prepared.
//
//   intent ─ which order? ─┬─ prepared ───────────────────┬─ intent of a computed order, with its price
//                          └─ none ─ prepare ─ commit ────┘
//   ahead ──────────────────────┘
//
// Each prepared order has a handle from HANDLE on; a new one takes the place of the oldest. The host has those prepared that are likely to be asked for
// (`ahead`), so that the first of them does not wait. When the limits change all are prepared again, one at a time while nothing is asked for.
// With OWN cancels and replacements are taken too: each is prepared when it is asked for, under the last handle. What cannot be an order (a
// price that is not of ComputedPriceWidth, a quantity that does not fit the message) is not sent: `refused` pulses. Risk judges the rest, and finds a market
// order's price itself.
//
// Latency: an intent to risk 1 cycle, if its order is the one before's; 6 if it is another that is prepared; about 370 if it is not. Throughput: an
// intent in 7 cycles. Parameters: HANDLE; ORDERS, prepared ones, a power of two, with OWN one less. Overflow: none, intents wait.
module strategy_orders
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import processor_pkg::*;
#(
    parameter int HANDLE = 16,
    parameter int ORDERS = 16,
    parameter bit OWN = 1'b0
) (
    input logic clk,
    input logic rst,
    input logic restart,                          // pulse: what was prepared is forgotten
    input logic [31:0] client_id,                 // of all its orders
    input logic [NotionalWidth-1:0] max_notional,

    input  logic        asked_valid,
    output logic        asked_ready,
    input  processor_intent_t asked,             // of a change with the instrument and the side of its order, and with all of its quantity
    input  number_t     original,          // of the order that it changes

    input  logic                          ahead_valid,       // stays until done; nothing is asked for meanwhile
    input  logic  [  InstrumentWidth-1:0] ahead_instrument,
    input  order_type_e                   ahead_type,
    input  time_in_force_t                ahead_time_in_force,
    input  side_e                         ahead_side,
    input  logic  [OrderQuantityWidth-1:0] ahead_quantity,
    output logic                          ahead_done,        // pulse
    output logic                          ahead_prepared,    // with it: it fits the message

    prepare_if.src prepare,
    intent_if.src  intent,
    output logic   refused
);
  localparam int Place = $clog2(ORDERS);
  localparam int Away = 4;  // cycles until risk has read an order
  localparam int Changes = ORDERS - 1;  // with OWN the place of cancels and replacements

  typedef logic [Place-1:0] place_t;

  typedef enum logic [2:0] {
    IDLE,
    FIND,
    PREPARE,
    PREPARED,
    ASK
  } state_e;

  typedef enum logic [1:0] {
    OF_INTENT,
    OF_HOST,
    OF_NOBODY  // it is prepared again
  } whose_e;

  typedef struct packed {
    logic [InstrumentWidth-1:0]    instrument;
    order_type_e                   order_type;
    time_in_force_t                time_in_force;
    side_e                         side;
    logic [OrderQuantityWidth-1:0] quantity;
  } key_t;

  state_e state;
  key_t wanted, wanted_next;
  processor_intent_e kind;
  number_t replaced;
  logic [ComputedPriceWidth-1:0] price;
  key_t [ORDERS-1:0] keys;
  logic [ORDERS-1:0] kept, used, found;  // it has an order; that is prepared
  place_t place, oldest, found_place, stale_place, first_stale;  // stale_place, with `stale`: the first of them
  logic possible, forget, same, stale;
  whose_e whose;  // who waits for it
  logic spoilt;  // the limits changed while it was being prepared
  logic whole;
  key_t last;  // of `place`
  logic last_used;
  logic [$clog2(Away+1)-1:0] away;
  logic [NotionalWidth-1:0] max_notional_before;

  assign wanted_next = ahead_valid ? '{
          instrument: ahead_instrument,
          order_type: ahead_type,
          time_in_force: ahead_time_in_force,
          side: ahead_side,
          quantity: ahead_quantity
      } : '{
          instrument: asked.instrument,
          order_type: asked.kind == INTENT_NEW && !asked.limit ? TYPE_MARKET : TYPE_LIMIT,
          time_in_force: asked.time_in_force,
          side: asked.sell ? SIDE_SELL : SIDE_BUY,
          quantity: asked.quantity
      };
  assign possible = asked.fits && (OWN || asked.kind == INTENT_NEW) &&
      (asked.kind == INTENT_CANCEL || wanted_next.order_type == TYPE_MARKET || (asked.limit && asked.price[47:ComputedPriceWidth] == '0));
  assign same = last_used && last == wanted_next && !forget;
  assign asked_ready = state == IDLE && away == '0 && !ahead_valid;
  assign whole = prepare.answer == TEXT_WHOLE;

  always_comb begin
    found_place = '0;
    for (int i = 0; i < ORDERS; i++) if (found[i]) found_place |= place_t'(i);
    first_stale = '0;
    for (int i = ORDERS - 1; i >= 0; i--) if (kept[i] && !used[i]) first_stale = place_t'(i);
  end

  always_ff @(posedge clk) begin
    refused <= 1'b0;
    max_notional_before <= max_notional;
    forget <= (restart || max_notional != max_notional_before) && !rst;
    stale <= kept != used && !forget && !rst;
    stale_place <= first_stale;
    {ahead_done, ahead_prepared} <= '0;
    if (away != '0) away <= away - 1'b1;
    for (int i = 0; i < ORDERS; i++) found[i] <= kept[i] && keys[i] == wanted_next;
    unique case (state)
      IDLE: begin
        wanted <= wanted_next;
        price  <= asked.price[ComputedPriceWidth-1:0];
        replaced <= original;
        whose <= ahead_valid ? OF_HOST : OF_INTENT;
        spoilt <= 1'b0;
        if (asked_valid && asked_ready) begin
          refused <= !possible;
          // It stays until the next one: risk reads the order for some cycles.
          if (possible) kind <= OWN ? asked.kind : INTENT_NEW;
          if (possible) state <= same ? ASK : FIND;
          if (OWN && possible && asked.kind != INTENT_NEW) begin
            last_used <= 1'b0;
            place <= place_t'(Changes);
            state <= PREPARE;
          end
        end else if (ahead_valid && !ahead_done && away == '0) begin
          kind  <= INTENT_NEW;
          state <= FIND;
        end else if (stale && !forget && away == '0 && !ahead_valid && !asked_valid) begin
          whose <= OF_NOBODY;
          kind <= INTENT_NEW;
          place <= stale_place;
          wanted <= keys[stale_place];
          last_used <= 1'b0;
          state <= PREPARE;
        end
      end
      FIND: begin
        last_used <= 1'b0;
        if (found == '0) begin
          place <= oldest;
          oldest <= OWN && oldest == place_t'(Changes - 1) ? '0 : oldest + 1'b1;
          state <= PREPARE;
        end else begin
          place <= found_place;
          last <= wanted;
          if (found_place != place) away <= $bits(away)'(Away);
          if (!used[found_place] || forget) begin
            state <= PREPARE;
          end else begin
            last_used <= 1'b1;
            {ahead_done, ahead_prepared} <= {2{whose == OF_HOST}};
            state <= whose == OF_INTENT ? ASK : IDLE;
          end
        end
      end
      PREPARE: begin
        spoilt <= spoilt || forget;
        kept[place] <= 1'b0;
        used[place] <= 1'b0;
        if (prepare.ready) state <= PREPARED;
      end
      PREPARED: begin
        spoilt <= spoilt || forget;
        if (prepare.answer_valid && (spoilt || forget)) begin
          spoilt <= 1'b0;
          state  <= PREPARE;
        end else if (prepare.answer_valid) begin
          kept[place] <= whole && kind == INTENT_NEW;
          used[place] <= whole && kind == INTENT_NEW;
          last_used <= whole && kind == INTENT_NEW;
          last <= wanted;
          keys[place] <= wanted;
          refused <= !whole && whose == OF_INTENT;
          {ahead_done, ahead_prepared} <= {whose == OF_HOST, whole};
          away <= $bits(away)'(Away);
          state <= whole && whose == OF_INTENT ? ASK : IDLE;
        end
      end
      default:
      if (intent.valid && intent.ready) begin
        away  <= $bits(away)'(Away);
        state <= IDLE;
      end
    endcase
    if (forget) {used, last_used} <= '0;
    if (restart) kept <= '0;
    if (rst) begin
      whose <= OF_INTENT;
      kind  <= INTENT_NEW;
      {kept, used, last_used, away, refused, place, oldest, ahead_done} <= '0;
      state <= IDLE;
    end
  end

  assign prepare.busy = state inside {PREPARE, PREPARED};
  assign prepare.valid = state == PREPARE;
  assign prepare.handle = HandleWidth'(HANDLE) + HandleWidth'(place);
  assign prepare.original = OWN ? replaced : '0;
  assign prepare.time_in_force = wanted.time_in_force;
  assign prepare.collar = wanted.order_type == TYPE_LIMIT;
  assign prepare.commit = state == PREPARED && prepare.answer_valid && whole;
  always_comb begin
    prepare.order = '0;
    prepare.order.kind = kind == INTENT_CANCEL ? ORDER_CANCEL : kind == INTENT_REPLACE ? ORDER_REPLACE : ORDER_NEW;
    prepare.order.order_type = wanted.order_type;
    prepare.order.side = wanted.side;
    prepare.order.instrument = wanted.instrument;
    prepare.order.quantity = wanted.quantity;
    prepare.order.client_id = client_id;
    prepare.order.computed = kind != INTENT_CANCEL;
    prepare.order.strategy = 1'b1;
  end

  assign intent.valid = state == ASK && away == '0;
  assign intent.soon = state == ASK || (state == FIND && whose == OF_INTENT) || (asked_valid && asked_ready);
  assign intent.withdraw = 1'b0;
  assign intent.handle = HandleWidth'(HANDLE) + HandleWidth'(place);
  assign intent.instrument = last.instrument;
  assign intent.computed = kind != INTENT_CANCEL;
  assign intent.price = price;
  assign intent.price_soon = state == IDLE ? asked.price[ComputedPriceWidth-1:0] : price;

  logic unused;
  assign unused = &{1'b0, asked.order, replaced};

  assert property (@(posedge clk) disable iff (rst) !(state == FIND) || $onehot0(found));
  assert property (@(posedge clk) disable iff (rst) !intent.valid || intent.price == $past(intent.price_soon));
endmodule

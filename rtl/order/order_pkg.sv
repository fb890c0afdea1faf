// An order, and the part of it that risk compares. Twin: crates/order.
package order_pkg;
  import tickwire_pkg::*;

  typedef enum logic [1:0] {
    ORDER_NEW,      // NewOrderSingle
    ORDER_CANCEL,   // OrderCancelRequest
    ORDER_REPLACE   // OrderCancelReplaceRequest
  } order_kind_e;

  // OrdType (40): the FIX code is this plus "1".
  typedef enum logic {
    TYPE_MARKET,
    TYPE_LIMIT
  } order_type_e;

  typedef logic [2:0] time_in_force_t;  // TimeInForce (59): its digit

  localparam int InstrumentWidth = 8;
  localparam int HandleWidth = 9;  // of an order in the order store
  localparam int TextWidth = 9;  // of a text in the order store
  // Triggers and limit prices. A last price has a bit more: one that does not fit is held at the end of its range, beyond every trigger.
`ifdef SMALL_NUMBERS  // of the proofs: tests/formal
  localparam int OrderPriceWidth = 3;
  localparam int OrderQuantityWidth = 2;
  localparam int NotionalWidth = 3;
  localparam int ComputedPriceWidth = 2;
`else
  localparam int OrderPriceWidth = 48;
  localparam int OrderQuantityWidth = 32;
  localparam int NotionalWidth = 64;
  localparam int ComputedPriceWidth = 32;  // of a price that comes with the intent: no sign, less than 10^10
`endif
  localparam int LastPriceWidth = OrderPriceWidth + 1;

  typedef struct packed {
    order_kind_e                    kind;
    order_type_e                    order_type;
    side_e                          side;
    logic [InstrumentWidth-1:0]     instrument;  // index
    logic signed [OrderPriceWidth-1:0] price;    // in the instrument's scale; for a market order the price used for its notional
    logic [OrderQuantityWidth-1:0]  quantity;
    logic [31:0]                    client_id;   // the host's name for the order, for its reports only
    logic [TextWidth-1:0]           text;        // its characters, in the order store
    logic                           computed;    // a limit order with the intent's price; a market order with the last one
    logic                           strategy;    // a strategy's: it hears what becomes of it
  } order_t;

  // What risk reads from the order store and compares.
  typedef struct packed {
    order_t                   order;
    logic [NotionalWidth-1:0] notional;  // |price| * quantity; all ones: at least that much. Of a computed order its price,
    logic [NotionalWidth-1:0] limit;     // and this the highest price that max_notional allows; else max_notional
    logic                     collar;    // the price must be within the collar
    logic                     complete;  // there is such an order, of the instrument that the strategy gave
  } order_request_t;

  // A price as stops and risk get it: one that is too wide is held at the range's end.
  function automatic logic signed [LastPriceWidth-1:0] held_price(input logic signed [PriceWidth-1:0] price, input logic wide);
    return wide ? {price[PriceWidth-1], {LastPriceWidth - 1{!price[PriceWidth-1]}}} : price[LastPriceWidth-1:0];
  endfunction

  function automatic logic signed [LastPriceWidth-1:0] last_price_of(input logic signed [PriceWidth-1:0] price);
    logic fits;
    fits = price[PriceWidth-1:LastPriceWidth-1] == '0 || &price[PriceWidth-1:LastPriceWidth-1];
    return held_price(price, !fits);
  endfunction

endpackage

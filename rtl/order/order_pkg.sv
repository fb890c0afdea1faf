// What a strategy asks for and what leaves risk for the order stage. Twin: crates/order.
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

  localparam int InstrumentWidth = 8;
  localparam int OrderQuantityWidth = 32;
  localparam int NotionalWidth = 64;

  typedef struct packed {
    order_kind_e                    kind;
    order_type_e                    order_type;
    side_e                          side;
    logic [InstrumentWidth-1:0]     instrument;  // index
    logic signed [PriceWidth-1:0]   price;       // in the instrument's scale; means nothing in a market order
    logic [OrderQuantityWidth-1:0]  quantity;
    logic [31:0]                    client_id;   // the strategy's number of the order: which slot fired
  } order_t;

  // A request to risk: price times quantity is worked out before the order is due.
  typedef struct packed {
    order_t                   order;
    logic [NotionalWidth-1:0] notional;  // |price| * quantity; all ones: at least that much
  } order_request_t;

endpackage

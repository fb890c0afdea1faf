// What the host enters: stops, and orders of its own.
package order_entry_pkg;
  import tickwire_pkg::*;
  import order_pkg::*;

  typedef enum logic [1:0] {
    ENTRY_SET,     // a stop: see stop_operation_e, of the same codes
    ENTRY_CHANGE,
    ENTRY_CANCEL,
    ENTRY_ORDER    // an order of the host's own, without a trigger
  } entry_e;

  typedef struct packed {
    order_kind_e                       kind;        // ORDER_NEW but for ENTRY_ORDER
    side_e                             side;
    order_type_e                       order_type;
    logic [InstrumentWidth-1:0]        instrument;
    logic signed [OrderPriceWidth-1:0] trigger;     // of a stop; of an order the number in OrigClOrdID
    logic signed [OrderPriceWidth-1:0] price;       // limit; of the host's market order the price of its notional
    logic [OrderQuantityWidth-1:0]     quantity;
    logic [31:0]                       client_id;
  } entry_t;

endpackage

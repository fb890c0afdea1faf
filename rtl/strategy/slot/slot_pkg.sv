// What the slot of a strategy in the language tells it about its own orders.
package slot_pkg;
  import order_pkg::*;
  import tickwire_pkg::*;

  // Twin: crates/language, event::ReportKind.
  typedef enum logic [2:0] {
    REPORT_ACCEPTED,
    REPORT_FILLED,
    REPORT_CANCELLED,
    REPORT_REPLACED,
    REPORT_REJECTED,
    REPORT_REFUSED
  } report_kind_e;

  // A report for on_order.
  typedef struct packed {
    report_kind_e                      kind;
    logic [31:0]                       order;       // the strategy's number of it
    logic [InstrumentWidth-1:0]        instrument;
    side_e                             side;
    logic signed [OrderPriceWidth-1:0] price;
    logic [OrderQuantityWidth-1:0]     quantity;    // of the fill, else of the order
    logic [OrderQuantityWidth-1:0]     remaining;
    logic [15:0]                       reason;
  } own_report_t;

  localparam logic [15:0] ReasonQuantity = 16'd4;  // risk's, for a quantity that is none
  localparam logic [15:0] ReasonOpenOrders = 16'd9;  // risk's, for an order that the slot has no place for
  localparam logic [15:0] ReasonText = 16'd100;  // its numbers do not fit the message
  localparam logic [15:0] ReasonUnknownOrder = 16'd1;  // as CxlRejReason (102) has it

  // One of the strategy's orders.
  typedef enum logic [1:0] {
    OWN_NONE,
    OWN_OPEN,
    OWN_GONE  // it has ended, and a request about it has no answer yet
  } own_kept_e;

endpackage

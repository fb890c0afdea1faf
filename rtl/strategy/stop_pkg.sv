// What the host writes to a slot of stop_orders, and what it is answered.
package stop_pkg;
  import tickwire_pkg::*;
  import order_pkg::*;

  typedef enum logic [1:0] {
    STOP_SET,     // arms a slot that is empty or has fired
    STOP_CHANGE,  // replaces an armed stop, which stays armed
    STOP_CANCEL,  // empties an armed slot
    STOP_SEND     // an order of the host, of no slot: it leaves now, behind stops that fire
  } stop_operation_e;

  typedef enum logic [1:0] {
    STOP_EMPTY,
    STOP_ARMED,
    STOP_FIRING,  // fired, its order has not left to risk yet
    STOP_FIRED
  } stop_state_e;

  typedef struct packed {
    order_kind_e                   kind;        // ORDER_NEW but for STOP_SEND
    side_e                         side;
    order_type_e                   order_type;
    logic [InstrumentWidth-1:0]    instrument;
    logic signed [OrderPriceWidth-1:0] trigger;     // sell: fires at or below; buy: at or above. STOP_SEND: OrigClOrdID
    logic signed [OrderPriceWidth-1:0] price;       // limit
    logic [OrderQuantityWidth-1:0] quantity;
    logic [31:0]                   client_id;
  } stop_t;

  typedef struct packed {
    logic        done;    // else nothing was changed
    stop_state_e previous;  // the slot's state when the operation was done or refused
  } stop_answer_t;

endpackage

// A stop's slot: what the host does to it, and how far it is.
package stop_pkg;
  import tickwire_pkg::*;
  import order_pkg::*;

  typedef enum logic [1:0] {
    STOP_SET,     // arms a slot that is empty or has fired
    STOP_CHANGE,  // replaces an armed stop, which stays armed
    STOP_CANCEL   // empties an armed slot
  } stop_operation_e;

  typedef enum logic [1:0] {
    STOP_EMPTY,
    STOP_ARMED,
    STOP_FIRING,  // fired, risk has not taken its order yet
    STOP_FIRED
  } stop_state_e;

  // What a slot waits for. Sell: fires at or below the trigger; buy: at or above.
  typedef struct packed {
    side_e                             side;
    logic [InstrumentWidth-1:0]        instrument;
    logic signed [OrderPriceWidth-1:0] trigger;
  } stop_watch_t;

  // Of four slots that are compared at once.
  typedef struct packed {
    logic       some;    // one of them matches
    logic [1:0] lowest;  // of those, or 0
  } stop_four_t;

  function automatic logic [1:0] lowest_of_four(input logic [3:0] s);
    return {!(s[0] || s[1]), !s[0] && (s[1] || !s[2])} & {2{s != '0}};
  endfunction

  typedef struct packed {
    logic        done;      // else nothing was changed
    stop_state_e previous;  // the slot's state when the operation was done or refused
  } stop_answer_t;

endpackage

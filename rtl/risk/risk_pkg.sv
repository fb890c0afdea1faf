// The limits an order is compared with, and why it is refused.
package risk_pkg;
  import tickwire_pkg::*;
  import order_pkg::*;

  // In order of precedence: an order refused for several reasons is reported with the first.
  typedef enum logic [3:0] {
    REFUSED_KILLED,       // the kill switch is on
    REFUSED_RECORD,       // no complete order under the handle, or one of another instrument
    REFUSED_INSTRUMENT,   // the host has given it no limits
    REFUSED_STALE,        // a source that the instrument depends on is stale
    REFUSED_QUANTITY,     // 0, or above the limit
    REFUSED_NOTIONAL,
    REFUSED_NO_PRICE,     // no last price since the instrument's limits were written
    REFUSED_COLLAR,       // limit price too far from the last price, either way
    REFUSED_RATE,
    REFUSED_OPEN_ORDERS,
    REFUSED_POSITION
  } refusal_e;

  localparam int Refusals = 11;
  localparam int CollarWidth = OrderPriceWidth - 1;
`ifdef SMALL_NUMBERS  // of the proofs: tests/formal
  localparam int ExposureWidth = 4;
  localparam int RateDepth = 4;
`else
  localparam int ExposureWidth = 48;
  localparam int RateDepth = 256;  // one more than the highest rate_orders
`endif

  // Where an instrument's prices come from. As a mask: which of them it depends on, or which are stale.
  typedef struct packed {
    logic session;  // the FIX session
    logic feed;     // the market-data feed
  } sources_t;

  // What turns the kill switch on. All but the host's bit hold until the host clears them.
  typedef struct packed {
    logic host;
    logic session;  // the order session is not up
    logic feed;     // the market-data feed is stale
    logic gap;      // the arbiter lost a message
  } kill_t;

  typedef struct packed {
    logic                          kill;         // the register's bit
    kill_t                         kill_enable;  // which of the others count; .host is ignored
    logic [OrderQuantityWidth-1:0] max_quantity;
    logic [NotionalWidth-1:0]      max_notional;
    logic [7:0]                    rate_orders;  // in any rate_window
    logic [31:0]                   rate_window;  // cycles, below 2^31
    logic [15:0]                   max_open_orders;
  } risk_config_t;

  // For one instrument.
  typedef struct packed {
    logic                     enable;
    sources_t                 sources;         // its orders are refused while one of them is stale
    logic [CollarWidth-1:0]   collar;          // greatest distance of a limit price from the last price
    logic [ExposureWidth-2:0] position_limit;  // long or short, all open orders filled
    logic                     has_reference;   // the collar is around this price until one is traded; else nothing passes until then
    logic signed [LastPriceWidth-1:0] reference_price;
  } risk_limit_t;

  // What became of orders, as the host reports it. Exposure to buys: position + open buys; to sells: open sells - position.
  // 5 bought of an open order: buy 0, sell -5, closed 1 if that filled it. 5 open to buy cancelled: buy -5, sell 0, closed 1.
  typedef struct packed {
    logic [InstrumentWidth-1:0]      instrument;
    logic signed [ExposureWidth-1:0] buy;
    logic signed [ExposureWidth-1:0] sell;
    logic [15:0]                     closed;
  } risk_adjust_t;

  // From registers.
  typedef struct packed {
    risk_config_t limits;
    logic [31:0]  stale_limit;          // cycles without a good packet of the feed; 0: none
    logic [31:0]  session_stale_limit;  // the same of the session's messages
    logic         logged_on;            // the FIX session is up
    logic         clear;                // pulse: causes of the kill switch that have ended are cleared
  } risk_setting_t;

  // For the host.
  typedef struct packed {
    kill_t       killed_by;
    sources_t    stale;
    logic [15:0] open_orders;
  } risk_status_t;

  // An order that risk refused: a pulse, steady until the next.
  typedef struct packed {
    logic     valid;
    refusal_e reason;
    order_t   order;
  } refused_t;

  typedef enum logic [2:0] {
    WORKING_SENT,           // an order or a replacement left
    WORKING_OPEN,           // the exchange has the order
    WORKING_CLOSED,         // it ended
    WORKING_REPLACED,       // the replacement is the order now
    WORKING_CHANGE_REFUSED, // the replacement is not; of an order: its cancel was refused
    WORKING_UNKNOWN         // a request was refused that is about no order here (any more): `number` says which
  } working_e;

  localparam int WorkingPlaceBits = 9;

  // An order of ours left, or a report of the exchange about one has taken effect.
  typedef struct packed {
    logic                               valid;     // pulse
    logic                               strategy;  // a strategy's order
    working_e                           what;
    logic [WorkingPlaceBits-1:0]        place;     // of the order, or the replacement: no other that is open has it
    logic [8:0][3:0]                    number;    // of the order that left, with WORKING_SENT; else the one that the report has
    logic                               rejected;  // the exchange refused the order, or the replacement
    logic [OrderQuantityWidth-1:0]      traded;    // what is new of it
    fill_price_t                        price;     // of the last fill: with `traded`
    logic [15:0]                        reason;    // why the exchange refused: see execution_report_t
  } working_change_t;

endpackage

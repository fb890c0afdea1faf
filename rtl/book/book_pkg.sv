// Types of the order book. The rules, causes and limits are those of crates/book; sizes that are no width are parameters of the modules.
//
// Inside of the book a price is a *tick*: price / tick size, modulo 2^TickBits. A *rank* is a tick that is smaller the better it is: the tick of
// an ask, the complement of a bid's. Two ranks are compared by the sign of their difference, which is right while they are less than 2^13
// apart: the window has WindowTicks, and all orders beyond its worse end share the one rank next to that end.
package book_pkg;

`ifdef SMALL_NUMBERS  // of the proofs: tests/formal
  localparam int InstrumentBits = 1;
  localparam int IdBits = 3;
  localparam int TickBits = `TICK_BITS;
  localparam int FullTickBits = TickBits + 1;
  localparam int SharesBits = 2;
  localparam int LevelSharesBits = 3;
  localparam int OrdersBits = 2;
  localparam int PriceBits = TickBits;
  localparam int ShiftBits = 1;
  localparam int InverseBits = TickBits + 1;
  localparam int SizeBits = 1;
  localparam int SequenceBits = 4;
`else
  localparam int InstrumentBits = 4;
  localparam int IdBits = 48;
  localparam int TickBits = 14;
  localparam int FullTickBits = 32;
  localparam int SharesBits = 24;  // of an order
  localparam int LevelSharesBits = 32;  // of a level, of a trade
  localparam int OrdersBits = 12;  // orders of a level
  localparam int PriceBits = 32;
  localparam int ShiftBits = 3;
  localparam int InverseBits = 24;
  localparam int SizeBits = 18;
  localparam int SequenceBits = 48;
`endif
  localparam int Instruments = 1 << InstrumentBits;
  localparam int WindowTicks = (1 << (TickBits - 1)) - 2;
  localparam int DepthBits = 3;
  localparam int WalkLevels = 16;  // that a read of a side's best levels gives
  localparam int WalkBits = $clog2(WalkLevels);

  typedef logic [InstrumentBits-1:0] instrument_t;
  typedef logic [IdBits-1:0] id_t;
  typedef logic [TickBits-1:0] rank_t;
  typedef logic [SharesBits-1:0] shares_t;
  typedef logic [LevelSharesBits-1:0] level_shares_t;
  typedef logic [OrdersBits-1:0] orders_t;
  typedef logic [PriceBits-1:0] price_t;
  typedef logic [DepthBits-1:0] depth_t;  // levels of a side that a feed of price levels gives; 0: the feed gives orders

  // Why an instrument is untradable; if several apply, the first. As `Cause` in crates/book/src/fault.rs.
  typedef enum logic [3:0] {
    CAUSE_QUANTITY_ZERO,
    CAUSE_QUANTITY_TOO_LARGE,
    CAUSE_ID_TOO_LONG,
    CAUSE_REPLACES_ITSELF,
    CAUSE_LOG_FULL,
    CAUSE_UNKNOWN_ID,
    CAUSE_DUPLICATE_ID,
    CAUSE_TOO_MUCH,
    CAUSE_OFF_TICK,
    CAUSE_OUTSIDE_WINDOW,
    CAUSE_ORDERS_FULL,
    CAUSE_LEVELS_FULL,
    CAUSE_LEVEL_OVERFLOW,
    CAUSE_UNSUPPORTED,
    CAUSE_GAP,
    CAUSE_NEW_SESSION
  } book_cause_e;

  typedef enum logic [3:0] {
    OP_ADD,          // an order enters
    OP_REDUCE,       // an order loses a part, or all
    OP_DELETE,       // an order leaves
    OP_RETURN,       // a part comes back: takes an OP_REDUCE back
    OP_TRADE,        // a trade that touches no displayed order
    OP_UNSUPPORTED,  // nothing that the book can do
    OP_CLEAR,        // the feed says that the book is empty: nothing to do if it is, else nothing that the book can do
    OP_PROBE,        // a level is looked up: in the level table alone
    OP_APPEND,       // the next level of a line of the best ones: price: its orders; below: there is one; above: there is none after it
    OP_MOVE,         // an order in the stash of the table goes to its place
    OP_SWEEP,        // what an instrument has in one set of the tables leaves
    OP_READ,         // the best levels are shown
    OP_LEVEL         // in book_input alone: a level has this quantity
  } op_kind_e;

  // One operation of the pipeline. A replacement is two: a delete, and a linked add.
  typedef struct packed {
    op_kind_e      kind;
    logic          undo;       // takes an operation of a bad frame back: not logged, cannot fail
    logic          restore;    // the host's: of an instrument that is being rebuilt
    logic          replace;    // the delete of a replacement
    logic          link;       // the add of a replacement: instrument and side of the delete before it, if that succeeded
    logic          execute;    // a part that was traded, and is printed
    logic          direct;     // a trade that is taken from its event, not from here
    logic          level;      // of a price level: its delete may find none
    logic          drop;       // the delete of a level of which the feed says nothing more
    logic          after_gap;  // of a frame before which messages are missing
    logic [tickwire_pkg::TradeNumberWidth-1:0] trade_number;
    logic          named;      // the event tells its instrument, this one
    instrument_t   instrument;
    tickwire_pkg::side_e side;
    id_t           id;
    logic          absent;     // the id has more bits: no order of the book can have it
    level_shares_t shares;
    logic          too_large;     // more than an order can have
    logic          refused;    // what can be seen on the event alone forbids it, for this cause
    book_cause_e   cause;
    logic          ranked;     // the rank is given, not the price
    rank_t         rank;
    price_t        price;
    logic          below;      // the price is less than any of PriceBits
    logic          above;      // or more
  } op_t;

  // Shows the best levels: those of this side, and the best of the other.
  function automatic op_t read_of(input instrument_t instrument, input tickwire_pkg::side_e side);
    read_of = '0;
    read_of.kind = OP_READ;
    read_of.restore = 1'b1;
    read_of.named = 1'b1;
    read_of.ranked = 1'b1;
    read_of.instrument = instrument;
    read_of.side = side;
  endfunction

  typedef struct packed {
    instrument_t instrument;
    tickwire_pkg::side_e side;
    rank_t       rank;
    shares_t     shares;
  } order_record_t;

  // A level in a line of the best ones.
  typedef struct packed {
    logic          live;
    logic          outside;  // not one level, but all orders beyond the worse end of the window
    orders_t       orders;
    level_shares_t shares;
    rank_t         rank;
    price_t        price;    // in the instrument's scale; without meaning if outside
  } level_t;

  // How many orders a level has, and their quantity.
  typedef struct packed {
    orders_t       orders;
    level_shares_t shares;
  } sums_t;

  // The window of an instrument, as the host gives it.
  typedef struct packed {
    price_t                  low_price;  // of its lowest tick
    logic [FullTickBits-1:0] low_tick;   // low_price / tick size
    price_t                  end_price;  // of the tick after its last one
    logic [ShiftBits-1:0]    shift;      // tick size = odd * 2^shift, odd at most 2047
    logic [InverseBits-1:0]  inverse;    // odd * inverse = 1 modulo 2^InverseBits
    logic [SizeBits-1:0]     size;       // the tick size
    depth_t                  depth;
  } window_t;

  // What became of an operation, a cycle after it was decided.
  typedef struct packed {
    op_kind_e      kind;
    logic          undo;
    logic          restore;
    logic          done;        // it changed the book, or is a trade
    logic          fault;
    book_cause_e   cause;
    logic          missed;      // its instrument is being rebuilt
    logic          not_ours;    // an order that is not in the book, of nobody knows which instrument
    logic          half;        // of a replacement, only the delete could be done: this is the add
    logic          replace;
    logic          execute;
    logic          direct;
    logic          drop;
    logic          after_gap;
    logic [tickwire_pkg::TradeNumberWidth-1:0] trade_number;
    logic          left;        // the order left
    instrument_t   instrument;
    tickwire_pkg::side_e side;
    rank_t         rank;
    shares_t       shares;      // by so many; of a delete, of the order that left
    level_shares_t traded;
    price_t        own_price;   // of the event; 0: the order's
    logic          own_wide;    // it has more than PriceBits
    id_t           id;
  } outcome_t;

  typedef enum logic [1:0] {
    HOST_WINDOW,
    HOST_CLEAR,
    HOST_RESTORE,
    HOST_TRADABLE
  } host_request_e;

  // What RESTORE does: an order of the snapshot enters; or what the feed has said of one since: it loses a part, it leaves.
  typedef enum logic [1:0] {
    RESTORE_ADD,
    RESTORE_REDUCE,
    RESTORE_DELETE
  } host_restore_e;

  // A price level is one order in the tables. Its id has the highest bit set, which is 0 in an order's where a book takes both.
  function automatic id_t level_id(input instrument_t instrument, input tickwire_pkg::side_e side, input price_t price);
    level_id = id_t'({instrument, side, price});
    level_id[IdBits-1] = 1'b1;
  endfunction

  // A best level as it leaves the book; without orders all of it is 0.
  typedef struct packed {
    logic                    live;
    logic [FullTickBits-1:0] tick;    // price / tick size
    level_shares_t           shares;
    orders_t                 orders;
  } best_t;

endpackage

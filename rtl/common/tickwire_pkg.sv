// Types that every stage shares. The same names stand in crates/formats (event.rs, frame.rs) and in docs/reference/rules.md.
package tickwire_pkg;

  // ---- market-data events -------------------------------------------------------------------

  typedef enum logic [3:0] {
    KIND_ADD,
    KIND_MODIFY,
    KIND_EXECUTE,
    KIND_REDUCE,
    KIND_DELETE,
    KIND_REPLACE,
    KIND_TRADE,
    KIND_TIME,
    KIND_STATUS,
    KIND_CLEAR,
    KIND_LEVEL    // a price level has this quantity from here on
  } event_kind_e;

  typedef enum logic {
    SIDE_BUY,
    SIDE_SELL
  } side_e;

  // Where an event came from.
  typedef enum logic {
    EVENT_FEED,    // the market data's lines
    EVENT_SESSION  // the FIX session
  } event_source_e;

  localparam int PriceWidth = 64;
  localparam int QuantityWidth = 64;

  // Time is seconds * 10^9 + nanoseconds, not added up: ITCH 4.1 gives the two separately, ITCH 5.0 only the
  // second, and no stage on the path needs the sum.
  typedef struct packed {
    event_kind_e                   kind;
    event_source_e                 source;
    logic                          known;         // it belongs to an instrument of ours (a feed's: trades and adds, see instrument_stage),
    logic [7:0]                    instrument;    // this one
    logic [7:0]                    message_type;  // ASCII, as on the wire
    side_e                         side;
    logic                          has_symbol;
    logic [63:0]                   symbol;        // first character in [63:56]
    logic signed [PriceWidth-1:0]  price;         // fixed point; ITCH: 1/10,000 dollar
    logic [QuantityWidth-1:0]      quantity;
    logic                          non_printable; // an execution that is no trade: a cross tells it (ITCH: C with printable N)
    logic [63:0]                   order_id;      // of a level: how many orders it has; 0: the feed does not say
    logic [63:0]                   new_order_id;
    logic [31:0]                   seconds;
    logic [47:0]                   nanoseconds;
    logic [63:0]                   sequence_number;    // of this message in the feed
    logic                          last;          // last message of its frame
  } event_t;

  // What an event is that the feed calls a trade: without a quantity or a price it is none, as a cross that found no shares.
  function automatic event_kind_e trade_kind(input logic no_price, input logic no_quantity);
    return no_price || no_quantity ? KIND_STATUS : KIND_TRADE;
  endfunction

  // What a message says about its instrument, before its event comes: nothing, its symbol, or the feed's number for it (ITCH 5.0: stock locate).
  typedef struct packed {
    logic        has_symbol;
    logic        late;        // the symbol is that of an add whose event comes in this cycle
    logic [63:0] symbol;      // first character in [63:56], filled up with spaces
    logic        has_locate;
    logic [15:0] locate;
    logic        coming;      // where a beat is a byte: one of the symbol, two cycles before `symbol` has it or more
    logic [2:0]  place;       // which, 0 the first character
    logic [7:0]  character;
  } instrument_key_t;

  // What an order book needs of an event in the cycle before it. From flip-flops; without meaning where the event has none of them.
  typedef struct packed {
    logic [63:0] order_id;
    logic        adds;        // an add order, whose symbol may be too late for the key:
    logic [63:0] add_symbol;
  } event_ahead_t;

  // An instrument of the table is written, or is no longer used: for who has a copy of the symbols.
  typedef struct packed {
    logic        valid;   // pulse
    logic [7:0]  index;
    logic        used;
    logic [63:0] symbol;
  } instrument_write_t;

  // Which instrument of ours an event belongs to, a cycle after it: see instrument_stage.
  typedef struct packed {
    logic       known;
    logic [7:0] instrument;
  } found_instrument_t;

  // The verdict on a frame: follows its last event, or comes in the same cycle. Only a good verdict commits anything.
  typedef struct packed {
    logic valid;
    logic good;
  } verdict_t;

  // What the deframer knows about the frame whose events are passing; stable from its first event to its verdict.
  typedef struct packed {
    logic [79:0] session;         // first character in [79:72]
    logic [63:0] first_sequence;
    logic [63:0] lost;            // messages lost so far, the gap before this frame included
    logic        new_session;     // this frame, if good, begins a session: the second is forgotten
  } feed_info_t;

  // ---- the order book, as strategies see it --------------------------------------------------

`ifdef SMALL_NUMBERS  // of the proofs: tests/formal
  localparam int BookPriceWidth = 2;
`else
  localparam int BookPriceWidth = 32;
`endif
  localparam int BookQuantityWidth = 32;
  localparam int BookOrdersWidth = 12;

  typedef struct packed {
    logic                         exists;
    logic [BookPriceWidth-1:0]    price;     // in the instrument's scale
    logic [BookQuantityWidth-1:0] quantity;
    logic [BookOrdersWidth-1:0]   orders;
  } best_level_t;

  // A time of the day in nanoseconds. And events that may be a trade are numbered, so that the book can say which one was.
  localparam int DayTimeWidth = 48;
  typedef logic [DayTimeWidth-1:0] day_time_t;
  typedef struct packed {
    logic      session;  // the next session's is the other one
    day_time_t time_ns;
  } session_time_t;
  localparam int TradeNumberWidth = 8;  // more of them than the book has on their way (book_input, DEPTH) have numbers of their own

  function automatic logic is_numbered(input event_kind_e kind);
    return kind inside {KIND_EXECUTE, KIND_TRADE};
  endfunction

  // After a change of an instrument's book. What a bad frame changed is changed back, and comes again, before the frame's verdict.
  typedef struct packed {
    logic        valid;
    logic [7:0]  instrument;
    logic        tradable;
    logic        complete;     // both best levels are known; if not, a change follows when they are
    best_level_t bid;
    best_level_t ask;
    logic        verdict_valid;  // after the last change of the frame, or with it
    logic        verdict_good;
    logic        judged;         // `verdict_valid` is a frame's, not of levels that are known again
    logic [TradeNumberWidth-1:0] trade_number;  // of a trade: see is_numbered
    logic        trade;          // a trade; its terms come 2 cycles later (book_trades_t, `every`), its frame's verdict not before it
    logic        comes;          // the next cycle has a change, most likely: with these prices, if its instrument is tradable
    logic [7:0]  comes_instrument;  // of a change in the next cycle, whether or not it was said to come
    logic [BookPriceWidth-1:0] comes_bid;
    logic [BookPriceWidth-1:0] comes_ask;
    logic        improves;        // an add improves the best price of this side of this instrument: 4 cycles before its change
    logic [7:0]  improves_instrument;
    side_e       improves_side;
    logic [BookPriceWidth-1:0] improves_price;
    logic        improves_last;   // a cycle after `improves`: it was the last change of its frame, which has proved good
    logic        improves_fault;  // two cycles after `improves`: it cannot be booked after all, or its instrument cannot be relied on
  } book_top_t;

  // Trades that the book knows: executions of its orders, and those that it was asked to tell (book_stage, `direct`).
  typedef struct packed {
    logic                          valid;
    logic                          every;          // `valid`, or one that has an event of its own
    logic                          priced;         // else it is not known: an order beyond the window
    logic [7:0]                    instrument;
    side_e                         side;           // of the resting order
    logic [BookPriceWidth-1:0]     price;          // in the instrument's scale
    logic [BookQuantityWidth-1:0]  quantity;       // more is the most there is
    logic                          verdict_valid;  // after the last trade of the frame, or with it
    logic                          verdict_good;
    logic                          settled;        // no trade and no verdict is on its way
  } book_trades_t;

  // ---- configuration, from registers --------------------------------------------------------

  localparam int GroupSlots = 4;
  localparam int PortSlots = 4;

  localparam int MostFeeds = 4;  // side by side

  // Which of the slots are of a feed.
  typedef struct packed {
    logic [PortSlots-1:0]  ports;
    logic [GroupSlots-1:0] groups;
  } feed_slots_t;

  typedef struct packed {
    feed_slots_t [MostFeeds-1:0] feed;       // a core with one feed does not look at it
    logic [47:0]                 local_mac;  // first octet in [47:40]
    logic [31:0]                 local_ip;   // first octet in [31:24]
    logic [GroupSlots-1:0][31:0] group;      // 0: unused
    logic [PortSlots-1:0][15:0]  port;       // 0: unused
  } net_config_t;

  typedef struct packed {
    logic [47:0] destination_mac;
    logic [31:0] destination_ip;
    logic [15:0] source_port;
    logic [15:0] destination_port;
  } report_config_t;

  // ---- why a frame ended as it did, in order of precedence (docs/reference/rules.md) ---------

  typedef enum logic [4:0] {
    CAUSE_MII_ERROR,
    CAUSE_FCS_ERROR,
    CAUSE_RUNT,
    CAUSE_OVERSIZE,
    CAUSE_OTHER_MAC,
    CAUSE_OTHER_ETHERTYPE,
    CAUSE_IP_HEADER_ERROR,
    CAUSE_IP_OPTIONS,
    CAUSE_IP_CHECKSUM_ERROR,
    CAUSE_IP_LENGTH_ERROR,
    CAUSE_FRAGMENT,
    CAUSE_OTHER_IP,
    CAUSE_OTHER_PROTOCOL,
    CAUSE_UDP_LENGTH_ERROR,
    CAUSE_OTHER_PORT,
    CAUSE_UDP_CHECKSUM_ERROR,
    CAUSE_ACCEPTED
  } net_cause_e;

  localparam int NetCauses = 17;

  typedef enum logic [2:0] {
    MOLD_MALFORMED,
    MOLD_OLD,
    MOLD_HEARTBEAT,
    MOLD_END_OF_SESSION,
    MOLD_PACKET
  } mold_cause_e;

  localparam int MoldCauses = 5;

  // ---- what stages report to the host ---------------------------------------------------------

  // By line: 0 is A.
  typedef struct packed {
    logic [1:0]       frame_start;
    logic [1:0]       cause_valid;
    net_cause_e [1:0] cause;
    logic [1:0]       host_frame;     // a frame for the host was stored
    logic [1:0]       host_overflow;  // or found no room
  } receive_status_t;

  localparam int LagBits = 24;  // modulo 2^24 cycles: a tenth of a second
  localparam int WaitingBits = 14;

  // From FAST, at any time; all but what is said of another are pulses.
  typedef struct packed {
    logic       wire_rate;    // the wire-rate engine did a packet,
    logic       unread;       // or could not read one of a good frame
    logic       error_valid;  // the engine could not read a packet of a good frame,
    logic [4:0] error;        // because of this (fast_error_e)
    logic       fault_valid;  // the table of events did not take a packet,
    logic [3:0] fault;        // because of this (fault_e)
    logic       lag_valid;    // a packet ended,
    logic [LagBits-1:0] lag;  // so many cycles after its last beat came
    logic [WaitingBits-1:0] waiting;  // bytes that have come and were not looked at: not a pulse
    logic       restarted;    // it begins anew
  } fast_status_t;

  // From a market-data decoder; the first six are pulses, with the verdict on the packet.
  typedef struct packed {
    logic        packet_valid;  // whose UDP was good: `packet` says what it was
    mold_cause_e packet;
    logic        new_session;
    logic        gap;
    logic        commit;        // a good packet, with the next four
    logic [15:0] messages;
    logic [15:0] unknown_type;
    logic [15:0] bad_length;
    logic [63:0] first_sequence;
    logic [63:0] lost;          // messages, running total
    logic        after_gap;     // messages before the frame whose events come are missing: from its first event to its verdict
    logic        begins_session;  // stable as it: the frame begins a session, if it is good,
    logic        from_first;      // and its first message has number 1
    logic        overflow;      // pulse, at any time: a packet found no room in the decoder's buffer
    fast_status_t fast;         // 0 of another decoder
  } feed_status_t;

  // From the statistics.
  typedef struct packed {
    logic        count_valid;    // a frame is committed: the next three belong to it
    logic [15:0] filter_hit;
    logic [15:0] filter_miss;
    logic [15:0] time_backwards;
    logic        heartbeat;      // pulses
    logic        report_sent;
    logic        report_missed;
  } statistics_status_t;

  // Of a report of the statistics, in cycles: see latency_meter.
  typedef struct packed {
    logic [31:0] last;
    logic [31:0] minimum;
    logic [31:0] maximum;
  } latency_t;
  localparam latency_t NoLatency = '{minimum: '1, default: '0};  // of a core without

  // A level that the host has asked for (book_walk).
  typedef struct packed {
    logic [13:0] tick;    // price / tick size, modulo 2^14
    logic [11:0] orders;
    logic [31:0] shares;
  } book_level_t;

  // From the order book and its strategy; all but the first two are pulses.
  typedef struct packed {
    logic [15:0] tradable;         // by instrument
    logic [31:0] next;             // number of the message after the last one that came
    logic        fault;            // an event could not be booked
    logic        not_ours;         // an order that no book has, of nobody knows which instrument
    logic        undone;           // a frame was taken back
    logic        overflow;         // an event found no room
    logic        intent_overflow;  // an intent did, or an event for a program
    logic        program_fault;    // a program's handler did what is not defined
    logic        program_refused;  // a program asked for what cannot be an order
  } book_status_t;

  // ---- configuration of the statistics ---------------------------------------------------------

  typedef struct packed {
    logic       accumulate;    // over heartbeats
    logic [8:0] symbol_count;  // instruments reported
  } statistics_config_t;

  // ---- what the exchange says about our orders -------------------------------------------------------

  typedef enum logic [2:0] {
    EXECUTION_OPEN,            // the order is in the market, or a request about it is being looked at
    EXECUTION_CLOSED,          // nothing more of it can be traded: filled, cancelled, expired, done for the day
    EXECUTION_REJECTED,        // the order, or the replacement, was rejected
    EXECUTION_REPLACED,        // `number` replaced `original`
    EXECUTION_CHANGE_REFUSED   // the cancel or the replacement was refused (35=9): the order is as it was
  } execution_e;

  // The price of a fill (LastPx), in the scale of the instruments' prices.
  typedef struct packed {
    logic        known;      // else the report gives none, or none of that scale below 2^32
    logic        negative;
    logic [31:0] magnitude;
  } fill_price_t;

  // Orders are named by the nine digits that their ClOrdID ends with, the first digit highest.
  typedef struct packed {
    execution_e      what;
    logic [8:0][3:0] number;        // of the order, or of the request about it
    logic            has_original;
    logic [8:0][3:0] original;      // of the order that a request is about
    logic [31:0]     traded;        // of the order so far, all its fills together (CumQty)
    fill_price_t     price;         // of the last fill
    logic [15:0]     reason;        // why the exchange refused (OrdRejReason, CxlRejReason), 65,535 if its code is more; 0: it gives none
  } execution_report_t;

  // What went wrong with them, for the host: pulses.
  typedef struct packed {
    logic unknown;     // about an order that is not open: nothing changed
    logic unreadable;  // about an order of ours, but something is missing
    logic overflow;    // bytes of the session found no room
    logic forgotten;   // an order's place was taken while it was open
  } execution_fault_t;

  // How far a packet, and the order that follows it, have come: pulses.
  typedef struct packed {
    logic passed;    // risk passed an order
    logic intended;  // a strategy asked for one
    logic booked;    // the book's best levels after a frame
    logic decoded;   // the decoder's verdict on a packet
    logic received;  // its last beat left the arbiter
  } path_t;

  // What goes wrong between the book and an order, for the ring; pulses.
  typedef struct packed {
    book_status_t     book;
    execution_fault_t execution;
    logic             trade_overflow;
    logic             refused;   // by risk
    logic             not_sent;
  } trading_faults_t;
endpackage

// What strategies get of the market: the events, the last trade, and the best prices of the order book.
//
// `changes`: each event as it is decoded, up to N a beat, [0] first, then the verdict on their frame, in the cycle of its last event or later;
// for stages that can undo a bad frame. `trades`: each trade of an instrument of ours after its frame has proved good, one at a time; for stages
// that cannot. `book`: the best prices after each change of a book, and the trades that the book knows, then the verdict on their frame.
// `best_prices`: the source of a market that has no trades, which nobody takes then; `session`: that of one that has nothing else.
interface market_if
  import tickwire_pkg::*;
#(
    parameter int N = 1
);
  import order_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // not every user needs all of it
  logic   [N-1:0] change_valid;
  event_t [N-1:0] change;
  found_instrument_t change_found;  // the instrument of change[0] of the cycle before
  logic           verdict_valid;
  logic           verdict_good;
  logic           begins_session;  // of the frame whose events come
  book_top_t      top;
  book_trades_t   book_trades;   // the trades of `top`, 2 cycles after it
  side_e          trade_side;    // of the resting order; of a trade that names none, buy

  logic                              trade_valid;
  logic                              trade_ready;
  logic        [InstrumentWidth-1:0] trade_instrument;
  logic signed [ LastPriceWidth-1:0] trade_price;       // in the instrument's scale; a price out of range is held at the range's end
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(
      output change_valid, change, change_found, verdict_valid, verdict_good, begins_session,
      output trade_valid, trade_instrument, trade_side, trade_price, top, book_trades,
      input trade_ready
  );
  modport session(output trade_valid, trade_instrument, trade_side, trade_price, input trade_ready);
  modport best_prices(
      output change_valid, change, change_found, verdict_valid, verdict_good, begins_session,
      output trade_valid, trade_ready, trade_instrument, trade_side, trade_price, top, book_trades
  );
  modport changes(input change_valid, change, change_found, verdict_valid, verdict_good);
  modport trades(input trade_valid, trade_instrument, trade_side, trade_price, output trade_ready);
  modport book(input top, book_trades, change_valid, change, verdict_valid, verdict_good, begins_session);
  modport last_price(input trade_valid, trade_ready, trade_instrument, trade_price);
endinterface

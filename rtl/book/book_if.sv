// What leaves the order book.
//
// `change`: after each event that changed an instrument's book, or could not be booked, the best level of both sides. Prices of levels are ticks: tick ×
// tick size = price in the instrument's scale. What a bad frame changed is changed back, and reported too (`undo`); its verdict comes after that.
// `known`: between two frames, where a good frame left an instrument without both best levels: bid, ask and tradable as with a change.
// `trade`: executions of displayed orders and trades with hidden ones, 2 cycles after their change. `verdict`: after all changes of the
// frame; its trades may come up to 2 cycles later. `top`: changes and verdicts for strategies, with prices; `known` is a change there, with a good
// verdict. `trades`: for market_stage, with the verdict 2 cycles later.
// Parameter: K, best levels of the side that changed (best_levels).
interface book_if #(
    parameter int K = 8
);
  import book_pkg::*;
  import tickwire_pkg::side_e;

  /* verilator lint_off UNUSEDSIGNAL */  // not every user needs all of it
  logic                           change_valid;
  instrument_t                    instrument;
  side_e                          side;          // of the level that changed
  logic                           undo;
  logic                           fault;         // the event was not booked, for this cause
  book_cause_e                    cause;
  logic                           shown;         // the next four are given: always without a fault
  logic                           best_changed;  // of this side
  best_t                          bid;
  best_t                          ask;
  logic                           complete;      // both best levels are known
  best_t       [          K-1:0]  levels;        // the best ones of this side, from [0]; as many as are known
  logic                           levels_all;    // it has no others
  logic                           known;         // pulse without a change: both best levels of `instrument` are known again
  logic                           tradable;      // this instrument, after the event; a level that does not fit comes later
  logic        [Instruments-1:0]  all_tradable;

  logic                           improving;            // in cycle 2 already: an add is the best order of its side (book_improving)
  instrument_t                    improving_instrument;
  side_e                          improving_side;
  price_t                         improving_price;      // in the instrument's scale
  shares_t                        improving_shares;

  logic                           trade_valid;
  instrument_t                    trade_instrument;
  side_e                          trade_side;      // of the resting order
  price_t                         trade_price;     // in the instrument's scale,
  logic                           trade_priced;    // if it is known: an order beyond the window has none that the book remembers
  level_shares_t                  trade_quantity;

  logic                           verdict_valid;
  logic                           verdict_good;

  tickwire_pkg::book_top_t        top;
  tickwire_pkg::book_trades_t     trades;
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(
      output change_valid, instrument, side, undo, fault, cause, shown, best_changed, bid, ask, complete, levels, levels_all,
      output known, tradable, all_tradable,
      output improving, improving_instrument, improving_side, improving_price, improving_shares,
      output trade_valid, trade_instrument, trade_side, trade_price, trade_priced, trade_quantity, verdict_valid, verdict_good, top, trades
  );
  modport snk(
      input change_valid, instrument, side, undo, fault, cause, shown, best_changed, bid, ask, complete, levels, levels_all,
      input known, tradable, all_tradable,
      input improving, improving_instrument, improving_side, improving_price, improving_shares,
      input trade_valid, trade_instrument, trade_side, trade_price, trade_priced, trade_quantity, verdict_valid, verdict_good, top, trades
  );
endinterface

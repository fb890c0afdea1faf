// A strategy's reads of the order book: one level of a side of an instrument, at the end of the frame whose events it handles.
//
// `one_by_one`: frames go into the book one by one, each when `busy` has been low after the verdict on the one before, so that what is read is what
// that one left; events wait meanwhile. `valid` and what is asked for stand until `answered`, a pulse, and nothing is asked for in the next cycle.
// A level that does not exist, or is beyond the window, is all 0.
interface book_level_if;
  import tickwire_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // not every core reads levels
  logic        one_by_one;
  logic        busy;         // the strategy is not done with the events of the frame before
  logic        valid;
  logic [7:0]  instrument;
  side_e       side;
  logic [3:0]  number;       // 0 is the best
  logic        answered;
  best_level_t level;
  /* verilator lint_on UNUSEDSIGNAL */

  modport strategy(output one_by_one, busy, valid, instrument, side, number, input answered, level);
  modport book(input one_by_one, busy, valid, instrument, side, number, output answered, level);
endinterface

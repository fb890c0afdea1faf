// A read of the best levels of one side of an instrument, out of the order book: WalkLevels at most.
//
// `valid`, `instrument` and `side` stand until `done`, or until the asker gives up: then `valid` is low for a cycle at least. Levels come with
// `level_valid`, the best first, each with its place. When the side has changed before all were given, they come again from place 0 on. With `done`,
// those of places 0 to `count` - 1 are the best levels of the side as they were at one moment, between two operations of the book. Fewer than
// WalkLevels: it has no others inside of its window. With `after_line` the levels of the side's line of best levels (best_levels) are counted, but not
// given.
interface book_walk_if;
  import book_pkg::*;
  import tickwire_pkg::side_e;

  logic                         valid;
  logic                         after_line;
  instrument_t                  instrument;
  side_e                        side;
  logic                         level_valid;
  logic        [ WalkBits-1:0]  place;
  rank_t                        tick;         // price / tick size, modulo 2^TickBits
  sums_t                        level;
  logic                         done;
  logic        [   WalkBits:0]  count;

  modport src(output valid, after_line, instrument, side, input level_valid, place, tick, level, done, count);
  modport snk(input valid, after_line, instrument, side, output level_valid, place, tick, level, done, count);
endinterface

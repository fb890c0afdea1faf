// What a feed that says side and price with every order says of the instrument of price_book, an entry a cycle; and of its packets.
//
// An entry's members all come in its cycle, from flip-flops of their own, for each leads to many comparisons. The verdict on its packet comes two cycles after the last of them, or later.
interface price_entry_if;
  import book_pkg::*;
  import price_tick_pkg::*;

  logic [1:0]   steps;        // an order enters or leaves the bids, the asks
  logic [1:0]   steps_add;
  tick_t [1:0] rank;          // its tick; of bids complemented. Without meaning, if the price is on none
  logic         entry;        // the same for the ladder
  logic         entry_adds;
  logic         entry_sells;
  price_t       entry_price;
  tick_t        entry_tick;
  logic         changes;      // it is of the instrument, whatever it does; so are the next two
  logic         clears;       // the feed says that the book is empty
  logic         wrong;        // it cannot be booked
  logic         missed;       // there was one while `listens` was low
  logic         listens;      // the book takes entries

  logic                      factor_valid;  // of the book's window, for order_log_price
  logic [$clog2(Powers)-1:0] factor_at;
  part_t                     factor;
  part_t                     low;

  logic                    verdict_valid2;
  logic                    verdict_good2;
  logic                    between;      // no packet has begun whose verdict has not come
  logic [SequenceBits-1:0] next;         // number of the message after the last one that came
  logic                    lost;         // pulse: messages before lost_next are missing
  logic [SequenceBits-1:0] lost_next;
  logic                    new_session;  // pulse: the feed begins, with message lost_next,
  logic                    from_first;   // which is number 1

  modport src(
      output steps, steps_add, rank, entry, entry_adds, entry_sells, entry_price, entry_tick, changes, clears, wrong, missed,
      output verdict_valid2, verdict_good2, between, next, lost, lost_next, new_session, from_first,
      input listens, factor_valid, factor_at, factor, low
  );
  modport snk(
      input steps, steps_add, rank, entry, entry_adds, entry_sells, entry_price, entry_tick, changes, clears, wrong, missed,
      input verdict_valid2, verdict_good2, between, next, lost, lost_next, new_session, from_first,
      output listens, factor_valid, factor_at, factor, low
  );
endinterface

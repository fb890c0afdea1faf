// The book of prices of one instrument with its registers, and the market as a strategy gets it from there: best prices, and nothing else.
//
//   entries ─ price_book ─ market.book
//   csr ─ book_registers ─┘
//
// Latency, throughput, overflow: as price_book. Parameter: LEVELS of a side at hand.
module price_book_stage
  import tickwire_pkg::*;
#(
    parameter int LEVELS = 8
) (
    input logic           clk,
    input logic           rst,
    csr_if.stage          csr,
    price_entry_if.snk    entries,
    market_if.best_prices market,
    output logic          gap       // pulse, to risk: the feed lost something; a cycle late, when the book is untradable already
);
  logic tradable, fault;
  always_ff @(posedge clk) gap <= entries.lost && !rst;

  book_host_if host ();
  book_walk_if walk ();

  book_registers book_registers (
      .clk,
      .rst,
      .csr,
      .status('{tradable: 16'(tradable), next: entries.next[31:0], fault: fault, default: '0}),
      .book(host.src),
      .walk(walk.src)
  );

  price_book #(
      .K(LEVELS)
  ) price_book (
      .clk,
      .rst,
      .entries,
      .host(host.snk),
      .top(market.top),
      .tradable,
      .fault
  );

  // Levels are not read here: none is shown.
  assign {walk.level_valid, walk.place, walk.tick, walk.level, walk.count} = '0;
  assign walk.done = walk.valid;

  // A log tells no trades, and no event comes out of it.
  assign {market.change_valid, market.change, market.change_found, market.begins_session} = '0;
  // A frame has no time that a strategy could see; but that it came is known before the book's verdict on it.
  assign {market.verdict_valid, market.verdict_good} = {entries.verdict_valid2, entries.verdict_good2};
  assign {market.book_trades, market.trade_valid, market.trade_instrument, market.trade_price} = '0;
  assign market.trade_side = SIDE_BUY;
  assign market.trade_ready = 1'b1;

  logic unused;
  assign unused = &{1'b0, walk.after_line, walk.instrument, walk.side};
endmodule

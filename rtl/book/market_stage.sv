// What strategies and risk get of the market: the feed's events as they are decoded, and every trade once it has proved good.
//
//   events (feed) ─┬──────────────────────────────────────────── market.change
//   book.top ──────│──────────────────────────────────────────── market.top, market.book_trades
//                  └─ is it a trade of ours? ─ event_commit ─┐
//   book.trades ───── executions ───────────── event_commit ─┤
//   session (FIX) ───────────────────────────────────────────┴─ market.trade
//
// A message of a trade (KIND_TRADE) has its price and its symbol. An execution of a displayed order has a price only where the order is known:
// without an order book (BOOK = 0) it is no trade here. The book needs a few cycles; a message of a trade that comes while an execution is on its
// way there, or waits here, is told by the book as well (`direct_trades` is low): so trades of the feed stay in their order.
// Trades of the feed wait for those of the session, which are fewer; all wait where they were committed, until the strategies can take them.
//
// Latency: an event none; a trade 1 cycle from the verdict on its frame, an execution 1 from the book's (book_trades_t), of the session none.
// Throughput: a beat a cycle; a trade in two cycles. Parameters: INSTRUMENTS; BOOK; TRADES of the feed that wait, a power of two: the longest frame
// has at most 248 (ITCH 4.1 `Q`, 36 bytes each in 8,952), and 331 executions, for which there is twice the room; 0: there are none.
// Overflow: as event_commit: a trade of the feed that finds no room is lost, counted, and a gap to risk. So is one without a price.
module market_stage
  import tickwire_pkg::*;
  import order_pkg::*;
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 256,
    parameter bit BOOK = 1'b0,
    localparam int Instrument = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,

    event_if.snk           events,
    input logic              begins_session,  // the frame whose events come does
    input found_instrument_t found,         // the instrument of event 0 of the cycle before
    committed_event_if.snk session,
    input logic            session_wide,  // its price does not fit into NarrowPrice bits

    input book_top_t book_top,
    input book_trades_t book_trades,
    output logic direct_trades,  // a trade's event of this cycle is taken as it is
    market_if.src market,
    output logic  overflow  // pulse
);
  if (events.N != market.N) begin : gen_check
    $fatal(1, "market_stage: %0d events a beat come, %0d can leave", events.N, market.N);
  end
  // As last_price_of, which the decoder has checked already.
  if (NarrowPrice != LastPriceWidth) begin : gen_width
    $fatal(1, "market_stage: NarrowPrice is %0d, LastPriceWidth %0d; they must be equal", NarrowPrice, LastPriceWidth);
  end

  logic [market_csr_pkg::Counters-1:0] pulse;
  always_ff @(posedge clk) pulse <= overflow && !rst;

  csr_counters #(
      .AT(market_csr_pkg::CountersAt),
      .SLOTS(market_csr_pkg::Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr,
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  assign market.change_valid = events.valid;
  assign market.change = events.data;
  assign market.change_found = found;
  assign market.verdict_valid = events.verdict_valid;
  assign market.verdict_good = events.verdict_good;
  assign market.begins_session = begins_session;

  assign market.top = book_top;
  assign market.book_trades = book_trades;

  // ---- trades --------------------------------------------------------------------------------------

  logic feed_valid, feed_ready;
  logic [Instrument-1:0] feed_instrument;
  side_e feed_side;
  logic signed [LastPriceWidth-1:0] feed_price, session_price;

  if (TRADES != 0) begin : gen_trades
    /* verilator lint_off UNUSEDSIGNAL */
    event_t event_data;
    /* verilator lint_on UNUSEDSIGNAL */
    assign event_data = events.data[0];  // no other is a trade

    logic event_valid, event_overflow;
    side_e event_side;
    logic [Instrument-1:0] event_instrument;
    logic signed [LastPriceWidth-1:0] event_price;

    logic event_ready;

    event_commit #(
        .WIDTH(Instrument + 1 + LastPriceWidth),
        .DEPTH(TRADES)
    ) of_events (
        .clk,
        .rst,
        .write(events.valid[0] && event_data.known && event_data.kind == KIND_TRADE && direct_trades),
        .write_data({event_data.instrument[Instrument-1:0], event_data.side, last_price_of(event_data.price)}),
        .verdict_valid(events.verdict_valid),
        .verdict_good(events.verdict_good),
        .out_valid(event_valid),
        .out_ready(event_ready),
        .out_data({event_instrument, event_side, event_price}),
        .overflow(event_overflow)
    );

    if (BOOK) begin : gen_book
      logic book_valid, book_ready, book_overflow, unpriced;
      logic event_waited, book_waited;  // event_commit shows its next word 2 cycles after the last
      logic book_turn, to_book;
      side_e book_side;
      logic [Instrument-1:0] book_instrument;
      logic [BookPriceWidth-1:0] book_price;

      event_commit #(
          .WIDTH(Instrument + 1 + BookPriceWidth),
          .DEPTH(2 * TRADES)
      ) of_book (
          .clk,
          .rst,
          .write(book_trades.valid && book_trades.priced),
          .write_data({book_trades.instrument[Instrument-1:0], book_trades.side, book_trades.price}),
          .verdict_valid(book_trades.verdict_valid),
          .verdict_good(book_trades.verdict_good),
          .out_valid(book_valid),
          .out_ready(book_ready),
          .out_data({book_instrument, book_side, book_price}),
          .overflow(book_overflow)
      );

      assign to_book = events.valid[0] && (event_data.kind == KIND_EXECUTE ? !event_data.non_printable :
          event_data.kind == KIND_TRADE && event_data.known && !direct_trades);

      // Trades of events are older than those of the book that wait with them: none is written while one of the book is on its way or waits.
      assign book_turn = !event_valid && !event_waited;
      assign book_ready = feed_ready && book_turn;
      assign event_ready = feed_ready;
      assign feed_valid = event_valid || (book_valid && book_turn);
      assign feed_instrument = event_valid ? event_instrument : book_instrument;
      assign feed_side = event_valid ? event_side : book_side;
      assign feed_price = event_valid ? event_price : LastPriceWidth'(book_price);

      always_ff @(posedge clk) begin
        event_waited <= event_valid && !rst;
        book_waited <= book_valid && !rst;
        if (to_book) direct_trades <= 1'b0;
        else if (book_trades.settled && !book_valid && !book_waited) direct_trades <= 1'b1;
        unpriced <= book_trades.valid && !book_trades.priced && !rst;
        overflow <= (event_overflow || book_overflow || unpriced) && !rst;
        if (rst) direct_trades <= 1'b1;
      end
      assert property (@(posedge clk) disable iff (rst) !(direct_trades && (book_trades.valid || book_valid)));
    end else begin : gen_no_book
      assign {feed_valid, feed_instrument, feed_side, feed_price} = {event_valid, event_instrument, event_side, event_price};
      assign event_ready = feed_ready;
      assign overflow = event_overflow;
      assign direct_trades = 1'b1;
    end
  end else begin : gen_no_trades
    logic unused;
    assign unused = &{1'b0, clk, rst, feed_ready};
    assign {feed_valid, feed_instrument, feed_side, feed_price, overflow} = '0;
    assign direct_trades = 1'b1;
  end

  logic session_valid;
  assign session_valid = session.valid && session.data.kind == KIND_TRADE;
  assign session.ready = market.trade_ready || !session_valid;
  assign feed_ready = market.trade_ready && !session_valid;
  assign session_price = held_price(session.data.price, session_wide);

  assign market.trade_valid = session_valid || feed_valid;
  assign market.trade_instrument = session_valid ? session.data.instrument : InstrumentWidth'(feed_instrument);
  assign market.trade_side = session_valid ? session.data.side : feed_side;
  assign market.trade_price = session_valid ? session_price : feed_price;
endmodule

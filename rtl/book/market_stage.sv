// What strategies and risk get of the market: the feed's events as they are decoded, and every trade once it has proved good.
//
//   events (feed) ─┬──────────────────────────────────────────── market.change
//   book ──────────│──────────────────────────────────────────── market.top
//                  └─ is it a trade of ours? ─ event_commit ─┐
//   session (FIX) ───────────────────────────────────────────┴─ market.trade
//
// Of ITCH's messages only those that name a trade's price and symbol count (KIND_TRADE): an execution of an order in the book has its price only there.
// Trades of the feed wait for those of the session, which are fewer; all wait where they were committed, until the strategies can take them.
//
// Latency: an event none; a trade of the feed 1 cycle from its verdict, of the session none. Throughput: a beat a cycle; a trade in two cycles.
// Parameters: INSTRUMENTS; TRADES of the feed that wait, a power of two: the longest frame has at most 248 (ITCH 4.1 `Q`, 36 bytes each in 8,952);
// 0: there are none. Overflow: as event_commit: a trade of the feed that finds no room is lost, counted, and a gap to risk.
module market_stage
  import tickwire_pkg::*;
  import order_pkg::*;
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 256,
    localparam int Instrument = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    event_if.snk           events,
    input found_instrument_t found,         // the instrument of event 0 of the cycle before
    committed_event_if.snk session,
    input logic            session_wide,  // its price does not fit into NarrowPrice bits

    input book_top_t book_top,
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

  assign market.change_valid = events.valid;
  assign market.change = events.data;
  assign market.change_found = found;
  assign market.verdict_valid = events.verdict_valid;
  assign market.verdict_good = events.verdict_good;

  assign market.top = book_top;

  // ---- trades --------------------------------------------------------------------------------------

  logic feed_valid, feed_ready;
  logic [Instrument-1:0] feed_instrument;
  logic signed [LastPriceWidth-1:0] feed_price, session_price;

  if (TRADES != 0) begin : gen_trades
    /* verilator lint_off UNUSEDSIGNAL */
    event_t event_data;
    /* verilator lint_on UNUSEDSIGNAL */
    assign event_data = events.data[0];  // no other is a trade

    event_commit #(
        .WIDTH(Instrument + LastPriceWidth),
        .DEPTH(TRADES)
    ) event_commit (
        .clk,
        .rst,
        .write(events.valid[0] && event_data.known && event_data.kind == KIND_TRADE),
        .write_data({event_data.instrument[Instrument-1:0], last_price_of(event_data.price)}),
        .verdict_valid(events.verdict_valid),
        .verdict_good(events.verdict_good),
        .out_valid(feed_valid),
        .out_ready(feed_ready),
        .out_data({feed_instrument, feed_price}),
        .overflow
    );
  end else begin : gen_no_trades
    logic unused;
    assign unused = &{1'b0, clk, rst, feed_ready};
    assign {feed_valid, feed_instrument, feed_price, overflow} = '0;
  end

  assign session.ready = market.trade_ready;
  assign feed_ready = market.trade_ready && !session.valid;
  assign session_price = session_wide ? {session.data.price[PriceWidth-1], {LastPriceWidth - 1{!session.data.price[PriceWidth-1]}}} :
      session.data.price[LastPriceWidth-1:0];

  assign market.trade_valid = session.valid || feed_valid;
  assign market.trade_instrument = session.valid ? session.data.instrument : InstrumentWidth'(feed_instrument);
  assign market.trade_price = session.valid ? session_price : feed_price;
endmodule

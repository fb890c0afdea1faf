// The best bid and ask after each change of a book, as strategies get them: prices in the instrument's scale instead of ticks.
//
//   change ─┬─ bid's tick ─ book_price ─┬─ top
//           ├─ ask's tick ─ book_price ─┤
//           └─ the rest, verdict ───────┘
//
// Latency: 3 cycles. Throughput: a change a cycle. No parameters. Nothing overflows.
module book_top
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        window_write,
    input instrument_t window_instrument,
    input window_t     window,

    input logic        change_valid,
    input instrument_t instrument,
    input best_t       bid,
    input best_t       ask,
    input logic        tradable,
    input logic        verdict_valid,
    input logic        verdict_good,

    output book_top_t top
);
  localparam int Latency = 3;

  typedef struct packed {
    logic valid;
    instrument_t instrument;
    logic tradable;
    logic verdict_valid;
    logic verdict_good;
    logic bid_live;
    level_shares_t bid_shares;
    orders_t bid_orders;
    logic ask_live;
    level_shares_t ask_shares;
    orders_t ask_orders;
  } step_t;

  step_t step0;
  step_t [Latency:1] steps;
  price_t bid_price, ask_price;
  logic bid_known, ask_known;

  assign step0 = '{
          valid: change_valid,
          instrument: instrument,
          tradable: tradable,
          verdict_valid: verdict_valid,
          verdict_good: verdict_good,
          bid_live: bid.live,
          bid_shares: bid.shares,
          bid_orders: bid.orders,
          ask_live: ask.live,
          ask_shares: ask.shares,
          ask_orders: ask.orders
      };

  // Both by their ticks: the rank of an ask is its tick.
  book_price bids (
      .clk,
      .write(window_write),
      .write_instrument(window_instrument),
      .write_window(window),
      .instrument,
      .side(SIDE_SELL),
      .rank(bid.tick[TickBits-1:0]),
      .given_valid(1'b0),
      .given_wide(1'b0),
      .given('0),
      .price(bid_price),
      .known(bid_known)
  );

  book_price asks (
      .clk,
      .write(window_write),
      .write_instrument(window_instrument),
      .write_window(window),
      .instrument,
      .side(SIDE_SELL),
      .rank(ask.tick[TickBits-1:0]),
      .given_valid(1'b0),
      .given_wide(1'b0),
      .given('0),
      .price(ask_price),
      .known(ask_known)
  );

  always_ff @(posedge clk) begin
    steps <= {steps[Latency-1:1], step0};
    if (rst) begin
      for (int i = 1; i <= Latency; i++) begin
        steps[i].valid <= 1'b0;
        steps[i].verdict_valid <= 1'b0;
      end
    end
  end

  assign top = '{
          valid: steps[Latency].valid,
          instrument: 8'(steps[Latency].instrument),
          tradable: steps[Latency].tradable,
          bid: '{steps[Latency].bid_live && bid_known, bid_price, steps[Latency].bid_shares, steps[Latency].bid_orders},
          ask: '{steps[Latency].ask_live && ask_known, ask_price, steps[Latency].ask_shares, steps[Latency].ask_orders},
          verdict_valid: steps[Latency].verdict_valid,
          verdict_good: steps[Latency].verdict_good
      };

  logic unused;
  assign unused = &{1'b0, bid, ask};
endmodule

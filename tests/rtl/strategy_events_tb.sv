// strategy_events with plain ports: prices, quantities and orders of both sides as one number each. Events and verdicts come as they are
// decoded, with what the book makes of them: that is BOOK cycles late here. A trade's terms and the verdict that goes with them are 2
// more, as in the book.
module strategy_events_tb
  import tickwire_pkg::*;
  import processor_pkg::*;
#(
    parameter int DEPTH = 8,
    parameter int TRADES = 16,
    parameter int BOOK = 6
) (
    input logic clk,
    input logic rst,

    input logic        change_valid,
    input logic [ 7:0] change_instrument,
    input logic        tradable,
    input logic        complete,
    input logic        bid_exists,
    input logic [75:0] bid,           // price, quantity, orders
    input logic        ask_exists,
    input logic [75:0] ask,
    input logic        verdict_valid,
    input logic        verdict_good,
    input logic        known,          // no frame's verdict: levels are known again

    input logic        takes_trades,
    input logic        takes_timer,
    input logic [47:0] every,
    input logic        restart,
    input logic        trade,
    input logic        trade_priced,
    input logic [ 7:0] trade_instrument,
    input logic        trade_sell,
    input logic [31:0] trade_price,
    input logic [31:0] trade_quantity,

    input logic        event_comes,     // with this time
    input logic [47:0] nanoseconds,
    input logic        begins_session,

    output logic         event_valid,
    input  logic         event_ready,
    output logic [  1:0] event_handler,
    output logic [703:0] event_inputs,
    output logic         overflow
);
  market_if #(.N(1)) market ();
  handler_e handler;
  logic [7:0] number;
  book_top_t top;
  book_top_t [BOOK-1:0] top_before;
  book_trades_t told;
  book_trades_t [BOOK-1:0] told_late;
  book_trades_t [1:0] told_before;

  always_comb begin
    market.change = '0;
    market.change_valid = event_comes;
    market.change[0].kind = trade ? KIND_EXECUTE : KIND_ADD;
    market.change[0].nanoseconds = nanoseconds;
    market.verdict_valid = verdict_valid;
    market.verdict_good = verdict_good;
    market.begins_session = begins_session;
  end

  always_comb begin
    top = '0;
    top.valid = change_valid;
    top.instrument = change_instrument;
    top.tradable = tradable;
    top.complete = complete;
    top.bid = {bid_exists, bid};
    top.ask = {ask_exists, ask};
    top.verdict_valid = verdict_valid || known;
    top.verdict_good = (verdict_valid && verdict_good) || known;
    top.judged = verdict_valid;
    top.trade = trade;
    top.trade_number = number;
    told = '0;
    told.every = trade;
    told.priced = trade_priced;
    told.instrument = trade_instrument;
    told.side = side_e'(trade_sell);
    told.price = trade_price;
    told.quantity = trade_quantity;
    told.verdict_valid = verdict_valid;
    told.verdict_good = verdict_good;
  end

  always_ff @(posedge clk) begin
    top_before <= rst ? '0 : {top_before[BOOK-2:0], top};
    told_late <= rst ? '0 : {told_late[BOOK-2:0], told};
    told_before <= rst ? '0 : {told_before[0], told_late[BOOK-1]};
    if (event_comes && trade) number <= number + 1'b1;
    if (rst) number <= '0;
  end
  assign market.top = top_before[BOOK-1];
  assign market.book_trades = told_before[1];

  tickwire_pkg::day_time_t feed_now;
  logic idle;

  strategy_events #(
      .INSTRUMENTS(16),
      .DEPTH(DEPTH),
      .TRADES(TRADES)
  ) dut (
      .clk,
      .rst,
      .market(market.book),
      .takes_trades,
      .takes_timer,
      .every,
      .restart,
      .event_valid,
      .event_ready,
      .event_handler(handler),
      .event_inputs,
      .idle,
      .feed_now,
      .overflow
  );

  assign event_handler = handler;
endmodule

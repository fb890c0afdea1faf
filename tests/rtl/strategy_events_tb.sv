// strategy_events with plain ports: prices, quantities and orders of both sides as one number each. A trade's terms are given with its change, and
// are 2 cycles late here as they are in the book; so is the verdict that goes with them.
module strategy_events_tb
  import tickwire_pkg::*;
  import alu_pkg::*;
#(
    parameter int DEPTH = 8,
    parameter int TRADES = 16
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
    input logic        trade,
    input logic        trade_priced,
    input logic [ 7:0] trade_instrument,
    input logic        trade_sell,
    input logic [31:0] trade_price,
    input logic [31:0] trade_quantity,

    output logic         event_valid,
    input  logic         event_ready,
    output logic [  1:0] event_handler,
    output logic [703:0] event_inputs,
    output logic         overflow
);
  market_if #(.N(1)) market ();
  handler_e handler;
  book_trades_t told;
  book_trades_t [1:0] told_before;

  always_comb begin
    market.top = '0;
    market.top.valid = change_valid;
    market.top.instrument = change_instrument;
    market.top.tradable = tradable;
    market.top.complete = complete;
    market.top.bid = {bid_exists, bid};
    market.top.ask = {ask_exists, ask};
    market.top.verdict_valid = verdict_valid || known;
    market.top.verdict_good = (verdict_valid && verdict_good) || known;
    market.top.judged = verdict_valid;
    market.top.trade = trade;
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

  always_ff @(posedge clk) told_before <= rst ? '0 : {told_before[0], told};
  assign market.book_trades = told_before[1];

  strategy_events #(
      .INSTRUMENTS(16),
      .DEPTH(DEPTH),
      .TRADES(TRADES)
  ) dut (
      .clk,
      .rst,
      .market(market.book),
      .takes_trades,
      .event_valid,
      .event_ready,
      .event_handler(handler),
      .event_inputs,
      .overflow
  );

  assign event_handler = handler;
endmodule

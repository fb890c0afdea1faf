// strategy_events with plain ports: prices, quantities and orders of both sides as one number each.
module strategy_events_tb
  import tickwire_pkg::*;
  import alu_pkg::*;
#(
    parameter int DEPTH = 8
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

    output logic         event_valid,
    input  logic         event_ready,
    output logic [  1:0] event_handler,
    output logic [703:0] event_inputs,
    output logic         overflow
);
  market_if #(.N(1)) market ();
  handler_e handler;

  always_comb begin
    market.top = '0;
    market.top.valid = change_valid;
    market.top.instrument = change_instrument;
    market.top.tradable = tradable;
    market.top.complete = complete;
    market.top.bid = {bid_exists, bid};
    market.top.ask = {ask_exists, ask};
    market.top.verdict_valid = verdict_valid;
    market.top.verdict_good = verdict_valid && verdict_good;
  end

  strategy_events #(
      .INSTRUMENTS(16),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .market(market.book),
      .event_valid,
      .event_ready,
      .event_handler(handler),
      .event_inputs,
      .overflow
  );

  assign event_handler = handler;
endmodule

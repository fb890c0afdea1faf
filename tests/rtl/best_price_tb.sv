// best_price with plain ports.
module best_price_tb
  import tickwire_pkg::*;
#(
    parameter int DEPTH = 4
) (
    input logic clk,
    input logic rst,

    input logic        change_valid,
    input logic [ 7:0] change_instrument,
    input logic        tradable,
    input logic        bid_exists,
    input logic [31:0] bid_price,
    input logic        ask_exists,
    input logic [31:0] ask_price,
    input logic        comes,
    input logic [ 7:0] comes_instrument,
    input logic [31:0] comes_bid,
    input logic [31:0] comes_ask,
    input logic        improves,
    input logic [ 7:0] improves_instrument,
    input logic        improves_bid,
    input logic [31:0] improves_price,
    input logic        improves_last,
    input logic        improves_fault,
    input logic        verdict_valid,
    input logic        verdict_good,

    input  logic       write_valid,
    output logic       write_ready,
    input  logic       enabled,
    input  logic [7:0] instrument,
    input  logic       sell,

    output logic        intent_valid,
    input  logic        intent_ready,
    output logic        intent_soon,
    output logic        intent_withdraw,
    output logic [ 8:0] intent_handle,
    output logic [ 7:0] intent_instrument,
    output logic        intent_computed,
    output logic [31:0] intent_price,
    output logic [31:0] intent_price_soon,
    output logic        overflow,

    input  logic        single,
    input  logic        not_sent,
    input  logic        cancel_sent,
    input  logic        working_valid,
    input  logic        working_strategy,
    input  logic [ 2:0] working_what,
    input  logic [ 8:0] working_place,
    input  logic [35:0] working_number,
    output logic        replace_valid,
    output logic [35:0] replace_original,
    input  logic        replace_done
);
  risk_pkg::working_change_t working;
  market_if #(.N(1)) market ();
  strategy_write_if write ();
  intent_if intent ();

  always_comb begin
    market.top = '0;
    market.top.valid = change_valid;
    market.top.instrument = change_instrument;
    market.top.tradable = tradable;
    market.top.bid.exists = bid_exists;
    market.top.bid.price = bid_price;
    market.top.ask.exists = ask_exists;
    market.top.ask.price = ask_price;
    market.top.verdict_valid = verdict_valid;
    market.top.verdict_good = verdict_valid && verdict_good;
    market.top.improves = improves;
    market.top.improves_instrument = improves_instrument;
    market.top.improves_side = improves_bid ? SIDE_BUY : SIDE_SELL;
    market.top.improves_price = improves_price;
    market.top.improves_last = improves_last;
    market.top.improves_fault = improves_fault;
    market.top.comes = comes;
    market.top.comes_instrument = comes_instrument;
    market.top.comes_bid = comes_bid;
    market.top.comes_ask = comes_ask;
  end

  assign write.valid = write_valid;
  assign {write.enabled, write.single, write.instrument, write.side} = {enabled, single, instrument, side_e'(sell)};
  assign write.replace_done = replace_done;
  assign {replace_valid, replace_original} = {write.replace_valid, write.replace_original};
  always_comb begin
    working = '0;
    {working.valid, working.strategy, working.what} = {working_valid, working_strategy, risk_pkg::working_e'(working_what)};
    {working.place, working.number} = {working_place, working_number};
  end
  assign write_ready = write.ready;
  assign intent_valid = intent.valid;
  assign intent.ready = intent_ready;
  assign intent_soon = intent.soon;
  assign intent_withdraw = intent.withdraw;
  assign intent_handle = intent.handle;
  assign intent_instrument = intent.instrument;
  assign intent_computed = intent.computed;
  assign intent_price = intent.price;
  assign intent_price_soon = intent.price_soon;

  best_price #(
      .HANDLE(64),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .market(market.book),
      .write(write.snk),
      .not_sent,
      .cancel_sent,
      .working,
      .intent(intent.src),
      .overflow
  );
endmodule

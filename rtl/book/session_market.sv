// The market of a core without a feed: prices of the session, as trades.
//
// Latency, throughput: as the strategies take them. Parameters: none. Overflow: none, prices wait.
module session_market
  import tickwire_pkg::*;
  import order_pkg::*;
  import fix_pkg::*;
(
    committed_event_if.snk prices,
    input logic            price_wide,  // see decoder_fix
    market_if.session      market
);
  // As last_price_of, which the decoder has checked already.
  if (NarrowPrice != LastPriceWidth) begin : gen_width
    $fatal(1, "session_market: NarrowPrice is %0d, LastPriceWidth %0d; they must be equal", NarrowPrice, LastPriceWidth);
  end

  assign market.trade_valid = prices.valid && prices.data.kind == KIND_TRADE;
  assign prices.ready = market.trade_ready || !market.trade_valid;
  assign market.trade_instrument = prices.data.instrument;
  assign market.trade_side = prices.data.side;
  assign market.trade_price = held_price(prices.data.price, price_wide);
endmodule

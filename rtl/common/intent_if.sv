// A request for an order that is prepared in the order store, under its handle. `valid` may fall before `ready`.
//
// `soon` is known a cycle ahead: without it there is no intent in the next cycle, and a strategy's handle is 0 then. A strategy of computed orders
// has one handle and instrument, which always stand here, and change some cycles before an intent at the latest; its intent may come without `soon`,
// and then waits where the host adjusts its limits. `computed`: the order's price is not in the store, it comes with the intent; and in the
// cycle before as `price_soon`, for its digits take longest. `withdraw`: what was taken in the cycle before is not asked for after all.
interface intent_if;
  import order_pkg::*;

  logic                          valid;
  logic                          withdraw;
  logic                          ready;
  logic                          soon;
  logic [       HandleWidth-1:0] handle;
  logic [   InstrumentWidth-1:0] instrument;  // risk looks up its limits while the order is read; the order must be of this instrument
  logic                          computed;
  logic [ComputedPriceWidth-1:0] price;       // in the instrument's scale
  logic [ComputedPriceWidth-1:0] price_soon;

  modport src(output valid, withdraw, soon, handle, instrument, computed, price, price_soon, input ready);
  modport snk(input valid, withdraw, soon, handle, instrument, computed, price, price_soon, output ready);
endinterface

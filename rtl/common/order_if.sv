// Orders that passed risk. `valid` falls before `ready` if the kill switch comes on meanwhile. `price_ahead`: the price of a computed order, from two
// cycles before its `valid`, until it has left for four cycles or more.
interface order_if;
  import order_pkg::*;

  logic   valid;
  logic   ready;
  order_t order;
  logic [ComputedPriceWidth-1:0] price_ahead;

  modport src(output valid, order, price_ahead, input ready);
  modport snk(input valid, order, price_ahead, output ready);
endinterface

// Sets a hand-written strategy's parameters, all at once: `valid` and its members until `ready`. And prepares the replacement and the cancel of its order.
interface strategy_write_if;
  import order_pkg::InstrumentWidth;
  import order_template_pkg::number_t;
  import tickwire_pkg::side_e;

  logic                       valid;
  logic                       ready;      // they take effect: no intent of the old ones is on its way
  logic                       enabled;
  logic                       single;     // it keeps one order in the market
  logic [InstrumentWidth-1:0] instrument;
  side_e                      side;       // of its orders

  logic    replace_valid;     // until `replace_done`
  number_t replace_original;  // of the order to replace
  logic    replace_done;      // pulse: the replacement is under the handle after the order's, the cancel under the next

  modport src(output valid, enabled, single, instrument, side, replace_done, input ready, replace_valid, replace_original);
  modport snk(input valid, enabled, single, instrument, side, replace_done, output ready, replace_valid, replace_original);
endinterface

// Sets a hand-written strategy's parameters, all at once: `valid` and its members until `ready`.
interface strategy_write_if;
  import order_pkg::InstrumentWidth;
  import tickwire_pkg::side_e;

  logic                       valid;
  logic                       ready;      // they take effect: no intent of the old ones is on its way
  logic                       enabled;
  logic [InstrumentWidth-1:0] instrument;
  side_e                      side;       // of its orders

  modport src(output valid, enabled, instrument, side, input ready);
  modport snk(input valid, enabled, instrument, side, output ready);
endinterface

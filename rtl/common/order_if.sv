// Orders that passed risk. `valid` falls before `ready` if the kill switch comes on meanwhile.
interface order_if;
  import order_pkg::*;

  logic   valid;
  logic   ready;
  order_t order;

  modport src(output valid, order, input ready);
  modport snk(input valid, order, output ready);
endinterface

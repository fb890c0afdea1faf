// What the exchange says about an order of ours, one at a time; each waits until it is taken.
interface execution_report_if
  import tickwire_pkg::*;
();
  logic              valid;
  logic              ready;
  execution_report_t data;

  modport src(output valid, data, input ready);
  modport snk(input valid, data, output ready);
endinterface

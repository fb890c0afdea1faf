// What the exchange says about an order of ours, one at a time; each waits until it is taken. Where some of it is missing, a pulse says so.
interface execution_report_if
  import tickwire_pkg::*;
();
  logic              valid;
  logic              ready;
  execution_report_t data;
  logic              overflow;    // pulse: bytes of the session found no room
  logic              unreadable;  // pulse: a good message about an order of ours lacks something

  modport src(output valid, data, overflow, unreadable, input ready);
  modport snk(input valid, data, overflow, unreadable, output ready);
endinterface

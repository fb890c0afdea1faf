// Events that proved good, one at a time, in order; each waits until it is taken.
interface committed_event_if
  import tickwire_pkg::*;
();
  /* verilator lint_off UNUSEDSIGNAL */  // not every user needs all of an event, or any
  logic   valid;
  logic   ready;
  event_t data;
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(output valid, data, input ready);
  modport snk(input valid, data, output ready);
endinterface

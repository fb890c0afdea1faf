// What is known of the frames of a line beside their bytes (line_if): the verdict on each, for those that take frames from there.
interface line_verdict_if;
  import tickwire_pkg::net_cause_e;

  /* verilator lint_off UNUSEDSIGNAL */  // a core without a session uses none
  logic       fcs_good;     // for the frame whose last beat was on the line in the cycle before
  logic       busy;         // a frame is coming in, on any line of the core: what can wait does
  logic       cause_valid;  // pulse: what becomes of a frame (net_rx)
  net_cause_e cause;
  logic       claimed;      // with cause_valid: another module takes the frame, the host does not need it
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(output fcs_good, busy, cause_valid, cause, input claimed);
  modport snk(input fcs_good, busy, cause_valid, cause, output claimed);
endinterface

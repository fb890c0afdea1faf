// What becomes of orders, for strategies, risk and the host: risk refuses one, or the order stage sends or drops it; then the exchange reports on it.
interface order_feedback_if;
  import order_template_pkg::order_outcome_t;
  import risk_pkg::refused_t;
  import risk_pkg::working_change_t;
  import tickwire_pkg::execution_fault_t;

  /* verilator lint_off UNUSEDSIGNAL */  // not every user needs all of it
  refused_t         refused;
  order_outcome_t   outcome;
  working_change_t  change;   // a report took effect
  execution_fault_t fault;    // what went wrong with reports
  /* verilator lint_on UNUSEDSIGNAL */

  modport risk(output refused, change, fault, input outcome);
  modport order(output outcome);
  modport source(output refused, outcome, change, fault);
  modport listener(input refused, outcome, change, fault);
endinterface

// The core's clock as it may be set from outside (a simulation that skips idle time, a PTP servo), and with it the timers of TCP and of the control plane.
interface time_set_if;
  logic        set;
  logic [63:0] value;        // ns
  /* verilator lint_off UNUSEDSIGNAL */  // of a core with a session
  logic        tick;         // pulses in addition to their own: 256 us,
  logic        millisecond;
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(output set, value, tick, millisecond);
  modport snk(input set, value, tick, millisecond);
endinterface

// A decoder's events as they come: up to N a beat, [0] first, then the verdict on their frame, in the cycle of its last event or
// later. Until the verdict nothing is proved; what cannot be undone waits for it (event_commit).
interface event_if
  import tickwire_pkg::*;
#(
    parameter int N = 1
);
  logic   [N-1:0] valid;
  event_t [N-1:0] data;
  logic           verdict_valid;
  logic           verdict_good;

  modport src(output valid, data, verdict_valid, verdict_good);
  modport snk(input valid, data, verdict_valid, verdict_good);
endinterface

// Two sources of intents, one after the other: the first always goes before the second.
//
//   first (strategies) ─┬─ out
//   second (the host) ──┘    gets a cycle in which the first cannot have an intent, and risk is free
//
// Latency: the first none, the second 1 cycle or more. Throughput: that of `out`. No parameters. Overflow: none, intents wait.
module intent_merge
  import order_pkg::*;
(
    input logic   clk,
    input logic   rst,
    intent_if.snk first,
    intent_if.snk second,
    intent_if.src out
);
  logic turn;  // the second's: from a register, as it selects what the order store reads

  assign out.valid = first.valid || turn;
  assign out.soon = first.soon || second.soon;
  assign out.handle = first.handle | (second.handle & {HandleWidth{turn}});  // the first's handle is 0 then
  assign out.instrument = turn ? second.instrument : first.instrument;
  assign first.ready = out.ready && !turn;
  assign second.ready = out.ready && turn;

  always_ff @(posedge clk) turn <= second.valid && !turn && !first.soon && out.ready && !rst;

  assert property (@(posedge clk) disable iff (rst) !(turn && first.valid));
  assert property (@(posedge clk) disable iff (rst) !turn || second.valid);
  assert property (@(posedge clk) disable iff (rst) !turn || first.handle == '0);
endmodule

// Three sources of intents, one after the other: the first goes before the second, both before the third.
//
//   first (stops) ────────────────┬─ out
//   second (computed orders) ─────┤    gets a cycle in which the first cannot have an intent, and risk is free
//   third (the host) ─────────────┘    gets one in which neither can
//
// Only the second's orders may be computed. Whose turn it is comes from a register, for it selects what the order store reads: the second says a cycle
// ahead that it will have an intent (`soon`), and loses no time where the first has none.
//
// Latency: the first none; the second none, if `soon` was there a cycle before `valid`; the third 1 cycle or more. Throughput: that of `out`. No
// parameters. Overflow: none, intents wait.
module intent_merge
  import order_pkg::*;
(
    input logic   clk,
    input logic   rst,
    intent_if.snk first,
    intent_if.snk second,
    intent_if.snk third,
    intent_if.src out
);
  logic second_turn, third_turn;

  assign out.valid = first.valid || (second_turn && second.valid) || third_turn;
  assign out.soon = first.soon || second.soon || third.soon;
  // The handle of a strategy without an intent is 0.
  assign out.handle = first.handle | (second.handle & {HandleWidth{second_turn}}) | (third.handle & {HandleWidth{third_turn}});
  assign out.instrument = third_turn ? third.instrument : second_turn ? second.instrument : first.instrument;
  assign out.computed = second_turn && second.computed;
  assign out.price = second.price;
  assign first.ready = out.ready && !second_turn && !third_turn;
  assign second.ready = out.ready && second_turn;
  assign third.ready = out.ready && third_turn;

  always_ff @(posedge clk) begin
    second_turn <= second.soon && !first.soon && !third_turn && out.ready && !rst;
    third_turn  <= third.valid && !third_turn && !second_turn && !first.soon && !second.soon && out.ready && !rst;
  end

  logic unused;
  assign unused = &{1'b0, first.computed, first.price, third.computed, third.price};

  assert property (@(posedge clk) disable iff (rst) !((second_turn || third_turn) && first.valid));
  assert property (@(posedge clk) disable iff (rst) !(second_turn && third_turn));
  assert property (@(posedge clk) disable iff (rst) !third_turn || third.valid);
  assert property (@(posedge clk) disable iff (rst) !(second_turn || third_turn) || first.handle == '0);
endmodule

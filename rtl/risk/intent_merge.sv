// Three sources of intents, one after the other: the first goes before the second, both before the third.
//
//   first (stops) ────────────────┬─ out
//   second (computed orders) ─────┤    has its turn in every cycle in which the first cannot have an intent, and the third does not go
//   third (the host) ─────────────┘    gets one in which neither can
//
// Only the second's orders may be computed. Whose turn it is comes from a register, for it selects what the order store reads. The second has only one
// order, whose record is read while it has its turn: its intents go from its third cycle on, and find it there (`ahead`).
//
// Latency: the first none; the second none, if it had its turn in the two cycles before; the third 1 cycle or more. Throughput: that of `out`. No
// parameters. Overflow: none, intents wait.
module intent_merge
  import order_pkg::*;
(
    input logic   clk,
    input logic   rst,
    intent_if.snk first,
    intent_if.snk second,
    intent_if.snk third,
    intent_if.src out,
    output logic  ahead  // an intent of this cycle would be the second's, whose record has been read
);
  logic second_turn, second_reads, third_turn, third_next;  // second_reads: it had its turn in the cycle before too

  assign out.valid = first.valid || (ahead && second.valid) || third_turn;
  assign out.soon = first.soon || second.soon || third.soon;
  assign out.withdraw = second.withdraw;
  // The handle of a strategy without an intent is 0.
  assign out.handle = first.handle | (second.handle & {HandleWidth{second_turn}}) | (third.handle & {HandleWidth{third_turn}});
  assign out.instrument = third_turn ? third.instrument : second_turn ? second.instrument : first.instrument;
  assign out.computed = second_turn && second.computed;
  assign out.price = second.price;
  assign out.price_soon = second.price_soon;
  assign first.ready = out.ready && !second_turn && !third_turn;
  assign second.ready = out.ready && ahead;
  assign third.ready = out.ready && third_turn;
  assign third_next = third.valid && !third_turn && !first.soon && !second.soon && out.ready && !rst;

  always_ff @(posedge clk) begin
    second_turn <= !first.soon && !third_next && !rst;
    second_reads <= second_turn && out.ready && !first.soon && !third_next && !rst;
    ahead <= second_reads && out.ready && !first.soon && !third_next && !rst;
    third_turn <= third_next;
  end

  logic unused;
  assign unused = &{
    1'b0, first.withdraw, third.withdraw, first.computed, first.price, first.price_soon, third.computed, third.price, third.price_soon
  };

  assert property (@(posedge clk) disable iff (rst) !((second_turn || third_turn) && first.valid));
  assert property (@(posedge clk) disable iff (rst) !(second_turn && third_turn));
  assert property (@(posedge clk) disable iff (rst) !ahead || second_turn);
  assert property (@(posedge clk) disable iff (rst) !third_turn || third.valid);
  assert property (@(posedge clk) disable iff (rst) !third_turn || first.handle == '0);
endmodule

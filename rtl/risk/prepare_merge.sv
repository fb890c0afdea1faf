// Two that have orders prepared, one after the other: each until it is done with its own.
//
//   first (the host) ──┬─ out
//   second (a strategy)┘
//
// Latency: 1 cycle until the first's or the second's turn, then none. Throughput: an order at a time. No parameters. Overflow: none, each waits.
module prepare_merge (
    input logic    clk,
    input logic    rst,
    prepare_if.snk first,
    prepare_if.snk second,
    prepare_if.src out
);
  logic second_turn;

  assign out.busy = second_turn ? second.busy : first.busy;
  assign out.valid = second_turn ? second.valid : first.valid;
  assign out.handle = second_turn ? second.handle : first.handle;
  assign out.order = second_turn ? second.order : first.order;
  assign out.original = second_turn ? second.original : first.original;
  assign out.time_in_force = second_turn ? second.time_in_force : first.time_in_force;
  assign out.collar = second_turn ? second.collar : first.collar;
  assign out.commit = second_turn ? second.commit : first.commit;

  assign first.ready = out.ready && !second_turn;
  assign first.answer_valid = out.answer_valid && !second_turn;
  assign first.answer = out.answer;
  assign second.ready = out.ready && second_turn;
  assign second.answer_valid = out.answer_valid && second_turn;
  assign second.answer = out.answer;

  always_ff @(posedge clk) begin
    if (!out.busy) second_turn <= second.busy && !first.busy;
    if (rst) second_turn <= 1'b0;
  end

  assert property (@(posedge clk) disable iff (rst) !first.valid || first.busy);
  assert property (@(posedge clk) disable iff (rst) !second.valid || second.busy);
endmodule

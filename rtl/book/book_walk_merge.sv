// Two that read sides of the book out: the first goes before the second, whose read begins anew when the first is done.
//
// `valid` is low for a cycle between the two, which ends the read that goes on (book_walk_if).
//
// Latency: a cycle. Throughput: a read at a time. No parameters. Nothing overflows.
module book_walk_merge
  import book_pkg::*;
(
    input logic clk,
    input logic rst,

    book_walk_if.snk first,
    book_walk_if.snk second,
    book_walk_if.src out
);
  logic turn;  // the first's

  always_ff @(posedge clk) turn <= first.valid && !rst;

  assign out.valid = turn ? first.valid : second.valid && !first.valid;
  assign out.after_line = turn && first.after_line;
  assign out.instrument = turn ? first.instrument : second.instrument;
  assign out.side = turn ? first.side : second.side;

  assign first.level_valid = out.level_valid && turn;
  assign first.done = out.done && turn;
  assign {first.place, first.tick, first.level, first.count} = {out.place, out.tick, out.level, out.count};
  assign second.level_valid = out.level_valid && !turn;
  assign second.done = out.done && !turn;
  assign {second.place, second.tick, second.level, second.count} = {out.place, out.tick, out.level, out.count};

  logic unused;
  assign unused = &{1'b0, second.after_line};
endmodule

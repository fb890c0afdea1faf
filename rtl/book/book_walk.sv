// Reads the best 16 levels of a side for the host, and keeps them until the next read.
//
//   start ─ book_walk_if ─ book_refill's search ─ levels, one by one ─ memory ─ the level at `place`
//
// A side that changes all the time is never read from end to end: after 2^PATIENCE_LOG2 cycles the read is given up.
//
// Latency: as the search has it (book_refill). Throughput: one read at a time. Parameter: PATIENCE_LOG2. Nothing overflows: `start` is ignored while
// busy.
module book_walk
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int PATIENCE_LOG2 = 16
) (
    input logic clk,
    input logic rst,

    input  logic        start,
    input  instrument_t instrument,
    input  side_e       side,
    output logic        busy,
    output logic        done,      // of the last read, if it is not busy: it was not given up

    input  logic [WalkBits-1:0] place,
    output book_level_t         level,  // all 0: the side has fewer levels, or the read was given up

    book_walk_if.src walk
);
  (* ram_style = "distributed" *) book_level_t levels[WalkLevels];
  logic [WalkBits:0] count;
  logic [PATIENCE_LOG2:0] waited;

  assign walk.valid = busy;
  assign walk.after_line = 1'b0;
  assign done = |count || !waited[PATIENCE_LOG2];
  assign level = {1'b0, place} < count ? levels[place] : '0;

  always_ff @(posedge clk) begin
    if (walk.level_valid) levels[walk.place] <= '{tick: walk.tick, orders: walk.level.orders, shares: walk.level.shares};
    waited <= waited + (PATIENCE_LOG2 + 1)'(busy);
    if (busy && (walk.done || waited[PATIENCE_LOG2])) begin
      busy  <= 1'b0;
      count <= walk.done ? walk.count : '0;
    end
    if (start && !busy) begin
      busy <= 1'b1;
      count <= '0;
      waited <= '0;
      {walk.instrument, walk.side} <= {instrument, side};
    end
    if (rst) {busy, count, waited} <= '0;
  end
endmodule

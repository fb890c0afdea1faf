// Asks for the best levels of an instrument again that were not all known at the end of a good frame, until they are: then strategies hear of it.
//
//   change ─ not complete? ─ by instrument, as a good frame leaves it ─┬─ OP_READ, between two frames
//   best levels of OP_READ ── complete: reported, with a good verdict ─┴─ else again 16 cycles later
//
// Without it an order at a price that the search found after the frame's end would never leave. What a bad frame made unknown was reported before that frame.
//
// Latency: from the last level found to the report at most 45 cycles between two frames, at 16 instruments. Throughput: an instrument at a time.
// No parameters. Overflow: none.
module book_known
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        change_valid,  // that shows the levels, of a frame
    input instrument_t instrument,
    input instrument_t instrument_next,  // of the next cycle
    input logic        complete,      // both best levels are known
    input logic        kept,          // good verdict
    input logic        undone,        // a bad frame has been taken back

    output logic        op_valid,
    output op_t         op,
    input  logic        op_taken,
    input  logic        read,        // the levels are those that OP_READ found, of `instrument`
    output logic        known,       // both best levels are known again: strategies are to hear of it
    output logic        waits        // for those of an instrument
);
  logic [Instruments-1:0] unknown, unknown_now, unknown_kept;  // now, and after the last good frame
  instrument_t at;
  logic unknown_here;  // `instrument` is one of unknown_kept: no frame ends while it is read
  logic [3:0] rest;

  assign known = read && complete && unknown_here;
  assign waits = |unknown_kept;

  always_comb begin
    unknown_now = unknown;
    if (change_valid) unknown_now[instrument] = !complete;
    if (read && complete) unknown_now[instrument] = 1'b0;
  end

  always_ff @(posedge clk) begin
    unknown_here <= unknown_kept[instrument_next];
    unknown <= undone ? unknown_kept : unknown_now;
    if (kept) unknown_kept <= unknown_now;
    else if (read && complete) unknown_kept[instrument] <= 1'b0;

    if (op_valid) op_valid <= !op_taken;
    else if (unknown_kept[at] && rest == '0) op_valid <= 1'b1;
    else at <= at + 1'b1;
    rest <= op_taken ? '1 : rest == '0 ? '0 : rest - 1'b1;
    if (rst) begin
      {unknown, unknown_kept, op_valid, rest} <= '0;
      at <= '0;
    end
  end

  assign op = read_of(at, tickwire_pkg::SIDE_BUY);
endmodule

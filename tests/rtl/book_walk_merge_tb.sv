// book_walk_merge with plain ports: its two askers, and the book that answers.
module book_walk_merge_tb
  import book_pkg::*;
  import tickwire_pkg::side_e;
(
    input logic clk,
    input logic rst,

    input  logic       first_valid,
    input  logic [3:0] first_instrument,
    input  logic       second_valid,
    input  logic [3:0] second_instrument,
    output logic [1:0] level_valid,       // [0] of the first
    output logic [1:0] done,

    output logic       out_valid,
    output logic       out_after_line,
    output logic [3:0] out_instrument,
    input  logic       out_level_valid,
    input  logic       out_done
);
  book_walk_if first ();
  book_walk_if second ();
  book_walk_if out ();

  assign {first.valid, first.after_line, first.instrument} = {first_valid, 1'b1, first_instrument};
  assign {second.valid, second.after_line, second.instrument} = {second_valid, 1'b0, second_instrument};
  assign first.side = side_e'(1'b0);
  assign second.side = side_e'(1'b1);
  assign level_valid = {second.level_valid, first.level_valid};
  assign done = {second.done, first.done};
  assign {out_valid, out_after_line, out_instrument} = {out.valid, out.after_line, out.instrument};
  assign {out.level_valid, out.done} = {out_level_valid, out_done};
  assign {out.place, out.tick, out.level, out.count} = '0;

  book_walk_merge dut (
      .clk,
      .rst,
      .first(first.snk),
      .second(second.snk),
      .out(out.src)
  );
endmodule

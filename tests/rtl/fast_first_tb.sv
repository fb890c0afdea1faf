// fast_first with plain ports: of each instruction what the test needs, four bits a port.
module fast_first_tb
  import fast_pkg::*;
(
    input logic clk,
    input logic [GroupSize-1:0] todo,
    input logic [GroupSize-1:0] sets,
    input logic [GroupSize-1:0] takes,
    input logic [GroupSize-1:0] by_kind,
    input logic [GroupSize-1:0] is_exponent,  // of those by kind; else a string with copy
    input logic [GroupSize-1:0] waits_set,
    input logic [GroupSize-1:0] waits_clear,
    input logic [GroupSize-1:0][7:0] slots,

    output logic [GroupSize-1:0] chosen,
    output logic alone,
    output logic alone_but_skipped,
    output logic needs,
    output logic skips,
    output logic waits,
    output logic copies,
    output logic recalls,
    output logic [2:0] place
);
  walk_t [GroupSize-1:0] walk;
  first_t first;

  always_comb begin
    walk = '0;
    for (int i = 0; i < GroupSize; i++) begin
      walk[i].kind = is_exponent[i] ? WALK_EXPONENT : WALK_TEXT;
      walk[i].takes = takes[i];
      walk[i].by_kind = by_kind[i];
      walk[i].waits_set = waits_set[i];
      walk[i].waits_clear = waits_clear[i];
      walk[i].slot = slots[i];
    end
  end

  fast_first dut (
      .walk,
      .todo,
      .sets,
      .first
  );
  assign {chosen, alone, alone_but_skipped, needs, skips, waits, copies, recalls, place} = first;

  logic unused;
  assign unused = &{1'b0, clk};
endmodule

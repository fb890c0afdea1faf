// The first instruction of a group that has something to do, and what the walk must know of it. Combinational: the walker keeps the result in a
// register, so that it does not have to find it out in the cycle of the token.
module fast_first
  import fast_pkg::*;
(
    /* verilator lint_off UNUSEDSIGNAL */
    input walk_t [GroupSize-1:0] walk,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [GroupSize-1:0] todo,  // has something to do
    input logic [GroupSize-1:0] sets,  // has its presence-map bit set
    output first_t first
);
  logic [GroupSize-1:0] behind;

  always_comb begin
    first = '0;
    behind = {todo[2:0] != 0, todo[1:0] != 0, todo[0], 1'b0};
    first.chosen = todo & ~behind;
    first.alone = (todo & behind) == 0;
    first.alone_but_skipped = (todo & behind & ~(first.chosen << 1)) == 0;
    for (int i = 0; i < GroupSize; i++) begin
      if (first.chosen[i]) begin
        first.needs |= sets[i] && walk[i].takes;
        first.skips |= sets[i] && walk[i].by_kind && walk[i].kind[0];
        // Whether a string with copy is waited for depends on the stream and on the dictionary.
        first.copies |= sets[i] && walk[i].by_kind && !walk[i].kind[0];
        first.recalls |= !sets[i] && walk[i].by_kind && !walk[i].kind[0];
        first.waits |= (sets[i] ? walk[i].waits_set : walk[i].waits_clear) && !(walk[i].by_kind && !walk[i].kind[0]);
        first.place |= walk[i].slot[2:0];
      end
    end
  end
endmodule

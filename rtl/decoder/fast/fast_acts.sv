// Which instructions of a group have something to do, and which have their presence-map bit set. Combinational.
module fast_acts
  import fast_pkg::*;
(
    /* verilator lint_off UNUSEDSIGNAL */
    input  group_t     group,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [3:0] next_bits,  // of the presence map, the first highest
    output logic [3:0] sets,
    output logic [3:0] acts
);
  always_comb begin
    for (int i = 0; i < GroupSize; i++) begin
      sets[i] = group.walk[i].unconditional || next_bits[2'd3-group.walk[i].bit_index];
      acts[i] = sets[i] ? group.walk[i].act_set : group.walk[i].act_clear;
    end
  end
endmodule

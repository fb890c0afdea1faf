// Says for each bit whether a bit below it is set; the last bit of the result: whether any is.
//
// Groups of four are combined first, and stay together (`keep`): without it, synthesis builds a chain to save a few LUTs.
//
// Latency: none. Parameter: BITS. No overflow.
module fix_any_below #(
    parameter int BITS = 16
) (
    input  logic [BITS-1:0] bits,
    output logic [  BITS:0] below
);
  localparam int Groups = (BITS + 3) / 4;

  (* keep *) logic [Groups-1:0] group;
  (* keep *) logic [BITS:0] found;
  assign below = found;
  always_comb begin
    group = '0;
    for (int i = 0; i < BITS; i++) if (bits[i]) group[i/4] = 1'b1;
    for (int i = 0; i <= BITS; i++) begin
      found[i] = 1'b0;
      for (int g = 0; g < i / 4; g++) if (group[g]) found[i] = 1'b1;
      for (int j = i / 4 * 4; j < i; j++) if (bits[j]) found[i] = 1'b1;
    end
  end
endmodule

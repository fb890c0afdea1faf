// Proves of number_near: it is true exactly if the difference, modulo 2^S, is below 2^NearBits.
module number_near_formal
  import arbiter_pkg::*;
#(
    parameter int S = 64
) (
    input logic         clk,
    input logic [S-1:0] number,
    input logic [S-1:0] base
);
  logic near;
  logic [S-1:0] difference;

  number_near #(
      .S(S)
  ) dut (
      .number,
      .base,
      .near
  );

  assign difference = number - base;

  always_ff @(posedge clk) assert (near == (difference[S-1:NearBits] == '0));
endmodule

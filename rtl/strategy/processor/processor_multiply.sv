// Multiplies two 64-bit numbers; what does not fit into 64 bits is lost.
//
//   a, b ─ registers ─ 10 products of 16 bits ─ sums by their place ─ product
//
// Latency: `start` to `product` 4 cycles; it stays until the next one. Throughput: a product a cycle. No parameters. Overflow: none.
module processor_multiply
  import processor_pkg::*;
(
    input  logic   clk,
    input  logic   start,
    input  value_t a,
    input  value_t b,
    output value_t product
);
  typedef logic [15:0] limb_t;

  limb_t [3:0] a_limbs, b_limbs;
  logic [3:0][3:0][31:0] products;  // of limb [i] and limb [j]; those beyond 64 bits are not worked out
  logic [32:0] at_16;
  logic [31:0] at_0, at_32;
  logic [15:0] at_48;
  logic started, multiplied, added;

  always_ff @(posedge clk) begin
    {started, multiplied, added} <= {start, started, multiplied};
    {a_limbs, b_limbs} <= {a, b};
    for (int i = 0; i < 4; i++) begin
      for (int j = 0; j < 4 - i; j++) products[i][j] <= 32'(a_limbs[i]) * 32'(b_limbs[j]);
    end
    at_0 <= products[0][0];
    at_16 <= 33'(products[0][1]) + 33'(products[1][0]);
    at_32 <= products[0][2] + products[1][1] + products[2][0];
    at_48 <= products[0][3][15:0] + products[1][2][15:0] + products[2][1][15:0] + products[3][0][15:0];
    if (added) product <= {at_48, 48'b0} + {at_32, 32'b0} + {15'b0, at_16, 16'b0} + 64'(at_0);
  end

  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int i = 0; i < 4; i++) unused &= ^products[i][3-i][31:16];
  end
endmodule

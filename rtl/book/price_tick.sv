// The tick of a price, given by a mantissa and what one of it is in ticks.
//
//   mantissa, factor ─ s1 product ─ less the window's begin ─ tick
//
// Modulo 2^20 (price_tick_pkg); a price beyond the window, or between two ticks, gives some tick, too: price_ladder finds that.
// Latency: 1 cycle, and a sum, not registered. Throughput: one a cycle. No parameters. Nothing overflows.
module price_tick
  import price_tick_pkg::*;
(
    input logic clk,
    input part_t mantissa,  // its lowest bits
    input part_t factor,
    input part_t low,
    output part_t tick1  // in its highest bits
);
  localparam int Low = 18;  // bits that a multiplier takes

  logic [2*Low-1:0] product;
  logic [PartBits-Low-1:0] high, high1;
  part_t product1;

  // What the other bits add to the highest.
  assign high = (PartBits - Low)'(mantissa[PartBits-1:Low]) * (PartBits - Low)'(factor[PartBits-Low-1:0]) +
      (PartBits - Low)'(mantissa[PartBits-Low-1:0]) * (PartBits - Low)'(factor[PartBits-1:Low]);

  always_ff @(posedge clk) begin
    product <= (2 * Low)'(mantissa[Low-1:0]) * (2 * Low)'(factor[Low-1:0]);
    high1 <= high;
  end
  assign product1 = {product[PartBits-1:Low] + high1, product[Low-1:0]};
  assign tick1 = product1 - low;

  logic unused;
  assign unused = &{1'b0, product[2*Low-1:PartBits]};
endmodule

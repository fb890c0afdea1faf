// |price| * quantity, a bit of the quantity a cycle: for orders known before they are due. Saturates to all ones.
//
// Latency: OrderQuantityWidth + 1 cycles, start to done. Throughput: one at a time; a start while busy is ignored (asserted).
// No parameters. Overflow: a product that does not fit is all ones, which no limit allows (risk_check).
module notional
  import tickwire_pkg::*;
  import order_pkg::*;
(
    input  logic                                 clk,
    input  logic                                 rst,
    input  logic                                 start,
    input  logic signed [        PriceWidth-1:0] price,
    input  logic        [OrderQuantityWidth-1:0] quantity,
    output logic                                 busy,
    output logic                                 done,      // product is there, until the next start
    output logic        [     NotionalWidth-1:0] product
);
  localparam int Last = OrderQuantityWidth - 1;

  logic [NotionalWidth-1:0] magnitude, sum;
  logic [Last:0] bits;  // of the quantity still to come, highest first
  logic [$clog2(OrderQuantityWidth)-1:0] left;
  logic running, overflow, carry;

  assign busy = running;
  // The carry of the doubling is sum's highest bit, that of the addition comes out of the adder.
  assign {carry, sum} = {1'b0, product[NotionalWidth-2:0], 1'b0} + {1'b0, bits[Last] ? magnitude : '0};
  assign overflow = product[NotionalWidth-1] || carry;

  always_ff @(posedge clk) begin
    done <= running && left == '0;
    if (running) begin
      // Once full it stays so: what overflowed is at least 2^64, whatever comes behind.
      product <= overflow ? '1 : sum;
      bits <= bits << 1;
      left <= left - 1'b1;
      running <= left != '0;
    end else if (start) begin
      magnitude <= price[PriceWidth-1] ? -price : price;
      bits <= quantity;
      product <= '0;
      left <= $bits(left)'(Last);
      running <= 1'b1;
    end
    if (rst) begin
      running <= 1'b0;
      done <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(start && running));
endmodule

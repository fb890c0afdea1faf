// Computes |price| * quantity, a bit of the quantity a cycle: for orders that are prepared ahead. Saturates to all ones.
//
//   total ─ + price, if the quantity's lowest bit is set ─ halved: its lowest bit replaces the quantity's used bit
//
// A negative price goes in as its complement and a carry.
//
// Latency: OrderQuantityWidth + 2 cycles, start to done. Throughput: one at a time; a start while busy is ignored (asserted).
// No parameters. Overflow: a product that does not fit is all ones, which no limit allows (risk_check).
module notional
  import order_pkg::*;
(
    input  logic                                 clk,
    input  logic                                 rst,
    input  logic                                 start,
    input  logic signed [   OrderPriceWidth-1:0] price,     // steady from the cycle after start to done
    input  logic        [OrderQuantityWidth-1:0] quantity,
    output logic                                 busy,
    output logic                                 done,      // product is there, until the next start
    output logic        [     NotionalWidth-1:0] product
);
  localparam int Product = OrderPriceWidth + OrderQuantityWidth;
  localparam int Last = OrderQuantityWidth - 1;

  logic [OrderPriceWidth-1:0] total, magnitude;
  logic [OrderPriceWidth:0] sum;
  logic carry_unused;  // where the carry came in
  logic [Last:0] bits;  // bits of the quantity still to come, the lowest first; above them the product's
  logic [$clog2(OrderQuantityWidth)-1:0] left;
  logic running, finished, unused;

  assign unused = sum[0];
  assign busy = running || finished;
  assign product = {total[NotionalWidth-OrderQuantityWidth-1:0], bits};
  assign magnitude = price[OrderPriceWidth-1] ? ~price : price;
  assign {sum, carry_unused} = {1'b0, total, 1'b1} + {1'b0, bits[0] ? magnitude : '0, bits[0] && price[OrderPriceWidth-1]};

  always_ff @(posedge clk) begin
    finished <= running && left == '0;
    done <= finished;
    if (running) begin
      {total, bits} <= {sum, bits[Last:1]};
      left <= left - 1'b1;
      running <= left != '0;
    end else if (finished) begin
      if (total[OrderPriceWidth-1:OrderPriceWidth-Product+NotionalWidth] != '0) {total, bits} <= '1;
    end else if (start) begin
      total <= '0;
      bits <= quantity;
      left <= $bits(left)'(Last);
      running <= 1'b1;
    end
    if (rst) begin
      running <= 1'b0;
      finished <= 1'b0;
      done <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(start && busy));
endmodule

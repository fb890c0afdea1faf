// The highest price of a computed order that max_notional allows: max_notional / quantity, rounded down, a bit a cycle.
//
// A price above it is refused as price * quantity > max_notional would be. A quotient that is too large, or a division by zero, is all ones.
//
// Latency: NotionalWidth + 1 cycles, start to done. Throughput: one at a time; a start while busy is ignored (asserted). No parameters. Nothing
// overflows.
module highest_price
  import order_pkg::*;
(
    input  logic                          clk,
    input  logic                          rst,
    input  logic                          start,
    input  logic [     NotionalWidth-1:0] max_notional,  // of the cycle of start
    input  logic [OrderQuantityWidth-1:0] quantity,      // steady from the cycle after start to done
    output logic                          busy,
    output logic                          done,          // price is there, until the next start
    output logic [     NotionalWidth-1:0] price
);
  logic [OrderQuantityWidth-1:0] rest;
  logic [OrderQuantityWidth:0] next_rest;
  logic [$clog2(NotionalWidth)-1:0] left;
  logic fits, zero;

  assign next_rest = {rest, price[NotionalWidth-1]};
  assign fits = next_rest >= {1'b0, quantity};
  assign zero = quantity == '0;

  always_ff @(posedge clk) begin
    done <= busy && left == '0;
    if (busy) begin
      // The dividend leaves at the top, the quotient enters at the bottom; a division by zero always fits.
      price <= {price[NotionalWidth-2:0], fits || zero};
      rest  <= OrderQuantityWidth'(fits ? next_rest - {1'b0, quantity} : next_rest);
      left  <= left - 1'b1;
      busy  <= left != '0;
    end else if (start) begin
      price <= max_notional;
      rest  <= '0;
      left  <= $bits(left)'(NotionalWidth - 1);
      busy  <= 1'b1;
    end
    if (rst) {busy, done} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(start && busy));
endmodule

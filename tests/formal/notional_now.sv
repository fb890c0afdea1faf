// Stands for notional in the proof of stop_orders: the product does not matter there, and a done in two cycles keeps the proof short. (In one,
// the slot would not be judged in groups: the fewest that notional needs are four.)
module notional  // verilog_lint: waive module-filename
  import order_pkg::*;
(
    input  logic                                 clk,
    input  logic                                 rst,
    input  logic                                 start,
    input  logic signed [   OrderPriceWidth-1:0] price,
    input  logic        [OrderQuantityWidth-1:0] quantity,
    output logic                                 busy,
    output logic                                 done,
    output logic        [     NotionalWidth-1:0] product
);
  logic running;
  assign busy = running || done;
  always_ff @(posedge clk) begin
    running <= start && !rst;
    done <= running && !rst;
    product <= NotionalWidth'(price) ^ NotionalWidth'(quantity);
  end
endmodule

// A pulse every CYCLES cycles.
//
// Latency: the first CYCLES after rst. Parameters: CYCLES, at least 2. Overflow: none.
module interval #(
    parameter int CYCLES = 125_000
) (
    input  logic clk,
    input  logic rst,
    output logic pulse
);
  logic [$clog2(CYCLES)-1:0] left;

  always_ff @(posedge clk) begin
    pulse <= left == '0;
    left  <= left == '0 ? $bits(left)'(CYCLES - 1) : left - 1'b1;
    if (rst) begin
      pulse <= 1'b0;
      left  <= $bits(left)'(CYCLES - 1);
    end
  end
endmodule

// Proves for number_near: it is true exactly if the difference, modulo 2^S, is below 2^NearBits; pipelined, a cycle later.
module number_near_formal
  import arbiter_pkg::*;
#(
    parameter int S = 64
) (
    input logic         clk,
    input logic [S-1:0] number,
    input logic [S-1:0] base
);
  logic [2:0] near, near_pipelined;
  logic near_before;
  logic [S-1:0] difference;

  number_near #(
      .S(S)
  ) dut (
      .clk,
      .number,
      .base,
      .near
  );

  number_near #(
      .S(S),
      .PIPELINED(1'b1)
  ) pipelined (
      .clk,
      .number,
      .base,
      .near(near_pipelined)
  );

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    near_before <= near == '1;
    if (started) assert ((near_pipelined == '1) == near_before);
  end

  assign difference = number - base;

  always_ff @(posedge clk) assert ((near == '1) == (difference[S-1:NearBits] == '0));
endmodule

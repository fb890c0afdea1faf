// Proves for number_equal: it is true exactly if all bits are the same; pipelined, a cycle later.
module number_equal_formal #(
    parameter int S = 64
) (
    input logic         clk,
    input logic [S-1:0] number,
    input logic [S-1:0] other
);
  logic [2:0] equal, equal_pipelined;
  logic same, same_before;

  number_equal #(
      .S(S)
  ) dut (
      .clk,
      .number,
      .other,
      .equal
  );

  number_equal #(
      .S(S),
      .PIPELINED(1'b1)
  ) pipelined (
      .clk,
      .number,
      .other,
      .equal(equal_pipelined)
  );

  assign same = (number ^ other) == '0;

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    same_before <= same;
    assert ((equal == '1) == same);
    if (started) assert ((equal_pipelined == '1) == same_before);
  end
endmodule

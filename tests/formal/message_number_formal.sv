// Proves for message_number, up to a depth in cycles and from any number loaded: messages take a number after the other, each once, up to
// 99; the sums are those of its digits.
module message_number_formal
  import order_template_pkg::*;
(
    input logic clk,
    input logic load,
    input logic [1:0][3:0] load_number,
    input logic wants
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic valid, take, exhausted;
  logic [1:0][3:0] number;
  digit_sums_t sums;
  logic [1:0][3:0] expected;
  logic behind_last = 1'b0;  // 99 is taken
  logic expects = 1'b0;

  assign take = wants && valid && !rst;

  message_number #(
      .DIGITS(2)
  ) dut (
      .clk,
      .rst,
      .load,
      .load_number,
      .take,
      .valid,
      .number,
      .sums,
      .exhausted
  );

  always_ff @(posedge clk) begin
    assume (load_number[0] < 4'd10 && load_number[1] < 4'd10);
    if (load && !rst) begin
      expects <= 1'b1;
      behind_last <= 1'b0;
      expected <= load_number;
    end else if (take) begin
      behind_last <= expected == 8'h99;
      expected[0] <= expected[0] == 4'd9 ? 4'd0 : expected[0] + 4'd1;
      if (expected[0] == 4'd9) expected[1] <= expected[1] == 4'd9 ? 4'd0 : expected[1] + 4'd1;
    end
    if (take) begin
      assert (expects && !behind_last && number == expected);
      assert (sums.even == 7'(number[1]) && sums.odd == 7'(number[0]) && sums.both == 8'(number[0]) + 8'(number[1]));
    end
    if (exhausted && !rst) assert (behind_last);
    cover (take && number == 8'h99);
  end
endmodule

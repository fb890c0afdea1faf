// Proves of message_number, up to a depth in cycles and from any number loaded: messages take a number after the other, each once, up to
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
  logic [7:0] value, expected;
  logic expects = 1'b0;

  assign take  = wants && valid && !rst;
  assign value = 8'd10 * 8'(number[1]) + 8'(number[0]);

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
      expects  <= 1'b1;
      expected <= 8'd10 * 8'(load_number[1]) + 8'(load_number[0]);
    end else if (take) expected <= expected + 8'd1;
    if (take) begin
      assert (expects && value == expected && expected < 8'd100);
      assert (sums.even == 7'(number[1]) && sums.odd == 7'(number[0]) && sums.both == 8'(number[0]) + 8'(number[1]));
    end
    if (exhausted && !rst) assert (expected == 8'd100);
    cover (take && number == 8'h99);
  end
endmodule

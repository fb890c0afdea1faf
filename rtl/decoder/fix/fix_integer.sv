// A small whole number in ASCII to binary: BodyLength and NoMDEntries. Good is one to five digits.
//
// Latency: 4 cycles. Throughput: one a cycle. No parameters; nothing overflows.
module fix_integer
  import fix_pkg::*;
(
    input  logic                           clk,
    input  number_chars_t                  chars,
    output logic                           good,
    output logic          [LengthBits-1:0] number
);
  localparam int Digits = 5;

  logic [Digits-1:0][3:0] digits, digits_1;
  logic [Digits:0] equals;
  logic shaped;

  always_comb begin
    shaped = !chars[0].equals;
    digits = '0;
    for (int i = 0; i <= Digits; i++) equals[i] = chars[i].equals;
    for (int i = 0; i < Digits; i++) begin
      if ((equals << (Digits - i)) == '0) begin
        digits[i] = chars[i].value;
        if (!chars[i].digit) shaped = 1'b0;
      end
    end
    if (equals == '0) shaped = 1'b0;
  end

  logic [6:0] low_2, high_2;
  logic [3:0] top_2;
  logic [LengthBits-1:0] low_3, top_3;
  logic [4:1] good_reg;

  always_ff @(posedge clk) begin
    digits_1 <= digits;
    low_2 <= 7'(digits_1[1]) * 7'd10 + 7'(digits_1[0]);
    high_2 <= 7'(digits_1[3]) * 7'd10 + 7'(digits_1[2]);
    top_2 <= digits_1[4];
    low_3 <= LengthBits'(high_2) * LengthBits'(100) + LengthBits'(low_2);
    top_3 <= LengthBits'(top_2) * LengthBits'(10000);
    number <= low_3 + top_3;
    good_reg <= {good_reg[3:1], shaped};
  end
  assign good = good_reg[4];

  logic unused;
  assign unused = &{1'b0, chars};
endmodule

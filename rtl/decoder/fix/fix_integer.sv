// Converts a small integer from ASCII to binary: BodyLength and NoMDEntries. Good is one to five digits.
//
// Latency: 4 cycles. Throughput: one a cycle. No parameters; nothing overflows.
module fix_integer
  import fix_pkg::*;
(
    input  logic                           clk,
    /* verilator lint_off UNUSEDSIGNAL */  // its last characters
    input  number_marks_t [1:0]            marks,   // of both halves
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic                           second,  // that half has it
    output logic                           good,
    output logic          [LengthBits-1:0] number
);
  localparam int Digits = 5;

  logic [1:0][Digits-1:0][3:0] digits;
  logic [Digits-1:0][3:0] digits_1;
  logic [1:0] good_1;
  logic second_1;
  logic [6:0] low_2, high_2;
  logic [3:0] top_2;
  logic [LengthBits-1:0] low_3, top_3;
  logic [4:2] good_reg;

  always_comb for (int h = 0; h < 2; h++) for (int i = 0; i < Digits; i++) digits[h][i] = marks[h].value[i];

  always_ff @(posedge clk) begin
    digits_1 <= digits[second];
    second_1 <= second;
    for (int h = 0; h < 2; h++) begin
      good_1[h] <= marks[h].closed && marks[h].digit[0] && marks[h].digit[NumberChars-1:Digits] == '0 &&
          {marks[h].point, marks[h].other, marks[h].minus} == '0;
    end
    low_2 <= 7'(digits_1[1]) * 7'd10 + 7'(digits_1[0]);
    high_2 <= 7'(digits_1[3]) * 7'd10 + 7'(digits_1[2]);
    top_2 <= digits_1[4];
    low_3 <= LengthBits'(high_2) * LengthBits'(100) + LengthBits'(low_2);
    top_3 <= LengthBits'(top_2) * LengthBits'(10000);
    number <= low_3 + top_3;
    good_reg <= {good_reg[3:2], good_1[second_1]};
  end
  assign good = good_reg[4];
endmodule

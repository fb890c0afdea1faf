// fix_marks and fix_digits: from the characters before a field's end to the digits of its number.
module fix_digits_tb
  import fix_pkg::*;
(
    input  logic         clk,
    input  logic [135:0] chars,     // [7:0] the last
    output logic [ 63:0] value,     // its digits, in decimal
    output logic [  3:0] decimals,
    output logic         minus,
    output logic         good
);
  number_chars_t number_chars;
  number_marks_t marks;
  fix_digits_t digits;

  always_comb begin
    for (int i = 0; i <= NumberChars; i++) begin
      automatic byte_t one = byte_of(chars[8*i+:8]);
      number_chars[i] = '{equals: one.equals, code: one.code};
    end
  end

  fix_marks fix_marks (
      .clk,
      .chars(number_chars),
      .marks
  );

  fix_digits fix_digits (
      .marks,
      .digits
  );

  assign value = digits.digits;
  assign decimals = digits.decimals;
  assign minus = digits.minus;
  assign good = digits.some_digit && digits.plain && digits.one_point && digits.few_decimals && digits.closed;
endmodule

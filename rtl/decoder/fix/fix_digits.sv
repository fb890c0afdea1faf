// Takes the point out of a number: its digits at fixed places, how many are decimals, and what is wrong with it.
//
// Latency: none. No parameters; nothing overflows.
module fix_digits
  import fix_pkg::*;
(
    input  number_marks_t marks,
    output fix_digits_t   digits
);
  always_comb begin
    digits.decimals = '0;
    for (int i = 0; i < NumberChars; i++) begin
      // Digits left of the point move onto its place.
      digits.digits[i] = marks.value[i];
      if (marks.left[i]) digits.digits[i] = i + 1 < NumberChars ? marks.value[i+1<NumberChars?i+1 : i] : 4'd0;
      if (marks.point[i]) digits.decimals |= ScaleBits'(i);
    end
    digits.minus = marks.minus != '0;
    digits.some_digit = marks.digit != '0;
    digits.plain = marks.other == '0;
    digits.one_point = marks.second == '0;
    digits.few_decimals = (marks.point >> (MaxScale + 1)) == '0;
    digits.closed = marks.closed;
  end
endmodule

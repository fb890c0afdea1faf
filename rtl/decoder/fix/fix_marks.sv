// Says what each character before a field's end is in a number: digit, point, minus or other.
//
// Latency: 1 cycle. Throughput: one a cycle. No parameters; nothing overflows.
module fix_marks
  import fix_pkg::*;
(
    input  logic          clk,
    input  number_chars_t chars,
    output number_marks_t marks
);
  logic [NumberChars-1:0] equals, points, minus;
  logic [NumberChars:0] passed, points_passed;
  logic any;  // a "=" among all of them, the one before the longest number included

  always_comb begin
    for (int i = 0; i < NumberChars; i++) begin
      equals[i] = chars[i].equals;
      points[i] = chars[i].code == CodePoint;
      minus[i]  = chars[i].code == CodeMinus && chars[i+1].equals;
    end
    any = passed[NumberChars] || chars[NumberChars].equals;
  end

  fix_any_below #(
      .BITS(NumberChars)
  ) passed_equals (
      .bits(equals),
      .below(passed)
  );

  // Counts characters in front of the number too; those are no digits.
  fix_any_below #(
      .BITS(NumberChars)
  ) passed_points (
      .bits(points),
      .below(points_passed)
  );

  always_ff @(posedge clk) begin
    marks.closed <= any;
    for (int i = 0; i < NumberChars; i++) begin
      automatic logic of_value = !passed[i] && !equals[i];
      marks.digit[i] <= of_value && is_digit(chars[i].code);
      marks.point[i] <= of_value && points[i];
      marks.left[i] <= points_passed[i] || points[i];
      marks.second[i] <= of_value && points[i] && points_passed[i];
      marks.other[i] <= of_value && !is_digit(chars[i].code) && !points[i] && !minus[i];
      marks.minus[i] <= of_value && minus[i];
      marks.value[i] <= chars[i].code & {4{of_value && is_digit(chars[i].code)}};
    end
  end

  logic unused;
  assign unused = &{1'b0, points_passed[NumberChars]};
endmodule

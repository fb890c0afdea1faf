// A decimal number in ASCII to a fixed-point integer: the characters before a field's end, the number of decimals wanted.
//
//   characters ─ mask at "=", move to the point ─ move by the scale ─ four digits to 14 bits ─ times 10^4, 10^8, 10^12 ─ sum
//
// Good is: an optional minus, digits with at most one point among them, 1 to NumberChars characters in all, at least one digit, not more
// decimals than the scale unless they are 0, not more than 16 digits at that scale. So a magnitude is below 10^16.
//
// Latency: 5 cycles; the scale is asked for a cycle behind the characters. Throughput: one a cycle. No parameters; overflow is not good.
module fix_number
  import fix_pkg::*;
(
    input  logic                          clk,
    input  number_chars_t                 chars,
    input  logic          [ScaleBits-1:0] scale,     // a cycle later
    output logic                          good,
    output logic                          negative,
    output logic          [         53:0] magnitude
);
  localparam int Digits = 16;
  typedef logic [Digits-1:0][3:0] digits_t;

  // ---- where the value begins and where its point is -------------------------------------------------

  logic [NumberChars:0] equals;
  logic [NumberChars-1:0] digit_at, point, minus_at, other_at;
  logic shaped;
  digits_t whole;
  logic [MaxScale-1:0][3:0] decimals;  // [MaxScale-1] the first behind the point

  always_comb begin
    for (int i = 0; i <= NumberChars; i++) equals[i] = chars[i].equals;
    for (int i = 0; i < NumberChars; i++) begin
      automatic logic of_value = (equals << (NumberChars - i)) == '0;  // no "=" up to here
      digit_at[i] = of_value && chars[i].digit;
      point[i] = of_value && chars[i].point;
      // A minus is the first character, behind "=".
      minus_at[i] = of_value && chars[i].minus && equals[i+1];
      other_at[i] = of_value && !chars[i].digit && !chars[i].point && !minus_at[i];
    end
    shaped = equals != '0 && digit_at != '0 && other_at == '0 && (point & (point - 1'b1)) == '0;
  end

  // Digits left and right of a point at each place, and without one.
  logic far;  // more decimals than can be kept
  digits_t value;
  always_comb begin
    for (int i = 0; i < Digits; i++) value[i] = digit_at[i] ? chars[i].value : 4'd0;
    whole = point == '0 ? value : '0;
    decimals = '0;
    far = 1'b0;
    for (int p = 0; p < NumberChars; p++) begin
      if (point[p]) begin
        for (int i = p + 1; i < Digits; i++) whole[i-p-1] |= value[i];
        for (int i = 0; i < p; i++) begin
          if (MaxScale - p + i >= 0) decimals[MaxScale-p+i] |= value[i];
          else if (value[i] != 4'd0) far = 1'b1;
        end
      end
    end
  end

  // ---- stages ----------------------------------------------------------------------------------------

  digits_t whole_1, digits_2;
  logic [MaxScale-1:0][3:0] decimals_1;
  logic [5:1] negative_reg, good_reg;
  logic fits;
  digits_t scaled;

  always_comb begin
    scaled = '0;
    fits = 1'b0;
    for (int s = 0; s <= MaxScale; s++) begin
      if (int'(scale) == s) begin
        fits = 1'b1;
        for (int i = 0; i < Digits; i++) scaled[i] |= i < s ? decimals_1[MaxScale-s+i] : whole_1[i-s];
        for (int i = Digits - s; i < Digits; i++) if (whole_1[i] != 4'd0) fits = 1'b0;
        for (int i = 0; i < MaxScale - s; i++) if (decimals_1[i] != 4'd0) fits = 1'b0;
      end
    end
  end

  logic [3:0][13:0] four_3;
  logic [13:0] product_0;
  logic [27:0] product_1;
  logic [40:0] product_2;
  logic [53:0] product_3;

  function automatic logic [13:0] four(input logic [3:0][3:0] d);
    logic [6:0] high, low;
    high = 7'(d[3]) * 7'd10 + 7'(d[2]);
    low = 7'(d[1]) * 7'd10 + 7'(d[0]);
    return 14'(high) * 14'd100 + 14'(low);
  endfunction

  always_ff @(posedge clk) begin
    whole_1 <= whole;
    decimals_1 <= decimals;
    good_reg[1] <= shaped && !far;
    negative_reg[1] <= |minus_at;

    digits_2 <= scaled;
    good_reg[2] <= good_reg[1] && fits;

    for (int q = 0; q < 4; q++) four_3[q] <= four(digits_2[4*q+:4]);
    product_0 <= four_3[0];
    product_1 <= 28'(four_3[1]) * 28'd10000;
    product_2 <= 41'(four_3[2]) * 41'd100000000;
    product_3 <= 54'(four_3[3]) * 54'd1000000000000;

    magnitude <= (54'(product_0) + 54'(product_1)) + (54'(product_2) + product_3);

    good_reg[5:3] <= good_reg[4:2];
    negative_reg[5:2] <= negative_reg[4:1];
  end

  assign good = good_reg[5];
  assign negative = negative_reg[5];
endmodule

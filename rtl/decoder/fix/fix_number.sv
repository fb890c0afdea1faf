// A decimal number in ASCII to a fixed-point integer: the marks of the characters before a field's end, the number of decimals wanted.
//
//   marks ─ take out the point ─ move by the missing decimals ─ four digits to 14 bits ─ times 10^4, 10^8, 10^12 ─ sum
//
// Good is: an optional minus, digits with at most one point among them, 1 to NumberChars characters in all, at least one digit, not more
// decimals than the scale, not more than 16 digits at that scale. So a magnitude is below 10^16.
//
// Latency: 4 cycles for `good` and `minus`, 5 for the rest; the scale is asked for a cycle behind the marks. Throughput: one a cycle. No
// parameters; overflow is not good.
module fix_number
  import fix_pkg::*;
(
    input  logic                          clk,
    input  number_marks_t                 marks,
    input  logic          [ScaleBits-1:0] scale,      // a cycle later
    output logic                          good,
    output logic                          minus,
    output logic                          negative,   // `minus` a cycle later
    output logic          [         53:0] magnitude
);
  localparam int Digits = 16;
  typedef logic [Digits-1:0][3:0] digits_t;

  // ---- without the point -----------------------------------------------------------------------------

  logic shaped;
  // Of a good number at most one point: of none or one, one less has no bit in common with it.
  assign shaped = marks.closed && marks.digit != '0 && marks.other == '0 && (marks.point & (marks.point - 1'b1)) == '0;

  // Digits left of the point move onto its place; how many are right of it.
  digits_t value;
  logic [ScaleBits-1:0] decimals;
  logic far;  // more decimals than any scale
  logic [NumberChars:0] point_passed;
  always_comb begin
    point_passed = any_up_to({1'b0, marks.point});
    decimals = '0;
    for (int i = 0; i < Digits; i++) begin
      automatic logic left = point_passed[i];  // of the point, or in its place
      automatic int from = i + 1 < Digits ? i + 1 : i;  // a point there leaves no digit behind it
      if (left) value[i] = marks.digit[from] && from != i ? marks.value[from] : 4'd0;
      else value[i] = marks.digit[i] ? marks.value[i] : 4'd0;
      if (marks.point[i]) decimals |= ScaleBits'(i);
    end
    far = (marks.point >> (MaxScale + 1)) != '0;
  end

  // ---- stages ----------------------------------------------------------------------------------------

  digits_t digits_1, digits_2, scaled;
  logic [ScaleBits-1:0] decimals_1, missing;
  logic [5:1] negative_reg;
  logic [4:1] good_reg;
  logic fits;

  assign missing = scale - decimals_1;
  always_comb begin
    scaled = digits_1 << {missing, 2'b00};
    fits = scale <= ScaleBits'(MaxScale) && decimals_1 <= scale;
    for (int i = 0; i < MaxScale; i++) if (i < int'(missing) && digits_1[Digits-1-i] != 4'd0) fits = 1'b0;
  end

  logic [3:0][13:0] four_3, four_4;
  logic [27:0] product_1;
  // 10^8 and 10^12 in two factors each that a multiplier takes: 390625 = 2^18 + 128481, 244140625 = 1862 * 2^17 + 84561.
  logic [31:0] product_2, product_3_high, product_3_low;

  function automatic logic [13:0] four(input logic [3:0][3:0] d);
    logic [6:0] high, low;
    high = {d[3], 3'd0} + {2'd0, d[3], 1'd0} + 7'(d[2]);
    low = {d[1], 3'd0} + {2'd0, d[1], 1'd0} + 7'(d[0]);
    return {1'd0, high, 6'd0} + {2'd0, high, 5'd0} + {5'd0, high, 2'd0} + 14'(low);
  endfunction

  always_ff @(posedge clk) begin
    digits_1 <= value;
    decimals_1 <= decimals;
    good_reg[1] <= shaped && !far;
    negative_reg[1] <= marks.minus;

    digits_2 <= scaled;
    good_reg[2] <= good_reg[1] && fits;

    for (int q = 0; q < 4; q++) four_3[q] <= four(digits_2[4*q+:4]);

    four_4 <= four_3;
    product_1 <= 28'(four_3[1]) * 28'd10000;
    product_2 <= 32'(four_3[2]) * 32'd128481;
    product_3_high <= 32'(four_3[3]) * 32'd1862;
    product_3_low <= 32'(four_3[3]) * 32'd84561;

    magnitude <= 54'(four_4[0]) + 54'(product_1) + (54'(product_2) << 8) + (54'(four_4[2]) << 26) + (54'(product_3_low) << 12) +
        (54'(product_3_high) << 29);

    good_reg[4:3] <= good_reg[3:2];
    negative_reg[5:2] <= negative_reg[4:1];
  end

  assign good = good_reg[4];
  assign minus = negative_reg[4];
  assign negative = negative_reg[5];

  logic unused;
  assign unused = &{1'b0, four_4};
endmodule

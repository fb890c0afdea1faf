// A decimal number in ASCII to a fixed-point integer: the marks of the characters before a field's end, the number of decimals wanted.
//
//   marks ─ take out the point ─ move by the missing decimals ─ four digits to 14 bits ─ times 10^4, 10^8, 10^12, signed ─ sum
//
// Good is: an optional minus, digits with at most one point among them, 1 to NumberChars characters in all, at least one digit, not more
// decimals than the scale, not more than 16 digits at that scale. So a magnitude is below 10^16.
//
// Latency: 3 cycles for `good` and `minus`, 5 for the value; the scale is asked for a cycle behind the marks. Throughput: one a cycle. No
// parameters; overflow is not good.
module fix_number
  import fix_pkg::*;
(
    input  logic                                 clk,
    input  number_marks_t                        marks,
    input  logic                 [ScaleBits-1:0] scale,  // a cycle later
    output logic                                 good,
    output logic                                 minus,
    output logic          signed [         54:0] value,
    output logic                                 wide    // it does not fit into NarrowPrice bits; the lowest that does is told so too
);
  localparam int Digits = 16;
  typedef logic [Digits-1:0][3:0] digits_t;

  // ---- without the point -----------------------------------------------------------------------------

  // Digits left of the point move onto its place; how many are right of it.
  digits_t digits;
  logic [ScaleBits-1:0] decimals;
  always_comb begin
    decimals = '0;
    for (int i = 0; i < Digits; i++) begin
      digits[i] = marks.value[i];
      if (marks.left[i]) digits[i] = i + 1 < Digits ? marks.value[i+1<Digits?i+1 : i] : 4'd0;
      if (marks.point[i]) decimals |= ScaleBits'(i);
    end
  end

  // ---- moved -----------------------------------------------------------------------------------------

  digits_t digits_1, digits_2;
  logic [ScaleBits-1:0] decimals_1, missing;
  digits_t scaled;
  logic plain_1, closed_1, some_1, single_1, near_1, shaped_2, fits_2;
  logic [MaxScale-1:0] lost, lost_2;  // digits that have no room

  assign missing = scale - decimals_1;
  assign scaled = digits_1 << {missing, 2'b00};
  always_comb for (int i = 0; i < MaxScale; i++) lost[i] = digits_1[Digits-1-i] != '0 && missing > ScaleBits'(i);

  // ---- to binary -------------------------------------------------------------------------------------

  logic [4:1] minus_reg;
  logic good_3;
  logic [3:0][13:0] four_3;
  logic [13:0] four_4_0, four_4_2;
  logic [27:0] product_1;
  // 10^8 and 10^12 in two factors each that a multiplier takes: 390625 = 2^18 + 128481, 244140625 = 1862 * 2^17 + 84561.
  logic [31:0] product_2, product_3_high, product_3_low;

  function automatic logic [13:0] four(input logic [3:0][3:0] d);
    logic [6:0] high, low;
    high = {d[3], 3'd0} + {2'd0, d[3], 1'd0} + 7'(d[2]);
    low = {d[1], 3'd0} + {2'd0, d[1], 1'd0} + 7'(d[0]);
    return {1'd0, high, 6'd0} + {2'd0, high, 5'd0} + {5'd0, high, 2'd0} + 14'(low);
  endfunction

  // As many as are too many are so in decimal already, four digits at a time.
  localparam logic [3:0][15:0] Limit = 64'h0281_4749_7671_0656;  // 2^(NarrowPrice - 1)
  logic [3:0] above_3, equal_3;
  logic wide_4;

  // What does not overlap is one addend. Of a negative number they are inverted one by one, before the sum: each is one too low then.
  logic [54:0] addend_1, addend_2, addend_3, addend_4;
  logic sign;
  assign sign = minus_reg[4];
  assign addend_1 = {{15{sign}}, four_4_2, {12{sign}}, four_4_0};
  assign addend_2 = {26'(product_3_high), sign, product_1};
  assign addend_3 = {{15{sign}}, product_2, {8{sign}}};
  assign addend_4 = {{11{sign}}, product_3_low, {12{sign}}};

  always_ff @(posedge clk) begin
    digits_1 <= digits;
    decimals_1 <= decimals;
    plain_1 <= marks.other == '0;
    closed_1 <= marks.closed;
    some_1 <= marks.digit != '0;
    single_1 <= marks.second == '0;
    near_1 <= (marks.point >> (MaxScale + 1)) == '0;  // not more decimals than any scale

    digits_2 <= scaled;
    lost_2 <= lost;
    shaped_2 <= plain_1 && closed_1 && some_1 && single_1 && near_1;
    fits_2 <= scale <= ScaleBits'(MaxScale) && decimals_1 <= scale;

    for (int q = 0; q < 4; q++) four_3[q] <= four(digits_2[4*q+:4]);
    for (int q = 0; q < 4; q++) begin
      above_3[q] <= digits_2[4*q+:4] > Limit[q];
      equal_3[q] <= digits_2[4*q+:4] == Limit[q];
    end
    wide_4 <= above_3[3] || (equal_3[3] && (above_3[2] || (equal_3[2] && (above_3[1] || (equal_3[1] && (above_3[0] || equal_3[0]))))));
    wide <= wide_4;
    good_3 <= shaped_2 && fits_2 && lost_2 == '0;

    four_4_0 <= four_3[0] ^ {14{minus_reg[3]}};
    four_4_2 <= four_3[2] ^ {14{minus_reg[3]}};
    product_1 <= (28'(four_3[1]) * 28'd10000) ^ {28{minus_reg[3]}};
    product_2 <= (32'(four_3[2]) * 32'd128481) ^ {32{minus_reg[3]}};
    product_3_high <= (32'(four_3[3]) * 32'd1862) ^ {32{minus_reg[3]}};
    product_3_low <= (32'(four_3[3]) * 32'd84561) ^ {32{minus_reg[3]}};

    minus_reg <= {minus_reg[3:1], marks.minus != '0};
    value <= addend_1 + addend_2 + addend_3 + addend_4 + {52'd0, minus_reg[4], 2'd0};
  end

  assign good = good_3;
  assign minus = minus_reg[3];

  logic unused;
  assign unused = &{1'b0, product_3_high[31:26]};
endmodule

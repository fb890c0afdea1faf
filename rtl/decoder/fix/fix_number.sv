// Converts a decimal number in ASCII to a fixed-point integer; in: its digits and the number of decimals wanted.
//
//   digits ─ register ─ move by the missing decimals ─ four digits to 14 bits ─ times 10^4, 10^8, 10^12, signed ─ sum
//
// Good is: an optional minus, digits with at most one point among them, 1 to NumberChars characters in all, at least one digit, not more
// decimals than the scale, not more than 16 digits at that scale. So a magnitude is below 10^16.
//
// Latency: 3 cycles for `good` and `minus`, 5 for the value; the scale comes a cycle after the digits. Throughput: one a cycle. No
// parameters; overflow is not good.
module fix_number
  import fix_pkg::*;
(
    input  logic                                 clk,
    input  fix_digits_t                          number,
    input  logic                 [ScaleBits-1:0] scale,  // a cycle later
    output logic                                 good,
    output logic                                 minus,
    output logic          signed [         54:0] value,
    output logic                                 wide,   // it does not fit into NarrowPrice bits, or is the lowest that does
    output logic                                 zero    // it is 0
);
  localparam int Digits = NumberChars;
  typedef logic [Digits-1:0][3:0] digits_t;

  // ---- moved -----------------------------------------------------------------------------------------

  fix_digits_t number_1;
  digits_t digits_2;
  logic [ScaleBits-1:0] missing;
  digits_t scaled;
  logic shaped_2, fits_2;
  logic [MaxScale-1:0] lost, lost_2;  // digits that do not fit

  assign missing = scale - number_1.decimals;
  assign scaled = number_1.digits << {missing, 2'b00};
  always_comb for (int i = 0; i < MaxScale; i++) lost[i] = number_1.digits[Digits-1-i] != '0 && missing > ScaleBits'(i);

  // ---- to binary -------------------------------------------------------------------------------------

  logic [4:2] minus_reg;
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

  // Compared with NarrowPrice's limit in decimal already, four digits at a time.
  localparam logic [3:0][15:0] Limit = 64'h0281_4749_7671_0656;  // 2^(NarrowPrice - 1)
  logic [3:0] above_3, equal_3;
  logic wide_4;
  logic [4:3] zero_reg;

  // Terms that do not overlap form one addend. For a negative number each addend is inverted before the sum, and is one too low then.
  logic [54:0] addend_1, addend_2, addend_3, addend_4;
  logic sign;
  assign sign = minus_reg[4];
  assign addend_1 = {{15{sign}}, four_4_2, {12{sign}}, four_4_0};
  assign addend_2 = {26'(product_3_high), sign, product_1};
  assign addend_3 = {{15{sign}}, product_2, {8{sign}}};
  assign addend_4 = {{11{sign}}, product_3_low, {12{sign}}};

  always_ff @(posedge clk) begin
    number_1 <= number;

    digits_2 <= scaled;
    lost_2 <= lost;
    shaped_2 <= number_1.plain && number_1.closed && number_1.some_digit && number_1.one_point && number_1.few_decimals;
    fits_2 <= scale <= ScaleBits'(MaxScale) && number_1.decimals <= scale;

    for (int q = 0; q < 4; q++) four_3[q] <= four(digits_2[4*q+:4]);
    for (int q = 0; q < 4; q++) begin
      above_3[q] <= digits_2[4*q+:4] > Limit[q];
      equal_3[q] <= digits_2[4*q+:4] == Limit[q];
    end
    wide_4 <= above_3[3] || (equal_3[3] && (above_3[2] || (equal_3[2] && (above_3[1] || (equal_3[1] && (above_3[0] || equal_3[0]))))));
    wide <= wide_4;
    zero_reg <= {zero_reg[3], digits_2 == '0};
    zero <= zero_reg[4];
    good_3 <= shaped_2 && fits_2 && lost_2 == '0;

    four_4_0 <= four_3[0] ^ {14{minus_reg[3]}};
    four_4_2 <= four_3[2] ^ {14{minus_reg[3]}};
    product_1 <= (28'(four_3[1]) * 28'd10000) ^ {28{minus_reg[3]}};
    product_2 <= (32'(four_3[2]) * 32'd128481) ^ {32{minus_reg[3]}};
    product_3_high <= (32'(four_3[3]) * 32'd1862) ^ {32{minus_reg[3]}};
    product_3_low <= (32'(four_3[3]) * 32'd84561) ^ {32{minus_reg[3]}};

    minus_reg <= {minus_reg[3:2], number_1.minus};
    value <= addend_1 + addend_2 + addend_3 + addend_4 + {52'd0, minus_reg[4], 2'd0};
  end

  assign good = good_3;
  assign minus = minus_reg[3];

  logic unused;
  assign unused = &{1'b0, product_3_high[31:26]};
endmodule

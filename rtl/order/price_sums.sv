// The sums of a price's digits for the checksums of a message: of those at even offsets in the field, at odd ones, of all.
//
// The field is the digits with the decimal point between two of them; digits after the point are one byte further.
//
// Latency: 1 cycle. Throughput: a price a cycle. Parameters: DIGITS of a price. Nothing overflows.
module price_sums
  import order_template_pkg::*;
#(
    parameter int DIGITS = 10
) (
    input  logic                          clk,
    input  logic        [DIGITS-1:0][3:0] digits,    // [0] is the last
    input  logic        [        3:0]     decimals,  // digits after the point; 0: there is no point. Steady
    output digit_sums_t                   sums
);
  logic [DIGITS-1:0] after_point, odd;
  logic [6:0] even_sum, odd_sum;

  always_comb begin
    even_sum = '0;
    odd_sum  = '0;
    for (int i = 0; i < DIGITS; i++) begin
      odd[i] = 1'((DIGITS - 1 - i) % 2) ^ after_point[i];
      even_sum = even_sum + (odd[i] ? 7'd0 : 7'(digits[i]));
      odd_sum  = odd_sum + (odd[i] ? 7'(digits[i]) : 7'd0);
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < DIGITS; i++) after_point[i] <= 4'(i) < decimals;
    sums <= '{even: even_sum, odd: odd_sum, both: 8'(even_sum) + 8'(odd_sum)};
  end
endmodule

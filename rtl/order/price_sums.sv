// The sums of a price's digits for the checksums of a message: of all, of those at even and of those at odd offsets.
//
// Latency: 1 cycle. Throughput: a price a cycle. No parameters. Nothing overflows.
module price_sums
  import order_template_pkg::PriceDigits;
(
    input  logic                         clk,
    input  logic [PriceDigits-1:0][3:0]  digits,
    input  logic [PriceDigits-1:0]       odd_offset,  // of each digit
    output logic [            6:0]       all,
    output logic [            6:0]       even,
    output logic [            6:0]       odd
);
  typedef logic [PriceDigits-1:0][3:0] digits_t;

  // Balanced, for short paths.
  function automatic logic [6:0] sum_of(input digits_t terms);
    logic [PriceDigits/2-1:0][4:0] pairs;
    for (int p = 0; p < PriceDigits / 2; p++) pairs[p] = 5'(terms[2*p]) + 5'(terms[2*p+1]);
    return (7'(pairs[0]) + 7'(pairs[1])) + ((7'(pairs[2]) + 7'(pairs[3])) + 7'(pairs[4]));
  endfunction

  digits_t at_odd, at_even;
  always_comb begin
    for (int i = 0; i < PriceDigits; i++) begin
      at_odd[i]  = digits[i] & {4{odd_offset[i]}};
      at_even[i] = digits[i] & {4{!odd_offset[i]}};
    end
  end

  always_ff @(posedge clk) begin
    all  <= sum_of(digits);
    even <= sum_of(at_even);
    odd  <= sum_of(at_odd);
  end
endmodule

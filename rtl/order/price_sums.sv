// The sums of a price's digits for the checksums of a message: of all, of those at even and of those at odd offsets.
//
// Latency: STAGES cycles, 1 or 2. Throughput: a price a cycle. Nothing overflows.
module price_sums
  import order_template_pkg::PriceDigits;
#(
    parameter int STAGES = 1
) (
    input  logic                         clk,
    input  logic [PriceDigits-1:0][3:0]  digits,
    input  logic [PriceDigits-1:0]       odd_offset,  // of each digit
    output logic [            6:0]       all,
    output logic [            6:0]       even,
    output logic [            6:0]       odd
);
  typedef logic [PriceDigits-1:0][3:0] digits_t;

  typedef logic [PriceDigits/2-1:0][4:0] pairs_t;

  function automatic pairs_t pairs_of(input digits_t terms);
    for (int p = 0; p < PriceDigits / 2; p++) pairs_of[p] = 5'(terms[2*p]) + 5'(terms[2*p+1]);
  endfunction

  // Balanced, for short paths.
  function automatic logic [6:0] sum_of(input pairs_t pairs);
    return (7'(pairs[0]) + 7'(pairs[1])) + ((7'(pairs[2]) + 7'(pairs[3])) + 7'(pairs[4]));
  endfunction

  digits_t at_odd, at_even;
  pairs_t [2:0] pairs_now, pairs;  // of all, of those at even and at odd offsets
  assign pairs_now = {pairs_of(at_odd), pairs_of(at_even), pairs_of(digits)};
  if (STAGES == 2) begin : gen_two
    always_ff @(posedge clk) pairs <= pairs_now;
  end else begin : gen_one
    assign pairs = pairs_now;
  end
  always_comb begin
    for (int i = 0; i < PriceDigits; i++) begin
      at_odd[i]  = digits[i] & {4{odd_offset[i]}};
      at_even[i] = digits[i] & {4{!odd_offset[i]}};
    end
  end

  always_ff @(posedge clk) begin
    all  <= sum_of(pairs[0]);
    even <= sum_of(pairs[1]);
    odd  <= sum_of(pairs[2]);
  end
endmodule

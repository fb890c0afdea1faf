// The sums of a price's digits for the checksums of a message: of all, in two parts, then of those at even and at odd offsets in the field.
//
//   digits ─┬─ of each half ─ halves                    (for FIX's CheckSum)
//           └─ of each pair, even and odd ─ even, odd   (for TCP's)
//
// The field is the digits with the decimal point between two of them: what comes after the point is one byte further.
//
// Latency: `halves` 1 cycle, `even` and `odd` 2. Throughput: a price a cycle. No parameters. Nothing overflows.
module price_sums (
    input  logic                   clk,
    input  logic [9:0][3:0] digits,    // [0] is the last
    input  logic [       3:0]      decimals,  // digits after the point; 0: there is no point. Steady
    output logic [       1:0][6:0] halves,
    output logic [       6:0]      even,
    output logic [       6:0]      odd
);
  localparam int Digits = 10;
  localparam int Pairs = Digits / 2;

  logic [Digits-1:0] is_odd;  // its offset
  logic [Pairs-1:0][4:0] even_pairs, odd_pairs;
  logic [1:0][Pairs-1:0][4:0] half_terms;

  // Balanced, for short paths.
  function automatic logic [6:0] sum_of(input logic [Pairs-1:0][4:0] terms);
    return (7'(terms[0]) + 7'(terms[1])) + (7'(terms[2]) + (7'(terms[3]) + 7'(terms[4])));
  endfunction

  always_comb for (int i = 0; i < Digits; i++) half_terms[i/Pairs][i%Pairs] = 5'(digits[i]);

  always_ff @(posedge clk) begin
    for (int i = 0; i < Digits; i++) is_odd[i] <= 1'((Digits - 1 - i) % 2) ^ (4'(i) < decimals);
    for (int p = 0; p < Pairs; p++) begin
      odd_pairs[p]  <= 5'(digits[2*p] & {4{is_odd[2*p]}}) + 5'(digits[2*p+1] & {4{is_odd[2*p+1]}});
      even_pairs[p] <= 5'(digits[2*p] & {4{!is_odd[2*p]}}) + 5'(digits[2*p+1] & {4{!is_odd[2*p+1]}});
    end
    halves <= {sum_of(half_terms[1]), sum_of(half_terms[0])};
    even   <= sum_of(even_pairs);
    odd    <= sum_of(odd_pairs);
  end

endmodule

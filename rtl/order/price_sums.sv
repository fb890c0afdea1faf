// The sums of a price's digits for the checksums of a message: of all, of those at even and of those at odd offsets, each in two parts, which whoever
// needs the sum adds to what else he adds.
//
// Latency: 1 cycle. Throughput: a price a cycle. Nothing overflows.
module price_sums
  import order_template_pkg::PriceDigits;
(
    input  logic                        clk,
    input  logic                        none,        // there is no price: all sums are 0
    input  logic [PriceDigits-1:0][3:0] digits,
    input  logic [PriceDigits-1:0]      odd_offset,  // of each digit
    output logic [            1:0][5:0] all,
    output logic [            1:0][5:0] even,
    output logic [            1:0][5:0] odd
);
  localparam int Half = PriceDigits / 2;
  typedef logic [Half-1:0][3:0] half_t;

  // Three sums without carries, then one with: five carry chains one after the other would take most of a cycle.
  function automatic logic [5:0] sum_of(input half_t terms);
    logic [3:0] sum1, carry1, sum2, carry2;
    logic [5:0] sum3;
    logic [4:0] carry3;
    sum1   = terms[0] ^ terms[1] ^ terms[2];
    carry1 = (terms[0] & terms[1]) | (terms[2] & (terms[0] | terms[1]));
    sum2   = sum1 ^ terms[3] ^ terms[4];
    carry2 = (sum1 & terms[3]) | (terms[4] & (sum1 | terms[3]));
    sum3   = {2'b0, sum2} ^ {1'b0, carry1, 1'b0} ^ {1'b0, carry2, 1'b0};
    carry3 = ({1'b0, sum2} & {carry1, 1'b0}) | ({carry2, 1'b0} & ({1'b0, sum2} | {carry1, 1'b0}));
    return sum3 + {carry3, 1'b0};
  endfunction

  half_t [1:0] halves, at_odd, at_even;
  always_comb begin
    for (int h = 0; h < 2; h++) begin
      for (int i = 0; i < Half; i++) begin
        halves[h][i]  = digits[Half*h+i];
        at_odd[h][i]  = digits[Half*h+i] & {4{odd_offset[Half*h+i]}};
        at_even[h][i] = digits[Half*h+i] & {4{!odd_offset[Half*h+i]}};
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int h = 0; h < 2; h++) begin
      all[h]  <= sum_of(halves[h]);
      even[h] <= sum_of(at_even[h]);
      odd[h]  <= sum_of(at_odd[h]);
    end
    if (none) {all, even, odd} <= '0;
  end

  if (PriceDigits != 10) begin : gen_check
    $fatal(1, "price_sums adds two times five digits; a price has %0d", PriceDigits);
  end
endmodule

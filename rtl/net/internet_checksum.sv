// Adds up 16-bit words in ones' complement (RFC 1071) and tells whether the sum is zero, as that of good data with its checksum is.
//
// Nothing is carried: the sum is kept as two words, reduced by full adders whose carry out of bit 15 comes in at bit 0, which is the
// end-around carry. So a beat costs three levels of logic and not an adder. Two words add up to zero, in ones' complement, when each bit
// differs. (Or when both are all ones, which the adders give only if all their inputs were so: do not begin with that. Or when both are
// zero, which no sum above zero becomes: `begin_with` must not be zero where the words may be.)
// Words may be taken in either byte order (RFC 1071, 2B), all the same way.
// Latency: 1 cycle from words to `good`. Throughput: WORDS words a cycle. Parameters: WORDS, 1 or 4.
module internet_checksum #(
    parameter int WORDS = 4
) (
    input  logic                   clk,
    input  logic                   add,         // words count in this cycle
    input  logic                   restart,     // with add: forget what was, begin with this
    input  logic [1:0][15:0]       begin_with,
    input  logic [WORDS-1:0][15:0] words,
    output logic                   good
);
  logic [1:0][15:0] sum_reg, base, next;

  // Three words to two with the same sum: sum bits in [0], carries in [1].
  function automatic logic [1:0][15:0] reduce(input logic [15:0] a, input logic [15:0] b, input logic [15:0] c);
    logic [15:0] carry;
    carry = (a & b) | (a & c) | (b & c);
    return {{carry[14:0], carry[15]}, a ^ b ^ c};
  endfunction

  assign base = restart ? begin_with : sum_reg;
  assign good = (sum_reg[0] ^ sum_reg[1]) == 16'hffff;

  if (WORDS == 1) begin : g_one
    assign next = reduce(words[0], base[0], base[1]);
  end else if (WORDS == 4) begin : g_four
    logic [1:0][15:0] left, right, middle;
    always_comb begin
      left = reduce(words[0], words[1], words[2]);
      right = reduce(words[3], base[0], base[1]);
      middle = reduce(left[0], left[1], right[0]);
      next = reduce(right[1], middle[0], middle[1]);
    end
  end else begin : g_words
    $fatal(1, "internet_checksum: WORDS must be 1 or 4");
  end

  always_ff @(posedge clk) if (add) sum_reg <= next;

endmodule

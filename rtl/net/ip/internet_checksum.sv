// Adds up 16-bit words in ones' complement (RFC 1071) and says whether the sum is zero, as that of good data with its checksum is.
//
// No carry runs through: the sum is held as two words, reduced by full adders whose carry out of bit 15 comes in at bit 0, which is the
// end-around carry. So a beat costs three levels of logic and not an adder. Two words add up to zero, in ones' complement, when each bit
// differs. (Or when both are all ones, which the adders give only if all their inputs were so: do not begin with that. Or when both are
// zero, which never results from a sum above zero: `begin_with` must not be zero where the words may be.)
// Words may be taken in either byte order (RFC 1071, 2B), all in the same one.
// Latency: 1 cycle from words to `good`. Throughput: WORDS words a cycle. Parameters: WORDS, 1 or 4.
module internet_checksum
  import checksum_pkg::*;
#(
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

  assign base = restart ? begin_with : sum_reg;
  assign good = (sum_reg[0] ^ sum_reg[1]) == 16'hffff;

  if (WORDS == 1) begin : g_one
    assign next = reduce(words[0], base[0], base[1]);
  end else if (WORDS == 4) begin : g_four
    assign next = reduce_four(words, base);
  end else begin : g_words
    $fatal(1, "internet_checksum: WORDS must be 1 or 4");
  end

  always_ff @(posedge clk) if (add) sum_reg <= next;

endmodule

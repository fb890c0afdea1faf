// Ones'-complement sums (RFC 1071) without carries.
package checksum_pkg;

  // Three words to two with the same sum: sum bits in [0], carries in [1]. A full adder a bit; the carry out of bit 15 comes in at bit 0.
  function automatic logic [1:0][15:0] reduce(input logic [15:0] a, input logic [15:0] b, input logic [15:0] c);
    logic [15:0] carry;
    carry = (a & b) | (a & c) | (b & c);
    return {{carry[14:0], carry[15]}, a ^ b ^ c};
  endfunction

  // Six words to two.
  function automatic logic [1:0][15:0] reduce_four(input logic [3:0][15:0] words, input logic [1:0][15:0] base);
    logic [1:0][15:0] left, right, middle;
    left = reduce(words[0], words[1], words[2]);
    right = reduce(words[3], base[0], base[1]);
    middle = reduce(left[0], left[1], right[0]);
    return reduce(right[1], middle[0], middle[1]);
  endfunction

endpackage

// Tells whether one sequence number is near at or past another: less than 2^NearBits ahead of it, modulo 2^S.
//
// The low parts are compared; then the high parts must be equal, or, with a borrow, one apart. Whether high = base_high + borrow is found without a
// carry through all its bits: if it holds, each bit's carry is known from the bit below alone, so every bit checks its own.
//
// Latency: 0. Throughput: a comparison a cycle. Parameters: S, bits of a sequence number, more than NearBits. Overflow: none.
module number_near
  import arbiter_pkg::NearBits;
#(
    parameter int S = 64
) (
    input  logic [S-1:0] number,
    input  logic [S-1:0] base,
    output logic         near
);
  localparam int High = S - NearBits;

  logic [High-1:0] number_high, base_high;
  logic [High-1:1] carry;
  logic borrow, rest;

  assign borrow = number[NearBits-1:0] < base[NearBits-1:0];
  assign number_high = number[S-1:NearBits];
  assign base_high = base[S-1:NearBits];
  assign carry = base_high[High-2:0] & ~number_high[High-2:0];
  assign rest = number_high[High-1:1] == (base_high[High-1:1] ^ carry);
  // The borrow comes last, and is needed for one bit only.
  assign near = rest && borrow == (number_high[0] ^ base_high[0]);

  if (S <= NearBits + 1) begin : gen_check
    $fatal(1, "number_near: S is %0d; it must be more than NearBits + 1", S);
  end
endmodule

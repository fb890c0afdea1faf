// Says whether one sequence number is near at or past another: less than 2^NearBits ahead of it, modulo 2^S.
//
// The low parts are compared; then the high parts must be equal, or, with a borrow, one apart. Whether high = base_high + borrow is found without a
// carry through all its bits: if it holds, each bit's carry is known from the bit below alone, so every bit checks its own.
//
// Latency: 0 cycles, 1 with PIPELINED. Throughput: a comparison a cycle. Parameters: S, bits of a sequence number, more than NearBits; PIPELINED.
// Overflow: none.
module number_near
  import arbiter_pkg::NearBits;
#(
    parameter int S = 64,
    parameter bit PIPELINED = 1'b0
) (
    input  logic         clk,
    input  logic [S-1:0] number,
    input  logic [S-1:0] base,
    output logic [  2:0] near     // all set if it is; the AND over them may come after a register
);
  localparam int High = S - NearBits;

  logic [High-1:0] number_high, base_high;
  logic [High-1:1] carry;
  logic borrow, lowest;
  logic [High-1:1] unlike;

  assign borrow = number[NearBits-1:0] < base[NearBits-1:0];
  assign number_high = number[S-1:NearBits];
  assign base_high = base[S-1:NearBits];
  assign carry = base_high[High-2:0] & ~number_high[High-2:0];
  assign unlike = number_high[High-1:1] ^ base_high[High-1:1] ^ carry;
  // The borrow comes last, and is needed for one bit only.
  assign lowest = number_high[0] ^ base_high[0];

  if (PIPELINED) begin : gen_pipelined
    localparam int Groups = 2 * ((High + 6) / 8);
    logic borrow_reg, lowest_reg;
    logic [4*Groups-1:0] unlike_all;
    logic [  Groups-1:0] unlike_reg;
    assign unlike_all = (4 * Groups)'(unlike);
    always_ff @(posedge clk) begin
      borrow_reg <= borrow;
      lowest_reg <= lowest;
      for (int i = 0; i < Groups; i++) unlike_reg[i] <= unlike_all[4*i+:4] != '0;
    end
    assign near = {unlike_reg[Groups-1:Groups/2] == '0, unlike_reg[Groups/2-1:0] == '0, borrow_reg == lowest_reg};
  end else begin : gen_at_once
    logic unused;
    assign unused = &{1'b0, clk};
    localparam int Half = High / 2;
    logic [2*Half-1:0] unlike_all;
    assign unlike_all = (2 * Half)'(unlike);
    assign near = {unlike_all[2*Half-1:Half] == '0, unlike_all[Half-1:0] == '0, borrow == lowest};
  end

  if (S <= NearBits + 1) begin : gen_check
    $fatal(1, "number_near: S is %0d; it must be more than NearBits + 1", S);
  end
endmodule

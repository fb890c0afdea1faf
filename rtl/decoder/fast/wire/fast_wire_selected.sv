// Takes one token out of a beat's: that of the lane that was selected, or nothing.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: BYTES of the longest value; ZERO, of any value but 0 the number 1 is given. Overflow: of a longer one the lowest BYTES are given, and its count.
module fast_wire_selected
  import fast_wire_pkg::*;
#(
    parameter int BYTES = 5,
    parameter bit ZERO = 1'b0
) (
    input logic clk,
    input logic [Lanes-1:0] selected10,
    input logic [Lanes-1:0][7*(Lanes-1)-1:0] values10,
    input token_t [Lanes-1:0] tokens10,
    /* verilator lint_off UNUSEDSIGNAL */
    input logic [ValueBits-1:0] first10,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [Lanes-1:0] first_at10,

    output logic any11,
    output logic [7*BYTES-1:0] bits11,
    output token_t token11
);
  localparam int Bits = 7 * BYTES;
  localparam int Masked = Bits < 7 * (Lanes - 1) ? Bits : 7 * (Lanes - 1);

  logic [Bits-1:0] chosen;
  token_t one;
  logic is_first, some;

  always_comb begin
    is_first = (selected10 & first_at10) != '0;
    chosen = is_first ? first10[Bits-1:0] : '0;
    one = selected10[0] ? tokens10[0] : '0;
    some = is_first && first10[Bits-1:0] != '0;
    for (int j = 1; j < Lanes; j++) begin
      if (selected10[j]) begin
        // One that ends in lane j, and is not the first, has j bytes at most.
        for (int i = 0; i < Masked && i < 7 * j; i++) chosen[i] |= values10[j][i];
        one |= tokens10[j];
        some |= values10[j][Masked-1:0] != '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    any11   <= selected10 != '0;
    bits11  <= ZERO ? Bits'(some) : chosen;
    token11 <= one;
  end
endmodule

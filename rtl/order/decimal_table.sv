// The decimal of a few bits of a number, at their place in it: looked up in block RAM.
//
// Latency: 2 cycles, with the block RAM's output register. Throughput: one a cycle. Parameters: BITS looked up; SHIFT, bits of the number below
// them; DIGITS of the largest; MORE, added to each digit (see decimal_digits). Nothing overflows.
module decimal_table #(
    parameter int BITS = 9,
    parameter int SHIFT = 0,
    parameter int DIGITS = 3,
    parameter int MORE = 0
) (
    input  logic                        clk,
    input  logic [  BITS-1:0]           bits,
    output logic [DIGITS-1:0][3:0] digits
);
  (* rom_style = "block" *) logic [DIGITS-1:0][3:0] decimals[1<<BITS];
  logic [DIGITS-1:0][3:0] read;

  function automatic logic [DIGITS-1:0][3:0] decimal_of(input logic [63:0] number);
    logic [63:0] rest;
    rest = number;
    for (int i = 0; i < DIGITS; i++) begin
      decimal_of[i] = 4'(rest % 64'd10) + 4'(MORE);
      rest = rest / 64'd10;
    end
  endfunction

  initial for (int i = 0; i < 1 << BITS; i++) decimals[i] = decimal_of(64'(i) << SHIFT);

  always_ff @(posedge clk) begin
    read   <= decimals[bits];
    digits <= read;
  end
endmodule

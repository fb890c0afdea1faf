// Says where exponents are in an entry that has the field of the late bit: those before it are a row higher, for one more token follows them.
//
//   exponents 1 0 1 0 0 1 1 0
//   late row        ^
//   with it   0 1 0 0 0 1 1 0     what was at the late row and above moves up by one
//
// Latency: 1 cycle from the word. Throughput: a word a cycle. Parameter: MOVES, see fast_wire_later. Overflow: what moves past the highest row is watched.
module fast_wire_late_bit
  import fast_wire_pkg::*;
#(
    parameter bit MOVES = 1'b0
) (
    input logic clk,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t word1,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic [NullRows-1:0] late_exponents2,  // of the packet in stage 2
    output logic [NullRows-1:0] late_exponents3,
    output logic [NullRows-1:0] late_exponents5
);
  always_ff @(posedge clk) begin
    late_exponents2 <= '0;
    for (int r = 0; r < NullRows; r++) begin
      if (5'(r) < word1.late_row) late_exponents2[r] <= word1.exponents[r];
      if (5'(r) > word1.late_row) late_exponents2[r] <= word1.exponents[(r+NullRows-1)%NullRows];
    end
  end

  fast_wire_later #(
      .WIDTH(NullRows),
      .MOVES(MOVES)
  ) to3 (
      .clk,
      .word (late_exponents2),
      .later(late_exponents3)
  );
  fast_wire_later #(
      .WIDTH (NullRows),
      .STAGES(2),
      .MOVES (MOVES)
  ) to5 (
      .clk,
      .word (late_exponents3),
      .later(late_exponents5)
  );
endmodule

// Finds the null exponents of each beat from a table by r: of every r it is worked out before r is known, as the walk does it with where r goes.
//
//   nulls ─ s5 by r: the tokens that are null exponents ─ s6 those of r ─ s7 of each token, how many before it
//
// For SHORT of fast_wire_lanes, which finds them one after the other otherwise. With constants few rows of the table are left.
//
// Latency: 2 cycles from r. Throughput: a beat a cycle. No parameters. Overflow: more than four in a beat are the walk's to find.
module fast_wire_nulls
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic [NullRows-1:0] exponents,  // of the one template
    input logic [NullRows-1:0] late_exponents,  // in an entry that has the field of the late bit
    input logic [Lanes-1:0] nulls4,  // by ordinal
    input row_t r5,
    input logic late5,
    output logic [Lanes-1:0] here7,  // by ordinal
    output logic [Lanes-1:0][3:0] tokens7  // tokens before it, null exponents counted as two
);
  typedef logic [MostNulls:0] met_t;
  typedef logic [Lanes-1:0] here_t;

  // Where a beat begins with r tokens left.
  function automatic here_t found(int r, logic [NullRows-1:0] rows, logic [Lanes-1:0] nulls);
    met_t met;
    logic is_exponent;
    met = met_t'(1);
    for (int t = 0; t < Lanes; t++) begin
      is_exponent = 1'b0;
      for (int k = 0; k <= MostNulls; k++) if (r - t - k >= 0) is_exponent |= met[k] && rows[(r-t-k)%NullRows];
      found[t] = is_exponent && nulls[t];
      if (found[t]) met = {met[MostNulls-1:0], 1'b0};
    end
  endfunction

  here_t [1:0][NullRows-1:0] here5;
  here_t here6;

  always_ff @(posedge clk) begin
    for (int r = 0; r < NullRows; r++) begin
      here5[0][r] <= found(r, exponents, nulls4);
      here5[1][r] <= found(r, late_exponents, nulls4);
    end
    here6 <= r5[5] ? '0 : here5[late5][r5[4:0]];
    here7 <= here6;
    for (int t = 0; t < Lanes; t++) tokens7[t] <= 4'(t) + 4'($countones(here6 & here_t'((1 << t) - 1)));
  end
endmodule

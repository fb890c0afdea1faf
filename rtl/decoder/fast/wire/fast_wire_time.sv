// A time of day in digits to nanoseconds since midnight, if it is in the second of the last one that fast_time worked out: what is above that second is subtracted,
// the rest is multiplied.
//
//   digits ─ s1 less the second ─ s2 is it that second? ─ s3, s4 times 1000 each ─ s5 nanoseconds
//
// Latency: 5 cycles to the nanoseconds; `wrong4` after 4. Throughput: a time a cycle. No parameters. Overflow: a time of another second is `wrong4`.
module fast_wire_time
  import fast_events_pkg::*;
(
    input logic clk,
    input logic [63:0] value,
    input logic [1:0] decimals,  // groups of three
    input second_t second,
    output logic wrong4,
    output logic [47:0] nanoseconds5
);
  logic [63:0] gap1;
  logic below1, wrong2, wrong3, within1;
  logic [29:0] rest2, rest3, rest4;

  // A thousand times. What comes of it is less than a second.
  function automatic logic [29:0] thousand(logic [29:0] from);
    return (from << 10) - (from << 4) - (from << 3);
  endfunction

  always_comb begin
    case (decimals)
      2'd0: within1 = gap1 == '0;
      2'd1: within1 = gap1 < 64'd1_000;
      2'd2: within1 = gap1 < 64'd1_000_000;
      default: within1 = gap1 < 64'd1_000_000_000;
    endcase
  end

  always_ff @(posedge clk) begin
    {below1, gap1} <= {1'b0, value} - {1'b0, second.digits};
    wrong2 <= below1 || !within1 || !second.known || second.groups != decimals;
    rest2 <= gap1[29:0];
    wrong3 <= wrong2;
    rest3 <= decimals <= 2'd2 ? thousand(rest2) : rest2;
    wrong4 <= wrong3;
    rest4 <= decimals <= 2'd1 ? thousand(rest3) : rest3;
    nanoseconds5 <= second.nanoseconds + 48'(rest4);
  end
endmodule

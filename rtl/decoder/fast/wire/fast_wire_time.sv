// A time of day in digits to nanoseconds since midnight, if it is in the second of the last one that fast_time worked out: what is above that second is subtracted,
// the rest is multiplied.
//
//   digits ─ s1 less the second ─ s2 is it that second? times 1000 ─ s3 times 1000 ─ s4 nanoseconds
//
// Latency: 4 cycles to the nanoseconds; `wrong3` after 3. Throughput: a time a cycle. No parameters. Overflow: a time of another second is `wrong3`.
module fast_wire_time
  import fast_events_pkg::*;
(
    input logic clk,
    input logic [63:0] value,
    input logic [1:0] decimals,  // groups of three
    input second_t second,
    output logic wrong3,
    output logic [47:0] nanoseconds4
);
  logic [63:0] gap1;
  logic below1, wrong2, within1;
  logic [29:0] rest2, rest3;

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
    rest2 <= decimals <= 2'd2 ? thousand(gap1[29:0]) : gap1[29:0];
    wrong3 <= wrong2;
    rest3 <= decimals <= 2'd1 ? thousand(rest2) : rest2;
    nanoseconds4 <= second.nanoseconds + 48'(rest3);
  end
endmodule

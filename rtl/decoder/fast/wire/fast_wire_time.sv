// A time of day in digits to nanoseconds since midnight, if it is in the second that is known or in the next one (fast_wire_second): what is above that second
// is subtracted, the rest is multiplied.
//
//   digits ─ s1 less each of the two ─ s2 in which? times 1000 ─ s3 times 1000 ─ s4 nanoseconds
//
// Latency: 4 cycles to the nanoseconds; `wrong3`, `in_next3` after 3. Throughput: a time a cycle. No parameters. Overflow: a time of another second is `wrong3`.
module fast_wire_time
  import fast_events_pkg::*;
(
    input logic clk,
    input logic [63:0] value,
    input logic [1:0] decimals,  // groups of three, with the value
    /* verilator lint_off UNUSEDSIGNAL */
    input second_t now,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic next_known,
    input logic [63:0] next_digits,
    input logic [47:0] next_nanoseconds,
    output logic wrong3,
    output logic in_next3,
    output logic [47:0] nanoseconds4
);
  logic [63:0] gap1, next_gap1;
  logic [47:0] now1, next1, second2, second3;
  logic below1, next_below1, known1, next_known1, wrong2, in_next2;
  logic [29:0] rest1, rest2, rest3;
  logic [1:0] decimals1, decimals2;

  // A thousand times. What comes of it is less than a second.
  function automatic logic [29:0] thousand(logic [29:0] from);
    return (from << 10) - (from << 4) - (from << 3);
  endfunction

  // What is above a second is less than one.
  function automatic logic is_within(logic [63:0] gap, logic [1:0] groups);
    case (groups)
      2'd0: return gap == '0;
      2'd1: return gap < 64'd1_000;
      2'd2: return gap < 64'd1_000_000;
      default: return gap < 64'd1_000_000_000;
    endcase
  endfunction

  logic in_now1, in_next1, not_before_next1;
  assign in_now1 = known1 && !below1 && is_within(gap1, decimals1);
  assign not_before_next1 = next_known1 && !next_below1;
  assign in_next1 = not_before_next1 && is_within(next_gap1, decimals1);
  assign rest1 = not_before_next1 ? next_gap1[29:0] : gap1[29:0];

  always_ff @(posedge clk) begin
    {below1, gap1} <= {1'b0, value} - {1'b0, now.digits};
    {next_below1, next_gap1} <= {1'b0, value} - {1'b0, next_digits};
    known1 <= now.known && now.groups == decimals;
    next_known1 <= next_known && now.groups == decimals;
    {decimals1, decimals2} <= {decimals, decimals1};
    {now1, next1} <= {now.nanoseconds, next_nanoseconds};

    wrong2 <= !in_now1 && !in_next1;
    in_next2 <= in_next1;
    second2 <= not_before_next1 ? next1 : now1;
    rest2 <= decimals1 <= 2'd2 ? thousand(rest1) : rest1;

    wrong3 <= wrong2;
    in_next3 <= in_next2;
    second3 <= second2;
    rest3 <= decimals2 <= 2'd1 ? thousand(rest2) : rest2;

    nanoseconds4 <= second3 + 48'(rest3);
  end
endmodule

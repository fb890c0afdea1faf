// An order id from a text of at most twelve digits. fast_event_digits makes the same of the microcode engine's fields.
//
//   text ─ s1 pairs ─ s2 fours ─ s3 the last eight, the first four times the two parts of 10^8 ─ s4 all twelve
//
// Latency: 4 cycles to the number; `wrong3`, and what the number will be, after 3. Throughput: a text a cycle. No parameters. Overflow: a text
// that is no number in its shortest form is `wrong3`.
module fast_wire_digits
  import fast_wire_pkg::*;
(
    input logic clk,
    /* verilator lint_off UNUSEDSIGNAL */
    input logic [ValueBits-1:0] value,  // the last character lowest, zeros above the first
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [3:0] count,
    output logic wrong3,
    output logic [63:0] number3,  // not from flip-flops
    output logic [63:0] number4
);
  logic [Characters-1:0][3:0] digit;
  logic wrong, wrong1, wrong2;

  always_comb begin
    wrong = count == '0 || count > 4'(Characters);
    for (int i = 0; i < Characters; i++) begin
      digit[i] = value[7*i+:4];
      if (count > 4'(i) && (value[7*i+4+:3] != 3'b011 || digit[i] > 4'd9)) wrong = 1'b1;
      // A zero before it would be lost.
      if (i > 0 && count == 4'(i + 1) && value[7*i+:7] == 7'h30) wrong = 1'b1;
    end
  end

  logic [Characters/2-1:0][6:0] pair1;
  logic [Characters/4-1:0][13:0] four2;
  logic [26:0] low3;
  logic [30:0] first_low3;
  logic [23:0] first_high3;
  logic [39:0] all;

  // A multiplier takes 17 bits of 10^8.
  localparam int Part = 17;
  localparam logic [26:0] Eight = 27'd100_000_000;
  assign all = 40'(first_low3) + (40'(first_high3) << Part) + 40'(low3);

  assign number3 = 64'(all);

  always_ff @(posedge clk) begin
    for (int i = 0; i < Characters / 2; i++) pair1[i] <= (7'(digit[2*i+1]) << 3) + (7'(digit[2*i+1]) << 1) + 7'(digit[2*i]);
    for (int i = 0; i < Characters / 4; i++) four2[i] <= 14'(pair1[2*i+1]) * 14'd100 + 14'(pair1[2*i]);
    low3 <= 27'(four2[1]) * 27'd10_000 + 27'(four2[0]);
    first_low3 <= 31'(four2[2]) * 31'(Eight[Part-1:0]);
    first_high3 <= 24'(four2[2]) * 24'(Eight[26:Part]);
    number4 <= number3;
    {wrong1, wrong2, wrong3} <= {wrong, wrong1, wrong2};
  end
endmodule

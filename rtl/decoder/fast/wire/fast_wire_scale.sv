// A decimal at a scale: the mantissa times ten to the power of exponent + scale, if that is 0 to 7 and the mantissa has no more than 40 bits with its sign.
//
//   mantissa, exponent + scale ─ s1 ─ s2 times 10 ─ s3 times 100 ─ s4 times 10^4 ─ s5
//
// Latency: 5 cycles to the value, so that it is there with an entry's other values; `wrong4` after 4. Throughput: a value a cycle. No parameters. Overflow: what does
// not fit is `wrong4`; the microcode engine takes more.
module fast_wire_scale (
    input logic clk,
    input logic signed [63:0] mantissa,
    input logic signed [6:0] exponent,
    input logic [4:0] scale,
    output logic wrong4,
    output logic zero4,
    output logic negative4,
    output logic signed [63:0] value5
);
  localparam int Mantissa = 40;

  logic signed [7:0] shift1;
  logic [2:0] powers2, powers3;
  logic wrong1, wrong2, wrong3, zero2, zero3;
  logic signed [Mantissa-1:0] value1;
  logic signed [Mantissa+3:0] value2;
  logic signed [Mantissa+10:0] value3;
  logic signed [63:0] value4;

  assign negative4 = value4[63];

  always_ff @(posedge clk) begin
    shift1 <= 8'(exponent) + 8'(scale);
    value1 <= mantissa[Mantissa-1:0];
    wrong1 <= mantissa[63:Mantissa-1] != '0 && !(&mantissa[63:Mantissa-1]);

    powers2 <= shift1[2:0];
    wrong2 <= wrong1 || shift1[7:3] != '0;
    zero2 <= value1 == '0;
    value2 <= shift1[0] ? ((Mantissa + 4)'(value1) <<< 3) + ((Mantissa + 4)'(value1) <<< 1) : (Mantissa + 4)'(value1);

    powers3 <= powers2;
    wrong3 <= wrong2;
    zero3 <= zero2;
    value3 <= powers2[1] ?
        ((Mantissa + 11)'(value2) <<< 6) + ((Mantissa + 11)'(value2) <<< 5) + ((Mantissa + 11)'(value2) <<< 2) : (Mantissa + 11)'(value2);

    // 10^4 = 2^13 + 2^11 - 2^8 + 2^4.
    wrong4 <= wrong3;
    zero4 <= zero3;
    value4 <= powers3[2] ? (64'(value3) <<< 13) + (64'(value3) <<< 11) - (64'(value3) <<< 8) + (64'(value3) <<< 4) : 64'(value3);

    value5 <= value4;
  end

  logic unused;
  assign unused = &{1'b0, powers3[1:0], powers2[0]};
endmodule

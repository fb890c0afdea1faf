// A decimal at a scale: the mantissa times ten to the power of exponent + scale, if that is 0 to 7 and the mantissa has no more than 40 bits with its sign.
//
//   mantissa, exponent + scale ─ s1 times 10 ─ s2 times 100 ─ s3 times 10^4
//
// Latency: 3 cycles to the value; `wrong2` after 2. Throughput: a value a cycle. No parameters. Overflow: what does not fit is `wrong2`; the microcode
// engine takes more.
module fast_wire_scale (
    input logic clk,
    input logic signed [63:0] mantissa,
    input logic signed [6:0] exponent,
    input logic [4:0] scale,
    output logic wrong2,
    output logic zero2,
    output logic negative2,
    output logic signed [63:0] value3
);
  localparam int Mantissa = 40;

  logic signed [Mantissa-1:0] digits;
  logic signed [7:0] shift1;
  logic power2, wrong1, zero1, odd;
  logic signed [Mantissa+3:0] value1;
  logic signed [Mantissa+10:0] value2;

  assign digits = mantissa[Mantissa-1:0];
  assign odd = exponent[0] ^ scale[0];  // their sum
  assign negative2 = value2[Mantissa+10];

  always_ff @(posedge clk) begin
    shift1 <= 8'(exponent) + 8'(scale);
    wrong1 <= mantissa[63:Mantissa-1] != '0 && !(&mantissa[63:Mantissa-1]);
    zero1 <= digits == '0;
    value1 <= odd ? ((Mantissa + 4)'(digits) <<< 3) + ((Mantissa + 4)'(digits) <<< 1) : (Mantissa + 4)'(digits);

    power2 <= shift1[2];
    wrong2 <= wrong1 || shift1[7:3] != '0;
    zero2 <= zero1;
    value2 <= shift1[1] ?
        ((Mantissa + 11)'(value1) <<< 6) + ((Mantissa + 11)'(value1) <<< 5) + ((Mantissa + 11)'(value1) <<< 2) : (Mantissa + 11)'(value1);

    // 10^4 = 2^13 + 2^11 - 2^8 + 2^4.
    value3 <= power2 ? (64'(value2) <<< 13) + (64'(value2) <<< 11) - (64'(value2) <<< 8) + (64'(value2) <<< 4) : 64'(value2);
  end

  logic unused;
  assign unused = &{1'b0, shift1[0]};
endmodule

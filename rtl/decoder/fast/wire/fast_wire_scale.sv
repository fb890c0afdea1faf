// A decimal at a scale: the mantissa times ten to the power of exponent + scale, if that is 0 to 7 and the mantissa has no more than 40 bits with its sign.
//
//   mantissa ─ s1 times a power of two ─┬─ s2 three products ─ s3 their sum, times 16 or not
//   exponent + scale ─ s1 power of five ┘
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
  localparam int Part = 17;  // of the mantissa: with a sign it is as wide as a multiplier

  function automatic logic [Part-1:0] power_of_five(logic [2:0] power);
    case (power)
      3'd0: return 17'd1;
      3'd1: return 17'd5;
      3'd2: return 17'd25;
      3'd3: return 17'd125;
      3'd4: return 17'd625;
      3'd5: return 17'd3125;
      3'd6: return 17'd15625;
      default: return 17'd78125;
    endcase
  endfunction

  logic signed [7:0] power;
  logic signed [7:0] power1;
  logic signed [Mantissa-1:0] digits;
  logic signed [Mantissa+2:0] shifted1;  // times 2 to the power's lowest two bits
  logic signed [Part:0] five1;
  logic wrong1, zero1, sixteen2, negative1;

  assign power = 8'(exponent) + 8'(scale);
  assign digits = mantissa[Mantissa-1:0];

  logic signed [2*Part+1:0] low2, middle2;
  logic signed [Part+9:0] high2;
  logic signed [63:0] sum;
  assign sum = 64'(low2) + (64'(middle2) <<< Part) + (64'(high2) <<< (2 * Part));

  always_ff @(posedge clk) begin
    power1 <= power;
    five1 <= {1'b0, power_of_five(power[2:0])};
    shifted1 <= (Mantissa + 3)'(digits) <<< power[1:0];
    wrong1 <= mantissa[63:Mantissa-1] != '0 && !(&mantissa[63:Mantissa-1]);
    zero1 <= digits == '0;
    negative1 <= digits[Mantissa-1];

    low2 <= $signed({1'b0, shifted1[Part-1:0]}) * five1;
    middle2 <= $signed({1'b0, shifted1[2*Part-1:Part]}) * five1;
    high2 <= $signed(shifted1[Mantissa+2:2*Part]) * five1;
    sixteen2 <= power1[2];
    wrong2 <= wrong1 || power1[7:3] != '0;
    zero2 <= zero1;
    negative2 <= negative1;

    value3 <= sixteen2 ? sum <<< 4 : sum;
  end

  logic unused;
  assign unused = &{1'b0, power1[1:0]};
endmodule

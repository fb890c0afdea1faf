// Takes a value out of a beat's tokens: the lanes that were selected, null, sign, and whether it fits.
//
//   selected, tokens ─ s11 the token ─ s12 the value
//
// An integer is given with its sign, a bit wider than its bytes have; a nullable one is one less where it is not negative (10.6.1). A text is its characters.
//
// Latency: 2 cycles. Throughput: a beat a cycle. Parameters: BYTES of the longest value; SHORT, stage 12 takes no cycle; ZERO, of a
// number that is not nullable: any but 0 is given as 1. Overflow: `bad12`.
module fast_wire_value
  import fast_wire_pkg::*;
#(
    parameter int BYTES = 5,
    parameter bit SHORT = 1'b0,
    parameter bit ZERO = 1'b0
) (
    input logic clk,
    input logic nullable,
    input logic is_signed,  // not of a text
    input logic text,
    input logic [Lanes-1:0] selected10,
    input logic [Lanes-1:0][7*(Lanes-1)-1:0] values10,
    input token_t [Lanes-1:0] tokens10,
    input logic [ValueBits-1:0] first10,
    input logic [Lanes-1:0] first_at10,

    output logic [7*BYTES:0] value12,
    output logic [3:0] count12,
    output logic is_null12,
    output logic bad12  // longer than it may be, or overlong; of a value that there is
);
  localparam int Bits = 7 * BYTES;

  logic [Bits-1:0] bits11;
  token_t token11;
  logic any11;

  fast_wire_selected #(
      .BYTES(BYTES),
      .ZERO (ZERO)
  ) selection (
      .clk,
      .selected10,
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .any11,
      .bits11,
      .token11
  );

  logic [BYTES-1:0] beyond;  // bytes that the token does not have, of a negative value: ones
  logic [Bits:0] fill, less;
  logic negative, minus, is_empty;
  always_comb begin
    negative = token11.negative && is_signed;
    for (int g = 0; g < BYTES; g++) beyond[g] = negative && !ZERO && token11.count <= 4'(g);
    // An empty text is the byte 0x80, one that may be absent 0x00 0x80.
    is_empty = text && bits11[BYTES>1?13 : 6:0] == '0 && token11.count == (nullable ? 4'd2 : 4'd1);
    // Nothing is taken from a negative value, so that the fill need not wait before the carry.
    minus = nullable && !text && !negative;
    less = {1'b0, bits11} - (Bits + 1)'(minus);
    // A carry chain is slower than these few bits in LUTs.
    if (BYTES == 1) begin
      for (int i = 0; i <= Bits; i++) begin
        less[i] = (i < Bits && bits11[i%Bits]) ^ (minus && (bits11 & ~({Bits{1'b1}} << i)) == '0);
      end
    end
    fill[Bits] = negative && !ZERO;
    for (int i = 0; i < Bits; i++) fill[i] = beyond[i/7];
  end

  logic [3:0] count;
  logic is_null, bad;
  assign count = is_empty ? 4'd0 : token11.count;
  assign is_null = nullable && token11.count == 4'd1 && bits11[6:0] == '0;
  assign bad = any11 && (token11.count > 4'(BYTES) || (is_signed ? token11.leads_sign : token11.leads_zero && !is_empty));
  if (SHORT) begin : gen_short
    assign {value12, count12, is_null12, bad12} = {less | fill, count, is_null, bad};
  end else begin : gen_stage12
    always_ff @(posedge clk) {value12, count12, is_null12, bad12} <= {less | fill, count, is_null, bad};
  end
endmodule

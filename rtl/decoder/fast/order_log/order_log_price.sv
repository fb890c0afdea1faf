// A price at the instrument's scale: the mantissa times ten to the power of exponent + SCALE, if that is 0 to 5 and the mantissa has no more than 32 bits.
//
//   exponent, a cycle before ─ s1 power of ten ─┐
//   mantissa ───────────────────────────────────┴─ s2 two products ─ s3 their sum
//
// Latency: 2 cycles from the mantissa. Throughput: a price a cycle. Parameter: SCALE, decimals of every price. Overflow: `wrong3`; so is a price of 0.
module order_log_price #(
    parameter int SCALE = 4
) (
    input logic clk,
    input logic signed [6:0] exponent0,
    input logic [63:0] mantissa1,
    output logic wrong3,
    output logic [31:0] price3,
    output logic [1:0][31:0] rank3  // the same for the two sides of a book, from flip-flops of their own: of bids complemented, of asks
);
  (* keep *) logic [31:0] bid3, ask3;
  logic [16:0] ten1;
  logic [33:0] low2, high2;
  logic wrong2, zero2;
  logic [50:0] sum;
  assign sum   = 51'(low2) + {high2, 17'd0};
  assign rank3 = {ask3, bid3};

  always_ff @(posedge clk) begin
    case (exponent0)
      7'(-SCALE): ten1 <= 17'd1;
      7'(1 - SCALE): ten1 <= 17'd10;
      7'(2 - SCALE): ten1 <= 17'd100;
      7'(3 - SCALE): ten1 <= 17'd1000;
      7'(4 - SCALE): ten1 <= 17'd10000;
      7'(5 - SCALE): ten1 <= 17'd100000;
      default: ten1 <= '0;
    endcase
    low2 <= 34'(mantissa1[16:0]) * 34'(ten1);
    high2 <= 34'(mantissa1[31:17]) * 34'(ten1);
    wrong2 <= mantissa1[63:32] != '0 || ten1 == '0;
    zero2 <= mantissa1[31:0] == '0;
    price3 <= sum[31:0];
    bid3 <= ~sum[31:0];
    ask3 <= sum[31:0];
    wrong3 <= wrong2 || zero2 || high2[33:15] != '0 || sum[34:32] != '0;
  end

  logic unused;
  assign unused = &{1'b0, sum[50:35]};
endmodule

// A price at the instrument's scale: the mantissa times ten to the power of exponent + SCALE, if that is 0 to 5 and the mantissa has no more than 32 bits. And its tick
// in the window of the book (price_tick_pkg), by a multiplication of its own.
//
//   exponent, a cycle before ─ s1 ─┬─ power of ten ─┐
//   mantissa ─────────────────┬────│────────────────┴─ s2 two products ─ s3 their sum
//                             │    └─ its ticks ─┐
//                             └──────────────────┴─── s2 product ────── s3 less the window's begin
//
// Latency: 2 cycles from the mantissa. Throughput: a price a cycle. Parameter: SCALE, decimals of every price. Overflow: `wrong3`; so is a price of 0.
module order_log_price
  import price_tick_pkg::*;
#(
    parameter int SCALE = 4
) (
    input logic clk,
    input logic signed [6:0] exponent0,
    input logic [63:0] mantissa1,
    input logic factor_valid,  // what a power of ten is in ticks (price_ticks)
    input logic [$clog2(Powers)-1:0] factor_at,
    input part_t factor,
    input part_t low,
    output logic wrong3,
    output logic [31:0] price3,
    output tick_t tick3,
    output tick_t [1:0] rank3  // the same for the two sides of a book, from flip-flops of their own: of bids complemented, of asks
);
  (* keep *) tick_t bid3, ask3;
  (* ram_style = "distributed" *) part_t factors[1<<$clog2(Powers)];
  logic [6:0] exponent1;
  // Of ten: by three bits of the exponent, which comes late; whether it is one is found beside it.
  logic [2:0] power0, power1;
  logic [16:0] ten0, ten1;
  logic [33:0] low2, high2;
  logic wrong2, zero2;
  logic [50:0] sum;
  part_t tick2;
  assign sum   = 51'(low2) + {high2, 17'd0};
  assign rank3 = {ask3, bid3};

  assign power0 = exponent0[2:0] + 3'(SCALE);
  always_comb begin
    case (power0)
      3'd0: ten0 = 17'd1;
      3'd1: ten0 = 17'd10;
      3'd2: ten0 = 17'd100;
      3'd3: ten0 = 17'd1000;
      3'd4: ten0 = 17'd10000;
      default: ten0 = 17'd100000;
    endcase
  end

  price_tick tick_of (
      .clk,
      .mantissa(mantissa1[PartBits-1:0]),
      .factor(factors[power1]),
      .low,
      .tick1(tick2)
  );

  always_ff @(posedge clk) begin
    if (factor_valid) factors[factor_at] <= factor;
    exponent1 <= exponent0;
    power1 <= power0;
    ten1   <= ten0;
    low2   <= 34'(mantissa1[16:0]) * 34'(ten1);
    high2  <= 34'(mantissa1[31:17]) * 34'(ten1);
    wrong2 <= mantissa1[63:32] != '0 || 7'(exponent1 + 7'(SCALE)) >= 7'(Powers);
    zero2  <= mantissa1[31:0] == '0;
    price3 <= sum[31:0];
    wrong3 <= wrong2 || zero2 || high2[33:15] != '0 || sum[34:32] != '0;
    tick3  <= tick2[PartBits-1-:WindowBits];
    bid3   <= ~tick2[PartBits-1-:WindowBits];
    ask3   <= tick2[PartBits-1-:WindowBits];
  end

  logic unused;
  assign unused = &{1'b0, sum[50:35], tick2};
endmodule

// Says whether a packet contains an expected number: its first message's, its last one's, or one between.
//
// It does if expected - number is less than the count, or zero: a packet without messages contains its own number. The high parts must be equal, or
// one apart with a borrow, as in number_near; the low parts have the bits of a count. There the three operands are first reduced to two, so that the
// comparison takes one carry chain.
//
// Latency: 0 cycles, 1 with PIPELINED; the count then comes a cycle after the number, with the result. Throughput: a comparison a cycle.
// Parameters: S, bits of a sequence number, more than NearBits; PIPELINED. Overflow: none.
module number_within
  import arbiter_pkg::*;
#(
    parameter int S = 64,
    parameter bit PIPELINED = 1'b0
) (
    input  logic                 clk,
    input  logic [        S-1:0] expected,
    input  logic [        S-1:0] number,
    input  logic [CountBits-1:0] count,
    input  logic                 none,       // it has no messages, whatever the count: that comes early, what it means late
    output within_t              contained        // what follows from it may come after a register
);
  // Nothing that is not near is within, whatever the count.
  localparam int Low = CountBits < NearBits ? CountBits : NearBits;
  localparam int High = S - Low;

  // ---- the high parts: equal, or one apart with a borrow ------------------------------------------------

  logic [High-1:0] expected_high, number_high;
  logic [High-1:1] unlike;
  logic borrow, lowest;

  assign borrow = expected[Low-1:0] < number[Low-1:0];
  assign expected_high = expected[S-1:Low];
  assign number_high = number[S-1:Low];
  assign unlike = expected_high[High-1:1] ^ number_high[High-1:1] ^ (number_high[High-2:0] & ~expected_high[High-2:0]);
  assign lowest = expected_high[0] ^ number_high[0];

  // ---- the low parts: expected - number < count ----------------------------------------------------------

  logic [Low:0] limit;  // a count is at most 2^Low
  if (CountBits > Low) begin : gen_limited
    assign limit = |count[CountBits-1:Low] ? {1'b1, {Low{1'b0}}} : {1'b0, count[Low-1:0]};
  end else begin : gen_count
    assign limit = {1'b0, count};
  end

  if (PIPELINED) begin : gen_pipelined
    localparam int Groups = 2 * ((High + 6) / 8);
    logic [4*Groups-1:0] unlike_all;
    logic [Groups-1:0] unlike_reg;
    logic [Low-1:0] difference_reg;
    logic aligned_reg;
    assign unlike_all = (4 * Groups)'(unlike);
    always_ff @(posedge clk) begin
      difference_reg <= expected[Low-1:0] - number[Low-1:0];
      aligned_reg <= borrow == lowest;
      for (int i = 0; i < Groups; i++) unlike_reg[i] <= unlike_all[4*i+:4] != '0;
    end
    assign contained = '{
            nearby: {unlike_reg[Groups-1:Groups/2] == '0, unlike_reg[Groups/2-1:0] == '0, aligned_reg},
            below: {1'b0, difference_reg} < limit && !none,
            same: difference_reg == '0
        };
  end else begin : gen_at_once
    logic unused;
    assign unused = &{1'b0, clk};
    localparam int Half = High / 2;
    logic [2*Half-1:0] unlike_all;
    logic [Low:0] plus, minus, sum;
    logic [Low:1] carry;
    /* verilator lint_off UNUSEDSIGNAL */  // only the highest bit
    logic [Low:0] left;  // expected - number - count: its highest bit and `borrow` say whether that is below 0, modulo 2^Low
    /* verilator lint_on UNUSEDSIGNAL */
    assign unlike_all = (2 * Half)'(unlike);
    // The sum of the expected number and the complements of the others, which are 1 less than their negatives each.
    assign plus = {1'b0, expected[Low-1:0]};
    assign minus = ~{1'b0, number[Low-1:0]};
    assign sum = plus ^ minus ^ ~limit;
    assign carry = (plus[Low-1:0] & minus[Low-1:0]) | ((plus[Low-1:0] | minus[Low-1:0]) & ~limit[Low-1:0]);
    assign left = sum - ~{carry, 1'b1};
    assign contained = '{
            nearby: {unlike_all[2*Half-1:Half] == '0, unlike_all[Half-1:0] == '0, borrow == lowest},
            below: (left[Low] ^ borrow) && !none,
            same: expected[Low-1:0] == number[Low-1:0]
        };
  end

  if (S <= NearBits + 1) begin : gen_check
    $fatal(1, "number_within: S is %0d; it must be more than NearBits + 1", S);
  end
endmodule

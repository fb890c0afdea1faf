// Of the instruments whose feed gives price levels: how many of a side, and which has to go when there are more.
//
//   the host's depth, by instrument ─┬─ by_level
//                                    ├─ shown6: entries of the line of best levels that the feed still gives
//   line of best levels ─────────────┴─ its first entry beyond them ─ too_many7, worst7
//
// A line has K levels, so that it has all of a side, and the one that is too many as well: a depth is at most K - 1.
//
// Latency: 1 cycle from the line. Throughput: a line a cycle. Parameters: K; LEVELS: 0: every feed gives orders. Nothing overflows.
module book_depth
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 8,
    parameter bit LEVELS = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic        write,             // while the instrument has no levels
    input instrument_t write_instrument,
    input depth_t      write_depth,

    input instrument_t         instrument5,  // of the line in the next cycle
    input logic                line_valid6,
    /* verilator lint_off UNUSEDSIGNAL */
    input level_t      [K-1:0] line6,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic   [Instruments-1:0] by_level,
    output logic   [          K-1:0] shown6,
    output logic                     too_many7,
    output price_t                   worst7
);
  if (LEVELS) begin : gen_levels
    if (K < 1 << DepthBits) begin : gen_check
      $fatal(1, "book_depth: lines of %0d levels hold less than the deepest side and one more, %0d", K, 1 << DepthBits);
    end

    (* ram_style = "distributed" *) depth_t depths[Instruments];
    depth_t depth6;
    logic by_level6;
    level_t beyond6;
    assign beyond6 = line6[depth6];

    always_ff @(posedge clk) begin
      if (write) depths[write_instrument] <= write_depth;
      if (write) by_level[write_instrument] <= |write_depth;
      depth6 <= depths[instrument5];
      by_level6 <= by_level[instrument5];
      too_many7 <= line_valid6 && by_level6 && beyond6.live && !rst;
      worst7 <= beyond6.price;
      if (rst) by_level <= '0;
    end
    for (genvar k = 0; k < K; k++) begin : gen_shown
      if (k < (1 << DepthBits) - 1) begin : gen_some
        assign shown6[k] = !by_level6 || depth_t'(k) < depth6;
      end else begin : gen_none
        assign shown6[k] = !by_level6;
      end
    end

    logic unused;
    assign unused = &{1'b0, beyond6};
    // Beyond the window there are none: their prices would not be known.
    assert property (@(posedge clk) disable iff (rst) !(line_valid6 && by_level6 && beyond6.live) || !beyond6.outside);
  end else begin : gen_none
    assign {by_level, shown6, too_many7, worst7} = {{Instruments{1'b0}}, {K{1'b1}}, 1'b0, {PriceBits{1'b0}}};
    logic unused;
    assign unused = &{1'b0, clk, rst, write, write_instrument, write_depth, instrument5, line_valid6, line6};
  end
endmodule

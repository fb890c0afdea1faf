// Where no levels of a book can be read: every read is answered at once, with a level that does not exist.
//
// Latency: 1 cycle. Throughput: a read in two cycles. Parameters: none. Overflow: none.
module levels_none (
    input logic        clk,
    input logic        rst,
    book_level_if.book levels
);
  always_ff @(posedge clk) levels.answered <= levels.valid && !levels.answered && !rst;
  assign levels.level = '0;
endmodule

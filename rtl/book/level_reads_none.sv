// Where a strategy reads no levels of the book.
//
// Latency, throughput: none. Parameters: none. Overflow: none.
module level_reads_none
  import tickwire_pkg::*;
(
    book_level_if.strategy levels
);
  assign {levels.one_by_one, levels.busy, levels.valid, levels.instrument, levels.number} = '0;
  assign levels.side = SIDE_BUY;
endmodule

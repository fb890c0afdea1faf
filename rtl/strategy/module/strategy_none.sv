// Where a core has no strategy on a book: nothing is asked for, and what the host's entry would write is never taken.
//
// Latency, throughput: none. Parameters: none. Overflow: none.
module strategy_none (
    strategy_write_if.snk write,
    intent_if.src         intent
);
  assign {write.ready, write.replace_valid, write.replace_original} = '0;
  assign {intent.valid, intent.withdraw, intent.soon, intent.handle, intent.instrument, intent.computed} = '0;
  assign {intent.price, intent.price_soon} = '0;
  logic unused;
  assign unused = &{1'b0, write.valid, write.enabled, write.single, write.instrument, write.side, write.replace_done, intent.ready};
endmodule

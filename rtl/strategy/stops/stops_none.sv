// Where a core has no stops: nothing is asked for, and what the host's entry would write is never taken (it refuses every slot).
//
// Latency, throughput: none. Parameters: none. Overflow: none.
module stops_none (
    stop_write_if.snk write,
    intent_if.src     intent
);
  assign {write.ready, write.answer_valid, write.answer} = '0;
  assign {intent.valid, intent.withdraw, intent.soon, intent.handle, intent.instrument, intent.computed} = '0;
  assign {intent.price, intent.price_soon} = '0;
  logic unused;
  assign unused = &{1'b0, write.valid, write.operation, write.slot, write.watch, intent.ready};
endmodule

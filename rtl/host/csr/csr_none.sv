// A stage without registers and operations, or one that is not there: it has nothing at any address.
//
// Latency, throughput: none. Parameters: none. Overflow: none.
module csr_none (
    csr_if.stage csr
);
  assign {csr.waits, csr.answer, csr.busy, csr.result} = '0;
  logic unused;
  assign unused = &{1'b0, csr.write, csr.read, csr.address, csr.data, csr.valid, csr.operation, csr.index, csr.operand};
endmodule

// The operations of a stage, for the part of it that carries them out.
//
// Latency: none. Throughput: an operation at a time. Parameters: none. Overflow: none.
module csr_operations (
    csr_if.stage  csr,
    config_if.src out
);
  assign {out.valid, out.index, out.operand} = {csr.valid, csr.index, csr.operand};
  assign out.operation = csr.operation;
  assign {csr.busy, csr.result} = {out.busy, out.answer};
  assign {csr.waits, csr.answer} = '0;

  logic unused;
  assign unused = &{1'b0, csr.write, csr.read, csr.address, csr.data};
endmodule

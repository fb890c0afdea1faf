// A host that does nothing at a stage's registers, for benches of what else it does.
module csr_idle (
    csr_if.host csr
);
  assign {csr.write, csr.read, csr.address, csr.data, csr.valid, csr.index, csr.operand} = '0;
  assign csr.operation = config_pkg::CONFIG_NONE;
endmodule

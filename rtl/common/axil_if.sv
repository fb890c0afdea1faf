// AXI4-Lite with 32 data bits, between a host (`src`) and registers (`snk`). Without AxPROT: no register asks who reads or writes it.
interface axil_if #(
    parameter int ADDRESS = 11  // bits of a byte address
);
  logic               awvalid;
  logic               awready;
  /* verilator lint_off UNUSEDSIGNAL */  // registers are words
  logic [ADDRESS-1:0] awaddr;
  /* verilator lint_on UNUSEDSIGNAL */
  logic               wvalid;
  logic               wready;
  logic [       31:0] wdata;
  logic [        3:0] wstrb;
  logic               bvalid;
  logic               bready;
  logic [        1:0] bresp;
  logic               arvalid;
  logic               arready;
  /* verilator lint_off UNUSEDSIGNAL */  // registers are words
  logic [ADDRESS-1:0] araddr;
  /* verilator lint_on UNUSEDSIGNAL */
  logic               rvalid;
  logic               rready;
  logic [       31:0] rdata;
  logic [        1:0] rresp;

  modport src(
      output awvalid, awaddr, wvalid, wdata, wstrb, bready, arvalid, araddr, rready,
      input awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp
  );
  modport snk(
      input awvalid, awaddr, wvalid, wdata, wstrb, bready, arvalid, araddr, rready,
      output awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp
  );
endinterface

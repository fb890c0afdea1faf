// The write channels of AXI4, as far as a writer of whole lines of memory uses them: incrementing bursts of DATA bits a beat, every byte written, no identifiers.
interface axi_write_if #(
    parameter int DATA = 512
);
  logic            awvalid;
  logic            awready;
  logic [    63:0] awaddr;
  logic [     7:0] awlen;    // beats, less one
  logic            wvalid;
  logic            wready;
  logic [DATA-1:0] wdata;
  logic            wlast;
  logic            bvalid;
  logic            bready;
  logic [     1:0] bresp;

  modport src(output awvalid, awaddr, awlen, wvalid, wdata, wlast, bready, input awready, wready, bvalid, bresp);
  modport snk(input awvalid, awaddr, awlen, wvalid, wdata, wlast, bready, output awready, wready, bvalid, bresp);
endinterface

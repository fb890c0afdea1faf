// axil_split with its buses as plain ports; bit 0 of those of the blocks is `low`.
module axil_split_tb #(
    parameter int ADDRESS = 10,
    parameter bit HIGH = 1
) (
    input logic clk,
    input logic rst,

    input  logic             awvalid,
    output logic             awready,
    input  logic [ADDRESS:0] awaddr,
    input  logic             wvalid,
    output logic             wready,
    input  logic [     31:0] wdata,
    input  logic [      3:0] wstrb,
    output logic             bvalid,
    input  logic             bready,
    output logic [      1:0] bresp,
    input  logic             arvalid,
    output logic             arready,
    input  logic [ADDRESS:0] araddr,
    output logic             rvalid,
    input  logic             rready,
    output logic [     31:0] rdata,
    output logic [      1:0] rresp,

    output logic [1:0]              block_awvalid,
    input  logic [1:0]              block_awready,
    output logic [1:0][ADDRESS-1:0] block_awaddr,
    output logic [1:0]              block_wvalid,
    input  logic [1:0]              block_wready,
    output logic [1:0][       31:0] block_wdata,
    output logic [1:0][        3:0] block_wstrb,
    input  logic [1:0]              block_bvalid,
    output logic [1:0]              block_bready,
    input  logic [1:0][        1:0] block_bresp,
    output logic [1:0]              block_arvalid,
    input  logic [1:0]              block_arready,
    output logic [1:0][ADDRESS-1:0] block_araddr,
    input  logic [1:0]              block_rvalid,
    output logic [1:0]              block_rready,
    input  logic [1:0][       31:0] block_rdata,
    input  logic [1:0][        1:0] block_rresp
);
  axil_if #(.ADDRESS(ADDRESS + 1)) in ();
  axil_if #(.ADDRESS(ADDRESS)) low ();
  axil_if #(.ADDRESS(ADDRESS)) high ();

  assign {in.awvalid, in.awaddr, in.wvalid, in.wdata, in.wstrb, in.bready} = {awvalid, awaddr, wvalid, wdata, wstrb, bready};
  assign {in.arvalid, in.araddr, in.rready} = {arvalid, araddr, rready};
  assign {awready, wready, bvalid, bresp} = {in.awready, in.wready, in.bvalid, in.bresp};
  assign {arready, rvalid, rdata, rresp} = {in.arready, in.rvalid, in.rdata, in.rresp};

  assign block_awvalid = {high.awvalid, low.awvalid};
  assign block_awaddr = {high.awaddr, low.awaddr};
  assign block_wvalid = {high.wvalid, low.wvalid};
  assign block_wdata = {high.wdata, low.wdata};
  assign block_wstrb = {high.wstrb, low.wstrb};
  assign block_bready = {high.bready, low.bready};
  assign block_arvalid = {high.arvalid, low.arvalid};
  assign block_araddr = {high.araddr, low.araddr};
  assign block_rready = {high.rready, low.rready};
  assign {low.awready, low.wready, low.bvalid, low.bresp} = {block_awready[0], block_wready[0], block_bvalid[0], block_bresp[0]};
  assign {low.arready, low.rvalid, low.rdata, low.rresp} = {block_arready[0], block_rvalid[0], block_rdata[0], block_rresp[0]};
  assign {high.awready, high.wready, high.bvalid, high.bresp} = {block_awready[1], block_wready[1], block_bvalid[1], block_bresp[1]};
  assign {high.arready, high.rvalid, high.rdata, high.rresp} = {block_arready[1], block_rvalid[1], block_rdata[1], block_rresp[1]};

  axil_split #(
      .HIGH(HIGH)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .low(low.src),
      .high(high.src)
  );
endmodule

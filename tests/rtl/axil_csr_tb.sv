// axil_csr with flat ports.
module axil_csr_tb #(
    parameter bit ORDERS = 1'b1
) (
    input logic clk,
    input logic rst,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic        axil_wvalid,
    output logic        axil_wready,
    input  logic [31:0] axil_wdata,
    input  logic [ 3:0] axil_wstrb,
    output logic        axil_bvalid,
    input  logic        axil_bready,
    output logic [ 1:0] axil_bresp,
    input  logic        axil_arvalid,
    output logic        axil_arready,
    input  logic [10:0] axil_araddr,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp,

    output logic        csr_write,
    output logic        csr_read,
    output logic [ 8:0] csr_address,
    output logic [31:0] csr_data,
    input  logic        csr_waits,
    input  logic [31:0] csr_answer
);
  axil_if axil ();
  csr_if csr ();

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  assign {csr_write, csr_read, csr_address, csr_data} = {csr.write, csr.read, csr.address, csr.data};
  assign {csr.waits, csr.answer} = {csr_waits, csr_answer};

  axil_csr #(
      .ORDERS(ORDERS)
  ) dut (
      .clk,
      .rst,
      .axil(axil.snk),
      .csr(csr.bus)
  );
endmodule

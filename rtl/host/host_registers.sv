// The registers the host reads and writes: those of the core (0x000), and those of the order path (0x400) where there is one.
//
//   AXI4-Lite ─ axil_split ─┬─ registers ────────── setting, status
//                           └─ order_registers ──── order_setting, order_status
//
// Latency: as the blocks PeakRDL generates. Throughput: an access at a time. Parameter: SESSIONS, 0: the second block is not there, its
// addresses answer DECERR. Overflow: none, requests wait.
module host_registers #(
    parameter int SESSIONS = 0
) (
    input logic clk,
    input logic rst,

    output registers_pkg::registers__out_t             setting,
    input  registers_pkg::registers__in_t              status,
    output order_registers_pkg::order_registers__out_t order_setting,
    /* verilator lint_off UNUSEDSIGNAL */  // without orders
    input  order_registers_pkg::order_registers__in_t  order_status,
    /* verilator lint_on UNUSEDSIGNAL */

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic [ 2:0] axil_awprot,
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
    input  logic [ 2:0] axil_arprot,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp
);
  logic [1:0] block_awvalid, block_awready, block_wvalid, block_wready, block_bvalid, block_bready;
  logic [1:0] block_arvalid, block_arready, block_rvalid, block_rready;
  logic [1:0][1:0] block_bresp, block_rresp;
  logic [1:0][31:0] block_rdata;

  axil_split #(
      .HIGH(SESSIONS != 0)
  ) axil_split (
      .clk,
      .rst,
      .awvalid(axil_awvalid),
      .awready(axil_awready),
      .awaddr(axil_awaddr),
      .wvalid(axil_wvalid),
      .wready(axil_wready),
      .bvalid(axil_bvalid),
      .bready(axil_bready),
      .bresp(axil_bresp),
      .arvalid(axil_arvalid),
      .arready(axil_arready),
      .araddr(axil_araddr),
      .rvalid(axil_rvalid),
      .rready(axil_rready),
      .rdata(axil_rdata),
      .rresp(axil_rresp),
      .block_awvalid,
      .block_awready,
      .block_wvalid,
      .block_wready,
      .block_bvalid,
      .block_bready,
      .block_bresp,
      .block_arvalid,
      .block_arready,
      .block_rvalid,
      .block_rready,
      .block_rdata,
      .block_rresp
  );

  registers registers (
      .clk,
      .rst,
      .s_axil_awvalid(block_awvalid[0]),
      .s_axil_awready(block_awready[0]),
      .s_axil_awaddr(axil_awaddr[9:0]),
      .s_axil_awprot(axil_awprot),
      .s_axil_wvalid(block_wvalid[0]),
      .s_axil_wready(block_wready[0]),
      .s_axil_wdata(axil_wdata),
      .s_axil_wstrb(axil_wstrb),
      .s_axil_bvalid(block_bvalid[0]),
      .s_axil_bready(block_bready[0]),
      .s_axil_bresp(block_bresp[0]),
      .s_axil_arvalid(block_arvalid[0]),
      .s_axil_arready(block_arready[0]),
      .s_axil_araddr(axil_araddr[9:0]),
      .s_axil_arprot(axil_arprot),
      .s_axil_rvalid(block_rvalid[0]),
      .s_axil_rready(block_rready[0]),
      .s_axil_rdata(block_rdata[0]),
      .s_axil_rresp(block_rresp[0]),
      .hwif_in(status),
      .hwif_out(setting)
  );

  if (SESSIONS != 0) begin : g_orders
    order_registers order_registers (
        .clk,
        .rst,
        .s_axil_awvalid(block_awvalid[1]),
        .s_axil_awready(block_awready[1]),
        .s_axil_awaddr(axil_awaddr[8:0]),
        .s_axil_awprot(axil_awprot),
        .s_axil_wvalid(block_wvalid[1]),
        .s_axil_wready(block_wready[1]),
        .s_axil_wdata(axil_wdata),
        .s_axil_wstrb(axil_wstrb),
        .s_axil_bvalid(block_bvalid[1]),
        .s_axil_bready(block_bready[1]),
        .s_axil_bresp(block_bresp[1]),
        .s_axil_arvalid(block_arvalid[1]),
        .s_axil_arready(block_arready[1]),
        .s_axil_araddr(axil_araddr[8:0]),
        .s_axil_arprot(axil_arprot),
        .s_axil_rvalid(block_rvalid[1]),
        .s_axil_rready(block_rready[1]),
        .s_axil_rdata(block_rdata[1]),
        .s_axil_rresp(block_rresp[1]),
        .hwif_in(order_status),
        .hwif_out(order_setting)
    );
  end else begin : g_no_orders
    logic unused;
    assign unused = &{1'b0, block_awvalid[1], block_wvalid[1], block_bready[1], block_arvalid[1], block_rready[1]};
    assign order_setting = '{default: '0};
    assign {block_awready[1], block_wready[1], block_bvalid[1], block_bresp[1]} = '0;
    assign {block_arready[1], block_rvalid[1], block_rdata[1], block_rresp[1]} = '0;
  end
endmodule

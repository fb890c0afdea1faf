// host_registers with flat ports: a register of each kind and block as a port, the rest as they come out of the reset.
module host_registers_tb #(
    parameter int SESSIONS = 1
) (
    input logic clk,
    input logic rst,

    input  logic [31:0] time_low,      // core, read only
    output logic [31:0] local_ip,      // core, written
    output logic        start,         // core, a pulse
    output logic [31:0] max_quantity,  // order path, written
    input  logic [31:0] next_number,   // order path, read only

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
    output logic [ 1:0] axil_rresp
);
  registers_pkg::registers__out_t setting;
  registers_pkg::registers__in_t status;
  order_registers_pkg::order_registers__out_t order_setting;
  order_registers_pkg::order_registers__in_t order_status;

  always_comb begin
    status = '{default: '0};
    status.time_low.value.next = time_low;
    order_status = '{default: '0};
    order_status.next_number.value.next = next_number;
  end
  assign local_ip = setting.local_ip.value.value;
  assign start = setting.operation.start.value;
  assign max_quantity = order_setting.max_quantity.value.value;

  axil_if #(.ADDRESS(11)) axil ();

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  host_registers #(
      .SESSIONS(SESSIONS)
  ) dut (
      .clk,
      .rst,
      .axil(axil.snk),
      .setting,
      .status,
      .order_setting,
      .order_status
  );
endmodule

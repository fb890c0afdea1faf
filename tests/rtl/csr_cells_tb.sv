// The cells of a stage's registers behind the host's bus: settings, status, counters in a memory, counters in registers.
module csr_cells_tb
  import csr_bench_pkg::*;
(
    input logic clk,
    input logic rst,

    output logic [31:0] whole,
    output logic [ 3:0] low,
    output logic        start,
    output logic [ 7:0] high,
    output logic [31:0] written,
    input  logic [31:0] wide,
    input  logic [11:0] middle,
    input  logic [10:0] pulse,    // counters in a memory, at 0x100
    input  logic [ 7:0] amount,   // of the third of them
    input  logic        shown,
    input  logic [ 1:0] few,      // counters in registers, at 0x180

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
  axil_if axil ();
  csr_if bus ();
  csr_if part[5] ();
  setting_t setting;

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  axil_csr axil_csr (
      .clk,
      .rst,
      .axil(axil.snk),
      .csr(bus.bus)
  );
  assign {bus.valid, bus.index, bus.operand} = '0;
  assign bus.operation = config_pkg::CONFIG_NONE;

  csr_split #(
      .N(5)
  ) csr_split (
      .in (bus.stage),
      .out(part)
  );

  csr_settings #(
      .T(setting_t),
      .FIELDS(SettingFields),
      .MAP(SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );
  assign {whole, low, start, high, written} = {setting.whole, setting.parts, setting.written};

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown,
      .value('{wide: wide, middle: middle})
  );

  csr_counters #(
      .AT(9'h040),
      .SLOTS(11),
      .AMOUNTS(1),
      .AMOUNT_BITS(8),
      .AMOUNT_SLOT(6'd2)
  ) in_memory (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown,
      .pulse,
      .amount
  );

  csr_counters #(
      .AT(9'h060),
      .SLOTS(2)
  ) in_registers (
      .clk,
      .rst,
      .csr(part[3].stage),
      .shown(1'b1),
      .pulse(few),
      .amount('0)
  );

  csr_none none (.csr(part[4].stage));
endmodule

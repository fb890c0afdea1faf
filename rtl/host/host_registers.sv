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
    axil_if.snk axil,

    output registers_pkg::registers__out_t             setting,
    input  registers_pkg::registers__in_t              status,
    output order_registers_pkg::order_registers__out_t order_setting,
    /* verilator lint_off UNUSEDSIGNAL */  // without orders
    input  order_registers_pkg::order_registers__in_t  order_status
    /* verilator lint_on UNUSEDSIGNAL */
);
  axil_if #(.ADDRESS(axil.ADDRESS - 1)) low ();
  axil_if #(.ADDRESS(axil.ADDRESS - 1)) high ();

  axil_split #(
      .HIGH(SESSIONS != 0)
  ) axil_split (
      .clk,
      .rst,
      .in(axil),
      .low(low.src),
      .high(high.src)
  );

  registers registers (
      .clk,
      .rst,
      .axil(low.snk),
      .hwif_in(status),
      .hwif_out(setting)
  );

  if (SESSIONS != 0) begin : g_orders
    order_registers order_registers (
        .clk,
        .rst,
        .axil(high.snk),
        .hwif_in(order_status),
        .hwif_out(order_setting)
    );
  end else begin : g_no_orders
    assign order_setting = '{default: '0};
    assign {high.awready, high.wready, high.bvalid, high.bresp, high.arready, high.rvalid, high.rdata, high.rresp} = '0;
  end
endmodule

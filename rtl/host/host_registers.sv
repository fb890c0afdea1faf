// The registers the host reads and writes: those of the core (0x000), and those of the order path (0x400) where there is one.
//
//   AXI4-Lite ─ axil_csr ─ csr ─┬─ registers ────────── setting, status
//                               └─ order_registers ──── order_setting, order_status
//
// Latency: as axil_csr. Throughput: an access at a time. Parameter: SESSIONS, 0: the second block is not there, its
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
  csr_if bus ();
  csr_if blocks[2] ();

  axil_csr #(
      .ORDERS(SESSIONS != 0)
  ) axil_csr (
      .clk,
      .rst,
      .axil,
      .csr(bus.bus)
  );

  assign {bus.valid, bus.index, bus.operand} = '0;
  assign bus.operation = config_pkg::CONFIG_NONE;

  csr_split #(
      .N(2)
  ) csr_split (
      .in (bus.stage),
      .out(blocks)
  );

  registers registers (
      .clk,
      .rst,
      .csr(blocks[0].stage),
      .hwif_in(status),
      .hwif_out(setting)
  );

  if (SESSIONS != 0) begin : g_orders
    order_registers order_registers (
        .clk,
        .rst,
        .csr(blocks[1].stage),
        .hwif_in(order_status),
        .hwif_out(order_setting)
    );
  end else begin : g_no_orders
    assign order_setting = '{default: '0};
    csr_none no_orders (.csr(blocks[1].stage));
  end
endmodule

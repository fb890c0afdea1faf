// The transmit stage of a core that trades, with its counter: orders first, then what the control plane answers.
//
//   orders ─────────────┐
//   control ─ register ─┴─ tx_priority ─ mac_tx ─ MII
//   csr ─ counters
//
// Latency: an order's first beat to the preamble 1 cycle (mac_tx). Throughput: line rate. Parameters: W. Overflow: none, sources wait.
module order_transmit
  import net_transmit_csr_pkg::Counters, net_transmit_csr_pkg::CountersAt;
#(
    parameter int W = 64
) (
    input  logic     clk,
    input  logic     rst,
    csr_if.stage     csr,
    tx_stream_if.snk orders,
    tx_stream_if.snk control,
    mii_if.tx        mii,
    output logic     started   // pulse: the first byte of a frame leaves
);
  logic underrun, control_unused;
  logic [Counters-1:0] pulse;
  tx_stream_if #(.W(W)) answers ();
  tx_stream_if #(.W(W)) frame ();

  always_ff @(posedge clk) pulse <= underrun && !rst;

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr,
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  // Orders come as they are; what may wait is cut off by a register, or its `ready` would be too late for where it is made.
  tx_register #(
      .W(W)
  ) control_register (
      .clk,
      .rst,
      .in (control),
      .out(answers.src)
  );

  tx_priority tx_priority (
      .clk,
      .rst,
      .first(orders),
      .second(answers.snk),
      .from_second(control_unused),
      .out(frame.src)
  );

  mac_tx #(
      .W(W)
  ) mac_tx (
      .clk,
      .rst,
      .in(frame.snk),
      .mii_data(mii.data),
      .mii_control(mii.control),
      .mii_error(mii.error),
      .started,
      .underrun
  );
endmodule

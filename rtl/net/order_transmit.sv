// The transmit stage of a core that sends no reports: orders, then what the control plane answers.
//
//   orders, control ─ net_transmit ─ MII
//
// Latency, throughput, overflow: as net_transmit. Parameter: W.
module order_transmit
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input  logic                  clk,
    input  logic                  rst,
    csr_if.stage                  csr,
    input  net_config_t           net_config,
    tx_stream_if.snk              orders,
    tx_stream_if.snk              control,
    output logic        [  W-1:0] mii_data,
    output logic        [W/8-1:0] mii_control,
    output logic                  mii_error,
    output logic                  started       // pulse: the first byte of a frame leaves
);
  logic report_ready_unused;
  tx_stream_if #(.W(W)) report ();
  assign {report.valid, report.data, report.keep, report.last} = '0;

  net_transmit #(
      .W(W),
      .SESSIONS(1)
  ) net_transmit (
      .clk,
      .rst,
      .csr,
      .net_config,
      .report_request_valid(1'b0),
      .report_request_ready(report_ready_unused),
      .report_length('0),
      .report(report.snk),
      .orders,
      .control,
      .mii_data,
      .mii_control,
      .mii_error,
      .started
  );
endmodule

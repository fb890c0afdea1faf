// The session with the exchange: TCP, the decoder of what comes in on it, and the control plane, which finds the peer's MAC.
//
//   line ─┬─ control_stage ─────────────────────── control
//         │      └ peer's MAC ┐
//         └─ tcp_session ─────┴─────────────────── frames
//              ├ lanes ─ fix_stage ─ prices, reports
//              └ host_bytes
//   order, host_messages ─ tcp_session
//
// Latency, throughput, overflow: as the parts. Parameters: W; INSTRUMENTS, PRICES, REPORTS, DETAILS: as fix_stage;
// GROUPS: as control_plane.
module session_stage
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit PRICES = 1'b1,
    parameter bit REPORTS = 1'b0,
    parameter bit DETAILS = 1'b0,
    parameter bit GROUPS = 1'b1
) (
    input logic        clk,
    input logic        rst,
    csr_if.stage       csr,
    input logic        enable,       // frames are received
    input logic        tick,         // pulses: once in 256 us,
    input logic        millisecond,
    input net_config_t net_config,

    line_if.snk         line,
    line_verdict_if.snk verdict,

    order_message_if.snk order,
    tx_stream_if.snk     host_messages,
    tx_stream_if.src     frames,
    tx_stream_if.src     control,

    committed_event_if.src  prices,
    output logic            price_wide,  // see decoder_fix
    execution_report_if.src reports,
    tx_stream_if.src        host_bytes,  // what the peer sends: see byte_queue

    output logic connected,  // TCP
    output logic alive,      // pulses: a good message of the session;
    output logic overflow    // prices found no room
);
  logic resolve_valid, pinned, peer_mac_valid;
  logic [31:0] resolve_ip;
  logic [47:0] peer_mac;
  stream_if #(.W(W)) lanes ();
  csr_if part[3] ();

  csr_split #(
      .N(3)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  tcp_session #(
      .W(W)
  ) tcp_session (
      .clk,
      .rst,
      .tick,
      .csr(part[0].stage),
      .net_config,
      .line,
      .fcs_good(verdict.fcs_good),
      .line_busy(verdict.busy),
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .order,
      .host_messages,
      .frames,
      .lanes(lanes.src),
      .host_bytes,
      .connected
  );

  control_stage #(
      .W(W),
      .PEERS(1),
      .GROUPS(GROUPS)
  ) control_stage (
      .clk,
      .rst,
      .csr(part[1].stage),
      .enable,
      .millisecond,
      .net_config,
      .line,
      .cause_valid(verdict.cause_valid),
      .cause(verdict.cause),
      .claimed(verdict.claimed),
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .out(control)
  );

  fix_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .PRICES(PRICES),
      .REPORTS(REPORTS),
      .DETAILS(DETAILS)
  ) fix_stage (
      .clk,
      .rst,
      .csr(part[2].stage),
      .restart(!connected),
      .in(lanes.snk),
      .events(prices),
      .event_wide(price_wide),
      .alive,
      .overflow,
      .reports
  );
endmodule

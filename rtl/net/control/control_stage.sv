// The control plane with its counters: ARP, ICMP echo and IGMP of this host.
//
// Latency, throughput, overflow: as control_plane. Parameters: W; PEERS, whose MACs it finds; GROUPS: as control_plane.
module control_stage
  import tickwire_pkg::*;
  import control_pkg::*;
  import control_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int PEERS = 1,
    parameter bit GROUPS = 1'b1
) (
    input  logic                          clk,
    input  logic                          rst,
    csr_if.stage                          csr,
    input  logic                          enable,
    input  logic                          millisecond,    // pulse
    input  net_config_t                   net_config,
    line_if.snk                           line,
    input  logic                          cause_valid,    // net_rx
    input  net_cause_e                    cause,
    output logic                          claimed,        // with cause_valid
    input  logic        [PEERS-1:0]       resolve_valid,  // arp
    input  logic        [PEERS-1:0][31:0] resolve_ip,
    input  logic        [PEERS-1:0]       pinned,
    output logic        [PEERS-1:0]       peer_mac_valid,
    output logic        [PEERS-1:0][47:0] peer_mac,
    tx_stream_if.src                      out
);
  control_event_t events;
  logic [Counters-1:0] pulse;

  if ($bits(control_event_t) != Counters) begin : gen_check
    $fatal(1, "control_stage: %0d events are counted, of %0d", Counters, $bits(control_event_t));
  end

  // The first member of a packed struct is its highest bit, the first counter the lowest.
  always_ff @(posedge clk) for (int i = 0; i < Counters; i++) pulse[i] <= events[Counters-1-i] && !rst;

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

  control_plane #(
      .W(W),
      .PEERS(PEERS),
      .GROUPS(GROUPS)
  ) control_plane (
      .clk,
      .rst,
      .enable,
      .millisecond,
      .net_config,
      .line,
      .cause_valid,
      .cause,
      .claimed,
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .out,
      .events
  );
endmodule

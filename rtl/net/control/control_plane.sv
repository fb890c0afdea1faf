// The control plane of a port: answers ARP, ICMP echo and IGMP queries, finds the peers' MACs and reports the groups. No host is needed.
//
//                    ┌ icmp_echo ───────┐
//   line ─ control_rx ┼ arp ──┐           ├ tx_priority ─ frame_gather ─ out
//                    └ igmp ─┴ tx_merge ─┘
//
// It works a byte a cycle at any W, beside the market data, and holds nothing up: what it cannot take in time is dropped and counted (`overflow`).
// Frames that are `claimed` (with the verdict) are its own: the host does not need them. `out` has them without FCS, padded by mac_tx.
// Nothing is done while `enable` is low or there is no address; when either address changes, everything is announced again.
//
// With two lines there is one control plane, at the line whose port has the transmitter: reports for the groups of both lines leave there.
// Where line B is another network, its switch must forward B's groups to the port by itself (static membership).
//
// Latency: verdict to the first beat of an answer to a request of n bytes, at rest: 18 + n cycles at least (a byte a cycle, then the complete frame).
// Rate limits: arp, icmp_echo, igmp. Parameters: W; PEERS whose MACs can be asked for; GROUPS: a core that receives no
// multicast has no IGMP; WORDS of memory each way, beats; SECOND; OLDER.
module control_plane
  import tickwire_pkg::*, control_pkg::*;
#(
    parameter int W = 64,
    parameter int PEERS = 4,
    parameter bit GROUPS = 1'b1,
    parameter int WORDS = W == 8 ? 2048 : 512,
    parameter int SECOND = 1000,  // milliseconds, a multiple of 100; with fewer, ARP and IGMP are faster than their standards allow
    parameter int OLDER = 260  // igmp
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       enable,
    input  logic                       millisecond,    // pulse
    /* verilator lint_off UNUSEDSIGNAL */  // ports are not needed here
    input  net_config_t                net_config,
    /* verilator lint_on UNUSEDSIGNAL */
    line_if.snk                        line,
    input  logic                       cause_valid,    // net_rx
    input  net_cause_e                 cause,
    output logic                       claimed,        // with cause_valid
    input  logic           [PEERS-1:0] resolve_valid,  // arp
    input  logic           [PEERS-1:0][31:0] resolve_ip,
    input  logic           [PEERS-1:0] pinned,
    output logic           [PEERS-1:0] peer_mac_valid,
    output logic           [PEERS-1:0][47:0] peer_mac,
    tx_stream_if.src                   out,
    output control_event_t             events
);
  tx_stream_if #(.W(8)) bytes ();
  tx_stream_if #(.W(8)) arp_now ();
  tx_stream_if #(.W(8)) arp_out ();
  tx_stream_if #(.W(8)) icmp_in ();
  tx_stream_if #(.W(8)) icmp_bytes ();
  tx_stream_if #(.W(8)) icmp_now ();
  tx_stream_if #(.W(8)) icmp_out ();
  tx_stream_if #(.W(8)) igmp_out ();
  tx_stream_if #(.W(8)) merged ();
  tx_stream_if #(.W(8)) frames ();
  logic up, second, hundredth, byte_offered, byte_taken, byte_ready, arp_busy, igmp_busy, hold_reg, drop;
  logic from_igmp, from_second;

  // ---- up, and time ------------------------------------------------------------------------------

  logic [47:0] local_mac;
  logic [31:0] local_ip;
  logic [3:0] milliseconds_reg;
  logic [6:0] hundredths_reg;

  always_ff @(posedge clk) begin
    local_mac <= net_config.local_mac;
    local_ip <= net_config.local_ip;
    up <= enable && !rst && local_mac == net_config.local_mac && local_ip == net_config.local_ip && local_ip != '0;
    hundredth <= millisecond && milliseconds_reg == 4'(SECOND / 100 - 1);
    second <= hundredth && hundredths_reg == 7'd99;
    if (millisecond) milliseconds_reg <= milliseconds_reg == 4'(SECOND / 100 - 1) ? '0 : milliseconds_reg + 1'b1;
    if (hundredth) hundredths_reg <= hundredths_reg == 7'd99 ? '0 : hundredths_reg + 1'b1;
    if (rst) begin
      milliseconds_reg <= '0;
      hundredths_reg   <= '0;
    end
  end

  // ---- in ----------------------------------------------------------------------------------------

  control_rx #(
      .W(W),
      .WORDS(WORDS)
  ) rx (
      .clk,
      .rst,
      .up,
      .line,
      .cause_valid,
      .cause,
      .local_mac,
      .local_ip,
      .claimed,
      .overflow(events.overflow),
      .out(bytes.src)
  );

  // arp and igmp get each byte a cycle after icmp_echo. After each frame the next waits until they can say whether they are busy.
  logic byte_reg, byte_last_reg;
  logic [7:0] byte_data_reg;

  always_ff @(posedge clk) begin
    byte_reg <= byte_taken && !rst;
    byte_data_reg <= bytes.data;
    byte_last_reg <= bytes.last;
    hold_reg <= !rst && ((byte_taken && bytes.last) || (hold_reg && (byte_reg || arp_busy || igmp_busy)));
  end

  assign byte_offered = bytes.valid && !hold_reg;
  assign bytes.ready  = byte_ready && !hold_reg;
  assign byte_taken   = byte_offered && byte_ready;

  // ---- answers -----------------------------------------------------------------------------------

  arp #(
      .PEERS(PEERS)
  ) arp (
      .clk,
      .rst,
      .up,
      .second,
      .local_mac,
      .local_ip,
      .byte_valid(byte_reg),
      .byte_data(byte_data_reg),
      .byte_last(byte_last_reg),
      .busy(arp_busy),
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .out(arp_now.src),
      .answered(events.arp_answer),
      .requested(events.arp_request),
      .refused(events.arp_refused),
      .poison(events.arp_poison),
      .conflict(events.arp_conflict)
  );

  // Its addresses turn with each byte that is taken, and `ready` comes from far.
  tx_register #(
      .W(8)
  ) arp_register (
      .clk,
      .rst,
      .in (arp_now.snk),
      .out(arp_out.src)
  );

  // Its steps have a large fan-out, so its input comes out of a register.
  assign icmp_in.valid = byte_offered;
  assign icmp_in.data = bytes.data;
  assign icmp_in.keep = '1;
  assign icmp_in.last = bytes.last;
  assign byte_ready = icmp_in.ready;

  tx_register #(
      .W(8)
  ) icmp_in_register (
      .clk,
      .rst,
      .in (icmp_in.snk),
      .out(icmp_bytes.src)
  );

  icmp_echo icmp_echo (
      .clk,
      .rst,
      .byte_valid(icmp_bytes.valid),
      .byte_ready(icmp_bytes.ready),
      .byte_data(icmp_bytes.data),
      .byte_last(icmp_bytes.last),
      .out(icmp_now.src),
      .drop,
      .answered(events.icmp_answer),
      .refused(events.icmp_refused)
  );

  // It takes its bytes as they come in, so without this register they would stall at the merge; `drop` stays as long as this holds the last.
  tx_register #(
      .W(8)
  ) icmp_register (
      .clk,
      .rst,
      .in (icmp_now.snk),
      .out(icmp_out.src)
  );

  if (GROUPS) begin : gen_groups
    igmp #(
        .OLDER(OLDER)
    ) igmp (
        .clk,
        .rst,
        .up,
        .hundredth,
        .second,
        .local_mac,
        .local_ip,
        .group(net_config.group),
        .byte_valid(byte_reg),
        .byte_data(byte_data_reg),
        .byte_last(byte_last_reg),
        .busy(igmp_busy),
        .out(igmp_out.src),
        .received(events.igmp_query),
        .refused(events.igmp_refused),
        .reported(events.igmp_report)
    );
  end else begin : gen_no_groups
    assign {igmp_busy, events.igmp_query, events.igmp_refused, events.igmp_report} = '0;
    assign {igmp_out.valid, igmp_out.data, igmp_out.keep, igmp_out.last} = '0;
  end

  // ---- out ---------------------------------------------------------------------------------------
  // A frame that was being made while the addresses changed may mix old and new ones; one of arp's that begins while it still leaves is dropped with it.

  logic arp_spoiled_reg, igmp_spoiled_reg, spoiled;

  always_ff @(posedge clk) begin
    arp_spoiled_reg  <= (arp_spoiled_reg || !up) && (arp_now.valid || (arp_out.valid && !(arp_out.ready && arp_out.last)));
    igmp_spoiled_reg <= (igmp_spoiled_reg || !up) && igmp_out.valid && !(igmp_out.ready && igmp_out.last);
  end
  assign spoiled = !up || (from_igmp ? igmp_spoiled_reg : arp_spoiled_reg);

  tx_merge merge (
      .clk,
      .rst,
      .a(arp_out.snk),
      .b(igmp_out.snk),
      .from_b(from_igmp),
      .out(merged.src)
  );

  tx_priority choice (
      .clk,
      .rst,
      .first(icmp_out.snk),  // it goes on with the bytes that come in
      .second(merged.snk),
      .from_second,
      .out(frames.src)
  );

  frame_gather #(
      .W(W),
      .WORDS(WORDS)
  ) gather (
      .clk,
      .rst,
      .in  (frames.snk),
      .drop(from_second ? spoiled : drop),
      .out
  );
endmodule

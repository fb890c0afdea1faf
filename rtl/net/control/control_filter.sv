// Says which frames the control plane takes: ARP requests and answers to us, echo requests to us, and IGMP queries with an IPv4 option.
//
//   ARP    to our MAC or to all; Ethernet and IPv4; the target address is ours. Operation 0 to 3: `arp` checks the rest.
//   ICMP   to our MAC and our address; IPv4 header without options; type 8, code 0.
//   IGMP   to our MAC or a group's; IPv4 header of 24 bytes; type 0x11.
//
// A frame with a VLAN tag is none of these. The rest (FCS, lengths, the IPv4 header's checksum) is in the cause, except the checksum
// and length of the IPv4 header with an option: see igmp.
// Latency: as frame_match: each is there before the verdict on a frame of at least 64 bytes. Throughput: line rate. Parameters: W.
module control_filter
  import header_pkg::*, control_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         beat_valid,
    input  logic         beat_last,
    input  logic [W-1:0] beat_data,
    input  logic [ 47:0] local_mac,
    input  logic [ 31:0] local_ip,
    output logic         arp,
    output logic         icmp,
    output logic         igmp
);
  localparam int ArpBytes = ArpTargetIp + 4;
  localparam int IcmpBytes = IcmpType + 2;
  localparam int IgmpBytes = IgmpType + 1;
  // A byte of which all bits count; byte 0 of the frame lowest.
  localparam logic [7:0] All = 8'hff;
  localparam logic [ArpBytes-1:0][7:0] ArpMask = {{4{All}}, 128'h0, 8'hfc, {9{All}}, 96'h0};
  localparam logic [IcmpBytes-1:0][7:0] IcmpMask = {{6{All}}, 48'h0, All, 64'h0, {3{All}}, 96'h0};
  localparam logic [IgmpBytes-1:0][7:0] IgmpMask = {All, 112'h0, All, 64'h0, {3{All}}, 96'h0};

  logic [5:0][7:0] our_mac;
  logic [3:0][7:0] our_ip;
  logic [ArpBytes-1:0][7:0] arp_pattern;
  logic [IcmpBytes-1:0][7:0] icmp_pattern;
  logic [IgmpBytes-1:0][7:0] igmp_pattern;
  logic to_us, to_all, to_group, is_arp, is_icmp, is_igmp;

  always_comb begin
    for (int i = 0; i < 6; i++) our_mac[i] = local_mac[8*(5-i)+:8];
    for (int i = 0; i < 4; i++) our_ip[i] = local_ip[8*(3-i)+:8];

    arp_pattern = '0;
    {arp_pattern[EthernetType], arp_pattern[EthernetType+1]} = TypeArp;
    for (int i = 0; i < 6; i++) arp_pattern[ArpHardware+i] = 8'((48'h0001_0800_0604 >> 8 * (5 - i)));
    arp_pattern[ArpTargetIp+:4] = our_ip;

    icmp_pattern = '0;
    {icmp_pattern[EthernetType], icmp_pattern[EthernetType+1], icmp_pattern[IpVersion]} = {TypeIpv4, 8'h45};
    icmp_pattern[IpProtocol] = ProtocolIcmp;
    icmp_pattern[IpDestination+:4] = our_ip;
    icmp_pattern[IcmpType] = IcmpEchoRequest;

    igmp_pattern = '0;
    {igmp_pattern[EthernetType], igmp_pattern[EthernetType+1], igmp_pattern[IpVersion]} = {TypeIpv4, 8'h46};
    igmp_pattern[IpProtocol] = ProtocolIgmp;
    igmp_pattern[IgmpType] = IgmpQuery;
  end

  frame_match #(
      .W(W),
      .BYTES(6)
  ) match_us (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern(our_mac),
      .match(to_us)
  );
  frame_match #(
      .W(W),
      .BYTES(6)
  ) match_all (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern('1),
      .match(to_all)
  );
  frame_match #(
      .W(W),
      .BYTES(3)
  ) match_group (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern(24'h5e0001),
      .match(to_group)
  );
  frame_match #(
      .W(W),
      .BYTES(ArpBytes),
      .MASK(ArpMask)
  ) match_arp (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern(arp_pattern),
      .match(is_arp)
  );
  frame_match #(
      .W(W),
      .BYTES(IcmpBytes),
      .MASK(IcmpMask)
  ) match_icmp (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern(icmp_pattern),
      .match(is_icmp)
  );
  frame_match #(
      .W(W),
      .BYTES(IgmpBytes),
      .MASK(IgmpMask)
  ) match_igmp (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .pattern(igmp_pattern),
      .match(is_igmp)
  );

  assign arp  = (to_us || to_all) && is_arp;
  assign icmp = to_us && is_icmp;
  assign igmp = (to_us || to_group) && is_igmp;
endmodule

// Types of the control plane: ARP, ICMP echo and IGMP.
package control_pkg;

  // Where the fields lie in a frame without VLAN tag, in bytes from its first, besides those of header_pkg.
  localparam int ArpHardware = 14;  // hardware type, protocol type, lengths
  localparam int ArpOperation = 20;
  localparam int ArpSenderMac = 22;
  localparam int ArpSenderIp = 28;
  localparam int ArpTargetIp = 38;
  localparam int IcmpType = 34;  // after an IPv4 header without options
  localparam int IgmpType = 38;  // after one with the router alert

  localparam logic [15:0] TypeArp = 16'h0806;
  localparam logic [7:0] ProtocolIcmp = 8'd1;
  localparam logic [7:0] ProtocolIgmp = 8'd2;
  localparam logic [7:0] IcmpEchoRequest = 8'd8;
  localparam logic [7:0] IgmpQuery = 8'h11;

  // Pulses, for counters.
  typedef struct packed {
    logic overflow;      // a claimed frame found no room
    logic arp_answer;    // sent
    logic arp_request;   // sent, announcements included
    logic arp_refused;   // malformed: the sender's MAC is a group's or zero, or the operation is invalid
    logic arp_poison;    // another MAC for a peer that a session uses: refused
    logic arp_conflict;  // another MAC claims our address
    logic icmp_answer;   // sent
    logic icmp_refused;  // wrong checksum, or too long
    logic igmp_query;    // taken
    logic igmp_refused;  // wrong checksum, length, TTL, option or destination
    logic igmp_report;   // sent, leaves included
  } control_event_t;

endpackage

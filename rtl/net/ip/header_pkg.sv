// Where the fields of an Ethernet, IPv4, UDP or TCP header lie: in the frame, and in the aligned stream of frame_align.
//
// Offsets are in bytes from the frame's first, a VLAN tag left out. Aligned beats are such that at W = 64 the addresses (26 to 33) and
// the UDP header (34 to 41) are a beat each and the payload (42) begins in lane 0: the first aligned beat of a frame holds
// `Lead` bytes that are not the frame's.
package header_pkg;

  localparam int EthernetDestination = 0;
  localparam int EthernetType = 12;
  localparam int IpVersion = 14;  // start of the IPv4 header
  localparam int IpLength = 16;
  localparam int IpFragment = 20;
  localparam int IpProtocol = 23;
  localparam int IpSource = 26;
  localparam int IpDestination = 30;
  localparam int UdpSource = 34;
  localparam int UdpDestination = 36;
  localparam int UdpLength = 38;
  localparam int UdpChecksum = 40;
  localparam int UdpPayload = 42;
  /* verilator lint_off UNUSEDPARAM */  // a design without TCP
  localparam int TcpSource = 34;
  localparam int TcpDestination = 36;
  localparam int TcpSequence = 38;
  localparam int TcpAcknowledgment = 42;
  localparam int TcpOffset = 46;  // length of the header in words, high four bits
  localparam int TcpFlags = 47;
  localparam int TcpWindow = 48;
  localparam int TcpOptions = 54;
  localparam logic [7:0] ProtocolTcp = 8'd6;
  /* verilator lint_on UNUSEDPARAM */

  localparam logic [15:0] TypeVlan = 16'h8100;
  localparam logic [15:0] TypeIpv4 = 16'h0800;
  localparam logic [7:0] ProtocolUdp = 8'd17;

  // The fields of Ethernet and IPv4, and the cycle in which each is complete.
  typedef struct packed {
    logic [47:0] mac;  // of the destination
    logic [15:0] ethertype;
    logic [7:0] version;
    logic [15:0] length;
    logic [15:0] fragment;
    logic [7:0] protocol;
    logic [31:0] destination;
  } ipv4_fields_t;

  typedef struct packed {
    logic mac;
    logic ethertype;
    logic version;
    logic length;
    logic fragment;
    logic protocol;
    logic destination;
  } ipv4_done_t;

  function automatic int lead(input int w);
    return (w / 8 - UdpPayload % (w / 8)) % (w / 8);
  endfunction

  // Aligned beat, from 0, and lane of the byte at an offset.
  function automatic int beat_of(input int w, input int offset);
    return (offset + lead(w)) / (w / 8);
  endfunction

  function automatic int lane_of(input int w, input int offset);
    return (offset + lead(w)) % (w / 8);
  endfunction

  // Offset of the byte in lane 0 of an aligned beat.
  function automatic int offset_of(input int w, input int beat);
    return beat * (w / 8) - lead(w);
  endfunction

  // The aligned beat is counted up to the first of the payload and stays there.
  function automatic int position_width(input int w);
    return $clog2(beat_of(w, UdpPayload) + 1);
  endfunction

endpackage

// Judges a frame by its Ethernet, IPv4 and UDP headers.
//
// Latency: `accepted` is valid in the cycle of the frame's first payload beat (if it gets there), the causes one cycle later; they stay
// until the next frame's. All of them mean something only for frames of at least 64 bytes, which have all headers. Throughput: line rate.
// The configuration may change at any time; a field is compared with it once, the feed's slots as long as the frame lasts.
// Parameters: W; FEEDS, how many have addresses of their own.
module header_check
  import tickwire_pkg::*, header_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1
) (
    input  logic        clk,
    header_if.snk       header,
    input  net_config_t net_config,
    output logic        accepted,         // judged by its headers
    output logic        accepted_late,    // the same a cycle later, with the causes
    output logic [FEEDS-1:0] feed,        // with `accepted`: whose it is, a bit each
    output net_cause_e  cause,            // the first that applies, by its headers
    output net_cause_e  cause_if_short,   // the same for a frame shorter than its total length
    output logic [15:0] total_length,     // of the IPv4 packet; known after its beat
    output logic        udp_unchecked     // the UDP checksum is 0: none
);

  // ---- fields ----------------------------------------------------------------------------------

  ipv4_fields_t ip;
  ipv4_done_t ip_done;
  logic ip_good;

  ipv4_fields #(
      .W(W)
  ) ipv4_fields (
      .clk,
      .header,
      .fields(ip),
      .done(ip_done),
      .checksum_good(ip_good)
  );

  logic [15:0] port, udp_length, udp_checksum;
  logic port_done, udp_length_done, udp_checksum_done;

  header_capture #(
      .W(W),
      .OFFSET(UdpDestination),
      .BYTES(2)
  ) capture_port (
      .clk,
      .header,
      .value(port),
      .done (port_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(UdpLength),
      .BYTES(2)
  ) capture_udp_length (
      .clk,
      .header,
      .value(udp_length),
      .done (udp_length_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(UdpChecksum),
      .BYTES(2)
  ) capture_udp_checksum (
      .clk,
      .header,
      .value(udp_checksum),
      .done (udp_checksum_done)
  );

  // ---- what is wrong with it ---------------------------------------------------------------------

  logic [15:0] udp_expected_reg;
  logic address_ready_reg;
  logic other_ethertype_reg, version_reg, options_reg, checksum_reg, fragment_reg, other_protocol_reg, udp_length_reg;
  logic [GroupSlots:0] mac_match_reg, address_match_reg;  // the groups, then our own
  logic [PortSlots-1:0] port_match_reg;
  logic other_mac, other_ip, other_port, no_udp;
  logic below_ip_reg, below_udp_reg;  // the total length is less than the headers
  logic [FEEDS-1:0] feed_now, feed_late;

  if (FEEDS == 1) begin : gen_feed
    assign feed_now = port_match_reg != '0;
    logic unused;
    assign unused = &{1'b0, net_config.feed};
  end else begin : gen_feeds
    logic [FEEDS-1:0] has;  // several may have it: the first gets it
    for (genvar i = 0; i < FEEDS; i++) begin : gen_has
      assign has[i] = (port_match_reg & net_config.feed[i].ports) != '0 && (address_match_reg & {1'b1, net_config.feed[i].groups}) != '0;
    end
    assign feed_now = has & (~has + 1'b1);
    if (FEEDS < MostFeeds) begin : gen_unused
      logic unused;
      assign unused = &{1'b0, net_config.feed[MostFeeds-1:FEEDS]};
    end
  end

  always_comb begin
    other_mac = mac_match_reg == '0;
    other_ip = address_match_reg == '0;
    other_port = feed_now == '0;
    no_udp = udp_length_reg || below_udp_reg;
  end

  // The two widest fields are compared a cycle after they are complete, at W = 8 as they come; the UDP header's at once, since the payload follows.
  if (W == 8) begin : gen_bytes
    address_match address_match (
        .clk,
        .header,
        .net_config,
        .mac(mac_match_reg),
        .address(address_match_reg)
    );
    logic unused;
    assign unused = &{1'b0, ip.mac, ip.destination, ip_done.mac};
  end else begin : gen_words
    localparam logic [24:0] GroupMac = {24'h01005e, 1'b0};  // then the low 23 bits of the group
    logic [47:0] mac_reg;
    logic [31:0] address_reg;
    logic [GroupSlots-1:0] group_used_reg;
    logic mac_ready_reg;
    always_ff @(posedge clk) begin
      for (int i = 0; i < GroupSlots; i++) group_used_reg[i] <= net_config.group[i] != '0;
      mac_ready_reg <= ip_done.mac;
      if (ip_done.mac) mac_reg <= ip.mac;
      if (mac_ready_reg) begin
        mac_match_reg[GroupSlots] <= mac_reg == net_config.local_mac;
        for (int i = 0; i < GroupSlots; i++) begin
          mac_match_reg[i] <= group_used_reg[i] && mac_reg == {GroupMac, net_config.group[i][22:0]};
        end
      end
      if (ip_done.destination) address_reg <= ip.destination;
      if (address_ready_reg) begin
        address_match_reg[GroupSlots] <= address_reg == net_config.local_ip;
        for (int i = 0; i < GroupSlots; i++) address_match_reg[i] <= group_used_reg[i] && address_reg == net_config.group[i];
      end
    end
  end

  always_ff @(posedge clk) begin
    address_ready_reg <= ip_done.destination;
    udp_expected_reg <= total_length - 16'd20;
    below_ip_reg <= total_length < 16'd20;
    below_udp_reg <= total_length < 16'd28;
    if (ip_done.ethertype) other_ethertype_reg <= ip.ethertype != TypeIpv4;
    if (ip_done.version) begin
      version_reg <= ip.version[7:4] != 4'd4 || ip.version[3:0] < 4'd5;
      options_reg <= ip.version[3:0] > 4'd5;
    end
    if (ip_done.length) total_length <= ip.length;
    if (ip_done.fragment) fragment_reg <= (ip.fragment & 16'h3fff) != '0;  // more fragments, and the offset
    if (ip_done.protocol) other_protocol_reg <= ip.protocol != ProtocolUdp;
    if (address_ready_reg) checksum_reg <= !ip_good;
    // A slot without a port holds 0.
    if (port_done) for (int i = 0; i < PortSlots; i++) port_match_reg[i] <= port != '0 && port == net_config.port[i];
    if (udp_length_done) udp_length_reg <= udp_length != udp_expected_reg;
    if (udp_checksum_done) udp_unchecked <= udp_checksum == '0;
  end

  // ---- the first that applies, in the order of docs/reference/rules.md ----------------------------

  net_cause_e first, first_if_short;
  logic before_length, accepted_early, accepted_now;

  always_comb begin
    before_length = 1'b1;
    if (other_mac) first_if_short = CAUSE_OTHER_MAC;
    else if (other_ethertype_reg) first_if_short = CAUSE_OTHER_ETHERTYPE;
    else if (version_reg) first_if_short = CAUSE_IP_HEADER_ERROR;
    else if (options_reg) first_if_short = CAUSE_IP_OPTIONS;
    else if (checksum_reg) first_if_short = CAUSE_IP_CHECKSUM_ERROR;
    else begin
      first_if_short = CAUSE_IP_LENGTH_ERROR;
      before_length  = 1'b0;
    end

    if (before_length || below_ip_reg) first = first_if_short;
    else if (fragment_reg) first = CAUSE_FRAGMENT;
    else if (other_ip) first = CAUSE_OTHER_IP;
    else if (other_protocol_reg) first = CAUSE_OTHER_PROTOCOL;
    else if (no_udp) first = CAUSE_UDP_LENGTH_ERROR;
    else if (other_port) first = CAUSE_OTHER_PORT;
    else first = CAUSE_ACCEPTED;

    accepted_now = accepted_early && !(checksum_reg || other_ip || udp_length_reg || other_port);
  end

  // What is known before the UDP header, a cycle late: the payload's first beat is soon after the rest.
  always_ff @(posedge clk) begin
    accepted_early <= !(other_mac || other_ethertype_reg || version_reg || options_reg);
    if (fragment_reg || other_protocol_reg || below_udp_reg) accepted_early <= 1'b0;
  end

  // At W = 8 the payload comes two cycles after the last field that counts: time for a register.
  assign accepted = W == 8 ? accepted_late : accepted_now;
  assign feed = W == 8 ? feed_late : feed_now;

  always_ff @(posedge clk) begin
    accepted_late <= accepted_now;
    feed_late <= feed_now;
    cause <= first;
    cause_if_short <= first_if_short;
  end

endmodule

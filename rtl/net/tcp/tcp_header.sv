// Takes the fields out of an Ethernet, IPv4 and TCP header and says whether the frame belongs to the session.
//
// Latency: `of_session` and `in_order` are valid from the second cycle after the beat of the flags (47) on, the fields from the cycle after
// their beat, `mss` from the second after 57; all until the next frame's. Throughput: line rate, frames back to back. Parameters: W.
// Overflow: none, nothing is stored but the last frame's fields.
module tcp_header
  import header_pkg::*, tcp_pkg::*;
#(
    parameter int W = 64
) (
    input  logic        clk,
    header_if.snk       header,            // counted up to beat_of(W, TcpOptions + 3)
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_config_t tcp_config,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [31:0] expected,          // sequence number
    output logic        of_session,           // MAC, addresses, ports and what IPv4 must have
    output logic        in_order,
    output logic [15:0] total_length,      // of the IPv4 packet
    output logic        offset_done,       // `offset` stands in the stream
    output logic [ 3:0] offset,            // length of the header in words
    output logic        acknowledgment_done,
    output logic [31:0] acknowledgment,    // stands in the stream
    output logic [31:0] sequence_number,
    output logic [15:0] window,
    output logic [15:0] mss,               // of the option if it is the first, as all peers send it; else 536, which is always right
    output logic        ack,
    output logic        rst,
    output logic        syn,
    output logic        fin
);
  localparam logic [15:0] DefaultMss = 16'd536;
  localparam logic [15:0] MssOption = 16'h0204;  // kind and length

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

  logic [47:0] mac_reg;
  logic [31:0] source, source_reg, destination_reg, sequence_now, ports, ports_reg, option;
  logic [15:0] window_now;
  logic [7:0] offset_octet, flags;
  logic source_done, ports_done, sequence_done, flags_done, window_done, option_done;

  header_capture #(
      .W(W),
      .OFFSET(IpSource),
      .BYTES(4)
  ) capture_source (
      .clk,
      .header,
      .value(source),
      .done (source_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpSource),
      .BYTES(4)
  ) capture_ports (
      .clk,
      .header,
      .value(ports),
      .done (ports_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpSequence),
      .BYTES(4)
  ) capture_sequence (
      .clk,
      .header,
      .value(sequence_now),
      .done (sequence_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpAcknowledgment),
      .BYTES(4)
  ) capture_acknowledgment (
      .clk,
      .header,
      .value(acknowledgment),
      .done (acknowledgment_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpOffset),
      .BYTES(1)
  ) capture_offset (
      .clk,
      .header,
      .value(offset_octet),
      .done (offset_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpFlags),
      .BYTES(1)
  ) capture_flags (
      .clk,
      .header,
      .value(flags),
      .done (flags_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpWindow),
      .BYTES(2)
  ) capture_window (
      .clk,
      .header,
      .value(window_now),
      .done (window_done)
  );
  header_capture #(
      .W(W),
      .OFFSET(TcpOptions),
      .BYTES(4)
  ) capture_option (
      .clk,
      .header,
      .value(option),
      .done (option_done)
  );

  // ---- compared a cycle after they are complete, all together in the next -----------------------------

  logic mac_match_reg, source_match_reg, destination_match_reg, source_port_match_reg, destination_port_match_reg, other_reg;
  logic ethertype_reg, version_reg, fragment_reg, protocol_reg, option_behind_reg, has_option_reg;
  logic is_mss_reg, option_stored_reg;  // the stored option is an MSS; the cycle after it was stored
  logic unused;

  assign offset = offset_octet[7:4];
  assign unused = &{1'b0, offset_octet[3:0], flags[7:5], flags[3], ip.fragment[15:14]};
  assign other_reg = !ethertype_reg || !version_reg || !fragment_reg || !protocol_reg;

  always_ff @(posedge clk) begin
    if (ip_done.mac) mac_reg <= ip.mac;
    if (ip_done.ethertype) ethertype_reg <= ip.ethertype == TypeIpv4;
    if (ip_done.version) version_reg <= ip.version == 8'h45;
    if (ip_done.length) total_length <= ip.length;
    if (ip_done.fragment) fragment_reg <= (ip.fragment & 16'h3fff) == '0;  // more fragments, and the offset
    if (ip_done.protocol) protocol_reg <= ip.protocol == ProtocolTcp;
    if (source_done) source_reg <= source;
    if (ip_done.destination) destination_reg <= ip.destination;
    if (ports_done) ports_reg <= ports;
    if (sequence_done) sequence_number <= sequence_now;
    if (flags_done) {ack, rst, syn, fin} <= {flags[4], flags[2:0]};
    if (window_done) window <= window_now;
    if (offset_done) has_option_reg <= offset > 4'd5;
    // At W = 64 the count stays at the beat of the option: only the first such beat counts.
    if (flags_done) option_behind_reg <= 1'b0;
    else if (option_done) option_behind_reg <= 1'b1;
    if (option_done && !option_behind_reg) begin
      mss <= option[15:0];
      is_mss_reg <= has_option_reg && option[31:16] == MssOption;
    end
    option_stored_reg <= option_done && !option_behind_reg;
    if (option_stored_reg && !is_mss_reg) mss <= DefaultMss;

    mac_match_reg <= mac_reg == tcp_config.local_mac;
    source_match_reg <= source_reg == tcp_config.peer_ip;
    destination_match_reg <= destination_reg == tcp_config.local_ip;
    source_port_match_reg <= ports_reg[31:16] == tcp_config.peer_port;
    destination_port_match_reg <= ports_reg[15:0] == tcp_config.local_port;
    in_order <= sequence_number == expected;
  end

  assign of_session = mac_match_reg && source_match_reg && destination_match_reg && source_port_match_reg && destination_port_match_reg
      && ip_good && !other_reg;

endmodule

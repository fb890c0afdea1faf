// W = 8: compares the Ethernet and IPv4 destination of a frame with our own addresses and with the groups, as the bytes come.
//
//   byte ──────────────────────────────────── register ─┬─ equal? ─ matches
//   position ─ the byte there of each address ─ register ┘
//
// A group's MAC ends in the low 23 bits of the group: the same byte of it is expected there and in the IPv4 address.
//
// Latency: 2 cycles from the field's last byte, until the next frame's; `mac` of the groups with `address`. Throughput: line rate. Parameters: none. Overflow: none.
module address_match
  import tickwire_pkg::*, header_pkg::*;
(
    input  logic                  clk,
    header_if.snk                 header,
    /* verilator lint_off UNUSEDSIGNAL */  // ports are not needed here
    input  net_config_t           net_config,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic [GroupSlots:0]   mac,         // the groups, then our own: it is the frame's destination
    output logic [GroupSlots:0]   address
);
  localparam int Position = position_width(8);
  localparam int OfGroup = EthernetDestination + 3;  // from here on a MAC has bits of the group

  if (OfGroup % 4 != 3 || IpDestination % 4 != 2) begin : gen_check
    $fatal(1, "address_match: the low bits of the position do not say which byte of the address comes");
  end

  logic [1:0] place;  // which byte of an IPv4 address comes
  logic [GroupSlots:0][7:0] coming, expected;
  logic [7:0] data, prefix_coming, prefix_expected;
  logic [GroupSlots:0] equal, mac_equal, address_equal;
  logic [GroupSlots-1:0] used;  // a slot without a group holds 0
  logic step, in_mac, in_address, at_begin, at_group, at_address, prefix;

  assign mac = mac_equal & {1'b1, used};
  assign address = address_equal & {1'b1, used};
  assign place = {!header.position[1], header.position[0]};

  always_comb begin
    for (int i = 0; i < GroupSlots; i++) coming[i] = net_config.group[i][{~place, 3'b000}+:8];
    coming[GroupSlots] = net_config.local_ip[{~place, 3'b000}+:8];
    if (header.position < Position'(IpDestination)) begin
      unique case (header.position[2:0])
        3'd0: coming[GroupSlots] = net_config.local_mac[47:40];
        3'd1: coming[GroupSlots] = net_config.local_mac[39:32];
        3'd2: coming[GroupSlots] = net_config.local_mac[31:24];
        3'd3: coming[GroupSlots] = net_config.local_mac[23:16];
        3'd4: coming[GroupSlots] = net_config.local_mac[15:8];
        default: coming[GroupSlots] = net_config.local_mac[7:0];
      endcase
    end
    if (header.position == Position'(OfGroup)) for (int i = 0; i < GroupSlots; i++) coming[i][7] = 1'b0;
    prefix_coming = header.position[1] ? 8'h5e : header.position[0] ? 8'h00 : 8'h01;
    for (int i = 0; i <= GroupSlots; i++) equal[i] = data == expected[i];
  end

  always_ff @(posedge clk) begin
    step <= header.beat;
    data <= header.data;
    expected <= coming;
    prefix_expected <= prefix_coming;
    in_mac <= header.position < Position'(EthernetDestination + 6);
    in_address <= header.position >= Position'(IpDestination) && header.position < Position'(IpDestination + 4);
    at_begin <= header.position == Position'(EthernetDestination);
    at_group <= header.position == Position'(OfGroup);
    at_address <= header.position == Position'(IpDestination);

    if (step && in_mac) begin
      prefix <= (at_begin || prefix) && data == prefix_expected;
      for (int i = 0; i < GroupSlots; i++) mac_equal[i] <= (at_group ? prefix : mac_equal[i]) && equal[i];
      mac_equal[GroupSlots] <= (at_begin || mac_equal[GroupSlots]) && equal[GroupSlots];
    end
    if (step && in_address) begin
      for (int i = 0; i <= GroupSlots; i++) address_equal[i] <= (at_address || address_equal[i]) && equal[i];
      for (int i = 0; i < GroupSlots; i++) used[i] <= (!at_address && used[i]) || expected[i] != '0;
    end
  end
endmodule

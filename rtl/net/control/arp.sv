// Answers ARP requests for our address, and finds the MACs of the peers it is asked for (RFC 826, RFC 5227).
//
//   bytes ─ sender ─┬─ answer ──────┐
//                   └─ peers ─ ask ─┴─ out
//
// Peers are a cache with one entry for each that asks: it learns no other MAC, so it cannot be filled from outside. A next hop after a router is
// the router's address, which the asker knows. Only ARP whose target address is ours comes here (control_filter); then:
//
//   an entry is made and changed    by any ARP from its address, a request to us or an answer
//   while `pinned`                  by none: another MAC is not believed, and counted; the entry does not age. A request from it is answered all the
//                                   same: the peer may have moved, and would hear of us in no other way
//   when `pinned` falls             it is forgotten, and asked for again if still wanted
//   AGE seconds without ARP         it is asked for again, and forgotten if three requests find no answer
//
// Rate limits: a request a peer every 1 to 2 s; two announcements 2 s apart when `up` rises, one in 10 s at a conflict (RFC 5227: the
// address is not given up); answers as fast as requests are read. A sender with a group's MAC or zero is refused; a probe (sender 0.0.0.0) is answered.
//
// Latency: last byte in to first of the answer 3 cycles. Throughput: an answer in 44 cycles; `busy` until it is out. Parameters: PEERS; AGE.
// Overflow: none; bytes come only while nothing is busy.
module arp
  import header_pkg::*, control_pkg::*;
#(
    parameter int PEERS = 4,
    parameter int AGE = 60
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    up,             // local_mac and local_ip are valid and do not change
    input  logic                    second,         // pulse
    input  logic [       47:0]      local_mac,
    input  logic [       31:0]      local_ip,
    input  logic                    byte_valid,     // control_rx
    input  logic [        7:0]      byte_data,
    input  logic                    byte_last,
    output logic                    busy,
    input  logic [PEERS-1:0]        resolve_valid,  // the peer's MAC is wanted
    input  logic [PEERS-1:0][ 31:0] resolve_ip,
    input  logic [PEERS-1:0]        pinned,         // a session uses it
    output logic [PEERS-1:0]        peer_mac_valid,
    output logic [PEERS-1:0][ 47:0] peer_mac,
    tx_stream_if.src                out,            // 8 bits
    output logic                    answered,       // pulses
    output logic                    requested,
    output logic                    refused,
    output logic                    poison,
    output logic                    conflict
);
  localparam int Frame = ArpTargetIp + 4;
  localparam int Silence = AGE + 6;  // seconds: three requests fit
  localparam int Age = $clog2(Silence + 1);
  localparam int Peer = PEERS > 1 ? $clog2(PEERS) : 1;
  localparam logic [1:0] AnnounceGap = 2'd2;  // seconds
  localparam logic [3:0] DefendGap = 4'd10;

  // ---- receive -----------------------------------------------------------------------------------

  logic [5:0] index_reg;  // of the coming byte; stays at 63
  logic is_arp_reg, own_mac_reg, decide_reg;
  logic [ 1:0] operation_reg;
  logic [47:0] sender_mac_reg;
  logic [31:0] sender_ip_reg;
  logic our_ip_reg, bad_mac_reg;
  logic hostile;
  logic decides;  // the frame ends
  logic turn_mac, turn_ip;  // a byte of that address goes out

  assign decides = byte_valid && byte_last && is_arp_reg && !rst;

  always_ff @(posedge clk) begin
    decide_reg  <= decides;
    // Compared while the frame's end comes.
    our_ip_reg  <= sender_ip_reg == local_ip;
    own_mac_reg <= sender_mac_reg == local_mac;
    bad_mac_reg <= sender_mac_reg[40] || sender_mac_reg == '0;
    if (byte_valid) begin
      index_reg <= byte_last ? '0 : index_reg + 6'(index_reg != '1);
      if (index_reg == 6'(EthernetType + 1)) is_arp_reg <= byte_data == TypeArp[7:0];  // one of two: control_filter
      if (index_reg == 6'(ArpOperation + 1)) operation_reg <= byte_data[1:0];
    end
    // The answer sends them by rotating these registers; after a full turn they are as before. Nothing comes in meanwhile.
    if (turn_mac || (byte_valid && index_reg >= 6'(ArpSenderMac) && index_reg < 6'(ArpSenderIp)))
      sender_mac_reg <= {sender_mac_reg[39:0], turn_mac ? sender_mac_reg[47:40] : byte_data};
    if (turn_ip || (byte_valid && index_reg >= 6'(ArpSenderIp) && index_reg < 6'(ArpSenderIp + 4)))
      sender_ip_reg <= {sender_ip_reg[23:0], turn_ip ? sender_ip_reg[31:24] : byte_data};
    if (rst) begin
      index_reg  <= '0;
      decide_reg <= 1'b0;
    end
  end

  assign hostile = bad_mac_reg || operation_reg == 2'd0 || operation_reg == 2'd3;

  // ---- peers -------------------------------------------------------------------------------------

  logic [PEERS-1:0][31:0] ip_reg;  // whose MAC it is
  logic [PEERS-1:0][Age-1:0] age_reg;  // seconds since it has answered
  logic [PEERS-1:0][1:0] wait_reg;  // seconds until it may be asked for again
  logic [PEERS-1:0] heard_reg, same_mac_reg, pinned_reg, valid_reg, wanted, ask_reg, asked, poisoned, renewed;

  assign peer_mac_valid = valid_reg;

  for (genvar i = 0; i < PEERS; i++) begin : gen_peer
    // `pinned` comes late and has a large fan-out.
    assign poisoned[i] = heard_reg[i] && valid_reg[i] && pinned[i] && !same_mac_reg[i];
    assign renewed[i] = heard_reg[i] && (!valid_reg[i] || !pinned[i] || same_mac_reg[i]);
    assign wanted[i] = resolve_valid[i] && ip_reg[i] == resolve_ip[i] && !pinned[i];

    always_ff @(posedge clk) begin
      ask_reg[i] <= wanted[i] && wait_reg[i] == '0 && (!valid_reg[i] || age_reg[i] >= Age'(AGE));
      // The sender is known long before the frame ends.
      heard_reg[i] <= decides && !hostile && !our_ip_reg && sender_ip_reg == ip_reg[i] && (resolve_valid[i] || valid_reg[i]);
      same_mac_reg[i] <= sender_mac_reg == peer_mac[i];
      ip_reg[i] <= resolve_ip[i];
      pinned_reg[i] <= pinned[i];
      if (second && wait_reg[i] != '0) wait_reg[i] <= wait_reg[i] - 1'b1;
      if (asked[i]) wait_reg[i] <= 2'd2;
      if (second && !pinned[i] && age_reg[i] != Age'(Silence)) age_reg[i] <= age_reg[i] + 1'b1;
      if (second && age_reg[i] == Age'(Silence)) valid_reg[i] <= 1'b0;
      if (renewed[i]) begin
        peer_mac[i] <= sender_mac_reg;
        valid_reg[i] <= 1'b1;
        age_reg[i] <= '0;
      end
      if (rst || !up || ip_reg[i] != resolve_ip[i] || (pinned_reg[i] && !pinned[i])) begin
        valid_reg[i] <= 1'b0;
        wait_reg[i]  <= '0;
      end
    end
  end

  // ---- transmit ----------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    ANSWER,
    ANNOUNCE,
    ASK
  } kind_e;

  kind_e kind_reg;
  logic sending_reg, asked_reg, answer_reg, done, up_reg, announce;
  logic [1:0] announcements_reg, announce_wait_reg;
  logic [3:0] defend_wait_reg;
  logic [5:0] sent_reg;  // index of the byte after that on `out`
  logic [7:0] data_reg;
  logic last_reg;
  logic [31:0] asked_ip_reg;
  logic [Peer-1:0] next_peer;
  logic [7:0] octet, local_mac_octet, local_ip_octet, asked_octet;  // octets at that index
  logic [1:0] ip_at;  // which octet of an address: sent_reg[1:0] ^ {sent_reg[5], 1'b0}, in flip-flops
  logic [5:0] sent_next;
  logic answering, mac_next_reg, ip_next_reg;  // that octet is of the requester's MAC, or address

  assign announce = announcements_reg != '0 && announce_wait_reg == '0;

  always_comb begin
    next_peer = '0;
    for (int i = PEERS - 1; i >= 0; i--) if (ask_reg[i]) next_peer = Peer'(i);
    asked = '0;
    asked[next_peer] = up && !sending_reg && !answer_reg && !asked_reg && !decide_reg && !announce && ask_reg[next_peer];
  end

  // The MACs at 6 and 22 have the low four bits of the index in common, the addresses at 28 and 38 the low two except bit 1.
  assign sent_next = sent_reg + 1'b1;
  assign local_ip_octet = 8'(local_ip >> {~ip_at, 3'b0});
  assign asked_octet = 8'(asked_ip_reg >> {~ip_at, 3'b0});
  assign answering = kind_reg == ANSWER;
  assign turn_mac = sending_reg ? answering && out.ready && mac_next_reg : answer_reg;
  assign turn_ip = sending_reg && answering && out.ready && ip_next_reg;

  always_comb begin
    unique case (sent_reg[3:0])
      4'd6: local_mac_octet = local_mac[47:40];
      4'd7: local_mac_octet = local_mac[39:32];
      4'd8: local_mac_octet = local_mac[31:24];
      4'd9: local_mac_octet = local_mac[23:16];
      4'd10: local_mac_octet = local_mac[15:8];
      default: local_mac_octet = local_mac[7:0];
    endcase
    unique case (sent_reg)
      6'd0, 6'd1, 6'd2, 6'd3, 6'd4, 6'd5: octet = answering ? sender_mac_reg[47:40] : 8'hff;
      6'd6, 6'd7, 6'd8, 6'd9, 6'd10, 6'd11: octet = local_mac_octet;
      6'd12, 6'd16: octet = 8'h08;
      6'd13, 6'd18: octet = 8'h06;
      6'd14, 6'd17, 6'd20: octet = 8'h00;
      6'd15: octet = 8'h01;
      6'd19: octet = 8'h04;
      6'd21: octet = answering ? 8'd2 : 8'd1;
      6'd22, 6'd23, 6'd24, 6'd25, 6'd26, 6'd27: octet = local_mac_octet;
      6'd28, 6'd29, 6'd30, 6'd31: octet = local_ip_octet;
      6'd32, 6'd33, 6'd34, 6'd35, 6'd36, 6'd37: octet = answering ? sender_mac_reg[47:40] : 8'h00;
      default: octet = answering ? sender_ip_reg[31:24] : kind_reg == ANNOUNCE ? local_ip_octet : asked_octet;
    endcase
  end

  assign out.valid = sending_reg;
  assign out.data = data_reg;
  assign out.keep = '1;
  assign out.last = last_reg;
  assign done = sending_reg && out.ready && out.last;
  assign busy = decide_reg || asked_reg || answer_reg;

  always_ff @(posedge clk) begin
    up_reg <= up && !rst;
    if (second && announce_wait_reg != '0) announce_wait_reg <= announce_wait_reg - 1'b1;
    if (second && defend_wait_reg != '0) defend_wait_reg <= defend_wait_reg - 1'b1;
    if (!sending_reg) begin
      sent_reg <= 6'd1;
      ip_at <= 2'd1;
      {mac_next_reg, ip_next_reg} <= 2'b10;
      data_reg <= answer_reg ? sender_mac_reg[47:40] : 8'hff;
      last_reg <= 1'b0;
      if (answer_reg) begin
        sending_reg <= 1'b1;
        kind_reg <= ANSWER;
      end else if (!decide_reg && !asked_reg && up && announce) begin
        sending_reg <= 1'b1;
        kind_reg <= ANNOUNCE;
        announcements_reg <= announcements_reg - 1'b1;
        announce_wait_reg <= AnnounceGap;
      end else if (asked != '0) begin
        sending_reg <= 1'b1;
        kind_reg <= ASK;
        asked_ip_reg <= resolve_ip[next_peer];
      end
    end else if (out.ready) begin
      sent_reg <= sent_next;
      ip_at <= sent_next[1:0] ^ {sent_next[5], 1'b0};
      data_reg <= octet;
      if (sent_reg inside {6'd5, 6'd31, 6'd37}) {mac_next_reg, ip_next_reg} <= {sent_reg == 6'd31, sent_reg == 6'd37};
      last_reg <= sent_reg == 6'(Frame - 1);
      if (last_reg) sending_reg <= 1'b0;
    end

    asked_reg <= decide_reg && operation_reg == 2'd1 && !hostile && !our_ip_reg && !rst;
    if (asked_reg) answer_reg <= 1'b1;
    else if (done && kind_reg == ANSWER) answer_reg <= 1'b0;

    answered <= done && kind_reg == ANSWER;
    requested <= done && kind_reg != ANSWER;
    refused <= decide_reg && hostile;
    poison <= poisoned != '0;
    conflict <= decide_reg && !hostile && our_ip_reg && !own_mac_reg;
    if (conflict && defend_wait_reg == '0) begin
      announcements_reg <= 2'd1;
      announce_wait_reg <= '0;
      defend_wait_reg   <= DefendGap;
    end
    if (up && !up_reg) begin
      announcements_reg <= 2'd2;
      announce_wait_reg <= '0;
      defend_wait_reg   <= '0;
    end
    if (rst) begin
      sending_reg <= 1'b0;
      answer_reg <= 1'b0;
      announcements_reg <= '0;
      announce_wait_reg <= '0;
      defend_wait_reg <= '0;
      {answered, requested, refused, poison, conflict} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(byte_valid && busy));
endmodule

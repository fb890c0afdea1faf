// Makes the Ethernet, IPv4 and TCP headers of a frame byte by byte (W = 8), and sums them up between the bytes.
//
//   number ─ odd ──┬─ word of the headers ─ register ─┬─ high byte ───────── octet
//   step ─── even ─┘                                  ├─ low byte, held ─┘
//                                                     └─ sum ─ checksums
//
// While an odd byte goes by, the word of the next two is chosen. While an even one does, the same choice serves the checksums, a term in
// each such cycle: 5 terms and a fold for IPv4's, known before byte 24 needs it, and 8 more for TCP's, known 34 cycles after byte 1, except
// the payload's. The first two bytes, which stand ready before the frame starts, are not from here.
//
// Latency: `octet` is that of `index`; `sum` must be there three cycles before byte 50. Throughput: a byte a cycle.
// Parameters: none. Overflow: none.
module tcp_header_bytes
  import tcp_pkg::*;
(
    input  logic               clk,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of them are used here
    input  tcp_config_t        tcp_config,
    input  tcp_frame_t         frame,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic        [47:0] peer_mac,
    input  logic        [15:0] total_length,
    input  logic        [15:0] offset_flags,
    input  logic        [15:0] sum,           // of the payload
    input  logic        [ 5:0] index,         // 1 with `begins`; then byte by byte
    input  logic               begins,        // a frame may begin
    input  logic               load,          // the byte of that index is taken
    output logic        [ 7:0] octet
);
  localparam logic [15:0] IpConstant = 16'h4500 + 16'h4000 + 16'h4006;  // version to protocol, less the length
  // In ones' complement: takes IpConstant out and adds the protocol and a length that is 20 less.
  localparam logic [15:0] TcpConstant = 16'hffff - IpConstant + 16'd6 - 16'd20;
  localparam logic [4:0] Constant = 5'd27, Fold = 5'd28;  // words after the headers'

  logic [31:0][15:0] words;
  logic [15:0] payload_reg;  // `sum`, registered: it comes from a carry chain
  logic [15:0] word, first_word_reg, second_word_reg, ip_checksum_reg, tcp_checksum;
  logic second_reg;  // which of the two is `word`: of words 0 to 15, or of those from 16 on
  logic [4:0] term, number_reg, choice_reg;  // which word: for the sums, for the next bytes; and the choice now
  logic [4:0] step_reg;  // 16: done
  logic add_reg;  // `word` is a term
  logic later_reg;  // `index` is not 1: `load` comes late, and decides with few others
  logic [7:0] low_reg;
  logic [16:0] sum_reg, last_sum_reg, sum_next, last_sum_next;
  logic carry_unused, last_carry_unused;

  always_comb begin
    unique case (step_reg[3:0])
      4'd4: term = 5'd8;  // the last before the fold: it is small, so that folding leaves no carry
      4'd5, 4'd15: term = Fold;
      4'd6: term = Constant;
      default: term = step_reg[3:0] < 4'd4 ? 5'd13 + {1'b0, step_reg[3:0]} : 5'd10 + {1'b0, step_reg[3:0]};
    endcase
  end

  always_comb begin
    words = '0;
    {words[0], words[1], words[2]} = peer_mac;
    {words[3], words[4], words[5]} = tcp_config.local_mac;
    words[6] = 16'h0800;
    words[7] = 16'h4500;
    words[8] = total_length;
    words[10] = 16'h4000;
    words[11] = 16'h4006;
    words[12] = ip_checksum_reg;
    {words[13], words[14]} = tcp_config.local_ip;
    {words[15], words[16]} = tcp_config.peer_ip;
    words[17] = tcp_config.local_port;
    words[18] = tcp_config.peer_port;
    {words[19], words[20]} = frame.sequence_number;
    {words[21], words[22]} = frame.acknowledgment;
    words[23] = offset_flags;
    words[24] = frame.window;
    words[25] = tcp_checksum;
    words[Constant] = TcpConstant;
  end

  assign word = second_reg ? second_word_reg : first_word_reg;
  assign octet = index[0] ? low_reg : word[15:8];
  assign tcp_checksum = ~(last_sum_reg[15:0] + {15'b0, last_sum_reg[16]});

  // The carry goes in through a bit below the sum: one adder each.
  assign {sum_next, carry_unused} = {1'b0, sum_reg[15:0], 1'b1} + {1'b0, word, sum_reg[16]};
  assign {last_sum_next, last_carry_unused} = {1'b0, sum_reg[15:0], 1'b1} + {1'b0, payload_reg, sum_reg[16]};

  always_ff @(posedge clk) begin
    if (load) second_word_reg <= words[{1'b1, choice_reg[3:0]}];  // always: it does no harm before it is needed
    if (begins) begin
      low_reg <= peer_mac[39:32];
      first_word_reg <= peer_mac[31:16];
      second_reg <= 1'b0;
      number_reg <= 5'd2;
      step_reg <= '0;
      add_reg <= 1'b0;
      later_reg <= 1'b0;
      sum_reg  <= {1'b0, IpConstant};
    end else if (load) begin
      later_reg <= 1'b1;
      if (later_reg) begin
        first_word_reg <= words[{1'b0, choice_reg[3:0]}];
        second_reg <= choice_reg[4];
      end
      if (!index[0]) begin
        low_reg <= word[7:0];
        add_reg <= !step_reg[4];
        if (!step_reg[4]) step_reg <= step_reg + 1'b1;
      end else if (later_reg) begin
        number_reg <= number_reg + 1'b1;
        if (add_reg) sum_reg <= sum_next;
        if (step_reg == 5'd7) ip_checksum_reg <= ~sum_reg[15:0];
      end
    end
    choice_reg <= index[0] == load ? term : number_reg;
    // After a fold bit 16 is set only where the others are 0.
    last_sum_reg <= last_sum_next;
    payload_reg <= sum;
  end

  assert property (@(posedge clk) begins || later_reg == (index != 6'd1));

endmodule

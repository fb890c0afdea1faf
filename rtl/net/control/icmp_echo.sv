// Answers ICMP echo requests (RFC 792, RFC 1122 3.2.2.6): the request goes out as it comes in, with the addresses exchanged.
//
//   bytes ─ 12 bytes of delay ─┬─ out          6 bytes after: the destination MAC is what was the source
//              └ sums ─────────┘
//
// Type, TTL (64) and the two checksums are changed on the way; the checksums by the difference (RFC 1624, eqn. 3), so that the requester
// would detect data damaged here. The request's ICMP checksum is checked meanwhile: if it is wrong, or the packet has more than 1,500 bytes (1,472 of
// data), `drop` takes the answer back. Other frames are dropped as soon as they are recognised. What was checked before: control_filter.
//
// Latency: 6 bytes. Throughput: a byte a cycle, held by `out`. Rate limit: only that of the bytes. Parameters: none.
// Overflow: none, the bytes wait.
module icmp_echo
  import header_pkg::*, control_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    input  logic            byte_valid,  // control_rx
    output logic            byte_ready,
    input  logic     [ 7:0] byte_data,
    input  logic            byte_last,
    tx_stream_if.src        out,         // 8 bits
    output logic            drop,        // about the frame whose last byte left: from the cycle after it until the next frame's last byte
    output logic            answered,    // pulses
    output logic            refused
);
  localparam int Lag = 6;
  localparam logic [7:0] Ttl = 8'd64;
  localparam logic [15:0] IpHeader = 16'd20;
  localparam logic [15:0] Shortest = 16'd28, Longest = 16'd1500;
  localparam logic [5:0] KindKnown = 6'(IpVersion + 1), LengthKnown = 6'(IpLength + 4);

  logic [5:0] index_reg;  // of the coming byte; stays at 63
  logic [11:0][7:0] before_reg;  // the bytes before it, the last one lowest
  logic step;  // a byte comes in, or one more is needed to bring the last out
  logic moves;  // a step would happen if `out` were ready
  logic taking_reg;  // bytes come in
  logic draining_reg;  // all came in, and some are still to go out
  logic through_reg;  // all came in and went out: start again
  logic finished_reg;  // the last went out
  logic truncated_reg;  // the bytes ended before the packet did
  logic other_reg, last_reg;  // not for us; the byte that goes out is the last
  logic writing_reg, good, ends, out_over;
  logic ended_reg, other_late_reg;  // `ends` a cycle before; other_reg at that time
  logic [15:0] left_reg;  // bytes of the ICMP message that are to come
  logic misfit_reg;  // the packet's length is impossible
  logic bad_reg;  // misfit_reg or other_reg: ends the answer
  logic [2:0] after_reg;  // steps since the last byte of the message

  assign byte_ready = taking_reg && out.ready;
  assign moves = taking_reg ? byte_valid : draining_reg;
  assign step = moves && out.ready;

  // ---- checksums: the carry out of a sum is added in the next, the last term is zero -------------------------

  logic [15:0] patch_reg, patch_term, sum_reg, sum_term;
  logic patch_carry_reg, sum_carry_reg, odd_reg;
  logic old_reg, old_ttl_reg, new_ttl_reg, old_type_reg;  // a checksum is there; a term of its change is added
  logic
      at_type_reg,
      after_header_reg,
      in_message_reg;  // the ICMP message begins after the coming byte; the IPv4 header has passed; inside the message

  always_comb begin
    patch_term = '0;
    if (old_ttl_reg) patch_term = ~{before_reg[4], ProtocolIcmp};
    if (new_ttl_reg) patch_term = {Ttl, ProtocolIcmp};
    if (old_type_reg) patch_term = ~{IcmpEchoRequest, 8'h00};
  end

  assign sum_term = !in_message_reg ? '0 : odd_reg ? {8'h00, byte_data} : {byte_data, 8'h00};

  always_ff @(posedge clk) begin
    if (step) begin
      before_reg <= {before_reg[10:0], byte_data};
      old_reg <= index_reg == 6'd25 || index_reg == 6'd37;
      old_ttl_reg <= index_reg == 6'd26;
      new_ttl_reg <= index_reg == 6'd27;
      old_type_reg <= index_reg == 6'd38;
      if (old_reg) {patch_carry_reg, patch_reg} <= {1'b0, ~{before_reg[1], before_reg[0]}};
      else {patch_carry_reg, patch_reg} <= {1'b0, patch_reg} + {1'b0, patch_term} + 17'(patch_carry_reg);
      odd_reg <= in_message_reg && !odd_reg;
      if (!after_header_reg) {sum_carry_reg, sum_reg} <= '0;
      else {sum_carry_reg, sum_reg} <= {1'b0, sum_reg} + {1'b0, sum_term} + 17'(sum_carry_reg);
      if (index_reg == 6'(IpLength + 2)) begin
        left_reg   <= {before_reg[1], before_reg[0]} - IpHeader;
        misfit_reg <= {before_reg[1], before_reg[0]} < Shortest || {before_reg[1], before_reg[0]} > Longest;
      end else if (in_message_reg) left_reg <= left_reg - 1'b1;
      after_header_reg <= after_header_reg || at_type_reg;
      in_message_reg <= at_type_reg ? left_reg != '0 : in_message_reg && left_reg != 16'd1;
      at_type_reg <= index_reg == 6'(IcmpType - 2);
      after_reg <= after_header_reg && !in_message_reg ? after_reg + 1'b1 : '0;
      other_reg <= index_reg == KindKnown - 1'b1 && byte_data != 8'h45;  // one of three kinds: control_filter
      bad_reg <= (index_reg == KindKnown - 1'b1 && byte_data != 8'h45) || (index_reg == LengthKnown - 1'b1 && misfit_reg);
      last_reg <= (index_reg == KindKnown - 1'b1 && byte_data != 8'h45) || (index_reg == LengthKnown - 1'b1 && misfit_reg)
          || after_reg == 3'(Lag - 2);
    end
    if (through_reg || rst) {at_type_reg, after_header_reg, in_message_reg} <= '0;
  end

  // ---- out ---------------------------------------------------------------------------------------

  assign good = sum_reg == 16'hffff && !truncated_reg && !bad_reg;
  assign ends = step && writing_reg && last_reg;
  assign out_over = finished_reg || (writing_reg && last_reg);  // with this step

  assign out.valid = writing_reg && moves;
  assign out.keep = '1;
  assign out.last = last_reg;

  always_comb begin
    unique case (index_reg)
      6'd6, 6'd7, 6'd8, 6'd9, 6'd10, 6'd11: out.data = byte_data;
      6'd12, 6'd13, 6'd14, 6'd15, 6'd16, 6'd17: out.data = before_reg[11];
      6'd28: out.data = Ttl;
      6'd30, 6'd42: out.data = ~patch_reg[15:8];
      6'd31, 6'd43: out.data = ~patch_reg[7:0];
      6'd32, 6'd33, 6'd34, 6'd35: out.data = before_reg[1];  // the destination becomes the source
      6'd36, 6'd37, 6'd38, 6'd39: out.data = before_reg[9];
      6'd40: out.data = 8'h00;  // echo reply
      default: out.data = before_reg[5];
    endcase
  end

  always_ff @(posedge clk) begin
    if (step) begin
      if (index_reg != '1) index_reg <= index_reg + 1'b1;
      if (index_reg == 6'(Lag - 1)) writing_reg <= 1'b1;
      if (ends) {writing_reg, finished_reg} <= 2'b01;
      if (draining_reg || byte_last) begin
        taking_reg   <= 1'b0;
        draining_reg <= !out_over;
        through_reg  <= out_over;
      end
      if (taking_reg && byte_last) truncated_reg <= left_reg > 16'd1;
    end
    if (through_reg || rst) begin
      index_reg <= '0;
      taking_reg <= 1'b1;
      draining_reg <= 1'b0;
      through_reg <= 1'b0;
      writing_reg <= 1'b0;
      finished_reg <= 1'b0;
      truncated_reg <= 1'b0;
    end
    ended_reg <= ends && !rst;
    if (ends) {drop, other_late_reg} <= {!good, other_reg};
    answered <= ended_reg && !drop;
    refused  <= ended_reg && drop && !other_late_reg;
    if (rst) begin
      answered <= 1'b0;
      refused <= 1'b0;
    end
  end
endmodule

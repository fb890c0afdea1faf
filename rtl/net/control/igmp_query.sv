// Reads IGMP queries (RFC 3376, 4.1; RFC 2236): what is asked, and how long the answer may take.
//
// Accepted is a query with TTL 1, the router alert option and no other, good checksums, a length of 8 bytes (version 2; with a code of 0
// version 1, whose response time is 10 s) or at least 12 and its sources (version 3), to all systems, to the group
// asked for, or to us. All others are refused.
// The response time, in tenths of a second, is brought into 1 to 255: version 3 could say 53 minutes, and an early answer is in time.
//
// Latency: last byte in to `valid` 2 cycles; it stays until `taken`. Throughput: a byte a cycle; `busy` until then. Parameters: none.
// Overflow: none; bytes come only while nothing is busy.
module igmp_query
  import header_pkg::*, control_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic [31:0] local_ip,
    input  logic        byte_valid,  // control_rx
    input  logic [ 7:0] byte_data,
    input  logic        byte_last,
    output logic        busy,
    output logic        valid,
    input  logic        taken,
    output logic [31:0] group,       // 0: general
    output logic [ 7:0] tenths,      // within which to answer
    output logic        older,       // version 2 or 1
    output logic        received,    // pulses
    output logic        refused
);
  localparam logic [31:0] AllSystems = 32'he000_0001;
  localparam logic [31:0] RouterAlert = 32'h9404_0000;
  localparam int Option = 34;
  localparam int Code = IgmpType + 1;
  localparam int Group = IgmpType + 4;
  localparam int Sources = IgmpType + 10;

  logic [5:0] index_reg;  // of the coming byte; stays at 63
  logic [7:0] before_reg;
  logic [15:0] left_reg;  // bytes of the packet to come
  logic [15:0] length_reg;  // of the message: the packet's less a header of 24 bytes
  logic [15:0] sources_reg;
  logic [31:0] destination_reg;
  logic [7:0] code_reg;
  logic is_igmp_reg, bad_reg, decide_reg, in_packet, sum_good, odd;
  logic begins, message_begins;  // with the coming byte
  logic
      before_length_reg,
      length_ends_reg,
      behind_length_reg;  // the byte is in the packet up to its length field; ends that field; is after it

  assign in_packet = before_length_reg || (behind_length_reg && left_reg != '0);

  // Odd and even bytes of the packet; at 63, where the index stays, left_reg decides.
  logic odd_reg;
  assign odd = !begins && odd_reg;

  internet_checksum #(
      .WORDS(1)
  ) checksum (
      .clk,
      .add(byte_valid && in_packet),
      .restart(begins || message_begins),
      .begin_with('0),
      .words(odd ? {8'h00, byte_data} : {byte_data, 8'h00}),
      .good(sum_good)
  );

  always_ff @(posedge clk) begin
    if (byte_valid) begin
      before_reg <= byte_data;
      odd_reg <= !odd;
      index_reg <= byte_last ? '0 : index_reg + 6'(index_reg != '1);
      begins <= index_reg == 6'(IpVersion - 1) && !byte_last;
      message_begins <= index_reg == 6'(IgmpType - 1) && !byte_last;
      before_length_reg <= !byte_last && !length_ends_reg && (before_length_reg || index_reg == 6'(IpVersion - 1));
      length_ends_reg <= index_reg == 6'(IpLength) && !byte_last;
      behind_length_reg <= !byte_last && (behind_length_reg || length_ends_reg);
      if (length_ends_reg) begin
        left_reg   <= {before_reg, byte_data} - 16'd4;
        length_reg <= {before_reg, byte_data} - 16'd24;
      end else if (left_reg != '0) left_reg <= left_reg - 1'b1;
      if (index_reg >= 6'(IpDestination) && index_reg < 6'(IpDestination + 4)) destination_reg <= {destination_reg[23:0], byte_data};
      if (index_reg >= 6'(Group) && index_reg < 6'(Group + 4)) group <= {group[23:0], byte_data};
      if (index_reg == 6'(Code)) code_reg <= byte_data;
      if (index_reg == 6'(Sources + 1)) sources_reg <= {before_reg, byte_data};

      unique case (index_reg)
        6'(IpVersion): {is_igmp_reg, bad_reg} <= {byte_data == 8'h46, 1'b0};  // one of three kinds: control_filter
        6'(IpFragment): if (byte_data[5:0] != '0) bad_reg <= 1'b1;
        6'(IpFragment + 1): if (byte_data != '0) bad_reg <= 1'b1;
        6'(IpProtocol - 1): if (byte_data != 8'd1) bad_reg <= 1'b1;  // TTL
        6'(Option): if (byte_data != RouterAlert[31:24]) bad_reg <= 1'b1;
        6'(Option + 1): if (byte_data != RouterAlert[23:16]) bad_reg <= 1'b1;
        6'(Option + 2), 6'(Option + 3): if (byte_data != '0) bad_reg <= 1'b1;
        6'(IgmpType): if (!sum_good) bad_reg <= 1'b1;
        default: ;
      endcase
      if (byte_last && left_reg != '0) bad_reg <= 1'b1;
    end
    decide_reg <= byte_valid && byte_last && is_igmp_reg;
    if (rst) begin
      index_reg  <= '0;
      {begins, message_begins, before_length_reg, length_ends_reg, behind_length_reg} <= '0;
      decide_reg <= 1'b0;
    end
  end

  // ---- what is known long before the end, in separate registers ----------------------------------------------

  logic fits_reg, for_us_reg, group_reg, long_reg;
  logic good;

  always_ff @(posedge clk) begin
    long_reg   <= length_reg >= 16'd12;
    fits_reg   <= length_reg == 16'd8 || (long_reg && {3'b0, length_reg} >= {1'b0, sources_reg, 2'b0} + 19'd12);
    for_us_reg <= destination_reg == AllSystems || destination_reg == local_ip || destination_reg == group;
    group_reg  <= group == '0 || group[31:28] == 4'he;
  end

  assign good = !bad_reg && sum_good && fits_reg && for_us_reg && group_reg && !length_reg[15];
  assign busy = decide_reg || valid;

  always_ff @(posedge clk) begin
    if (taken) valid <= 1'b0;
    if (decide_reg) begin
      valid <= good;
      older <= !long_reg;
      if (code_reg == '0) tenths <= long_reg ? 8'd1 : 8'd100;
      else if (!long_reg || !code_reg[7]) tenths <= code_reg;
      else tenths <= code_reg[6:4] == '0 ? {1'b1, code_reg[3:0], 3'b0} : 8'd255;
    end
    received <= decide_reg && good;
    refused  <= decide_reg && !good;
    if (rst) {valid, received, refused} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(byte_valid && busy));
endmodule

// Makes the frame that reports a group or leaves it: IGMPv3 (RFC 3376, 4.2) with one group record, or IGMPv2 (RFC 2236).
//
//   version 3   to 224.0.0.22: 2 (is exclude), 4 (to exclude) or 3 (to include), always with no sources: all are wanted, or none
//   version 2   report to the group, leave to 224.0.0.2
//
// IPv4 with the router alert option, TTL 1, precedence 6 (Internetwork Control), id 0, DF.
//
// Latency: start to the first byte 49 cycles and 41 in version 2: the bytes are added up first. Throughput: a byte a cycle.
// Parameters: none. Overflow: start only while nothing is sent (asserted).
module igmp_report
  import control_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    input  logic     [47:0] local_mac,
    input  logic     [31:0] local_ip,
    input  logic            start,
    input  logic     [31:0] group,      // this and the following stay until done
    input  logic            leave,
    input  logic            change,     // a change, not an answer; version 2 makes no difference between them
    input  logic            version_2,
    output logic            done,       // pulse, a cycle after the last byte
    tx_stream_if.src        out         // 8 bits
);
  localparam int Longest = 54, Shortest = 46;
  localparam logic [5:0] BehindChecksum = 6'd42;  // in version 2 the group follows, the last of version 3
  localparam logic [31:0] Version3Routers = 32'he000_0016, AllRouters = 32'he000_0002;

  typedef enum logic [2:0] {
    IDLE,
    SUM_HEADER,
    SUM_MESSAGE,
    PRIME,
    SEND
  } state_e;

  state_e state;
  logic [5:0] index_reg;  // of the byte that is chosen
  logic [5:0] length, next;  // of the frame; the index that follows
  logic [7:0] data_reg;  // the octet before that
  logic odd_reg, add_reg, last_reg;  // that octet: at an odd index, to be added, the last
  logic [15:0] sum_reg, term, header_checksum_reg, checksum_reg;
  logic carry_reg;
  logic [31:0] destination;
  logic [127:0] message;
  logic [Longest-1:0][7:0] frame, octet;  // in the order of the wire, first octet highest; and by index

  assign length = version_2 ? 6'(Shortest) : 6'(Longest);
  assign destination = !version_2 ? Version3Routers : leave ? AllRouters : group;
  assign message = {
    !version_2 ? 8'h22 : leave ? 8'h17 : 8'h16,
    8'h00,
    checksum_reg,
    32'h0000_0001,
    leave ? 8'd3 : change ? 8'd4 : 8'd2,
    24'h0,
    group
  };
  assign frame = {
    24'h01005e,
    1'b0,
    destination[22:0],
    local_mac,
    16'h0800,
    16'h46c0,
    10'h0,
    length - 6'd14,
    16'h0000,
    16'h4000,
    8'd1,
    ProtocolIgmp,
    header_checksum_reg,
    local_ip,
    destination,
    32'h9404_0000,
    message
  };
  always_comb for (int i = 0; i < Longest; i++) octet[i] = frame[Longest-1-i];
  assign term = !add_reg ? '0 : odd_reg ? {8'h00, data_reg} : {data_reg, 8'h00};

  assign out.valid = state == SEND;
  assign out.data = data_reg;
  assign out.keep = '1;
  assign out.last = last_reg;

  // A sum runs on for the byte on its way and for the carry, and is read after that.
  logic sum_end;
  logic [1:0] ended_reg;
  assign sum_end = index_reg == (state == SUM_HEADER ? 6'(IgmpType) : 6'(Longest));
  assign next = version_2 && index_reg == BehindChecksum - 1'b1 ? 6'(Longest - 4) : index_reg + 1'b1;

  always_ff @(posedge clk) begin
    if (state != SEND || out.ready) begin
      data_reg <= octet[index_reg];
      odd_reg  <= index_reg[0];
      last_reg <= index_reg == 6'(Longest - 1);
    end
    done <= state == SEND && out.ready && last_reg && !rst;
    unique case (state)
      IDLE: begin
        index_reg <= 6'd14;
        {carry_reg, sum_reg} <= '0;
        header_checksum_reg <= '0;
        checksum_reg <= '0;
        ended_reg <= '0;
        add_reg <= 1'b0;
        if (start) state <= SUM_HEADER;
      end
      SUM_HEADER, SUM_MESSAGE: begin
        {carry_reg, sum_reg} <= {1'b0, sum_reg} + {1'b0, term} + 17'(carry_reg);
        add_reg <= !sum_end;
        ended_reg <= {ended_reg[0], sum_end};
        if (!sum_end) index_reg <= next;
        if (ended_reg[1]) begin
          {carry_reg, sum_reg} <= '0;
          ended_reg <= '0;
          if (state == SUM_HEADER) begin
            header_checksum_reg <= ~sum_reg;
            state <= SUM_MESSAGE;
          end else begin
            checksum_reg <= ~sum_reg;
            index_reg <= '0;
            state <= PRIME;
          end
        end
      end
      PRIME: begin
        index_reg <= next;
        state <= SEND;
      end
      default: begin
        if (out.ready) begin
          index_reg <= next;
          if (last_reg) state <= IDLE;
        end
      end
    endcase
    if (rst) state <= IDLE;
  end

  assert property (@(posedge clk) disable iff (rst) !start || state == IDLE);
endmodule

// Sends a frame: Ethernet, IPv4 and TCP headers before a payload from one of four sources.
//
//   frame ─ headers, checksums ─┐
//   payload ─ shift by 54 mod W/8 ┴─ register ─ out
//
// Ethernet II without VLAN; IPv4 with IHL 5, DSCP 0, id 0, DF, TTL 64; TCP without options except in a SYN, whose MSS option is its payload here.
// The first beat stands at `out` while idle, so a frame that is started is valid at once. Kind, length and window of `frame` must be there
// the cycle before the start, its numbers in that of the start, and stay until idle again.
//
// Latency: start to first beat valid 0 cycles. With `out` always ready, cycles after the start:
//
//                                             W = 64   W = 8
//   `sum` must be there from, to the end         4       47
//   first payload beat is taken in               5       53
//
// Each cycle that `out` is not ready, or not yet (at W = 8 mac_tx sends 8 bytes of preamble first), delays that by one; and at W = 8 the
// second beat comes a cycle late where the first is taken in the cycle of the start. At W = 64 a sink that takes a frame's first beat must be ready to
// its end, as xgmii_tx is (asserted): no path leads from the MII to the payload's sources.
// Throughput: a beat a cycle; a frame 2 cycles after another's end. A payload beat must be valid when it is taken; bytes after its end may be
// anything. Parameters: W. Overflow: start only while idle (asserted).
module tcp_tx
  import tcp_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         rst,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_config_t  tcp_config,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 47:0] peer_mac,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_frame_t   frame,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic         start,
    output logic         idle,
    input  logic [ 15:0] sum,             // of the payload
    output logic         payload_ready,
    input  logic [W-1:0] payload_data,
    tx_stream_if.src     out
);
  localparam int Bytes = W / 8;
  localparam int HeaderBytes = 54;
  localparam int HeaderBeats = HeaderBytes / Bytes;  // complete ones
  localparam int Shift = HeaderBytes % Bytes;  // header bytes that share a beat with the payload
  localparam int Beats = (HeaderBytes + Bytes - 1) / Bytes;
  localparam int Index = $clog2(Beats + 1);

  // ---- headers -----------------------------------------------------------------------------------

  logic [15:0] total_length, offset_flags;
  logic syn, psh, running_reg, last_reg, in_header;
  logic due_reg;  // the next beat has payload
  logic skip_reg;  // W = 8: the first beat was taken at the start; none stands at `out` in this cycle
  logic begun_reg;  // W = 64: the first beat was taken
  logic step;
  logic [Index-1:0] index_reg;  // of the beat to load next: the second while idle; stays at Beats
  logic [15:0] left_reg;  // bytes of the frame from that beat on
  logic full_reg, more_reg, payload_more_reg;  // left_reg is at least a beat, more than one, more than one after the headers
  logic [W-1:0] data_reg, joined, masked;
  logic [W-1:0] first, second;  // beats, steady while idle
  logic [Bytes-1:0] keep_reg, keep;

  // PSH: every frame with a message's bytes ends a message.
  assign syn = frame.kind == FRAME_SYN;
  assign psh = frame.kind inside {FRAME_ORDER, FRAME_HOST, FRAME_RESEND};
  assign offset_flags = {syn ? 4'd6 : 4'd5, 7'd0, frame.ack, psh, frame.kind == FRAME_RESET, syn, frame.kind == FRAME_FIN};
  always_ff @(posedge clk) total_length <= frame.length + 16'd40;

  assign in_header = index_reg != Index'(Beats);

  if (W == 8) begin : g_byte
    logic [7:0] octet;
    logic unused;
    assign unused = &{1'b0, rst, full_reg};
    tcp_header_bytes header (
        .clk,
        .tcp_config,
        .frame,
        .peer_mac,
        .total_length,
        .offset_flags,
        .sum,
        .index(index_reg),
        .begins(!running_reg),
        .load(step),
        .octet
    );
    assign joined = in_header ? octet : payload_data;
    assign masked = joined;
    assign keep   = '1;
    assign first  = peer_mac[47:40];
    assign second = peer_mac[39:32];
  end else begin : g_word
    // Checksums, a step a cycle.
    // After a fold, a sum of 17 bits is small where bit 16 is set: that bit is added as a carry, and no new carry results.

    localparam logic [15:0] IpConstant = 16'h4500 + 16'h4000 + 16'h4006 + 16'd40;  // version to protocol; headers in the length
    localparam logic [15:0] TcpConstant = 16'd6 + 16'd20;  // protocol; the header in the length

    // Sums of the session's addresses and ports, for IPv4 and for TCP, again and again: they do not change. After the last term, which is
    // small, bit 16 is as said above.
    logic [2:0] turn_reg;
    logic [15:0] term;
    logic [16:0] running_sum, ip_base, session_base;

    always_comb begin
      unique case (turn_reg)
        3'd0: term = tcp_config.local_ip[31:16];
        3'd1: term = tcp_config.local_ip[15:0];
        3'd2: term = tcp_config.peer_ip[31:16];
        3'd3: term = tcp_config.peer_ip[15:0];
        3'd4: term = IpConstant;
        3'd5: term = tcp_config.local_port;
        3'd6: term = tcp_config.peer_port;
        default: term = TcpConstant - IpConstant - 16'd1;  // in ones' complement, which takes the other constant out again
      endcase
    end

    always_ff @(posedge clk) begin
      turn_reg <= turn_reg + 1'b1;
      running_sum <= (turn_reg == '0 ? '0 : {1'b0, running_sum[15:0]} + 17'(running_sum[16])) + {1'b0, term};
      if (turn_reg == 3'd5) ip_base <= running_sum;
      if (turn_reg == '0) session_base <= running_sum;
      if (rst) turn_reg <= '0;
    end

    logic [16:0] ip_sum, sequence_sum, acknowledgment_sum, rest_sum, folded, last_sum;
    logic [17:0] numbers_sum, length_sum;
    logic [18:0] others_sum;
    logic [19:0] header_sum;
    logic [15:0] ip_checksum, tcp_checksum;

    assign tcp_checksum = ~(last_sum[15:0] +{15'b0, last_sum[16]});

    always_ff @(posedge clk) begin
      ip_sum <= {1'b0, ip_base[15:0]} + {1'b0, frame.length} + {16'b0, ip_base[16]};
      ip_checksum <= ~(ip_sum[15:0] + {15'b0, ip_sum[16]});
      sequence_sum <= {1'b0, frame.sequence_number[31:16]} + {1'b0, frame.sequence_number[15:0]};
      acknowledgment_sum <= {1'b0, frame.acknowledgment[31:16]} + {1'b0, frame.acknowledgment[15:0]};
      length_sum <= {1'b0, session_base} + {2'b0, frame.length};
      rest_sum <= {1'b0, frame.window} + {1'b0, offset_flags};
      numbers_sum <= {1'b0, sequence_sum} + {1'b0, acknowledgment_sum};
      others_sum <= {1'b0, length_sum} + {2'b0, rest_sum};
      header_sum <= {2'b0, numbers_sum} + {1'b0, others_sum};
      folded <= {1'b0, header_sum[15:0]} + {13'b0, header_sum[19:16]};
      last_sum <= {1'b0, folded[15:0]} + {1'b0, sum} + {16'b0, folded[16]};
    end

    logic [Beats*Bytes-1:0][7:0] octet;  // in the order of the wire, first octet highest
    logic [Beats-1:0][W-1:0] header;

    assign octet = {
      peer_mac,
      tcp_config.local_mac,
      16'h0800,
      16'h4500,
      total_length,
      16'h0000,
      16'h4000,
      8'd64,
      8'd6,
      ip_checksum,
      tcp_config.local_ip,
      tcp_config.peer_ip,
      tcp_config.local_port,
      tcp_config.peer_port,
      frame.sequence_number,
      frame.acknowledgment,
      offset_flags,
      frame.window,
      tcp_checksum,
      16'h0000,
      {8 * (Beats * Bytes - HeaderBytes) {1'b0}}
    };

    always_comb begin
      for (int beat = 0; beat < Beats; beat++) for (int i = 0; i < Bytes; i++) header[beat][8*i+:8] = octet[Beats*Bytes-1-Bytes*beat-i];
    end

    logic [8*Shift-1:0] residue_reg, low;
    always_ff @(posedge clk) residue_reg <= payload_data[W-1-:8*Shift];
    assign low = in_header ? header[index_reg][8*Shift-1:0] : residue_reg;
    assign joined = {index_reg >= Index'(HeaderBeats) ? payload_data[W-8*Shift-1:0] : header[index_reg][W-1-:W-8*Shift], low};
    assign keep = full_reg ? '1 : ~({Bytes{1'b1}} << left_reg[$clog2(Bytes):0]);
    always_comb for (int i = 0; i < Bytes; i++) masked[8*i+:8] = keep[i] ? joined[8*i+:8] : 8'h00;
    assign first  = header[0];
    assign second = header[1];
  end

  // ---- output ------------------------------------------------------------------------------------

  assign idle = !running_reg;
  assign out.valid = (running_reg && !skip_reg) || start;
  assign out.data = data_reg;
  assign out.keep = keep_reg;
  assign out.last = last_reg;
  // Not at a frame's first beat, so that no path leads from `start` to the payload's sources.
  assign payload_ready = due_reg && (W != 8 || out.ready);

  // At W = 8, where `start` comes late, it only sets whether a frame runs: a sink that takes the first beat at once, which mac_tx does
  // not, waits a cycle for the second.
  logic second_next;
  assign second_next = W != 8 && start && out.ready;
  assign step = out.ready || skip_reg || begun_reg;

  always_ff @(posedge clk) begin
    skip_reg <= W == 8 && !running_reg && start && out.ready && !rst;
    begun_reg <= W != 8 && (begun_reg ? !last_reg : out.valid && out.ready) && !rst;
    if (running_reg) begin
      if (step) begin
        running_reg <= !last_reg;
        data_reg <= masked;
        keep_reg <= keep;
        last_reg <= !more_reg;
        due_reg <= !last_reg && index_reg >= Index'(HeaderBeats - 1) && payload_more_reg;
        left_reg <= left_reg - 16'(Bytes);
        full_reg <= left_reg >= 16'(2 * Bytes);
        more_reg <= left_reg > 16'(2 * Bytes);
        payload_more_reg <= left_reg > 16'(Shift + 2 * Bytes);
        if (in_header) index_reg <= index_reg + 1'b1;
      end
    end else begin
      running_reg <= start;
      data_reg <= second_next ? second : first;
      keep_reg <= '1;
      last_reg <= 1'b0;
      due_reg <= 1'b0;
      {full_reg, more_reg, payload_more_reg} <= '1;  // the headers alone are more
      left_reg <= second_next ? left_reg - 16'(Bytes) : frame.length + 16'(HeaderBytes - Bytes);
      index_reg <= second_next ? Index'(2) : Index'(1);
    end
    if (rst) begin
      running_reg <= 1'b0;
      due_reg <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !start || idle);
  assert property (@(posedge clk) disable iff (rst) !begun_reg || out.ready);
  assert property (@(posedge clk) disable iff (rst) W == 8 || !due_reg || begun_reg);

endmodule

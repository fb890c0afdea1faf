// Receives the segments of the session: the payload that is next in order, cut through, and a record of every good segment.
//
//          ┌ lanes, as they come; the verdict after them
//   line ──┼ frame_align ─ tcp_header ─────┐
//          ├ payload, aligned ─────────────┼─ out, segment
//          └ udp_checksum ── frame_verdict ┘
//
// Only the payload of a segment that begins with the byte expected next is passed on, its first byte in lane 0; `last` comes with its
// last byte, `err` with `last` if the frame proves bad or its acknowledgment impossible (RFC 5961): then none of it counts as received.
// A segment that begins elsewhere is not trimmed but dropped, also if new bytes are in it: the acknowledgment tells its
// sender where to begin. Payload with SYN is dropped too.
//
// `lanes` is the same without waiting: the payload in the cycle in which it is on the line, in the lanes in which it came (at W = 64 it
// begins in lane 2 or 6), of any segment, expected or not; after it an empty beat (`keep` 0, `last`) with the verdict. Without `err`, `out`
// has the same bytes.
//
// Latency, from the line, as udp_rx: the beat that holds the payload's first byte to the first payload beat 1 (W = 8) or 2 (W = 64);
// last beat to verdict (last payload beat, `segment_valid`) 2 cycles. `lanes` 0 cycles, its verdict 2 after the frame's last
// beat, so 2 to 7 cycles after its last bytes unless they are followed by padding. `segment` stays for 4 cycles. Throughput: a beat a cycle.
// Frames of less than 64 or more than 9,022 bytes, IPv4 options, fragments and frames of no session are not seen here, but in `lanes`.
// Parameters: W. Overflow: a segment longer than `receive_window` is not taken (err).
module tcp_rx
  import tickwire_pkg::*, header_pkg::*, tcp_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         rst,
    line_if.snk          line,
    input  logic         fcs_good,        // for the frame whose last beat was on the line in the cycle before
    input  tcp_config_t  tcp_config,
    input  logic         connecting,      // a session begins: what is on the line acknowledges nothing of it
    input  logic         receiving,       // the state is one that accepts payload
    input  logic [ 31:0] expected,        // sequence number
    input  logic [ 15:0] receive_window,
    input  logic [ 31:0] unacknowledged,  // SND.UNA
    input  logic [ 16:0] outstanding,     // from there to SND.NXT
    input  logic [ 15:0] largest_window,  // the peer ever gave
    stream_if.src        out,
    stream_if.src        lanes,
    output logic         segment_due,     // a frame has ended: only then may there be a segment in the next cycle
    output logic         segment_valid,
    output tcp_segment_t segment,
    output logic         checksum_error
);
  localparam int Bytes = W / 8;
  localparam int Last = beat_of(W, TcpOptions + 3);
  localparam int Position = position_width(W);
  localparam int Load = beat_of(W, IpLength + 1) + 1;  // the beat after the one with the total length

  header_if #(.W(W)) header ();
  logic finished, accepted, of_session, in_order, tcp_good;
  logic offset_done, acknowledgment_done, ack, rst_flag, syn, fin;
  logic [15:0] total_length, window, mss;
  logic [31:0] acknowledgment, sequence_number;
  logic [3:0] offset;
  net_cause_e cause;

  frame_align #(
      .W(W),
      .LAST(Last)
  ) align (
      .clk,
      .rst,
      .line,
      .finished,
      .header(header.src)
  );

  tcp_header #(
      .W(W)
  ) fields (
      .clk,
      .header(header.snk),
      .tcp_config,
      .expected,
      .of_session,
      .in_order,
      .total_length,
      .offset_done,
      .offset,
      .acknowledgment_done,
      .acknowledgment,
      .sequence_number,
      .window,
      .mss,
      .ack,
      .rst(rst_flag),
      .syn,
      .fin
  );

  // ---- bytes of the IPv4 packet after the present beat, in the beat `Load`: see udp_rx ---------------

  localparam int Behind = offset_of(W, Load + 1) - IpVersion;  // aligned
  localparam int Fcs = 4;
  localparam int AheadHigh = W == 8 ? 0 : 2;
  localparam int AheadLow = W == 8 ? 0 : 6;
  logic [15:0] left_on_line, left_with_fcs;
  logic load_reg;

  // A tag comes before that beat, so the position is enough, without `next`.
  always_ff @(posedge clk) load_reg <= rst || finished || (load_reg && !(header.beat && header.position == Position'(Load)));
  assign left_on_line = total_length - (header.shift ? 16'(Behind + AheadHigh) : 16'(Behind + AheadLow));
  assign left_with_fcs = total_length - (header.shift ? 16'(Behind + AheadHigh - Fcs) : 16'(Behind + AheadLow - Fcs));

  logic [Bytes-1:0] of_packet;

  udp_checksum #(
      .W(W),
      .PROTOCOL(ProtocolTcp)
  ) checksum (
      .clk,
      .line,
      .header(header.snk),
      .total_length,
      .load(load_reg),
      .left(left_on_line),
      .of_packet,
      .good(tcp_good)
  );

  logic segment_done_reg;
  logic well_formed_reg;  // the header is at least 20 bytes and ends within the packet

  frame_verdict #(
      .W(W)
  ) judge (
      .clk,
      .rst,
      .line,
      .fcs_good,
      .header_accepted(of_session && well_formed_reg),
      .header_cause(of_session && well_formed_reg ? CAUSE_ACCEPTED : CAUSE_OTHER_PORT),
      .header_cause_if_short(CAUSE_IP_LENGTH_ERROR),
      .load(load_reg),
      .left(left_with_fcs),
      .udp_good(tcp_good),
      .udp_unchecked(1'b0),
      .finished,
      .accepted,
      .cause
  );

  assign segment_due = finished;
  assign checksum_error = segment_done_reg && cause == CAUSE_UDP_CHECKSUM_ERROR;

  // ---- where the payload is ----------------------------------------------------------------------
  // Where it begins follows from the header's length, known in the beat of the flags (at W = 64: 42 to 49). At W = 64 that is lane 2 or 6 of
  // the line: a choice of two, as for the header.

  localparam int Wait = 6;
  logic [15:0] behind_ip_reg, length_reg, remaining_reg;
  logic signed [16:0] behind_beat_reg;  // less a beat
  logic [16:0] length_now;
  logic [Wait-1:0] wait_now, wait_reg;  // beats until the payload begins
  logic known_reg;  // the header's length is
  logic payload_reg;  // and the wait is over
  logic some_reg, more_reg;  // bytes remain; more than a beat of them
  logic [W-1:0] data;
  logic [Bytes-1:0] payload_lanes;  // of the line's beat
  logic has_payload;  // it has any

  assign length_now = {1'b0, behind_ip_reg} - {11'b0, offset, 2'b0};

  if (W == 8) begin : g_byte
    assign wait_now = {offset, 2'b0} - Wait'(TcpOffset - TcpSource + 1);
    assign data = header.data;
    assign payload_lanes = line.valid && payload_reg && of_packet != '0;
    assign has_payload = payload_lanes[0];
  end else begin : g_word
    logic [47:0] before_reg;  // lanes 2 to 7 of the beat before
    logic shift, shift_reg, begins_first, begins_next, begins_2_reg, begins_6_reg, begun_here_reg;
    assign shift = offset_done ? header.shift ^ offset[0] : shift_reg;
    // In lane 2 or 6; `data` is a beat later. The lane is known a beat before, also in a frame that needs no shift and has no options: its payload
    // begins in the line beat in which the aligned beat of the header's length ends, but that length is on the line in the beat before.
    assign begins_first = header.position == Position'(beat_of(W, TcpOffset) - 1) && line.data[55:52] == 4'd5 && !header.shift;
    assign begins_next = offset_done ? wait_now == Wait'(1) : known_reg && wait_reg == Wait'(2);
    assign payload_lanes = of_packet & {{2{line.valid && (begun_here_reg || begins_2_reg || begins_6_reg)}},
        {4{line.valid && (begun_here_reg || begins_2_reg)}}, {2{line.valid && begun_here_reg}}};
    assign has_payload = (begun_here_reg && of_packet[0]) || (begins_6_reg && of_packet[6]) || (begins_2_reg && of_packet[2]);
    always_ff @(posedge clk) begin
      before_reg <= line.data[63:16];
      shift_reg <= shift;
      if (header.beat) begin
        begins_6_reg <= begins_first || (begins_next && shift);
        begins_2_reg <= begins_next && !shift;
      end
      begun_here_reg <= begun_here_reg || begins_2_reg || begins_6_reg;
      if (rst || finished) {begins_6_reg, begins_2_reg, begun_here_reg} <= '0;
    end
    assign data = shift_reg ? {line.data[47:0], before_reg[47:32]} : {line.data[15:0], before_reg};
    assign wait_now = (Wait'(offset) - Wait'(4) + Wait'(header.shift)) >> 1;
  end

  always_ff @(posedge clk) begin
    behind_ip_reg <= total_length - 16'd20;
    behind_beat_reg <= {1'b0, total_length} - 17'(20 + Bytes);
    if (header.beat) begin
      if (offset_done) begin
        length_reg <= length_now[15:0];
        remaining_reg <= length_now[15:0];
        well_formed_reg <= offset >= 4'd5 && !length_now[16] && total_length >= 16'd40;
        wait_reg <= wait_now;
        known_reg <= 1'b1;
        payload_reg <= wait_now == '0;
        // Not from `length_now`, which would chain two carry chains, or a carry chain and a comparison. For a header beyond the packet's end they mean nothing.
        more_reg <= behind_beat_reg > $signed({11'b0, offset, 2'b0});
        some_reg <= |(behind_ip_reg ^ {10'b0, offset, 2'b0});
      end else if (wait_reg != '0) begin
        wait_reg <= wait_reg - 1'b1;
        if (wait_reg == Wait'(1)) payload_reg <= known_reg;
      end else if (known_reg) begin
        remaining_reg <= more_reg ? remaining_reg - 16'(Bytes) : '0;
        more_reg <= remaining_reg > 16'(2 * Bytes);
        some_reg <= more_reg;
      end
    end
    if (rst || finished) {known_reg, payload_reg} <= '0;
  end

  // ---- whether it is taken -----------------------------------------------------------------------

  logic [31:0] ack_ahead_reg;
  logic within_reg, old_reg, plausible, fits_reg, taken_reg;  // plausible: within the window, or old, but not too old
  logic [Bytes-1:0] keep;
  logic ack_inside, last, offered, take, begun, begun_reg, held_reg;
  logic begun_late_reg, good_reg;  // with the frame's verdict: the two come late, and are combined after a flip-flop

  assign last = !more_reg;
  assign keep = last ? ~({Bytes{1'b1}} << remaining_reg[$clog2(Bytes):0]) : '1;
  assign offered = header.beat && payload_reg && some_reg && !held_reg;
  assign take = offered && of_session && well_formed_reg && in_order && receiving && ack && !syn && !rst_flag;
  assign begun = begun_reg || take;
  assign plausible = within_reg || old_reg;
  assign ack_inside = ack_ahead_reg[31:17] == '0 && ack_ahead_reg[16:0] <= outstanding;

  always_ff @(posedge clk) begin
    if (acknowledgment_done) ack_ahead_reg <= acknowledgment - unacknowledged;
    if (connecting) ack_ahead_reg <= '1;  // old, and older than any window
    within_reg <= ack_inside;
    old_reg <= &ack_ahead_reg[31:16] && ~ack_ahead_reg[15:0] < largest_window;
    fits_reg <= length_reg <= receive_window;

    out.valid <= finished ? begun : take && !last;
    out.last <= finished;
    begun_late_reg <= begun;
    good_reg <= accepted && plausible && fits_reg;
    if (offered) begin  // whether it is taken is known late; if not, `valid` stays low
      out.data <= data;
      out.keep <= keep;
    end
    begun_reg <= begun;
    held_reg <= held_reg || (take && last);
    if (rst || finished) begin
      begun_reg <= 1'b0;
      held_reg  <= 1'b0;
    end
    segment_valid <= finished && accepted;
    segment_done_reg <= finished;
    if (finished) taken_reg <= begun && plausible && fits_reg;
    if (rst) begin
      out.valid <= 1'b0;
      segment_valid <= 1'b0;
      segment_done_reg <= 1'b0;
    end
  end

  assign out.err = out.last && !(begun_late_reg && good_reg);

  logic passed_reg;  // `lanes` had bytes of this frame
  logic verdict, verdict_passed, verdict_good;

  assign lanes.valid = verdict ? verdict_passed : line.valid && has_payload;
  assign lanes.data = line.data;
  assign lanes.keep = payload_lanes;
  assign lanes.last = verdict;
  assign lanes.err = !verdict_good;

  always_ff @(posedge clk) passed_reg <= !rst && !finished && (passed_reg || (line.valid && has_payload));

  // A cycle after `finished`, as `out` is: the bytes in the decoder take even longer.
  always_ff @(posedge clk) begin
    verdict <= finished && !rst;
    verdict_passed <= passed_reg;
  end
  assign verdict_good = begun_late_reg && good_reg;

  logic [31:0] acknowledgment_reg;
  logic in_order_reg, within_late_reg, plausible_late_reg;

  assign segment = '{
          sequence_number: sequence_number,
          acknowledgment: acknowledgment_reg,
          acknowledged: ack_ahead_reg[16:0],
          window: window,
          length: length_reg,
          mss: mss,
          ack: ack,
          rst: rst_flag,
          syn: syn,
          fin: fin,
          in_order: in_order_reg,
          ack_within: within_late_reg,
          plausible: plausible_late_reg,
          taken: taken_reg
      };

  always_ff @(posedge clk) begin
    if (acknowledgment_done) acknowledgment_reg <= acknowledgment;
    if (finished) begin  // the values they were compared with may change after the verdict
      in_order_reg <= in_order;
      within_late_reg <= within_reg;
      plausible_late_reg <= plausible;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !out.valid || (out.keep & (out.keep + 1'b1)) == '0);
  assert property (@(posedge clk) disable iff (rst) !out.valid || out.last || out.keep == '1);
  assert property (@(posedge clk) disable iff (rst) !lanes.last || lanes.keep == '0);
  assert property (@(posedge clk) disable iff (rst) !lanes.last || !verdict_good || lanes.valid);  // `out` never has more
  assert property (@(posedge clk) disable iff (rst) !segment_valid || !segment.taken || (out.valid && out.last && !out.err));
  assert property (@(posedge clk) disable iff (rst) !(out.valid && out.last && !out.err) || (segment_valid && segment.taken));

endmodule

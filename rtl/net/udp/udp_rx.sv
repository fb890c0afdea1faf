// Receives the UDP payload of the frames on the line that are for us, cut through, and a verdict on every frame.
//
//          ┌ frame_align ─ header_check ───┐
//   line ──┼ udp_checksum ── frame_verdict ┴─ payload, cause
//          └ (fcs_check, outside)
//
// Latency, from the line: last beat to verdict 2 cycles, always; the beat that holds the payload's first byte to the first payload
// beat 1 (W = 8) or 2 (W = 64). Throughput: a beat a cycle.
// The payload's end is known from its length, so padding and FCS are not passed on; the last beat waits for the verdict. With AT_ONCE it does not: it leaves as it comes,
// a cycle or more before the verdict, which `cause` alone gives then; `err` only says that the frame ended before its payload did.
// Parameters: W; FEEDS, as header_check; AT_ONCE.
// A frame that its headers refuse gives no beat. One that began and proves bad ends in err, with any keep.
module udp_rx
  import tickwire_pkg::*, header_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1,
    parameter bit AT_ONCE = 1'b0
) (
    input  logic        clk,
    input  logic        rst,
    line_if.snk         line,
    input  logic        fcs_good,     // for the frame whose last beat was on the line in the cycle before
    input  net_config_t net_config,
    stream_if.src       out,
    output logic [FEEDS-1:0] feed,    // whose it is, a bit each: from its first beat to its last
    output logic        cause_valid,
    output net_cause_e  cause
);
  localparam int Position = position_width(W);
  localparam int Load = beat_of(W, IpLength + 1) + 1;  // the beat after the one with the total length
  localparam int Payload = beat_of(W, UdpPayload);

  header_if #(.W(W)) header ();
  logic [FEEDS-1:0] headers_feed;
  logic finished, accepted, headers_accepted, headers_accepted_late, udp_good, udp_unchecked;
  logic [15:0] total_length;
  net_cause_e header_cause, header_cause_if_short;

  frame_align #(
      .W(W)
  ) align (
      .clk,
      .rst,
      .line,
      .finished,
      .header(header.src)
  );

  header_check #(
      .W(W),
      .FEEDS(FEEDS)
  ) check (
      .clk,
      .header(header.snk),
      .net_config,
      .accepted(headers_accepted),
      .accepted_late(headers_accepted_late),
      .feed(headers_feed),
      .cause(header_cause),
      .cause_if_short(header_cause_if_short),
      .total_length,
      .udp_unchecked
  );

  // ---- bytes of the IPv4 packet after the present beat, in the beat `Load` --------------------------

  localparam int Behind = offset_of(W, Load + 1) - IpVersion;  // bytes of the packet up to then, aligned
  localparam int Fcs = 4;
  // The line is ahead of the aligned stream by the lanes after the shift: 2 or 6 at W = 64.
  localparam int AheadHigh = W == 8 ? 0 : 2;
  localparam int AheadLow = W == 8 ? 0 : 6;
  logic [15:0] left, left_on_line, left_with_fcs;
  logic load_reg;

  // Loaded again and again until the length is there: all lanes count up to then.
  // A tag comes before both beats that are needed here and below, so the position is enough, without `next`.
  always_ff @(posedge clk) load_reg <= rst || finished || (load_reg && !(header.beat && header.position == Position'(Load)));
  assign left = total_length - 16'(Behind);
  assign left_on_line = total_length - (header.shift ? 16'(Behind + AheadHigh) : 16'(Behind + AheadLow));
  assign left_with_fcs = total_length - (header.shift ? 16'(Behind + AheadHigh - Fcs) : 16'(Behind + AheadLow - Fcs));

  // ---- checks --------------------------------------------------------------------------------------

  logic [W/8-1:0] of_packet_unused;

  udp_checksum #(
      .W(W)
  ) checksum (
      .clk,
      .line,
      .header(header.snk),
      .total_length,
      .load(load_reg),
      .left(left_on_line),
      .of_packet(of_packet_unused),
      .good(udp_good)
  );

  frame_verdict #(
      .W(W)
  ) judge (
      .clk,
      .rst,
      .line,
      .fcs_good,
      .header_accepted(headers_accepted_late),
      .header_cause,
      .header_cause_if_short,
      .load(load_reg),
      .left(left_with_fcs),
      .udp_good,
      .udp_unchecked,
      .finished,
      .accepted,
      .cause
  );

  // ---- payload -----------------------------------------------------------------------------------

  logic [W/8-1:0] keep;
  logic last;
  logic begun_reg;  // a beat of this frame has left, or waits
  logic held_reg;   // the last one has come
  logic payload_reg; // the aligned beat is one of the payload's
  logic offered, take;

  countdown #(
      .W(W)
  ) payload_end (
      .clk,
      .step(header.beat),
      .load(load_reg),
      .count(left),
      .keep,
      .last
  );

  assign offered = header.beat && payload_reg && !held_reg;
  assign take = offered && headers_accepted;

  always_ff @(posedge clk) begin
    payload_reg <= !finished && (header.position == Position'(Payload) || (header.beat && header.position == Position'(Payload - 1)));
    out.valid <= AT_ONCE ? take || (finished && begun_reg && !held_reg) : finished ? begun_reg : take && !last;
    out.last  <= AT_ONCE ? last || finished : finished;
    // Whether beats are accepted is known late, and the same for all of a frame: if they are not, `valid` stays low, and all else does not matter.
    out.err   <= AT_ONCE ? !(offered && last) : finished && !accepted;
    if (offered) begin
      out.data <= header.data;
      out.keep <= keep;
    end
    if (take && !begun_reg) feed <= headers_feed;
    begun_reg <= begun_reg || take;
    held_reg <= held_reg || (offered && last);
    cause_valid <= finished;
    if (rst || finished) begin
      begun_reg <= 1'b0;
      held_reg  <= 1'b0;
    end
    if (rst) begin
      payload_reg <= 1'b0;
      out.valid   <= 1'b0;
      cause_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !out.valid || $onehot(feed));
  assert property (@(posedge clk) disable iff (rst) !out.valid || (out.keep & (out.keep + 1'b1)) == '0);
  assert property (@(posedge clk) disable iff (rst) !out.valid || out.last || out.keep == '1);
  if (!AT_ONCE) begin : gen_verdict
    assert property (@(posedge clk) disable iff (rst) !out.valid || !out.last || cause_valid);
    assert property (@(posedge clk) disable iff (rst) !(out.valid && out.last && !out.err) || cause == CAUSE_ACCEPTED);
    assert property (@(posedge clk) disable iff (rst) !(cause_valid && cause == CAUSE_ACCEPTED) || (out.valid && out.last && !out.err));
  end

endmodule

// Proves for tcp_resend and tcp_schedule, for any messages, acknowledgments, times of resending and other frames of a session:
//
//   - what is sent again begins at SND.UNA, in the frame and in the buffer, and was sent and is not acknowledged, all of it, without the FIN;
//   - nothing is read of a message that is still leaving, and so not complete in the buffer;
//   - a FIN is sent at SND.NXT, and again only while it alone is not acknowledged.
//
// With a buffer of 64 bytes, and lengths below 128.
// Assumed for tcp_room (tcp_room_formal proves it): what is outstanding fits in the buffer. And, proved nowhere (tcp_formal checks all of it for
// some cycles), for tcp_state: SND.UNA does not pass SND.NXT; the request to send again is taken back when it moves, and comes only when the
// numbers have been the same for five cycles (tcp_state waits for four: with that the solver did not finish), and there is something; for tcp_tx: a
// frame takes seven cycles at least.
module tcp_resend_formal
  import tcp_pkg::*;
#(
    parameter int BUFFER = 64
) (
    input logic        clk,
    input logic        line_busy,
    input logic [31:0] any_number,
    input logic [15:0] any_mss,
    input logic        segment_now,
    input logic [16:0] any_acknowledged,
    input logic        resend_now,
    input logic        fin_now,
    input logic        fin_again,
    input logic        any_ack,
    input logic        any_probe,
    input logic        order_valid,
    input logic [15:0] any_length,
    input logic        buffer_ready,
    input logic        done
);
  localparam logic [15:0] Bound = 16'd128;
  localparam logic [2:0] Settled = 3'd5;  // cycles

  // Long enough for the pipelines to hold what the session begins with: to become established takes longer.
  logic [3:0] cycle = '0;
  logic rst, first;
  assign rst = cycle != 4'd9;
  assign first = cycle == '0;
  always_ff @(posedge clk) if (rst) cycle <= cycle + 1'b1;

  // ---- the session: as tcp_state keeps it ------------------------------------------------------------

  logic [31:0] una, nxt, distance;
  logic [15:0] mss, order_length;
  logic [16:0] outstanding;
  logic sent;  // a frame was started in the cycle before: what it sends counts
  logic fin_sent, fin_reg, resend_reg, sending, moved, first_fin, message;
  logic [2:0] settled;  // for how long the numbers have been the same
  tcp_session_t session;
  tcp_request_t request;
  tcp_frame_t frame;
  logic start, busy, idle, order_ready, transmitter_idle, read;
  logic [$clog2(BUFFER)-1:0] address;
  logic [15:0] length;

  assign distance = nxt - una;
  assign moved = segment_now && any_acknowledged != '0 && !rst;
  assign message = sent && frame.kind == FRAME_ORDER;
  assign first_fin = sent && frame.kind == FRAME_FIN && !fin_sent;

  always_comb begin
    assume (any_length != '0 && any_length < Bound && any_mss != '0 && any_mss < Bound);
    if (segment_now) assume ({15'b0, any_acknowledged} <= distance);
    if (start && frame.kind == FRAME_ORDER) assume (distance + {16'b0, frame.length} <= 32'(BUFFER));
    if (resend_now || fin_again) assume (settled == Settled && distance != '0);
    if (resend_now) assume (distance != 32'(fin_sent));
    if (fin_again) assume (fin_sent && distance == 32'd1);
  end

  always_ff @(posedge clk) begin
    sent <= start && !rst;
    if (first) begin
      una <= any_number;
      nxt <= any_number;
      mss <= any_mss;
      order_length <= any_length;
      {sending, fin_sent, fin_reg, resend_reg} <= 4'b1000;
    end else if (!rst) begin
      if (message) nxt <= nxt + {16'b0, frame.length};
      if (first_fin) {fin_sent, nxt} <= {1'b1, nxt + 32'd1};
      if (sent && frame.kind == FRAME_FIN) fin_reg <= 1'b0;
      else if (sending && fin_now && idle && !start && !sent) {sending, fin_reg} <= 2'b01;
      else if (fin_again) fin_reg <= 1'b1;
      if (sent && frame.kind == FRAME_RESEND) resend_reg <= 1'b0;
      else if (resend_now) resend_reg <= 1'b1;
      if (moved) begin
        una <= una + {15'b0, any_acknowledged};
        resend_reg <= 1'b0;
        if (fin_sent) fin_reg <= 1'b0;
      end
    end
    settled <= rst || message || first_fin || moved ? '0 : settled + 3'(settled != Settled);
    outstanding <= 17'(distance);  // as tcp_room has it
  end

  always_comb begin
    session = '0;
    session.state = TCP_ESTABLISHED;
    session.send_unacknowledged = una;
    session.send_next = nxt;
    session.send_mss = mss;
    session.fin_sent = fin_sent;
    request = '0;
    request.resend = resend_reg;
    request.fin = fin_reg;
    request.ack = any_ack;
    request.probe = any_probe;
  end

  // A frame takes at least seven cycles.
  logic [2:0] sent_for = '0;
  logic running = 1'b0;
  assign transmitter_idle = !running;
  always_ff @(posedge clk) begin
    if (start && !rst) {running, sent_for} <= {1'b1, 3'd0};
    else if (running) begin
      if (sent_for != 3'd6) sent_for <= sent_for + 1'b1;
      else if (done) running <= 1'b0;
    end
  end

  tcp_schedule schedule (
      .clk,
      .rst,
      .peer_known(1'b1),
      .line_busy,
      .session,
      .request,
      .request_number('0),
      .reset_at_next(1'b1),
      .receive_window('0),
      .shrunk(1'b0),
      .moved,
      .closed(1'b0),
      .order_allowed(sending),
      .order_valid,
      .order_ready,
      .order_length,
      .host_allowed(1'b0),
      .host_length('0),
      .resend_ready(read && buffer_ready),
      .resend_length(length),
      .transmitter_idle,
      .frame,
      .start,
      .busy,
      .idle
  );

  tcp_resend #(
      .BUFFER(BUFFER)
  ) resend (
      .clk,
      .rst,
      .session,
      .outstanding,
      .requested(request.resend),
      .moved,
      .leaving(busy && frame.kind == FRAME_ORDER),
      .start(start && frame.kind == FRAME_RESEND),
      .sending(busy && frame.kind == FRAME_RESEND),
      .sent(transmitter_idle),
      .read,
      .address,
      .length
  );

  // ---- what must hold ------------------------------------------------------------------------------------

  // Bytes from SND.UNA that are outstanding, and those of them that are complete in the buffer.
  logic leaving, counted;
  logic [31:0] bytes, kept;
  assign leaving = running && frame.kind == FRAME_ORDER;
  assign counted = leaving && !sent;
  assign bytes = distance - 32'(fin_sent);
  assign kept = !counted ? bytes : bytes > {16'b0, frame.length} ? bytes - {16'b0, frame.length} : '0;

  always_comb begin
    if (!rst) begin
      if (start && frame.kind == FRAME_RESEND) begin
        assert (frame.sequence_number == una);
        assert (address == una[$clog2(BUFFER)-1:0]);
        assert (frame.length == length && length != '0 && {16'b0, length} <= bytes);
      end
      if (start && frame.kind == FRAME_FIN) begin
        assert (frame.sequence_number == nxt - 32'(fin_sent));
        assert (!fin_sent || una + 32'd1 == nxt);
      end
      if (read && request.resend && !(busy && frame.kind == FRAME_RESEND))
        assert (address == una[$clog2(BUFFER)-1:0] && length != '0 && {16'b0, length} <= kept);
      cover (start && frame.kind == FRAME_RESEND && distance > 32'(frame.length));
      cover (read && request.resend && leaving);
    end
  end

  // What makes it inductive.
  always_comb begin
    assert (cycle <= 4'd9 && (!rst || !running));
    if (!first) assert (mss != '0 && mss < Bound && order_length != '0 && order_length < Bound);
    if (rst && !first) assert (una == nxt && !fin_sent && !resend_reg && !fin_reg && sending && !sent);
    if (!rst) begin
      assert (!running || busy);
      assert (!sent || (running && sent_for == '0));
      assert (distance <= 32'(BUFFER) + 32'(fin_sent));
      assert (!fin_sent || !sending);
      assert (!fin_reg || !sending);
      assert (!(sent && frame.kind == FRAME_FIN) || !sending);
      assert (!resend_reg || (distance != 32'(fin_sent) && distance != '0));
      assert (!(fin_reg && fin_sent) || distance == 32'd1);
      assert (resend.most_reg == mss[11:0]);
      if (settled >= 3'd1) assert (outstanding == 17'(distance));
      if (settled >= 3'd2) assert (resend.bytes_reg == outstanding - 17'(fin_sent));
      if (settled >= 3'd3) assert (resend.limited_reg == (resend.bytes_reg > 17'(mss) ? mss[11:0] : resend.bytes_reg[11:0]));
      if (resend_reg) assert (outstanding <= 17'(distance) && resend.bytes_reg <= 17'(bytes) && {20'b0, resend.limited_reg} <= bytes);
    end
  end
endmodule

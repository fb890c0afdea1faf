// The sequence-space invariants of a TCP session: tcp_state, tcp_room, tcp_schedule and tcp_resend, with any segments, times, orders
// and host messages, and a transmitter of any speed.
//
//   - What is sent for the first time begins at SND.NXT; what is sent again begins at SND.UNA: nothing acknowledged is sent.
//   - No message ends beyond the furthest edge of a window that the peer ever gave.
//   - No message overwrites, in the ring of BUFFER bytes, what is not acknowledged; nor does the rest of its last beat.
//   - What is read out of the buffer to be sent again was sent and is not acknowledged.
//   - SND.UNA never passes SND.NXT, and they are never further apart than the buffer and a FIN.
//
// Segments are the records tcp_rx makes: what they say relative to the session is computed here, from their numbers.
module tcp_formal
  import tcp_pkg::*;
#(
    parameter int W = 8,
    parameter int BUFFER = 64,
    parameter bit OPEN = 1'b0  // begins with any open session in which nothing is under way, instead of the reset
) (
    input logic         clk,
    input logic         line_busy,
    input logic         tick,
    input logic         connect,
    input logic         close,
    input logic         abort,
    input logic         segment_now,
    input logic         frame_ends,
    input tcp_segment_t any_segment,
    input logic         order_valid,
    input logic [ 15:0] order_length,
    input logic         host_now,
    input logic [ 15:0] any_host_length,
    input logic         done,
    input logic         ready,
    input tcp_config_t  any_config
);
  logic rst = !OPEN;
  logic first = 1'b1;
  always_ff @(posedge clk) {rst, first} <= '0;

  // ---- what surrounds it -------------------------------------------------------------------------

  tcp_session_t session;
  tcp_segment_t segment;
  tcp_request_t request;
  tcp_frame_t frame;
  tcp_event_t events;
  tcp_config_t tcp_config;
  logic connecting, sending, receiving, closing, moved, closed, order_full, order_fits, shrunk, host_full, order_ready;
  logic start, busy, idle, transmitter_idle, reset_at_next, read;
  logic [31:0] request_number, ahead, distance;
  logic [16:0] outstanding;
  logic [Time-1:0] rto;
  logic [15:0] length, host_length, length_reg;
  logic [$clog2(BUFFER)-1:0] address;

  // Configuration and order length are steady.
  tcp_config_t config_reg;
  logic [15:0] order_length_reg;
  always_ff @(posedge clk) begin
    config_reg <= tcp_config;
    order_length_reg <= order_length;
  end
  assign tcp_config = first ? any_config : config_reg;
  always_comb begin
    assume (first || order_length == order_length_reg);
    assume (order_length != '0 && order_length < 16'd128);
    assume (tcp_config.mss != '0 && tcp_config.mss < 16'd128);
  end

  // A frame takes at least seven cycles.
  logic [3:0] sent_for = '0;
  logic running = 1'b0;
  always_ff @(posedge clk) begin
    if (start && !rst) {running, sent_for} <= {1'b1, 4'd0};
    else if (running && !rst) begin
      if (sent_for != 4'd15) sent_for <= sent_for + 1'b1;
      if (sent_for >= 4'd6 && done) running <= 1'b0;
    end
  end
  assign transmitter_idle = !running;

  // Segments come at least eight cycles apart and stand still for four.
  logic [3:0] since = 4'd15;
  logic segment_valid;
  logic segment_due_reg = 1'b0;
  tcp_segment_t segment_reg;
  assign segment_valid = segment_due_reg && segment_now && since >= 4'd7 && !rst;
  always_ff @(posedge clk) begin
    segment_due_reg <= frame_ends;
    if (segment_valid) since <= '0;
    else if (since != 4'd15) since <= since + 1'b1;
    segment_reg <= segment;
  end
  always_comb begin
    segment = segment_reg;
    ahead   = any_segment.acknowledgment - session.send_unacknowledged;
    if (segment_valid) begin
      segment = any_segment;
      segment.in_order = any_segment.sequence_number == session.receive_next;
      segment.acknowledged = ahead[16:0];
      segment.ack_within = ahead[31:17] == '0 && ahead[16:0] <= outstanding;
      segment.plausible = segment.ack_within || any_segment.plausible;
      segment.taken = any_segment.taken && receiving && segment.in_order && segment.plausible;
      if (!segment.ack || segment.syn || segment.rst) segment.taken = 1'b0;
    end
    if (segment_valid) assume (any_segment.mss != '0 && any_segment.mss < 16'd128 && any_segment.length < 16'd128);
    if (segment_valid) assume (any_segment.window < 16'd256);
  end

  // A host message stays until it has left.
  logic host_waiting = 1'b0;
  logic [1:0] stable = 2'b0;  // how long the length has been the same
  always_ff @(posedge clk) begin
    length_reg <= host_length;
    stable <= host_length == length_reg ? {stable[0], 1'b1} : 2'b0;
    if (!host_waiting) host_waiting <= host_now && stable == 2'b11 && host_length == length_reg && sending;
    else if (busy && transmitter_idle && frame.kind == FRAME_HOST) host_waiting <= 1'b0;
  end
  assign host_length = host_waiting ? length_reg : any_host_length;
  always_comb assume (any_host_length != '0 && any_host_length < 16'd128);
  always_comb assume (!host_waiting || host_length <= session.send_mss);  // longer ones it refuses

  tcp_state control (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect,
      .close,
      .abort,
      .peer_mac_valid(1'b1),
      .peer_known(1'b1),
      .receive_window(16'd200),
      .segment_due(frame_ends),
      .segment_valid,
      .segment,
      .idle,
      .sent(start),
      .frame,
      .outstanding,
      .order_full,
      .host_waiting,
      .host_full,
      .session,
      .connecting,
      .sending,
      .receiving,
      .closing,
      .moved,
      .closed,
      .request,
      .request_number,
      .reset_at_next,
      .rto,
      .events
  );

  tcp_room #(
      .W(W),
      .BUFFER(BUFFER)
  ) room (
      .clk,
      .session,
      .order_length,
      .host_length,
      .outstanding,
      .order_full,
      .order_fits,
      .host_full,
      .shrunk
  );

  tcp_schedule schedule (
      .clk,
      .rst,
      .peer_known(1'b1),
      .line_busy,
      .session,
      .request,
      .request_number,
      .reset_at_next,
      .receive_window(16'd200),
      .shrunk,
      .moved,
      .closed,
      .order_allowed(order_fits && !closing && sending),
      .order_valid,
      .order_ready,
      .order_length,
      .host_allowed(host_waiting && !host_full && sending),
      .host_length,
      .resend_ready(read && ready),
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
      .leaving(busy && frame.kind inside {FRAME_ORDER, FRAME_HOST}),
      .start(start && frame.kind == FRAME_RESEND),
      .sending(busy && frame.kind == FRAME_RESEND),
      .sent(transmitter_idle),
      .read,
      .address,
      .length
  );

  // ---- what must hold ----------------------------------------------------------------------------

  // The furthest right edge the peer gave, of segments that counted. The window is taken up with the acknowledgment, in one cycle.
  logic [31:0] edge_reg, edge_now;
  assign edge_now = session.send_unacknowledged + {16'b0, session.send_window};
  logic was_sending;
  always_ff @(posedge clk) begin
    was_sending <= sending;
    if (!was_sending || $signed(edge_now - edge_reg) > 0) edge_reg <= edge_now;
  end

  logic [31:0] end_distance, edge_distance;
  logic message;
  logic [31:0] edge_max;
  assign edge_max = was_sending && $signed(edge_now - edge_reg) <= 0 ? edge_reg : edge_now;
  assign message = start && (frame.kind == FRAME_ORDER || frame.kind == FRAME_HOST);
  assign distance = session.send_next - session.send_unacknowledged;
  assign end_distance = frame.sequence_number + {16'b0, frame.length} - session.send_unacknowledged;
  assign edge_distance = edge_max - frame.sequence_number - {16'b0, frame.length};

  // Where OPEN begins: the numbers have settled, the transmitter rests, no segment is being judged and nothing waits to be sent.
  if (OPEN) begin : g_open
    logic [16:0] limited;
    assign limited = outstanding > 17'(session.send_mss) ? 17'(session.send_mss) : outstanding;
    always_comb begin
      if (first) begin
        assume (session.state inside {TCP_ESTABLISHED, TCP_CLOSE_WAIT} && !session.fin_sent);
        assume (session.send_mss != '0 && session.send_mss < 16'd128 && session.send_window < 16'd256);
        assume (distance <= 32'(BUFFER - W / 8) && distance[15:0] <= session.send_window);
        assume (session.recover <= outstanding && session.timed <= outstanding);
        assume (request == '0 && !was_sending);
        assume (control.settle_reg == '0 && control.closing_reg == '0 && !control.restart_reg && !control.again_reg);
        assume (!control.connect_reg && !control.abort_reg && !control.expired_reg && !control.sent_reg && !control.syn_reg);
        assume (!control.do_connect_reg && !control.do_abort_reg && !control.do_fin_reg && !control.do_repeat_reg);
        assume (!control.do_again_reg && !control.do_close_reg && !control.do_reset_reg && !control.do_give_up_reg);
        assume (control.verdict_reg == '0 && !control.judged_reg && !control.fin_counted_reg && control.fin_late_reg == '0);
        assume (!control.segment_verdict.compare_reg && !control.segment_verdict.decide_reg);
        assume (schedule.state_reg == '0 && !order_ready && !schedule.start_reg && !read);  // LOAD
`ifdef COVER  // one is enough to see that something is reached
        assume (session.send_unacknowledged == 32'hFFFF_FFF8 && session.receive_next == 32'd16 && distance == 32'd20);
        assume (session.send_window == 16'd40 && session.largest_window == 16'd40 && session.send_mss == 16'd12);
        assume (tcp_config.mss == 16'd12 && tcp_config.retries == 4'd3 && order_length == 16'd9 && session.retries == '0);
`endif
        assume (outstanding == distance[16:0]);
        assume (room.allowed_reg == (session.send_window < 16'(BUFFER - W / 8) ? session.send_window : 16'(BUFFER - W / 8)));
        assume (room.space_reg == $signed({2'b0, room.allowed_reg}) - $signed({1'b0, outstanding}));
        assume (!order_fits || (room.space_reg >= $signed({2'b0, order_length}) && order_length <= session.send_mss));
        assume (host_full && resend.bytes_reg == outstanding && 17'(resend.limited_reg) == limited);
        assume (resend.most_reg == session.send_mss[11:0]);
      end
    end
  end

  logic known = OPEN;  // a session was begun
  always_ff @(posedge clk) known <= !rst && (known || connecting);

  always_comb assert (rst || known || session.state == TCP_CLOSED);
  always_comb assert (!running || busy);

  // What makes it inductive.
  logic unopened, finishing, fin_made, made;
  assign unopened = session.state inside {TCP_CLOSED, TCP_SYN_SENT, TCP_SYN_RECEIVED};
  assign finishing = session.state inside {TCP_FIN_WAIT_1, TCP_FIN_WAIT_2, TCP_CLOSING, TCP_LAST_ACK, TCP_TIME_WAIT};
  assign made = !idle;
  assign fin_made = (made && frame.kind == FRAME_FIN) || (control.sent_reg && control.kind_reg[FRAME_FIN]);
  always_comb begin
    if (!rst) begin
      assert (!request.resend || !unopened);
      assert (!control.again_reg || session.state != TCP_CLOSED);
      if (session.state inside {TCP_SYN_SENT, TCP_SYN_RECEIVED}) assert (!session.fin_sent && distance <= 32'd1);
      assert (session.state <= TCP_TIME_WAIT);
      if (known && since <= 4'd2 && segment.ack_within && !(session.state == TCP_SYN_SENT && request.syn)) begin
        assert (segment.acknowledgment - session.send_unacknowledged == {15'b0, segment.acknowledged});
        assert ({15'b0, segment.acknowledged} <= distance);
      end
      assert (control.closing_reg inside {3'b000, 3'b001, 3'b011, 3'b111});
      assert (!session.fin_sent || finishing || session.state == TCP_CLOSED);
      if (session.state == TCP_CLOSED) assert (!request.syn && !request.fin && !request.resend && !request.probe);
      assert (!request.fin || finishing);
      assert (!fin_made || finishing || session.state == TCP_CLOSED);
      assert (!fin_made || !control.do_connect_reg);
      if (read && request.resend && !(busy && frame.kind == FRAME_RESEND)) begin
        assert (address == session.send_unacknowledged[$clog2(BUFFER)-1:0]);
        assert (length != '0);
        assert ({16'b0, length} <= distance - 32'(session.fin_sent));
      end
      if (session.state == TCP_SYN_SENT) assert (session.send_window == '0);
      if (unopened && known && session.state != TCP_CLOSED) assert (session.send_window < 16'd256);
      assert (!control.quiet || (since >= 4'd3 && !control.sent_reg));
      assert (!control.do_connect_reg || session.state == TCP_CLOSED);
      assert (!control.do_fin_reg || sending);
      assert (!(control.do_repeat_reg || control.do_again_reg) || session.state != TCP_CLOSED);
      assert (control.segment_verdict.compare_reg == (since == 4'd0));
      assert (control.segment_verdict.decide_reg == (since == 4'd1));
      assert (control.judged_reg == (since == 4'd2));
      if (control.sent_reg) begin
        assert (busy && running && sent_for == '0);
        assert (control.kind_reg == 8'd1 << frame.kind);
        assert (control.message_reg == (frame.kind == FRAME_ORDER || frame.kind == FRAME_HOST));
      end
      if (known && control.syn_reg) assert (session.state == TCP_SYN_SENT && request.syn && distance == '0);
      if (session.state == TCP_SYN_SENT && !control.syn_reg) assert (distance == 32'd1);
      if (session.state == TCP_SYN_RECEIVED) assert (distance == 32'd1);
    end
  end

  always_comb begin
    if (!rst && known) begin
      assert (distance <= 32'(BUFFER - W / 8) + 32'(session.fin_sent));
      assert (!was_sending || !session.fin_sent);
      if (sending && was_sending) assert ($signed(edge_max - session.send_next) >= 0);
      if (sending) assert ($signed(edge_max - edge_now) >= 0);
      if (sending) assert (edge_max - session.send_unacknowledged < 32'd256);
      if (request.resend) assert (distance != 32'(session.fin_sent));
      assert (session.send_mss != '0 && session.send_mss < 16'd128);
      if (message) begin
        assert (sending);
        assert (frame.sequence_number == session.send_next);
        assert (!edge_distance[31]);
        assert (end_distance <= 32'(BUFFER - W / 8));
        assert (frame.length <= session.send_mss);
      end
      if (start && frame.kind == FRAME_RESEND) begin
        assert (frame.sequence_number == session.send_unacknowledged);
        assert (address == session.send_unacknowledged[$clog2(BUFFER)-1:0]);
        assert (frame.length != '0);
        assert ({16'b0, frame.length} <= distance - 32'(session.fin_sent));
      end
      if (start && frame.kind == FRAME_SYN) assert (frame.sequence_number == session.send_unacknowledged);
      if (start && frame.kind == FRAME_FIN && session.fin_sent) assert (frame.sequence_number == session.send_unacknowledged);
    end
  end

  always_comb begin
    if (!rst && known) begin
      cover (message && frame.kind == FRAME_ORDER && distance != '0);
      cover (message && frame.kind == FRAME_HOST);
      cover (start && frame.kind == FRAME_RESEND && end_distance < distance);  // not all that is out
      cover (start && frame.kind == FRAME_FIN && !session.fin_sent);
      cover (moved && running && frame.kind == FRAME_RESEND);
      cover (shrunk && moved);
    end
  end
endmodule

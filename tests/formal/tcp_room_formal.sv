// Proves for tcp_room and tcp_schedule, for any orders, host messages, acknowledgments, windows and other frames of an open session:
//
//   - no message ends beyond the furthest edge of a window that the peer ever gave;
//   - none overwrites, in the ring of BUFFER bytes, what is not acknowledged; nor does the rest of its last beat, which is written with it.
//
// With a buffer of 64 bytes, and windows and lengths below 128: the solver needs minutes for 16 bits.
// Assumed, and proved nowhere (tcp_formal checks all of it for some cycles), for tcp_state: SND.UNA does not pass SND.NXT; a segment that moves it
// gives a window with it; SND.NXT grows by what is sent. For tcp_tx: a frame takes seven cycles at least. For tcp_host_writer: a message's length is
// there two cycles before it waits.
module tcp_room_formal
  import tcp_pkg::*;
#(
    parameter int W = 8,
    parameter int BUFFER = 64
) (
    input logic        clk,
    input logic        line_busy,
    input logic [31:0] any_number,
    input logic        segment_now,
    input logic [16:0] any_acknowledged,
    input logic [15:0] any_window,
    input logic [15:0] any_mss,
    input logic        order_valid,
    input logic [15:0] any_order_length,
    input logic        host_now,
    input logic [15:0] any_host_length,
    input tcp_request_t   request,
    input logic        fin_sent,
    input logic        resend_ready,
    input logic [15:0] resend_length,
    input logic        done
);
  localparam logic [16:0] Room = 17'(BUFFER - W / 8);

  // Long enough for the pipelines to hold what the session begins with: to become established takes longer.
  logic [3:0] cycle = '0;
  logic rst, first;
  assign rst = cycle != 4'd9;
  assign first = cycle == '0;
  always_ff @(posedge clk) if (rst) cycle <= cycle + 1'b1;

  localparam logic [15:0] Bound = 16'd128;

  // ---- the session: as tcp_state keeps it ------------------------------------------------------------

  // SND.UNA, and from there to SND.NXT and to the furthest edge.
  logic [31:0] una;
  logic [16:0] distance, to_edge;
  logic sent_reg;  // a message was started in the cycle before: SND.NXT grows
  logic [15:0] window, mss, order_length;
  tcp_session_t session;
  tcp_frame_t frame;
  logic start, busy, idle, order_ready, message, order_full, order_fits, host_full, shrunk, transmitter_idle;
  logic [16:0] outstanding, acknowledged;

  assign acknowledged = segment_now ? any_acknowledged : '0;
  assign message = start && frame.kind inside {FRAME_ORDER, FRAME_HOST};

  always_comb begin
    assume (acknowledged <= distance);
    assume (any_window < Bound && any_order_length < Bound && any_host_length < Bound);
  end

  always_ff @(posedge clk) begin
    sent_reg <= message && !rst;
    if (first) begin
      una <= any_number;
      distance <= '0;
      window <= any_window;
      to_edge <= {1'b0, any_window};
      mss <= any_mss;
      order_length <= any_order_length;
    end else if (!rst) begin
      una <= una + {15'b0, acknowledged};
      distance <= distance - acknowledged + (sent_reg ? {1'b0, frame.length} : '0);
      to_edge  <= segment_now && {1'b0, any_window} > to_edge - acknowledged ? {1'b0, any_window} : to_edge - acknowledged;
      if (segment_now) window <= any_window;
    end
  end

  always_comb begin
    session = '0;
    session.state = TCP_ESTABLISHED;
    session.send_unacknowledged = una;
    session.send_next = una + {15'b0, distance};
    session.send_window = window;
    session.send_mss = mss;
    session.fin_sent = fin_sent;
  end

  // ---- what surrounds it -------------------------------------------------------------------------------

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

  // A host's message stays until it has left.
  logic host_waiting = 1'b0;
  logic [1:0] steady = '0;
  logic [15:0] host_length, host_length_reg;
  assign host_length = host_waiting ? host_length_reg : any_host_length;
  always_ff @(posedge clk) begin
    host_length_reg <= host_length;
    steady <= host_length == host_length_reg ? {steady[0], 1'b1} : '0;
    if (!host_waiting) host_waiting <= host_now && steady == 2'b11 && host_length == host_length_reg;
    else if (busy && transmitter_idle && frame.kind == FRAME_HOST) host_waiting <= 1'b0;
  end

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
      .request_number('0),
      .reset_at_next(1'b1),
      .receive_window('0),
      .shrunk,
      .moved(acknowledged != '0),
      .closed(1'b0),
      .order_allowed(order_fits),
      .order_valid,
      .order_ready,
      .order_length,
      .host_allowed(host_waiting && !host_full),
      .host_length,
      .resend_ready,
      .resend_length,
      .transmitter_idle,
      .frame,
      .start,
      .busy,
      .idle
  );

  // ---- what must hold ------------------------------------------------------------------------------------

  // Bytes that may still be sent: acknowledgments only add to them. `since`: cycles since SND.NXT has grown.
  logic signed [17:0] left;
  logic [2:0] since = '0;
  assign left = $signed({1'b0, to_edge < Room ? to_edge : Room}) - $signed({1'b0, distance});
  always_ff @(posedge clk) begin
    if (first || sent_reg) since <= '0;
    else if (since != 3'd7) since <= since + 1'b1;
  end

  always_comb begin
    if (!rst) begin
      assert (distance <= Room);
      assert (to_edge >= distance && to_edge < {1'b0, Bound});
      if (message) begin
        assert (frame.sequence_number == una + {15'b0, distance});
        assert ({1'b0, distance} + {2'b0, frame.length} <= {1'b0, Room});
        assert ({1'b0, distance} + {2'b0, frame.length} <= {1'b0, to_edge});
      end
      cover (message && {1'b0, distance} + {2'b0, frame.length} == {1'b0, to_edge});
    end
  end

  // What makes it inductive: each step of the pipeline allows no more than is left, if SND.NXT has been the same for as long.
  localparam logic [2:0] Open = 3'd2, Chosen = 3'd3, Made = 3'd4, Busy = 3'd6;  // as in tcp_schedule
  logic [2:0] at;
  logic chosen;
  assign at = schedule.state_reg;
  assign chosen = at inside {[Chosen : Busy-1]};

  always_comb begin
    assert (cycle <= 4'd9 && (!rst || !running));
    if (!first) assert (order_length < Bound && host_length_reg < Bound);
    if (rst && !first) assert ({1'b0, since} == (cycle >= 4'd8 ? 4'd7 : cycle - 4'd1));
    if (!first) begin
      assert ({1'b0, window} <= to_edge && to_edge >= distance && to_edge < {1'b0, Bound} && distance <= Room);
      if (since >= 3'd1) assert ($signed({2'b0, room.allowed_reg}) - $signed({1'b0, outstanding}) <= left);
      if (since >= 3'd2) assert (room.space_reg <= left);
      if (since >= 3'd3) assert (!order_fits || $signed({2'b0, order_length}) <= left);
      if (since >= 3'd3) assert (host_full || $signed({2'b0, host_length_reg}) <= left);
      if (since >= 3'd4) assert (!schedule.order_ready_reg || $signed({2'b0, order_length}) <= left);
    end
    if (!rst) begin
      assert (at <= Busy);
      assert (!running || (at == Busy && {1'b0, since} + 4'd1 >= {1'b0, sent_for}));
      assert (!sent_reg || (running && sent_for == '0));
      if (!running) assert (since >= 3'd6);
      if (at == Open) assert (frame.kind == FRAME_ORDER && frame.length == order_length);
      if (at == Open || chosen) begin
        if (frame.kind inside {FRAME_ORDER, FRAME_HOST}) assert (frame.sequence_number == una + {15'b0, distance});
      end
      if (chosen) assert (frame.kind != FRAME_ORDER);
      if (chosen && frame.kind == FRAME_HOST) assert (host_waiting && (at == Chosen || frame.length == host_length));
    end
  end
endmodule

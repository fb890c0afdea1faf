// The session's state: changed by segments, the timer, the user and what was sent (RFC 9293, 3.10).
//
//   segment ─ tcp_verdict ─┐
//   frame sent ────────────┼─ session ─ settle ─ timer, requests to send
//   user, timer ─ chosen ──┘
//
// Five cycles after an event the numbers that follow from it are there (tcp_room, tcp_timer), the timer is set, and what must be sent again is
// requested. What the user or the timer wants is chosen in a cycle in which nothing else happens, and done in the next if nothing else happens in
// that one either, so that the choice still holds.
//
// Where the RFC leaves a choice:
//   - Data is acknowledged at once. A segment that does not begin with the byte expected is dropped and acknowledged.
//   - A window is taken with every acknowledgment that is not old, also that of an early segment: else it would count from a SND.UNA that it does
//     not belong to. Segments from before RCV.NXT are ignored, so the RFC's SND.WL1 and WL2 are not needed.
//   - RFC 5961: a RST that is in the window but not exactly next, a SYN, or an impossible acknowledgment get a challenge
//     acknowledgment, at most one in 256 us, and do nothing.
//   - After a loss (timeout, or three duplicates) one segment is sent again from SND.UNA, and one more with each acknowledgment that
//     does not cover all that was out then (RFC 6582). New messages go on being sent meanwhile, as far as window and buffer allow.
//   - A probe, for a closed window or a silent peer, is a segment without data from below SND.UNA: any peer answers that.
// Latency: above. Throughput: a segment every 4 cycles; frames are 8 cycles apart and more. Parameters: none. Overflow: none here; an event
// that comes while the last one settles restarts the five cycles, and pulses of the user are remembered until they can be acted on.
module tcp_state
  import tcp_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic         tick,            // once in 256 us
    input  tcp_config_t  tcp_config,
    input  logic         connect,         // pulses, remembered until they can be acted on
    input  logic         close,           // once everything that waits has been sent
    input  logic         abort,
    input  logic         peer_mac_valid,
    input  logic         peer_known,      // there was a session: a RST has a destination
    input  logic [ 15:0] receive_window,
    input  logic         segment_due,     // a frame has ended: only then may there be a segment in the next cycle
    input  logic         segment_valid,
    input  tcp_segment_t segment,
    input  logic         idle,            // the transmitter is
    input  logic         sent,            // a frame is started: `frame`
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_frame_t   frame,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 16:0] outstanding,
    input  logic         order_full,
    input  logic         host_waiting,
    input  logic         host_full,
    output tcp_session_t session,
    output logic         connecting,      // a session begins: addresses may be sampled
    output logic         sending,         // messages may be sent
    output logic         receiving,       // payload is accepted
    output logic         closing,         // no more orders
    output logic         moved,           // SND.UNA changes in the next cycle
    output logic         closed,          // there will be no session in the next cycle
    output tcp_request_t    request,
    output logic [ 31:0] request_number,  // sequence number of a probe, or of a RST that answers
    output logic         reset_at_next,   // the RST is not an answer: its number is SND.NXT
    output logic [Time-1:0] rto,
    output tcp_event_t   events           // those that are detected here
);

  localparam logic [2:0] Settle = 3'd5;  // cycles

  // ---- segment ------------------------------------------------------------------------------------

  tcp_verdict_t verdict_reg;
  logic verdict_busy, judged_reg, challenge_allowed, larger_window_reg, smaller_mss_reg;
  logic [31:0] end_reg;
  logic [16:0] recover_left_reg, timed_left_reg;
  logic fin_counted_reg;  // `outstanding` counts the FIN
  logic nothing_out_reg, only_one_out_reg, untimed_reg;  // as in the cycle before

  tcp_verdict segment_verdict (
      .clk,
      .rst,
      .mss(tcp_config.mss),
      .receive_window,
      .segment_valid,
      .segment,
      .session,
      .outstanding,
      .syn_waits(request.syn),
      .fin_counted(fin_counted_reg),
      .challenge_allowed,
      .busy(verdict_busy),
      .judged(judged_reg),
      .verdict(verdict_reg),
      .segment_end(end_reg),
      .recover_left(recover_left_reg),
      .timed_left(timed_left_reg),
      .larger_window(larger_window_reg),
      .smaller_mss(smaller_mss_reg)
  );

  always_ff @(posedge clk) begin
    nothing_out_reg <= outstanding == '0;
    only_one_out_reg <= outstanding == 17'd1;
    untimed_reg <= session.timed == '0;
  end

  assign moved = verdict_reg.moved;

  assign receiving = session.state inside {TCP_ESTABLISHED, TCP_FIN_WAIT_1, TCP_FIN_WAIT_2};
  assign sending   = session.state inside {TCP_ESTABLISHED, TCP_CLOSE_WAIT};

  // ---- initial sequence number, limit of challenges ------------------------------------------------

  logic [31:0] clock_reg, initial_reg;  // of about 4 us: 512 cycles (RFC 9293, 3.4.1)
  logic [8:0] cycle_reg;
  logic [1:0] challenge_wait_reg;  // ticks

  assign challenge_allowed = challenge_wait_reg == '0;

  always_ff @(posedge clk) begin
    {clock_reg, cycle_reg} <= {clock_reg, cycle_reg} + 1'b1;
    initial_reg <= clock_reg + tcp_config.secret;
    if (verdict_reg.challenge && verdict_reg.answer) challenge_wait_reg <= 2'd2;
    else if (tick && !challenge_allowed) challenge_wait_reg <= challenge_wait_reg - 1'b1;
    if (rst) begin
      {clock_reg, cycle_reg} <= '0;
      challenge_wait_reg <= '0;
    end
  end

  // ---- the user ----------------------------------------------------------------------------------

  logic connect_reg, abort_reg, sent_reg;  // wanted; a frame was started in the cycle before
  logic quiet;  // nothing is in progress, and no segment has come
  logic
      free,
      do_connect_reg,
      do_abort_reg,
      do_fin_reg,
      do_repeat_reg,
      do_again_reg,
      do_close_reg,
      do_reset_reg;  // nothing is chosen; then what is
  logic abort_now, fin_now, repeat_now, close_now;
  logic [2:0] closing_reg;  // for how many cycles no order was accepted

  assign closing = closing_reg[0];
  assign free = quiet && !do_connect_reg && !do_abort_reg && !do_fin_reg && !do_repeat_reg && !do_close_reg && !rst;
  assign connecting = do_connect_reg && quiet;
  assign abort_now = do_abort_reg && quiet;
  assign fin_now = do_fin_reg && quiet;
  assign repeat_now = do_repeat_reg && quiet;
  assign close_now = do_close_reg && quiet;

  // ---- timer --------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    FOR_ANSWER,  // what is outstanding is sent again
    FOR_WINDOW,  // a probe, of a window too small
    FOR_PEER,    // a probe, for keep-alive
    FOR_CLOSED   // TIME-WAIT
  } purpose_e;

  purpose_e purpose_reg, purpose, next_purpose_reg;
  logic timer_wanted, timer_load, timer_stop, timer_running, timer_expired, expired_reg, over, last_try_reg, give_up, do_give_up_reg;
  logic measure_begin, back_off_reg, restore, window_closed;
  logic timer_wanted_reg;
  logic [Time-1:0] timer_left;
  logic [2:0] settle_reg;
  logic settled, restart_reg, again_reg;  // the timer restarts in any case; something is to be sent again

  tcp_timer timer (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect(connecting),
      .load(timer_load),
      .time_left(timer_left),
      .stop(timer_stop),
      .running(timer_running),
      .expired(timer_expired),
      .measure_begin,
      .measure_end(verdict_reg.measured),
      .back_off(back_off_reg),
      .restore,
      .advance(verdict_reg.advance),
      .rto
  );

  assign window_closed = sending && (order_full || (host_waiting && host_full));

  always_comb begin
    if (session.state == TCP_TIME_WAIT) purpose = FOR_CLOSED;
    else if (!nothing_out_reg) purpose = FOR_ANSWER;
    else if (window_closed) purpose = FOR_WINDOW;
    else purpose = FOR_PEER;
    timer_wanted = session.state != TCP_CLOSED && (purpose != FOR_PEER || tcp_config.keep_alive != '0);
    unique case (next_purpose_reg)
      FOR_CLOSED: timer_left = tcp_config.time_wait;
      FOR_PEER: timer_left = tcp_config.keep_alive;
      default: timer_left = rto;
    endcase
  end

  assign settled = settle_reg == 3'd1;
  assign timer_load = settled && timer_wanted_reg && (restart_reg || !timer_running || next_purpose_reg != purpose_reg);
  assign timer_stop = settled && !timer_wanted_reg;
  assign over = expired_reg && settle_reg == '0 && session.state != TCP_CLOSED;
  assign give_up = do_give_up_reg && quiet;
  assign restore = verdict_reg.acceptable && purpose_reg == FOR_WINDOW;

  logic message_sent, first_fin_sent, host_waiting_reg;
  /* verilator lint_off UNUSEDSIGNAL */  // not all kinds are used here
  logic [7:0] kind_reg;  // of the frame being made, a bit each; it stays while that is sent
  /* verilator lint_on UNUSEDSIGNAL */
  logic message_reg, measurable_reg;  // it carries a message; that, or it is the first SYN
  logic syn_reg;  // the SYN's number is to be counted

  assign message_sent = sent_reg && message_reg;
  assign first_fin_sent = sent_reg && kind_reg[FRAME_FIN] && !session.fin_sent;
  assign measure_begin = sent_reg && measurable_reg && untimed_reg;
  assign closed = verdict_reg.close || close_now;

  // ---- what becomes of the session ----------------------------------------------------------------

  logic [3:0] answered_reg;  // a frame that starts now may have been made before
  logic [1:0] fin_late_reg;

  always_ff @(posedge clk) begin
    sent_reg <= sent && !rst;
    kind_reg <= 8'd1 << frame.kind;
    message_reg <= frame.kind inside {FRAME_ORDER, FRAME_HOST};
    measurable_reg <= frame.kind inside {FRAME_ORDER, FRAME_HOST} || (frame.kind == FRAME_SYN && session.retries == '0);
    answered_reg <= {answered_reg[2:0], verdict_reg.answer};
    timer_wanted_reg <= timer_wanted;
    back_off_reg <= repeat_now && purpose_reg inside {FOR_ANSWER, FOR_WINDOW};
    next_purpose_reg <= purpose;
    last_try_reg <= session.retries == tcp_config.retries;
    do_connect_reg <= free && connect_reg && session.state == TCP_CLOSED && peer_mac_valid && idle && !request.reset;
    do_fin_reg <= free && closing_reg[2] && sending && idle && !host_waiting && !abort_reg;
    do_again_reg <= free && over && purpose_reg == FOR_ANSWER && !last_try_reg;
    do_repeat_reg <= free && over && purpose_reg != FOR_CLOSED && !last_try_reg;
    do_give_up_reg <= free && over && purpose_reg != FOR_CLOSED && last_try_reg;
    do_abort_reg <= free && abort_reg && idle;
    do_close_reg <= free && ((over && (purpose_reg == FOR_CLOSED || last_try_reg)) || (abort_reg && idle)
        || (closing_reg[2] && session.state == TCP_SYN_SENT && idle));
    do_reset_reg <= ((over && purpose_reg != FOR_CLOSED) || (abort_reg && idle))
        && !(session.state inside {TCP_CLOSED, TCP_SYN_SENT, TCP_TIME_WAIT});
    quiet <= (!segment_due && !segment_valid && !verdict_busy && !sent) || rst;
    {fin_counted_reg, fin_late_reg} <= {fin_late_reg, session.fin_sent} & {3{session.fin_sent}};
    syn_reg <= connecting;
    if (settle_reg != '0) settle_reg <= settle_reg - 1'b1;  // unless one of those below restarts it
    if (message_sent || first_fin_sent || syn_reg) begin
      session.send_next <= session.send_next + (message_sent ? {16'b0, frame.length} : 32'd1);
      settle_reg <= Settle;
    end
    if (moved) request_number <= session.send_unacknowledged;
    host_waiting_reg <= host_waiting;
    expired_reg <= (expired_reg || timer_expired) && !repeat_now && !close_now && !timer_load && !timer_stop;
    connect_reg <= (connect_reg || connect) && !connecting;
    abort_reg <= (abort_reg || abort) && !abort_now;
    if (closing || close) closing_reg <= {closing_reg[1:0], 1'b1};
    if (settled) begin
      restart_reg <= 1'b0;
      again_reg   <= 1'b0;
      if (timer_load) purpose_reg <= next_purpose_reg;
      if (again_reg) begin
        if (session.state inside {TCP_SYN_SENT, TCP_SYN_RECEIVED}) request.syn <= 1'b1;
        else if (session.fin_sent && only_one_out_reg) request.fin <= 1'b1;
        else if (!nothing_out_reg) request.resend <= 1'b1;
      end
    end

    // Sent.
    if (sent_reg) begin
      if (kind_reg[FRAME_RESEND]) request.resend <= 1'b0;
      if (kind_reg[FRAME_SYN]) request.syn <= 1'b0;
      if (kind_reg[FRAME_FIN]) {request.fin, session.fin_sent} <= 2'b01;
      if (kind_reg[FRAME_PROBE]) request.probe <= 1'b0;
      if (kind_reg[FRAME_RESET]) request.reset <= 1'b0;
      if (answered_reg == '0) request.ack <= 1'b0;
    end
    if (measure_begin) session.timed <= outstanding + 17'(kind_reg[FRAME_SYN] ? 16'd0 : frame.length);

    // The time is over.
    if (repeat_now) begin
      session.retries <= session.retries + 1'b1;
      settle_reg  <= Settle;
      restart_reg <= 1'b1;
      if (!do_again_reg) request.probe <= 1'b1;
    end
    if (do_again_reg && quiet) begin
      again_reg <= 1'b1;
      session.recover <= outstanding;
      session.timed <= '0;
      session.duplicates <= '0;
    end
    if (host_waiting && !host_waiting_reg) settle_reg <= Settle;
    if (syn_reg) restart_reg <= 1'b1;

    // A segment.
    if (judged_reg) begin
      settle_reg <= Settle;
      session.state <= verdict_reg.state;
    end
    if (verdict_reg.answer) request.ack <= 1'b1;
    if (verdict_reg.refuse) begin
      request.reset   <= peer_known;
      reset_at_next <= 1'b0;
      request_number <= segment.ack ? segment.acknowledgment : '0;
    end
    if (verdict_reg.receive || verdict_reg.synchronise || (verdict_reg.refuse && session.state == TCP_CLOSED))
      session.receive_next <= end_reg;
    if (verdict_reg.moved) session.send_unacknowledged <= segment.acknowledgment;
    if (verdict_reg.window || verdict_reg.synchronise) session.send_window <= segment.window;
    if ((verdict_reg.window && larger_window_reg) || verdict_reg.synchronise) session.largest_window <= segment.window;
    if (verdict_reg.synchronise || verdict_reg.acceptable) session.retries <= '0;
    if (verdict_reg.synchronise) begin
      session.send_mss <= smaller_mss_reg ? segment.mss : tcp_config.mss;
      session.timed <= '0;
      if (!segment.ack) request.syn <= 1'b1;
      restart_reg <= 1'b1;
    end
    if (verdict_reg.advance) begin
      session.duplicates <= '0;
      if (verdict_reg.recovering) session.recover <= verdict_reg.partial ? recover_left_reg : '0;
      if (verdict_reg.timing) session.timed <= verdict_reg.measured ? '0 : timed_left_reg;
      request.resend <= 1'b0;  // what is acknowledged is not sent again
      request.syn <= 1'b0;
      if (session.fin_sent) request.fin <= 1'b0;
      restart_reg <= 1'b1;
    end
    if (verdict_reg.duplicate && session.duplicates != 2'd3) session.duplicates <= session.duplicates + 1'b1;
    if (verdict_reg.third) begin
      session.recover <= outstanding;
      session.timed   <= '0;
    end
    if (verdict_reg.third || verdict_reg.partial) again_reg <= 1'b1;
    // Keep-alive: the peer has answered.
    if ((verdict_reg.acceptable && nothing_out_reg) || verdict_reg.linger) restart_reg <= 1'b1;

    // The user, and the end.
    if (fin_now) begin
      session.state <= session.state == TCP_CLOSE_WAIT ? TCP_LAST_ACK : TCP_FIN_WAIT_1;
      closing_reg <= '0;
      request.fin <= 1'b1;
    end
    if (closed) begin
      session.state <= TCP_CLOSED;
      request <= '0;
      if (close_now && do_reset_reg) {request.reset, reset_at_next} <= 2'b11;
      again_reg  <= 1'b0;
      settle_reg <= Settle;
    end
    if (session.state == TCP_CLOSED) closing_reg <= '0;
    if (connecting) begin
      session <= '0;
      session.state <= TCP_SYN_SENT;
      session.send_unacknowledged <= initial_reg;
      session.send_next <= initial_reg;
      session.send_mss <= tcp_config.mss;
      request.syn <= 1'b1;  // and there is no other one
    end
    if (rst) begin
      session.state <= TCP_CLOSED;
      request <= '0;
      settle_reg <= '0;
      restart_reg <= 1'b0;
      again_reg <= 1'b0;
      closing_reg <= '0;
      connect_reg <= 1'b0;
      abort_reg <= 1'b0;
      expired_reg <= 1'b0;
    end
  end

  // ---- what is counted ----------------------------------------------------------------------------

  logic full_reg;

  always_ff @(posedge clk) begin
    if (settle_reg == '0) full_reg <= sending && order_full;
    events <= '0;
    events.segment <= segment_valid;
    events.out_of_order <= verdict_reg.acceptable && segment.length != '0 && !segment.taken;
    events.refused_rst <= judged_reg && segment.rst && !verdict_reg.reset;
    events.refused_syn <= verdict_reg.challenge && segment.syn && !segment.rst;
    events.refused_ack <= verdict_reg.challenge && !segment.syn && !segment.rst;
    events.challenge <= verdict_reg.challenge && verdict_reg.answer;
    events.reset_received <= verdict_reg.reset;
    events.reset_sent <= sent_reg && kind_reg[FRAME_RESET];
    events.retransmission <= settled && again_reg;
    events.fast <= verdict_reg.third;
    events.given_up <= give_up;
    events.full <= settle_reg == '0 && sending && order_full && !full_reg;
    events.sent <= sent_reg;
    if (rst) events <= '0;
  end

endmodule

// The session's state: what a segment, the timer, the user and what was sent make of it (RFC 9293, 3.10).
//
//   segment ─ differences ─ comparisons ─ verdict ─┐
//   frame sent ────────────────────────────────────┼─ session ─ settle ─ timer, wishes
//   user, timer ─ chosen ──────────────────────────┘
//
// A segment's record is worked through in four cycles; the next may come 4 cycles later. Five cycles after an event the numbers that
// follow from it are there (tcp_room, tcp_timer), the timer is set, and what is to be sent again is wished for. What the user or the timer wants is
// chosen in a cycle in which nothing else goes on and done in the next, if that is such a cycle too: so it still is what was chosen.
//
// Where the RFC leaves a choice:
//   - Data is acknowledged at once. A segment that does not begin with the byte expected is dropped and acknowledged.
//   - A window is taken with every acknowledgment that is not old, also of an early segment: it would else count from a SND.UNA that it was
//     not told for. Segments from before RCV.NXT are not looked at, so the RFC's SND.WL1 and WL2 are not needed.
//   - RFC 5961: a RST that is in the window but not exactly next, a SYN, or an impossible acknowledgment get a challenge
//     acknowledgment, at most one in 256 us, and do nothing.
//   - After a loss (timeout, or three duplicates) one segment is sent again from SND.UNA, and one more with each acknowledgment that is
//     not of all that was out then (RFC 6582). New messages go on being sent meanwhile, as far as window and buffer allow.
//   - A probe, of a closed window or a silent peer, is a segment without data from below SND.UNA: any peer answers that.
// Latency: above. Throughput: a segment every 4 cycles; frames are 8 cycles apart and more. Parameters: none. Overflow: none here; an event
// that comes while the last one settles begins the five cycles anew, and pulses of the user are remembered until they can be followed.
module tcp_state
  import tcp_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic         tick,            // once in 256 us
    input  tcp_config_t  tcp_config,
    input  logic         connect,         // pulses, remembered until they can be followed
    input  logic         close,           // when what waits was sent
    input  logic         abort,
    input  logic         peer_mac_valid,
    input  logic         peer_known,      // there was a session: a RST has somewhere to go
    input  logic [ 15:0] receive_window,
    input  logic         segment_due,     // a frame has ended: there may be a segment in the next cycle, and else not
    input  logic         segment_valid,
    input  tcp_segment_t segment,
    input  logic         idle,            // the transmitter
    input  logic         sent,            // a frame is started: `frame`
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    input  tcp_frame_t   frame,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 16:0] outstanding,
    input  logic         order_full,
    input  logic         host_waiting,
    input  logic         host_full,
    output tcp_session_t session,
    output logic         connecting,      // a session begins: addresses may be taken over
    output logic         sending,         // messages may be sent
    output logic         receiving,       // payload is welcome
    output logic         closing,         // no more orders
    output logic         moved,           // SND.UNA will be another in the next cycle
    output logic         closed,          // there will be no session in the next cycle
    output tcp_wish_t    wish,
    output logic [ 31:0] aside_number,    // sequence number of a probe, or of a RST that answers
    output logic         reset_at_next,   // a RST is none that answers: it has SND.NXT
    output logic [Time-1:0] rto,
    output tcp_event_t   events           // those that arise here
);

  localparam logic [2:0] Settle = 3'd5;  // cycles

  // ---- segment: differences, then comparisons, then what to do with it -----------------------------

  typedef struct packed {
    tcp_state_e state;        // that follows
    logic       refuse;       // it is no part of this session: RST
    logic       reset;        // the peer's
    logic       close;        // that, or our FIN's acknowledgment and nothing more is to come
    logic       synchronise;
    logic       challenge;    // refused: an acknowledgment, unless there was one just before
    logic       answer;       // an acknowledgment is due
    logic       linger;       // TIME-WAIT begins anew
    logic       acceptable;
    logic       advance;      // acknowledges something new
    logic       moved;
    logic       window;       // is to be taken
    logic       measured;     // what is acknowledged has the number whose round trip is measured
    logic       duplicate;
    logic       third;
    logic       partial;      // acknowledges not all that was out at a loss
    logic       receive;      // RCV.NXT goes on
  } verdict_t;

  verdict_t verdict, verdict_reg;
  tcp_state_e state_reg;  // as it was a cycle before, and still is while a segment is worked through
  logic compare_reg, decide_reg, judged_reg;
  logic [31:0] ahead_reg, end_now, end_reg;
  logic end_unused;
  logic resets_reg, syn_only_reg, implausible_reg, plain_reg;  // what it is: one of these, or without ACK
  logic in_session_reg, in_window_reg, ack_new_reg, ack_same_reg, ack_all_reg, empty_reg;
  logic [16:0] recover_left_reg, timed_left_reg;
  logic [17:0] recover_rest, timed_rest;
  logic recover_over_reg, recovering_reg, timed_over_reg, timing_reg, same_window_reg, larger_window_reg, smaller_mss_reg;
  logic nothing_out_reg, only_one_out_reg, untimed_reg;  // of what was so a cycle before

  always_ff @(posedge clk) begin
    nothing_out_reg <= outstanding == '0;
    only_one_out_reg <= outstanding == 17'd1;
    untimed_reg <= session.timed == '0;

    compare_reg <= segment_valid && !rst;
    ahead_reg <= segment.sequence_number - session.receive_next;
    end_reg <= end_now;
    decide_reg <= compare_reg && !rst;
    state_reg <= session.state;
    in_session_reg <= !(session.state inside {TCP_CLOSED, TCP_SYN_SENT});
    resets_reg <= segment.rst;
    syn_only_reg <= !segment.rst && segment.syn;
    implausible_reg <= !segment.rst && !segment.syn && segment.ack && !segment.plausible;
    plain_reg <= !segment.rst && !segment.syn && segment.ack && segment.plausible;
    in_window_reg <= ahead_reg == '0 || (ahead_reg[31:16] == '0 && ahead_reg[15:0] < receive_window);
    ack_new_reg <= segment.ack_within && segment.acknowledged != '0;
    ack_same_reg <= segment.ack_within && segment.acknowledged == '0;
    ack_all_reg <= segment.ack_within && segment.acknowledged == outstanding;
    empty_reg <= segment.length == '0;
    if (compare_reg) begin
      {recover_over_reg, recover_left_reg} <= recover_rest;
      recovering_reg <= session.recover != '0;
      {timed_over_reg, timed_left_reg} <= timed_rest;
      timing_reg <= !untimed_reg;  // what is timed since is not in it yet
    end
    same_window_reg <= segment.window == session.send_window;
    larger_window_reg <= segment.window > session.largest_window;
    smaller_mss_reg <= segment.mss < tcp_config.mss;
    judged_reg <= decide_reg && !rst;
    verdict_reg <= rst ? '0 : verdict;
  end

  // A SYN or FIN goes in as a carry, through a bit in front: one adder.
  assign {end_now, end_unused} = {segment.sequence_number, 1'b1} + {16'b0, segment.length, segment.syn || segment.fin};
  assign recover_rest = {1'b0, session.recover} - {1'b0, segment.acknowledged};
  assign timed_rest   = {1'b0, session.timed} - {1'b0, segment.acknowledged};

  logic challenge_allowed, fin_acknowledged, fin_received;
  logic fin_counted_reg;  // `outstanding` counts it

  always_comb begin
    verdict = '0;
    if (decide_reg && !in_session_reg) begin
      if (state_reg == TCP_CLOSED) verdict.refuse = !resets_reg;
      else if (wish.syn) begin
        // What comes before our SYN has left is no answer to it.
      end else if (segment.ack && !ack_all_reg) verdict.refuse = !resets_reg;
      else if (resets_reg) verdict.reset = segment.ack;
      else verdict.synchronise = syn_only_reg;
    end else if (decide_reg) begin
      if (resets_reg) begin
        verdict.reset = segment.in_order;
        verdict.challenge = in_window_reg && !segment.in_order;
      end else if (syn_only_reg) verdict.challenge = 1'b1;
      else if (!in_window_reg) begin
        verdict.answer = 1'b1;
        verdict.linger = state_reg == TCP_TIME_WAIT;
      end else if (implausible_reg) verdict.challenge = 1'b1;
      else if (plain_reg && state_reg == TCP_SYN_RECEIVED && !ack_new_reg) verdict.refuse = 1'b1;
    end
    verdict.acceptable = decide_reg && in_session_reg && plain_reg && in_window_reg && !verdict.refuse;
    fin_received = verdict.acceptable && segment.fin && segment.in_order && (segment.taken || empty_reg);
    if (!(state_reg inside {TCP_ESTABLISHED, TCP_FIN_WAIT_1, TCP_FIN_WAIT_2})) fin_received = 1'b0;
    fin_acknowledged = fin_counted_reg && ack_all_reg;
    verdict.close = verdict.reset || (verdict.acceptable && state_reg == TCP_LAST_ACK && fin_acknowledged);
    if (verdict.acceptable && (!empty_reg || segment.fin)) verdict.answer = 1'b1;
    if (verdict.synchronise && segment.ack) verdict.answer = 1'b1;
    if (verdict.challenge && challenge_allowed) verdict.answer = 1'b1;
    verdict.advance = verdict.acceptable && ack_new_reg;
    verdict.moved = verdict.advance || (verdict.synchronise && segment.ack);
    verdict.window = verdict.acceptable && (ack_new_reg || ack_same_reg);
    verdict.measured = timing_reg && ((verdict.advance && (timed_over_reg || timed_left_reg == '0 || ack_all_reg))
        || (verdict.synchronise && segment.ack));
    verdict.duplicate = verdict.acceptable && ack_same_reg && empty_reg && !segment.fin && same_window_reg && !nothing_out_reg;
    verdict.third = verdict.duplicate && session.duplicates == 2'd2 && !recovering_reg;
    verdict.partial = verdict.advance && recovering_reg && !recover_over_reg && recover_left_reg != '0 && !ack_all_reg;
    verdict.receive = fin_received || (verdict.acceptable && segment.taken);

    verdict.state = state_reg;
    if (verdict.synchronise) verdict.state = segment.ack ? TCP_ESTABLISHED : TCP_SYN_RECEIVED;
    else if (verdict.acceptable) begin
      unique case (state_reg)
        TCP_SYN_RECEIVED: verdict.state = TCP_ESTABLISHED;
        TCP_ESTABLISHED: if (fin_received) verdict.state = TCP_CLOSE_WAIT;
        TCP_FIN_WAIT_1: begin
          if (fin_acknowledged) verdict.state = fin_received ? TCP_TIME_WAIT : TCP_FIN_WAIT_2;
          else if (fin_received) verdict.state = TCP_CLOSING;
        end
        TCP_FIN_WAIT_2: if (fin_received) verdict.state = TCP_TIME_WAIT;
        TCP_CLOSING: if (fin_acknowledged) verdict.state = TCP_TIME_WAIT;
        default: ;
      endcase
    end
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
  logic quiet;  // nothing goes on, and no segment has come
  logic
      free,
      do_connect_reg,
      do_abort_reg,
      do_fin_reg,
      do_repeat_reg,
      do_again_reg,
      do_close_reg,
      do_reset_reg;  // nothing is chosen; what is
  logic abort_now, fin_now, repeat_now, close_now;
  logic [2:0] closing_reg;  // how long no order was let in

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
  logic settled, restart_reg, again_reg;  // the timer begins anew in any case; something is to be sent again

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
  /* verilator lint_off UNUSEDSIGNAL */  // not all kinds are of use here
  logic [7:0] kind_reg;  // of the frame that is made up, a bit each; it stays while it is sent
  /* verilator lint_on UNUSEDSIGNAL */
  logic message_reg, measurable_reg;  // it is a message's; that, or the first SYN
  logic syn_reg;  // the SYN's number is to be counted

  assign message_sent = sent_reg && message_reg;
  assign first_fin_sent = sent_reg && kind_reg[FRAME_FIN] && !session.fin_sent;
  assign measure_begin = sent_reg && measurable_reg && untimed_reg;
  assign closed = verdict_reg.close || close_now;

  // ---- what becomes of the session ----------------------------------------------------------------

  logic [3:0] answered_reg;  // what is started now may have been made up before
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
    do_connect_reg <= free && connect_reg && session.state == TCP_CLOSED && peer_mac_valid && idle && !wish.reset;
    do_fin_reg <= free && closing_reg[2] && sending && idle && !host_waiting && !abort_reg;
    do_again_reg <= free && over && purpose_reg == FOR_ANSWER && !last_try_reg;
    do_repeat_reg <= free && over && purpose_reg != FOR_CLOSED && !last_try_reg;
    do_give_up_reg <= free && over && purpose_reg != FOR_CLOSED && last_try_reg;
    do_abort_reg <= free && abort_reg && idle;
    do_close_reg <= free && ((over && (purpose_reg == FOR_CLOSED || last_try_reg)) || (abort_reg && idle)
        || (closing_reg[2] && session.state == TCP_SYN_SENT && idle));
    do_reset_reg <= ((over && purpose_reg != FOR_CLOSED) || (abort_reg && idle))
        && !(session.state inside {TCP_CLOSED, TCP_SYN_SENT, TCP_TIME_WAIT});
    quiet <= (!segment_due && !segment_valid && !compare_reg && !decide_reg && !sent) || rst;
    {fin_counted_reg, fin_late_reg} <= {fin_late_reg, session.fin_sent} & {3{session.fin_sent}};
    syn_reg <= connecting;
    if (settle_reg != '0) settle_reg <= settle_reg - 1'b1;  // unless one of those below begins it anew
    if (message_sent || first_fin_sent || syn_reg) begin
      session.send_next <= session.send_next + (message_sent ? {16'b0, frame.length} : 32'd1);
      settle_reg <= Settle;
    end
    if (moved) aside_number <= session.send_unacknowledged;
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
        if (session.state inside {TCP_SYN_SENT, TCP_SYN_RECEIVED}) wish.syn <= 1'b1;
        else if (session.fin_sent && only_one_out_reg) wish.fin <= 1'b1;
        else if (!nothing_out_reg) wish.resend <= 1'b1;
      end
    end

    // Sent.
    if (sent_reg) begin
      if (kind_reg[FRAME_RESEND]) wish.resend <= 1'b0;
      if (kind_reg[FRAME_SYN]) wish.syn <= 1'b0;
      if (kind_reg[FRAME_FIN]) {wish.fin, session.fin_sent} <= 2'b01;
      if (kind_reg[FRAME_PROBE]) wish.probe <= 1'b0;
      if (kind_reg[FRAME_RESET]) wish.reset <= 1'b0;
      if (answered_reg == '0) wish.ack <= 1'b0;
    end
    if (measure_begin) session.timed <= outstanding + 17'(kind_reg[FRAME_SYN] ? 16'd0 : frame.length);

    // The time is over.
    if (repeat_now) begin
      session.retries <= session.retries + 1'b1;
      settle_reg  <= Settle;
      restart_reg <= 1'b1;
      if (!do_again_reg) wish.probe <= 1'b1;
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
    if (verdict_reg.answer) wish.ack <= 1'b1;
    if (verdict_reg.refuse) begin
      wish.reset   <= peer_known;
      reset_at_next <= 1'b0;
      aside_number <= segment.ack ? segment.acknowledgment : '0;
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
      if (!segment.ack) wish.syn <= 1'b1;
      restart_reg <= 1'b1;
    end
    if (verdict_reg.advance) begin
      session.duplicates <= '0;
      if (recovering_reg) session.recover <= verdict_reg.partial ? recover_left_reg : '0;
      if (timing_reg) session.timed <= verdict_reg.measured ? '0 : timed_left_reg;
      wish.resend <= 1'b0;  // what is acknowledged is not sent again
      wish.syn <= 1'b0;
      if (session.fin_sent) wish.fin <= 1'b0;
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
      wish.fin <= 1'b1;
    end
    if (closed) begin
      session.state <= TCP_CLOSED;
      wish <= '0;
      if (close_now && do_reset_reg) {wish.reset, reset_at_next} <= 2'b11;
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
      wish.syn <= 1'b1;  // and there is no other
    end
    if (rst) begin
      session.state <= TCP_CLOSED;
      wish <= '0;
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
    events.out_of_order <= verdict_reg.acceptable && !empty_reg && !segment.taken;
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

// The session's state: what a segment, the timer, the user and what was sent make of it (RFC 9293, 3.10).
//
//   segment ─ differences ─ comparisons ─ decision ─ session ─ settle ─ timer, wishes
//
// A segment's record is worked through in three cycles; the next may come 4 cycles later. Five cycles after an event the numbers that
// follow from it are there (tcp_room, tcp_timer), the timer is set, and what is to be sent again is wished for.
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
    input  logic [ 15:0] receive_window,
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
    output tcp_wish_t    wish,
    output logic [ 31:0] aside_number,    // sequence number of a probe, or of a RST that answers
    output logic         reset_at_next,   // a RST is none that answers: it has SND.NXT
    output logic [Time-1:0] rto,
    output tcp_event_t   events           // those that arise here
);

  localparam logic [2:0] Settle = 3'd5;  // cycles

  // ---- segment: differences, then comparisons, then what to do with it -----------------------------

  logic compare_reg, decide_reg;
  logic [31:0] ahead_reg, end_now, end_reg;
  logic end_unused;
  logic in_window_reg, ack_new_reg, ack_same_reg, ack_all_reg;
  logic [16:0] recover_left_reg, timed_left_reg;
  logic [17:0] recover_rest, timed_rest;
  logic recover_over_reg, timed_over_reg, same_window_reg;

  always_ff @(posedge clk) begin
    compare_reg <= segment_valid && !rst;
    ahead_reg <= segment.sequence_number - session.receive_next;
    end_reg <= end_now;
    decide_reg <= compare_reg && !rst;
    in_window_reg <= ahead_reg == '0 || (ahead_reg[31:16] == '0 && ahead_reg[15:0] < receive_window);
    ack_new_reg <= segment.ack_within && segment.acknowledged != '0;
    ack_same_reg <= segment.ack_within && segment.acknowledged == '0;
    ack_all_reg <= segment.ack_within && segment.acknowledged == outstanding;
    {recover_over_reg, recover_left_reg} <= recover_rest;
    {timed_over_reg, timed_left_reg} <= timed_rest;
    same_window_reg <= segment.window == session.send_window;
  end

  // A SYN or FIN goes in as a carry, through a bit in front: one adder.
  assign {end_now, end_unused} = {segment.sequence_number, 1'b1} + {16'b0, segment.length, segment.syn || segment.fin};
  assign recover_rest = {1'b0, session.recover} - {1'b0, segment.acknowledged};
  assign timed_rest   = {1'b0, session.timed} - {1'b0, segment.acknowledged};

  logic refuse;  // it is no part of this session: RST
  logic reset_now, synchronise, challenge, answer, old, acceptable;
  logic challenge_allowed;
  logic duplicate, third, partial, fin_acknowledged, fin_received;
  logic fin_counted_reg;  // `outstanding` counts it

  always_comb begin
    refuse = 1'b0;
    reset_now = 1'b0;
    synchronise = 1'b0;
    challenge = 1'b0;
    old = 1'b0;
    acceptable = 1'b0;
    if (decide_reg) begin
      unique case (session.state)
        TCP_CLOSED: refuse = !segment.rst;
        TCP_SYN_SENT: begin
          if (wish.syn) begin
            // What comes before our SYN has left is no answer to it.
          end else if (segment.ack && !ack_all_reg) refuse = !segment.rst;
          else if (segment.rst) reset_now = segment.ack;
          else synchronise = segment.syn;
        end
        default: begin
          if (segment.rst) begin
            reset_now = segment.in_order;
            challenge = in_window_reg && !segment.in_order;
          end else if (segment.syn) challenge = 1'b1;
          else if (!in_window_reg) old = 1'b1;
          else if (segment.ack) begin
            if (!segment.plausible) challenge = 1'b1;
            else if (session.state == TCP_SYN_RECEIVED && !ack_new_reg) refuse = 1'b1;
            else acceptable = 1'b1;
          end
        end
      endcase
    end
    fin_received = acceptable && receiving && segment.fin && segment.in_order && (segment.taken || segment.length == '0);
    fin_acknowledged = fin_counted_reg && ack_all_reg;
    answer = old || (acceptable && (segment.length != '0 || segment.fin)) || (synchronise && segment.ack)
        || (challenge && challenge_allowed);
    duplicate = acceptable && ack_same_reg && segment.length == '0 && !segment.fin && same_window_reg && outstanding != '0;
    third = duplicate && session.duplicates == 2'd2 && session.recover == '0;
    partial = acceptable && ack_new_reg && session.recover != '0 && !recover_over_reg && recover_left_reg != '0 && !ack_all_reg;
    moved = (acceptable && ack_new_reg) || (synchronise && segment.ack);
  end

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
    if (challenge && challenge_allowed) challenge_wait_reg <= 2'd2;
    else if (tick && !challenge_allowed) challenge_wait_reg <= challenge_wait_reg - 1'b1;
    if (rst) begin
      {clock_reg, cycle_reg} <= '0;
      challenge_wait_reg <= '0;
    end
  end

  // ---- the user ----------------------------------------------------------------------------------

  logic connect_reg, abort_reg, abort_now, fin_now, quiet;
  logic [2:0] closing_reg;  // how long no order was let in

  assign closing = closing_reg[0];
  assign quiet = !segment_valid && !compare_reg && !decide_reg && !sent;
  assign connecting = connect_reg && session.state == TCP_CLOSED && peer_mac_valid && idle && quiet && !wish.reset;
  assign abort_now = abort_reg && idle && quiet;
  assign fin_now = closing_reg[2] && sending && idle && quiet && !host_waiting && !abort_reg;

  // ---- timer --------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    FOR_ANSWER,  // what is outstanding is sent again
    FOR_WINDOW,  // a probe, of a window too small
    FOR_PEER,    // a probe, for keep-alive
    FOR_CLOSED   // TIME-WAIT
  } purpose_e;

  purpose_e purpose_reg, purpose;
  logic timer_wanted, timer_load, timer_stop, timer_running, timer_expired, expired_reg, expire, give_up;
  logic measure_begin, measured, measure_end, back_off, restore, advance, window_closed;
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
      .measure_end,
      .back_off,
      .restore,
      .advance,
      .rto
  );

  assign window_closed = sending && (order_full || (host_waiting && host_full));

  always_comb begin
    timer_wanted = 1'b1;
    timer_left = rto;
    if (session.state == TCP_TIME_WAIT) begin
      purpose = FOR_CLOSED;
      timer_left = tcp_config.time_wait;
    end else if (outstanding != '0) purpose = FOR_ANSWER;
    else if (window_closed) purpose = FOR_WINDOW;
    else begin
      purpose = FOR_PEER;
      timer_left = tcp_config.keep_alive;
      timer_wanted = tcp_config.keep_alive != '0;
    end
    if (session.state == TCP_CLOSED) timer_wanted = 1'b0;
  end

  assign settled = settle_reg == 3'd1;
  assign timer_load = settled && timer_wanted && (restart_reg || !timer_running || purpose != purpose_reg);
  assign timer_stop = settled && !timer_wanted;
  assign expire = expired_reg && quiet && settle_reg == '0 && session.state != TCP_CLOSED;
  assign give_up = expire && purpose_reg != FOR_CLOSED && session.retries == tcp_config.retries;
  assign back_off = expire && purpose_reg inside {FOR_ANSWER, FOR_WINDOW};
  assign restore = acceptable && purpose_reg == FOR_WINDOW;
  assign advance = acceptable && ack_new_reg;
  assign measured = acceptable && ack_new_reg && (timed_over_reg || timed_left_reg == '0 || ack_all_reg);
  assign measure_end = session.timed != '0 && (measured || (synchronise && segment.ack));

  logic message_sent, first_syn_sent, first_fin_sent, closed, host_waiting_reg;
  logic syn_reg;  // the SYN's number is to be counted

  assign message_sent = sent && frame.kind inside {FRAME_ORDER, FRAME_HOST};
  assign first_syn_sent = sent && frame.kind == FRAME_SYN && session.retries == '0;
  assign first_fin_sent = sent && frame.kind == FRAME_FIN && !session.fin_sent;
  assign measure_begin = (message_sent || first_syn_sent) && session.timed == '0;
  assign closed = reset_now || give_up || abort_now || (expire && purpose_reg == FOR_CLOSED)
      || (acceptable && session.state == TCP_LAST_ACK && fin_acknowledged)
      || (closing_reg[2] && session.state == TCP_SYN_SENT && idle && quiet);

  // ---- what becomes of the session ----------------------------------------------------------------

  logic [1:0] decided_reg;  // what is started now may have been made up before
  logic [1:0] fin_late_reg;

  always_ff @(posedge clk) begin
    decided_reg <= {decided_reg[0], decide_reg};
    {fin_counted_reg, fin_late_reg} <= {fin_late_reg, session.fin_sent} & {3{session.fin_sent}};
    syn_reg <= connecting;
    if (message_sent || first_fin_sent || syn_reg) begin
      session.send_next <= session.send_next + (message_sent ? {16'b0, frame.length} : 32'd1);
      settle_reg <= Settle;
    end
    if (moved) aside_number <= session.send_unacknowledged;
    host_waiting_reg <= host_waiting;
    expired_reg <= (expired_reg || timer_expired) && !expire && !timer_load && !timer_stop;
    connect_reg <= (connect_reg || connect) && !connecting;
    abort_reg <= (abort_reg || abort) && !abort_now;
    if (closing || close) closing_reg <= {closing_reg[1:0], 1'b1};
    if (settle_reg != '0) settle_reg <= settle_reg - 1'b1;
    if (settled) begin
      restart_reg <= 1'b0;
      again_reg   <= 1'b0;
      if (timer_load) purpose_reg <= purpose;
      if (again_reg) begin
        if (session.state inside {TCP_SYN_SENT, TCP_SYN_RECEIVED}) wish.syn <= 1'b1;
        else if (session.fin_sent && outstanding == 17'd1) wish.fin <= 1'b1;
        else if (outstanding != '0) wish.resend <= 1'b1;
      end
    end

    // Sent.
    if (sent) begin
      unique case (frame.kind)
        FRAME_RESEND: wish.resend <= 1'b0;
        FRAME_SYN: wish.syn <= 1'b0;
        FRAME_FIN: {wish.fin, session.fin_sent} <= 2'b01;
        FRAME_PROBE: wish.probe <= 1'b0;
        FRAME_RESET: wish.reset <= 1'b0;
        default: ;
      endcase
      if (decided_reg == '0) wish.ack <= 1'b0;
    end
    if (measure_begin) session.timed <= outstanding + 17'(frame.kind == FRAME_SYN ? 16'd0 : frame.length);

    // The time is over.
    if (expire) begin
      session.retries <= session.retries + 1'b1;
      settle_reg  <= Settle;
      restart_reg <= 1'b1;
      if (purpose_reg == FOR_ANSWER) begin
        again_reg <= 1'b1;
        session.recover <= outstanding;
        session.timed <= '0;
        session.duplicates <= '0;
      end else wish.probe <= 1'b1;
    end
    if (host_waiting && !host_waiting_reg) settle_reg <= Settle;

    // A segment.
    if (decide_reg) settle_reg <= Settle;
    if (answer) wish.ack <= 1'b1;
    if (refuse) begin
      wish.reset   <= 1'b1;
      reset_at_next <= 1'b0;
      aside_number <= segment.ack ? segment.acknowledgment : '0;
      if (session.state == TCP_CLOSED) session.receive_next <= end_reg;
    end
    if (synchronise) begin
      session.receive_next <= end_reg;
      session.send_window <= segment.window;
      session.largest_window <= segment.window;
      session.send_mss <= segment.mss < tcp_config.mss ? segment.mss : tcp_config.mss;
      session.retries <= '0;
      session.timed <= '0;
      if (segment.ack) begin
        session.send_unacknowledged <= segment.acknowledgment;
        session.state <= TCP_ESTABLISHED;
      end else begin
        session.state <= TCP_SYN_RECEIVED;
        wish.syn <= 1'b1;
      end
      restart_reg <= 1'b1;
    end
    if (acceptable) begin
      session.retries <= '0;
      if (ack_new_reg) begin
        session.send_unacknowledged <= segment.acknowledgment;
        session.duplicates <= '0;
        if (session.recover != '0) session.recover <= partial ? recover_left_reg : '0;
        if (session.timed != '0) session.timed <= measure_end ? '0 : timed_left_reg;
        wish.resend <= 1'b0;  // what is acknowledged is not sent again
        wish.syn <= 1'b0;
        if (session.fin_sent) wish.fin <= 1'b0;
        restart_reg <= 1'b1;
      end else if (duplicate && session.duplicates != 2'd3) session.duplicates <= session.duplicates + 1'b1;
      if (ack_new_reg || ack_same_reg) begin
        session.send_window <= segment.window;
        if (segment.window > session.largest_window) session.largest_window <= segment.window;
      end
      if (segment.taken || fin_received) session.receive_next <= end_reg;
      if (third) begin
        session.recover <= outstanding;
        session.timed   <= '0;
      end
      if (third || partial) again_reg <= 1'b1;
      if (outstanding == '0) restart_reg <= 1'b1;  // keep-alive: the peer was heard of
      unique case (session.state)
        TCP_SYN_RECEIVED: session.state <= TCP_ESTABLISHED;
        TCP_ESTABLISHED: if (fin_received) session.state <= TCP_CLOSE_WAIT;
        TCP_FIN_WAIT_1: begin
          if (fin_acknowledged) session.state <= fin_received ? TCP_TIME_WAIT : TCP_FIN_WAIT_2;
          else if (fin_received) session.state <= TCP_CLOSING;
        end
        TCP_FIN_WAIT_2: if (fin_received) session.state <= TCP_TIME_WAIT;
        TCP_CLOSING: if (fin_acknowledged) session.state <= TCP_TIME_WAIT;
        default: ;
      endcase
    end
    if (old && session.state == TCP_TIME_WAIT) restart_reg <= 1'b1;

    // The user, and the end.
    if (fin_now) begin
      session.state <= session.state == TCP_CLOSE_WAIT ? TCP_LAST_ACK : TCP_FIN_WAIT_1;
      closing_reg <= '0;
      wish.fin <= 1'b1;
    end
    if (closed) begin
      session.state <= TCP_CLOSED;
      wish <= '0;
      if ((give_up || abort_now) && !(session.state inside {TCP_CLOSED, TCP_SYN_SENT, TCP_TIME_WAIT})) begin
        wish.reset <= 1'b1;
        reset_at_next <= 1'b1;
      end
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
      wish <= '{syn: 1'b1, default: 1'b0};
      again_reg <= 1'b0;
      settle_reg <= Settle;
      restart_reg <= 1'b1;
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
    events.out_of_order <= acceptable && segment.length != '0 && !segment.taken;
    events.refused_rst <= decide_reg && segment.rst && !reset_now;
    events.refused_syn <= challenge && segment.syn && !segment.rst;
    events.refused_ack <= challenge && !segment.syn && !segment.rst;
    events.challenge <= challenge && challenge_allowed;
    events.reset_received <= reset_now;
    events.reset_sent <= sent && frame.kind == FRAME_RESET;
    events.retransmission <= settled && again_reg;
    events.fast <= third;
    events.given_up <= give_up;
    events.full <= settle_reg == '0 && sending && order_full && !full_reg;
    events.sent <= sent;
    if (rst) events <= '0;
  end

endmodule

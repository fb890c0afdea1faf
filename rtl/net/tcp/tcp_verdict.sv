// Decides what a segment does to the session (RFC 9293, 3.10.7; RFC 5961; RFC 6582).
//
//   segment ─ differences ─ comparisons ─ verdict ─ register
//   session ─────┴──────────────┴────────────┘
//
// Where the RFCs leave a choice, tcp_state says what is chosen.
//
// Latency: 3 cycles, segment_valid to `judged` and `verdict`. Throughput: a segment every 4 cycles; it stays on `segment` that long.
// Parameters: none. Overflow: none.
module tcp_verdict
  import tcp_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic [ 15:0] mss,                // ours
    input  logic [ 15:0] receive_window,
    input  logic         segment_valid,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of the two is used here
    input  tcp_segment_t segment,
    input  tcp_session_t session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 16:0] outstanding,
    input  logic         syn_waits,          // our SYN has not left yet
    input  logic         fin_counted,        // `outstanding` counts our FIN
    input  logic         challenge_allowed,
    output logic         busy,               // a segment is being judged, its verdict not out yet
    output logic         judged,             // a verdict is out, for one cycle
    output tcp_verdict_t verdict,            // with `judged`; nothing happens in other cycles
    output logic [ 31:0] segment_end,        // the number after the segment's last; this and the rest are of the judged segment
    output logic [ 16:0] recover_left,       // session.recover less what it acknowledges
    output logic [ 16:0] timed_left,         // session.timed less what it acknowledges
    output logic         larger_window,      // its window is the largest so far
    output logic         smaller_mss         // its MSS option is below ours
);

  // ---- differences: the first cycle ----------------------------------------------------------------

  logic compare_reg, decide_reg;  // in these cycles the segment is compared and decided on
  logic [31:0] ahead_reg, end_now;
  logic end_unused;
  logic [17:0] recover_rest, timed_rest;

  assign busy = compare_reg || decide_reg;

  // A SYN or FIN goes in as a carry, through a bit below the lowest: one adder.
  assign {end_now, end_unused} = {segment.sequence_number, 1'b1} + {16'b0, segment.length, segment.syn || segment.fin};
  assign recover_rest = {1'b0, session.recover} - {1'b0, segment.acknowledged};
  assign timed_rest   = {1'b0, session.timed} - {1'b0, segment.acknowledged};

  // ---- comparisons: the second cycle ---------------------------------------------------------------

  tcp_state_e state_reg;  // as a cycle before, and unchanged while a segment is judged
  logic in_session_reg, in_window_reg, ack_new_reg, ack_same_reg, ack_all_reg, empty_reg, same_window_reg, nothing_out_reg;
  logic resets_reg, syn_only_reg, implausible_reg, plain_reg;  // the segment is one of these, or has no ACK
  logic recovering_reg, recover_over_reg, untimed_reg, timing_reg, timed_over_reg;
  tcp_verdict_t next;
  logic fin_acknowledged, fin_received;

  always_ff @(posedge clk) begin
    nothing_out_reg <= outstanding == '0;
    untimed_reg <= session.timed == '0;

    compare_reg <= segment_valid && !rst;
    ahead_reg <= segment.sequence_number - session.receive_next;
    segment_end <= end_now;
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
      {recover_over_reg, recover_left} <= recover_rest;
      recovering_reg <= session.recover != '0;
      {timed_over_reg, timed_left} <= timed_rest;
      timing_reg <= !untimed_reg;  // what has been timed since then is not included yet
    end
    same_window_reg <= segment.window == session.send_window;
    larger_window <= segment.window > session.largest_window;
    smaller_mss <= segment.mss < mss;
    judged <= decide_reg && !rst;
    verdict <= rst ? '0 : next;
  end

  // ---- the verdict: the third cycle ----------------------------------------------------------------

  always_comb begin
    next = '0;
    next.recovering = recovering_reg;
    next.timing = timing_reg;
    if (decide_reg && !in_session_reg) begin
      if (state_reg == TCP_CLOSED) next.refuse = !resets_reg;
      else if (syn_waits) begin
        // A segment that comes before our SYN has left does not answer it.
      end else if (segment.ack && !ack_all_reg) next.refuse = !resets_reg;
      else if (resets_reg) next.reset = segment.ack;
      else next.synchronise = syn_only_reg;
    end else if (decide_reg) begin
      if (resets_reg) begin
        next.reset = segment.in_order;
        next.challenge = in_window_reg && !segment.in_order;
      end else if (syn_only_reg) next.challenge = 1'b1;
      else if (!in_window_reg) begin
        next.answer = 1'b1;
        next.linger = state_reg == TCP_TIME_WAIT;
      end else if (implausible_reg) next.challenge = 1'b1;
      else if (plain_reg && state_reg == TCP_SYN_RECEIVED && !ack_new_reg) next.refuse = 1'b1;
    end
    next.acceptable = decide_reg && in_session_reg && plain_reg && in_window_reg && !next.refuse;
    fin_received = next.acceptable && segment.fin && segment.in_order && (segment.taken || empty_reg);
    if (!(state_reg inside {TCP_ESTABLISHED, TCP_FIN_WAIT_1, TCP_FIN_WAIT_2})) fin_received = 1'b0;
    fin_acknowledged = fin_counted && ack_all_reg;
    next.close = next.reset || (next.acceptable && state_reg == TCP_LAST_ACK && fin_acknowledged);
    if (next.acceptable && (!empty_reg || segment.fin)) next.answer = 1'b1;
    if (next.synchronise && segment.ack) next.answer = 1'b1;
    if (next.challenge && challenge_allowed) next.answer = 1'b1;
    next.advance = next.acceptable && ack_new_reg;
    next.moved = next.advance || (next.synchronise && segment.ack);
    next.window = next.acceptable && (ack_new_reg || ack_same_reg);
    next.measured = timing_reg && ((next.advance && (timed_over_reg || timed_left == '0 || ack_all_reg))
        || (next.synchronise && segment.ack));
    next.duplicate = next.acceptable && ack_same_reg && empty_reg && !segment.fin && same_window_reg && !nothing_out_reg;
    next.third = next.duplicate && session.duplicates == 2'd2 && !recovering_reg;
    next.partial = next.advance && recovering_reg && !recover_over_reg && recover_left != '0 && !ack_all_reg;
    next.receive = fin_received || (next.acceptable && segment.taken);

    next.state = state_reg;
    if (next.synchronise) next.state = segment.ack ? TCP_ESTABLISHED : TCP_SYN_RECEIVED;
    else if (next.acceptable) begin
      unique case (state_reg)
        TCP_SYN_RECEIVED: next.state = TCP_ESTABLISHED;
        TCP_ESTABLISHED: if (fin_received) next.state = TCP_CLOSE_WAIT;
        TCP_FIN_WAIT_1: begin
          if (fin_acknowledged) next.state = fin_received ? TCP_TIME_WAIT : TCP_FIN_WAIT_2;
          else if (fin_received) next.state = TCP_CLOSING;
        end
        TCP_FIN_WAIT_2: if (fin_received) next.state = TCP_TIME_WAIT;
        TCP_CLOSING: if (fin_acknowledged) next.state = TCP_TIME_WAIT;
        default: ;
      endcase
    end
  end

endmodule

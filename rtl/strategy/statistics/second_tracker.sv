// Finds the message that begins a new second, and knows at the verdict whether the frame is a heartbeat.
//
//   event time ─ >= end of second ─ seen ─ verdict good ─ heartbeat
//        └────── ÷ 10^9, some bits a cycle ─ second, new end ─ committed with the verdict
//
// ITCH 5.0: times and the end of the second are compared in units of 2^9 ns, for 10^9 = 1,953,125 * 2^9. The quotient is not needed
// for the decision, only in the report. ITCH 4.1: `T` carries the second. docs/reference/rules.md has the rules.
//
// Latency, from an event or a verdict in cycle v: after_boundary and heartbeat v+1, second v+S, state committed v+S+1, where S = 18 / DIGIT_BITS
// + 1; after a frame that had events or is good, the next event comes at v+S+1 at the earliest (asserted). Throughput: an event and a short event a
// cycle.
// Parameters: DIGIT_BITS of the quotient found in a cycle: 3, or 2 where the part is slow and the beats are narrow. Overflow: none.
module second_tracker
  import tickwire_pkg::*;
#(
    parameter int DIGIT_BITS = 3
) (
    input logic clk,
    input logic rst,
    input logic itch50,

    market_if.changes market,
    input feed_info_t feed,         // still there in the cycle after the verdict
    input logic       report_busy,  // a heartbeat now is missed: the second advances, the report's fields stay

    output logic after_boundary,  // the event of the cycle before belongs to the new interval; never high in a missed one
    output logic heartbeat,       // the frame whose verdict came in the cycle before is good and began a second
    output logic missed,          // with heartbeat: no report

    // From the last boundary not missed; what a bad frame left here stays until the next frame overwrites it.
    output logic       [31:0] second,
    output logic       [63:0] sequence_number,
    output feed_info_t        boundary_feed,

    output logic [15:0] time_backwards  // of this frame; complete from v+2 to v+S
);
  localparam int Units = 40;  // the end of the last second of a 48-bit time, in 2^9 ns, needs 40 bits
  localparam logic [20:0] Second = 21'd1_953_125;
  localparam int Steps = 18 / DIGIT_BITS;
  localparam int Multiples = 1 << DIGIT_BITS;
  localparam int Settle = Steps + 1;

  localparam int N = market.N;
  logic event_valid, short_valid;
  /* verilator lint_off UNUSEDSIGNAL */  // an event has more than a stage needs
  event_t event_data, short_data;
  /* verilator lint_on UNUSEDSIGNAL */
  verdict_t verdict;

  assign event_valid = market.change_valid[0];
  assign event_data = market.change[0];
  assign short_valid = N > 1 && market.change_valid[N-1];  // ITCH 4.1 `T` or `S`
  assign short_data = market.change[N-1];
  assign verdict = '{valid: market.verdict_valid, good: market.verdict_good};

  typedef struct packed {
    logic valid;
    logic good;
    logic new_session;
    logic events;  // the frame had events; if not, and if it is bad too, it settles nothing
  } verdict_stage_t;

  // ---- the verdict, followed until everything of its frame is settled ---------------------------

  verdict_stage_t [Settle:1] stage;
  logic in_frame;  // the frame had an event
  logic any_event;

  always_ff @(posedge clk) begin
    stage <= {stage[Settle-1:1], verdict.valid, verdict.good, feed.new_session, in_frame || any_event};
    if (rst) stage <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !stage[1].valid || feed == $past(feed));

  // ---- the boundary: compared in the event's cycle, decided in the next --------------------------

  logic [Units-1:0] second_end;
  logic second_known;
  logic seen, accepted, busy_before;
  logic known;
  logic candidate50, candidate41, short_candidate;  // would begin a second, were it the first of its frame to do so
  logic event_boundary, short_boundary, seen_now, accepted_now;

  assign known = second_known && !feed.new_session;
  assign any_event = event_valid || short_valid;

  always_ff @(posedge clk) begin
    candidate50 <= event_valid && itch50 && (!known || Units'(event_data.nanoseconds[47:9]) >= second_end);
    candidate41 <= event_valid && !itch50 && event_data.kind == KIND_TIME
        && (!known || {1'b0, event_data.seconds} >= second_end[32:0]);
    short_candidate <= short_valid && !itch50 && short_data.kind == KIND_TIME
        && (!known || {1'b0, short_data.seconds} >= second_end[32:0]);
    busy_before <= report_busy;
    if (rst) {candidate50, candidate41, short_candidate} <= '0;
  end

  assign event_boundary = !seen && (candidate50 || candidate41);
  assign short_boundary = !seen && !candidate50 && !candidate41 && short_candidate;
  assign seen_now = seen || candidate50 || candidate41 || short_candidate;
  assign accepted_now = seen ? accepted : !busy_before;

  always_ff @(posedge clk) begin
    seen <= seen_now;
    accepted <= accepted_now;
    if (rst || (stage[Settle].valid && stage[Settle].events)) seen <= 1'b0;
  end

  assign after_boundary = seen ? accepted : event_boundary && !busy_before;
  assign heartbeat = stage[1].valid && stage[1].good && stage[1].events && seen_now;
  assign missed = !accepted_now;

  // ---- the second that begins: 39 bits divided by 1,953,125, the first quotient bit at once, then DIGIT_BITS a cycle -----

  logic [Units-1:0] value;
  logic [20:0] remainder, next_remainder;
  logic [17:0] digits;
  logic [3:0] steps;
  logic [DIGIT_BITS-1:0] digit;
  logic follow;  // the quotient is the report's
  logic load, loaded, first_step, first_bit;
  logic [31:0] short_seconds;
  logic [63:0] short_sequence, event_sequence;

  assign load = any_event && !seen_now;
  assign first_step = steps == 4'(Steps);
  assign first_bit = event_data.nanoseconds[47:27] >= Second;

  always_comb begin
    logic [21+DIGIT_BITS-1:0] dividend;
    logic [Multiples-1:0][21+DIGIT_BITS:0] difference;  // its highest bit: borrow, the multiple is too large
    logic [Multiples:0] fits;
    dividend = {remainder, digits[17-:DIGIT_BITS]};
    for (int i = 0; i < Multiples; i++) begin
      difference[i] = {1'b0, dividend} - (22 + DIGIT_BITS)'(i * int'(Second));
      fits[i] = !difference[i][21+DIGIT_BITS];
    end
    fits[Multiples] = 1'b0;
    // The largest that fits, all compared in parallel.
    digit = '0;
    next_remainder = '0;
    for (int i = 0; i < Multiples; i++) begin
      digit |= {DIGIT_BITS{fits[i] && !fits[i+1]}} & DIGIT_BITS'(i);
      next_remainder |= {21{fits[i] && !fits[i+1]}} & difference[i][20:0];
    end
  end

  always_ff @(posedge clk) begin
    short_seconds  <= short_data.seconds;
    short_sequence <= short_data.sequence_number;
    if (steps != '0) begin
      steps <= steps - 4'd1;
      digits <= digits << DIGIT_BITS;
      remainder <= next_remainder;
      if (first_step) value <= (short_boundary ? Units'(short_seconds) : value) + (itch50 ? Units'(Second) : Units'(1));
      if (follow && itch50) second <= {second[31-DIGIT_BITS:0], digit};
    end
    // ITCH 4.1 has nothing to divide: the short event is handled a cycle later.
    if (short_boundary && follow) second <= short_seconds;
    if (load) begin
      steps <= 4'(Steps);
      value <= itch50 ? Units'(event_data.nanoseconds[47:9]) : Units'(event_data.seconds);
      remainder <= !itch50 ? '0 : first_bit ? event_data.nanoseconds[47:27] - Second : event_data.nanoseconds[47:27];
      digits <= itch50 ? event_data.nanoseconds[26:9] : '0;
      follow <= !report_busy;
      if (!report_busy) second <= itch50 ? 32'(first_bit) : event_data.seconds;
    end
    // A cycle later: these are many bits, and not urgent.
    loaded <= load;
    event_sequence <= event_data.sequence_number;
    if (loaded && follow) begin
      sequence_number <= short_boundary ? short_sequence : event_sequence;
      boundary_feed <= feed;
    end
    if (rst) steps <= '0;
  end

  always_ff @(posedge clk) begin
    if (stage[Settle].valid && stage[Settle].good) begin
      if (seen && stage[Settle].events) begin
        second_known <= 1'b1;
        second_end   <= value - Units'(remainder);
      end else if (stage[Settle].new_session) second_known <= 1'b0;
    end
    if (rst) second_known <= 1'b0;
  end

  // ---- time running backwards -----------------------------------------------------------------

  logic [63:0] event_key, short_key, previous, previous_next, committed;
  logic previous_known, previous_known_next, committed_known, compare_known;
  logic event_backwards, short_backwards;
  logic [1:0] backwards;

  always_comb begin
    // ITCH 5.0 has no seconds, ITCH 4.1 no more than 32 bits of nanoseconds: the two never overlap.
    event_key = {event_data.seconds | 32'(event_data.nanoseconds[47:32]), event_data.nanoseconds[31:0]};
    short_key = {short_data.seconds, short_data.nanoseconds[31:0]};
    compare_known = previous_known && (in_frame || !feed.new_session);
    event_backwards = event_valid && compare_known && event_key < previous;
    short_backwards = short_valid && (event_valid || compare_known) && short_key < (event_valid ? event_key : previous);
    previous_next = short_valid ? short_key : event_valid ? event_key : previous;
    previous_known_next = any_event || compare_known;
  end

  always_ff @(posedge clk) begin
    backwards <= {event_backwards, short_backwards};
    time_backwards <= stage[Settle].valid && stage[Settle].events ? '0 : time_backwards + 16'(backwards[0]) + 16'(backwards[1]);
    previous <= previous_next;
    if (any_event) begin
      previous_known <= 1'b1;
      in_frame <= 1'b1;
    end
    if (verdict.valid) begin
      in_frame <= 1'b0;
      previous_known <= verdict.good ? previous_known_next : committed_known;
      if (verdict.good) begin
        committed <= previous_next;
        committed_known <= previous_known_next;
      end else previous <= committed;
    end
    if (rst) begin
      backwards <= '0;
      time_backwards <= '0;
      previous_known <= 1'b0;
      committed_known <= 1'b0;
      in_frame <= 1'b0;
    end
  end

  logic settling;
  always_comb begin
    settling = 1'b0;
    for (int i = 1; i <= Settle; i++) settling |= stage[i].valid && (stage[i].good || stage[i].events);
  end
  assert property (@(posedge clk) disable iff (rst) !any_event || !settling);
  assert property (@(posedge clk) disable iff (rst) !(short_valid && itch50));
endmodule

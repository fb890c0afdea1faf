// The high-reliability output: every packet in its turn, from whichever line brings it, waiting for what is missing as long as the window allows.
//
//   A, B ─┬───────────────── line_select ──────────┬─ out
//         └─ packet_store ─ packet_order ─ release ┘
//
// Latency: 1 cycle for a packet that is expected and finds the output free; a kept packet's first beat leaves 8
// cycles after the last beat of the one before it, if that was cut through.
// Throughput: a beat a cycle; kept packets leave back to back (packets of at least 3 beats). Parameters: W; PROTOCOL; PACKETS kept, half a line's.
// Overflow: packet_store reports a packet that finds no room.
module high_reliability
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int PACKETS = 8,
    parameter int HOLD = 1 << 27,
    localparam int S = PROTOCOL.sequence_bits,
    localparam bit Early = number_early(W, PROTOCOL),
    localparam bit Pipelined = W == 8  // comparisons of numbers in two cycles: the parts for W = 8 are slow, and its packets far apart
) (
    input  logic                       clk,
    input  logic                       rst,
    arbiter_line_if.snk                a,
    arbiter_line_if.snk                b,
    input  window_e                    mode,
    input  logic       [         31:0] time_window,     // cycles
    input  logic       [CountBits-1:0] count_window,    // messages
    input  logic                       flush,           // everything kept leaves
    // Inputs that decide about the session.
    input  logic                       session_known,
    input  logic       [        S-1:0] session_expected,
    output logic                       session_reset,
    output logic       [        S-1:0] restart_number,
    stream_if.src                      out,
    output logic       [          1:0] cut_through,     // pulses, by line
    output logic       [          1:0] kept,
    output logic       [          1:0] malformed,
    output logic       [          1:0] too_long,
    output logic       [          1:0] overflow,
    output logic       [          1:0] far,
    output logic       [          1:0] stale,
    output logic                       released,        // a kept packet begins to leave
    output logic                       gap,             // messages from gap_from up to, not including, gap_to are lost
    output logic       [        S-1:0] gap_from,
    output logic       [        S-1:0] gap_to
);
  localparam int N = W / 8;
  localparam int Slots = PACKETS / 2;
  localparam int SlotBits = $clog2(Slots);
  localparam int HeldBits = $clog2(Slots + 1);

  if (PACKETS < 4 || Slots != 1 << SlotBits) begin : gen_check
    $fatal(1, "high_reliability: PACKETS is %0d; it must be a power of two and at least 4", PACKETS);
  end

  // What goes with a packet through session_tracker.
  typedef struct packed {
    logic [CountBits-1:0] count;
    logic                 session_end;
    logic                 stored;
    logic                 keepable;  // stored, and worth waiting for: a heartbeat has no messages
    logic [SlotBits-1:0]  slot;
  } record_t;

  // ---- the store, by line ---------------------------------------------------------------------------

  logic [1:0] ended;
  logic [1:0][S-1:0] ended_number;
  record_t [1:0] ended_record;
  logic [1:0] ended_stored, ended_session;
  logic [1:0][CountBits-1:0] ended_count;
  logic [1:0][SlotBits-1:0] ended_slot;
  logic [1:0][Slots-1:0] free;
  logic [1:0] read_start, reading, read_busy, read_valid, read_last;
  logic [1:0][N-1:0] read_keep;
  logic [1:0][W-1:0] read_data;
  logic [SlotBits:0] first_slot;  // line, and slot of the line

  packet_store #(
      .W(W),
      .PROTOCOL(PROTOCOL),
      .SLOTS(Slots)
  ) store_a (
      .clk,
      .rst,
      .line(a),
      .ended(ended[0]),
      .ended_stored(ended_stored[0]),
      .ended_number(ended_number[0]),
      .ended_count(ended_count[0]),
      .ended_session(ended_session[0]),
      .ended_slot(ended_slot[0]),
      .malformed(malformed[0]),
      .too_long(too_long[0]),
      .overflow(overflow[0]),
      .free(free[0]),
      .read_start(read_start[0]),
      .read_slot(first_slot[SlotBits-1:0]),
      .reading(reading[0]),
      .read_busy(read_busy[0]),
      .read_valid(read_valid[0]),
      .read_last(read_last[0]),
      .read_keep(read_keep[0]),
      .read_data(read_data[0])
  );

  packet_store #(
      .W(W),
      .PROTOCOL(PROTOCOL),
      .SLOTS(Slots)
  ) store_b (
      .clk,
      .rst,
      .line(b),
      .ended(ended[1]),
      .ended_stored(ended_stored[1]),
      .ended_number(ended_number[1]),
      .ended_count(ended_count[1]),
      .ended_session(ended_session[1]),
      .ended_slot(ended_slot[1]),
      .malformed(malformed[1]),
      .too_long(too_long[1]),
      .overflow(overflow[1]),
      .free(free[1]),
      .read_start(read_start[1]),
      .read_slot(first_slot[SlotBits-1:0]),
      .reading(reading[1]),
      .read_busy(read_busy[1]),
      .read_valid(read_valid[1]),
      .read_last(read_last[1]),
      .read_keep(read_keep[1]),
      .read_data(read_data[1])
  );

  // ---- good packets that have ended: another session? ----------------------------------------------------

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      ended_record[i] = '{
          count: ended_count[i],
          session_end: ended_session[i],
          stored: ended_stored[i],
          keepable: ended_stored[i] && (ended_count[i] != '0 || ended_session[i]),
          slot: ended_slot[i]
      };
    end
  end

  logic known;
  logic [S-1:0] expected;
  logic restart;  // a session reset that counts here, too
  logic [1:0] dropped;
  /* verilator lint_off UNUSEDSIGNAL */  // only the slot
  record_t [1:0] dropped_record;
  /* verilator lint_on UNUSEDSIGNAL */
  logic seen_valid, seen_line;
  logic [S-1:0] seen_number, coming_number;
  record_t seen;

  session_tracker #(
      .S(S),
      .RECORD($bits(record_t)),
      .HOLD(HOLD),
      .PIPELINED(Pipelined)
  ) session_tracker (
      .clk,
      .rst,
      .ended,
      .ended_number,
      .ended_record,
      .known(session_known),
      .expected(session_expected),
      .reliable_known(known),
      .reliable_expected(expected),
      .restart(session_reset),
      .restart_reliable(restart),
      .restart_number,
      .far,
      .stale,
      .dropped,
      .dropped_record,
      .out_valid(seen_valid),
      .out_line(seen_line),
      .out_number(seen_number),
      .coming_number,
      .out_record(seen)
  );

  // ---- what is kept -----------------------------------------------------------------------------------

  logic inserted, refused, session_end, pop, first_ready, first_stale, empty, expected_changes;
  logic [S-1:0] first_number, first_next;
  logic first_expected;
  logic [SlotBits:0] settled_slot;
  logic [CountBits+3:0] messages;
  logic flushing, counted;
  logic restarting, restarts, any_old;  // restarting: what is kept of the old session leaves first; then `expected` is the new one's
  logic [1:0] left;  // one left a cycle ago, two cycles ago
  logic [SlotBits:0] popped_slot;
  logic [S-1:0] accepted;  // `expected`, but while restarting the new session's
  logic [1:0][HeldBits-1:0] held;  // packets of each line
  logic [1:0] crowded;  // no more than the one being received has room

  packet_order #(
      .S(S),
      .SLOTS(PACKETS),
      .COUNT(8 * PROTOCOL.count_bytes),
      .PIPELINED(Pipelined)
  ) packet_order (
      .clk,
      .rst,
      .known,
      .expected,
      .expected_changes,
      .accepted,
      .restart,
      .restarting,
      .any_old,
      .time_window,
      .forced(flushing || (counted && left == '0)),  // when one has left, `counted` follows three cycles later
      .time_counts(mode != WINDOW_COUNT),
      .in_valid(seen_valid && seen.keepable),
      .in_slot({seen_line, seen.slot}),
      .in_number(seen_number),
      .coming_number,
      .in_count(seen.count),
      .in_end(seen_valid && seen.session_end),
      .inserted,
      .refused,
      .session_end,
      .settled_slot,
      .pop,
      .first_ready,
      .first_stale,
      .first_slot,
      .first_number,
      .first_next,
      .first_expected,
      .empty,
      .messages
  );

  always_ff @(posedge clk) begin
    counted <= crowded != '0 || (mode != WINDOW_TIME && messages >= (CountBits + 4)'(count_window));
    for (int i = 0; i < 2; i++) begin
      held[i] <= held[i] + HeldBits'(inserted && settled_slot[SlotBits] == (i == 1))
          - HeldBits'(left[0] && popped_slot[SlotBits] == (i == 1));
    end
    if (flush || session_end) flushing <= 1'b1;
    else if (empty) flushing <= 1'b0;
    if (restart) restarting <= 1'b1;
    else if (restarts) restarting <= 1'b0;
    if (rst) begin
      held <= '0;
      counted <= 1'b0;
      flushing <= 1'b0;
      restarting <= 1'b0;
    end
  end

  always_comb for (int i = 0; i < 2; i++) crowded[i] = held[i] >= HeldBits'(Slots - 1);

  // ---- packets that are not kept, or leave, give back their slots -----------------------------------------

  always_comb begin
    free = '0;
    if (seen_valid && seen.stored && !seen.keepable) free[seen_line][seen.slot] = 1'b1;
    if (refused) free[settled_slot[SlotBits]][settled_slot[SlotBits-1:0]] = 1'b1;
    // A cycle after reading has begun: the next writer stays after the reader.
    if (left[0]) free[popped_slot[SlotBits]][popped_slot[SlotBits-1:0]] = 1'b1;
    for (int i = 0; i < 2; i++) if (dropped[i] && dropped_record[i].stored) free[i][dropped_record[i].slot] = 1'b1;
  end

  always_ff @(posedge clk) begin
    left <= rst ? '0 : {left[0], pop};
    popped_slot <= first_slot;
    kept <= inserted ? (settled_slot[SlotBits] ? 2'b10 : 2'b01) : 2'b00;
    if (rst) kept <= '0;
  end

  // ---- release --------------------------------------------------------------------------------------------

  logic hold, active, passes, release_now, draining;
  logic occupied, occupied_reg;  // no packet begins: a kept one leaves, or is about to

  assign release_now = first_ready && hold && !active && read_busy == '0;
  assign pop = release_now || first_stale;
  assign read_start = release_now ? (first_slot[SlotBits] ? 2'b10 : 2'b01) : 2'b00;

  always_ff @(posedge clk) begin
    hold <= first_ready || reading != '0;
    released <= release_now && !rst;
    draining <= reading != '0;
    // Until what was read is on the output; and a cycle longer than restarting, until the numbers are compared with the new session's.
    occupied_reg <= first_ready || reading != '0 || draining || restart || restarting;
    if (rst) hold <= 1'b0;
  end

  assign occupied = occupied_reg || restart;

  // ---- the output -------------------------------------------------------------------------------------------

  logic [S-1:0] passed_number, passed_next;
  wanted_t [1:0] is_now, is_held, wanted_now, wanted_late;
  logic [1:0] unused_refused, unused_bad, unused_missed;
  logic line, stored_line;
  // The comparisons, by line: of the number in this cycle's beat, and of the one that came before.
  logic [1:0] here, due;
  logic [1:0][S-1:0] sequence_now, sequence_held;
  assign here = {b.here, a.here};
  assign due = {b.due, a.due};
  assign sequence_now = {b.sequence_now, a.sequence_now};
  assign sequence_held = {b.sequence_held, a.sequence_held};
  logic unused;
  assign unused = &{1'b0, unused_refused, unused_bad, unused_missed, passed_number, due};

  for (genvar i = 0; i < 2; i++) begin : gen_line
    if (PROTOCOL.count_bytes == 0) begin : gen_one_message
      assign {is_now[i].contained, is_held[i].contained} = '0;
      number_equal #(
          .S(S),
          .PIPELINED(Early)
      ) equal_now (
          .clk,
          .number(sequence_now[i]),
          .other(expected),
          .equal(is_now[i].all)
      );
      number_equal #(
          .S(S)
      ) equal_held (
          .clk,
          .number(sequence_held[i]),
          .other(expected),
          .equal(is_held[i].all)
      );
    end else begin : gen_count
      logic [CountBits-1:0] count_field, count_held;
      logic end_now;
      assign {is_now[i].all, is_held[i].all} = '0;
      assign count_field = i == 0 ? a.count_field : b.count_field;
      assign end_now = i == 0 ? a.end_now : b.end_now;
      assign count_held = i == 0 ? a.count_held : b.count_held;
      number_within #(
          .S(S),
          .PIPELINED(Early)
      ) within_now (
          .clk,
          .expected,
          .number(sequence_now[i]),
          .count(Early && !due[i] ? count_held : count_field),
          .none(end_now && (!Early || due[i])),
          .contained(is_now[i].contained)
      );
      number_within #(
          .S(S)
      ) within_held (
          .clk,
          .expected,
          .number(sequence_held[i]),
          .count(count_held),
          .none(1'b0),
          .contained(is_held[i].contained)
      );
    end
  end

  assign stored_line = read_valid[1];

  line_select #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) select (
      .clk,
      .rst,
      .a,
      .b,
      .hold(occupied),
      .abort(1'b0),
      .active,
      .wanted_now,
      .wanted_late,
      .stored_valid(read_valid != '0),
      .stored_data(read_data[stored_line]),
      .stored_keep(read_keep[stored_line]),
      .stored_last(read_last[stored_line]),
      .out,
      .passed(passes),
      .passed_line(line),
      .passed_number,
      .passed_next,
      .refused(unused_refused),
      .bad(unused_bad),
      .missed(unused_missed)
  );

  number_wanted #(
      .EARLY(Early)
  ) wanted (
      .clk,
      .known,
      .here,
      .is_held,
      .is_now,
      .wanted_now,
      .wanted_late
  );

  assign restarts = restarting && !any_old && !active;
  assign expected_changes = passes || release_now || restarts;

  always_ff @(posedge clk) begin
    if (passes) expected <= passed_next;
    else if (release_now) expected <= first_next;
    else if (restarts) expected <= accepted;
    if (restart) accepted <= restart_number;
    else if (!restarting && passes) accepted <= passed_next;
    else if (!restarting && release_now) accepted <= first_next;
    if (passes || release_now) known <= 1'b1;
    cut_through <= passes ? (line ? 2'b10 : 2'b01) : 2'b00;
    gap <= release_now && !first_expected;
    gap_from <= expected;
    gap_to <= first_number;
    if (rst) begin
      known <= 1'b0;
      cut_through <= '0;
      gap <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(passes && release_now));
  assert property (@(posedge clk) disable iff (rst) !(restarts && release_now));
  assert property (@(posedge clk) disable iff (rst) !known || restarting || accepted == expected);
  assert property (@(posedge clk) disable iff (rst) !release_now || !known || first_number - expected < (S'(1) << NearBits) ||
                   expected - first_number < first_next - first_number);
endmodule

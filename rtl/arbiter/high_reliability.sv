// The high-reliability output: every packet in its turn, from whichever line brings it, waiting for what is missing as long as the window allows.
//
//   A, B ─┬───────────────── line_select ─────────┬─ out
//         └─ packet_store ─ kept_list ─ release ──┘
//
// Latency: 1 cycle for a packet that is expected and finds the output free; a kept packet's first beat leaves 5 cycles after its turn came.
// Throughput: a beat a cycle; kept packets leave back to back (packets of at least 2 beats). Parameters: W; PROTOCOL; PACKETS kept, half a line's.
// Overflow: packet_store tells of a packet that finds no room.
module high_reliability
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int PACKETS = 8,
    parameter int HOLD = 1 << 27,
    localparam int S = PROTOCOL.sequence_bits
) (
    input  logic                       clk,
    input  logic                       rst,
    arbiter_line_if.snk                a,
    arbiter_line_if.snk                b,
    input  window_e                    mode,
    input  logic       [         31:0] time_window,     // cycles
    input  logic       [CountBits-1:0] count_window,    // messages
    input  logic                       flush,           // everything kept leaves
    // What the session is judged by.
    input  logic                       session_known,
    input  logic       [        S-1:0] session_expected,
    output logic                       restart,
    output logic       [        S-1:0] restart_number,
    stream_if.src                      out,
    output logic       [        S-1:0] expected,
    output logic       [          1:0] cut_through,     // pulses, by line
    output logic       [          1:0] kept,
    output logic       [          1:0] malformed,
    output logic       [          1:0] too_long,
    output logic       [          1:0] overflow,
    output logic       [          1:0] far,
    output logic       [          1:0] stale,
    output logic                       released,        // a kept packet begins to leave
    output logic                       gap,             // messages gap_from up to and without gap_to are lost
    output logic       [        S-1:0] gap_from,
    output logic       [        S-1:0] gap_to
);
  localparam int N = W / 8;
  localparam int Slots = PACKETS / 2;
  localparam int SlotBits = $clog2(Slots);
  localparam int Beats = (PROTOCOL.maximum_bytes + N - 1) / N;
  localparam int BeatBits = $clog2(Beats + 1);
  localparam int HeldBits = $clog2(Slots + 1);

  if (PACKETS < 4 || PACKETS % 2 != 0) begin : gen_check
    $fatal(1, "high_reliability: PACKETS is %0d; it must be even and at least 4", PACKETS);
  end

  // What goes with a packet through session_tracker and kept_list.
  typedef struct packed {
    logic [CountBits-1:0] count;
    logic                 session_end;
    logic                 stored;
    logic                 line;
    logic [SlotBits-1:0]  slot;
    logic [BeatBits-1:0]  beats;
    logic [N-1:0]         keep;
  } record_t;

  // ---- the store, by line ---------------------------------------------------------------------------

  logic [1:0] ended, ended_stored, ended_session, read_start;
  logic [1:0][S-1:0] ended_number;
  logic [1:0][CountBits-1:0] ended_count;
  logic [1:0][SlotBits-1:0] ended_slot;
  logic [1:0][BeatBits-1:0] ended_beats;
  logic [1:0][N-1:0] ended_keep;
  logic [1:0][Slots-1:0] free;
  logic [1:0][W-1:0] read_data;
  logic [SlotBits-1:0] read_slot;
  record_t [1:0] ended_record;

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
      .ended_beats(ended_beats[0]),
      .ended_keep(ended_keep[0]),
      .malformed(malformed[0]),
      .too_long(too_long[0]),
      .overflow(overflow[0]),
      .free(free[0]),
      .read_start(read_start[0]),
      .read_slot,
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
      .ended_beats(ended_beats[1]),
      .ended_keep(ended_keep[1]),
      .malformed(malformed[1]),
      .too_long(too_long[1]),
      .overflow(overflow[1]),
      .free(free[1]),
      .read_start(read_start[1]),
      .read_slot,
      .read_data(read_data[1])
  );

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      ended_record[i] = '{
          count: ended_count[i],
          session_end: ended_session[i],
          stored: ended_stored[i],
          line: i == 1,
          slot: ended_slot[i],
          beats: ended_beats[i],
          keep: ended_keep[i]
      };
    end
  end

  // ---- what has ended, and good: another session? ------------------------------------------------------

  logic [1:0] dropped;
  /* verilator lint_off UNUSEDSIGNAL */  // only the slot
  record_t [1:0] dropped_record;
  /* verilator lint_on UNUSEDSIGNAL */
  logic seen_valid, unused_line;
  logic [S-1:0] seen_number;
  record_t seen;

  session_tracker #(
      .S(S),
      .RECORD($bits(record_t)),
      .HOLD(HOLD)
  ) session_tracker (
      .clk,
      .rst,
      .ended,
      .ended_number,
      .ended_record,
      .known(session_known),
      .expected(session_expected),
      .restart,
      .restart_number,
      .far,
      .stale,
      .dropped,
      .dropped_record,
      .out_valid(seen_valid),
      .out_line(unused_line),
      .out_number(seen_number),
      .out_record(seen)
  );

  // ---- what is kept -----------------------------------------------------------------------------------

  logic known, inserted, refused, pop, head_ready, head_stale, empty, expected_changes, keepable;
  logic [S-1:0] head_number, head_next;
  record_t head;
  /* verilator lint_off UNUSEDSIGNAL */  // of these a part is enough
  record_t settled, current;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CountBits+3:0] messages;
  logic flushing, restarting, counted;
  logic [1:0][HeldBits-1:0] held;  // packets of each line
  logic [1:0] crowded;  // no more than the one being received has room
  logic [S-1:0] restart_reg;

  // A heartbeat brings nothing that is worth waiting for.
  assign keepable = seen.stored && (seen.count != '0 || seen.session_end);

  kept_list #(
      .S(S),
      .PACKETS(PACKETS),
      .RECORD($bits(record_t))
  ) kept_list (
      .clk,
      .rst,
      .known,
      .expected,
      .expected_changes,
      .time_window,
      .forced(flushing || (counted && !pop_reg)),  // when one has left, `counted` is true again a cycle later
      .time_counts(mode != WINDOW_COUNT),
      .in_valid(seen_valid && keepable),
      .in_number(seen_number),
      .in_count(seen.count),
      .in_record(seen),
      .inserted,
      .refused,
      .settled_record(settled),
      .pop,
      .head_ready,
      .head_stale,
      .head_number,
      .head_next,
      .head_record(head),
      .empty,
      .messages
  );

  always_ff @(posedge clk) begin
    counted <= crowded != '0 || (mode != WINDOW_TIME && messages >= (CountBits + 4)'(count_window));
    for (int i = 0; i < 2; i++) begin
      held[i] <= held[i] + HeldBits'(inserted && settled.line == (i == 1)) - HeldBits'(pop && head.line == (i == 1));
    end
    if (flush || restart || (inserted && settled.session_end)) flushing <= 1'b1;
    else if (empty) flushing <= 1'b0;
    if (restart) begin
      restarting  <= 1'b1;
      restart_reg <= restart_number;
    end
    if (restarts) restarting <= 1'b0;
    if (rst) begin
      held <= '0;
      counted <= 1'b0;
      flushing <= 1'b0;
      restarting <= 1'b0;
    end
  end

  always_comb for (int i = 0; i < 2; i++) crowded[i] = held[i] >= HeldBits'(Slots - 1);

  // ---- packets that are not kept, or leave, give back their slots -----------------------------------------

  logic pop_reg, popped_line;
  logic [SlotBits-1:0] popped_slot;

  always_comb begin
    free = '0;
    if (seen_valid && seen.stored && !keepable) free[seen.line][seen.slot] = 1'b1;
    if (refused) free[settled.line][settled.slot] = 1'b1;
    // A cycle after reading has begun: what is written there next is behind the reader.
    if (pop_reg) free[popped_line][popped_slot] = 1'b1;
    for (int i = 0; i < 2; i++) if (dropped[i] && dropped_record[i].stored) free[i][dropped_record[i].slot] = 1'b1;
  end

  always_ff @(posedge clk) begin
    pop_reg <= pop && !rst;
    popped_line <= head.line;
    popped_slot <= head.slot;
    kept    <= inserted ? (settled.line ? 2'b10 : 2'b01) : 2'b00;
    if (rst) kept <= '0;
  end

  // ---- release --------------------------------------------------------------------------------------------
  // reading: a beat's address is at the memory; its data are there two cycles later.

  typedef struct packed {
    logic         valid;
    logic         last;
    logic         line;
    logic [N-1:0] keep;
  } read_t;

  logic hold, busy, release_now, reading, last_beat;
  logic [BeatBits-1:0] remaining;  // beats behind this one
  read_t [1:0] read;

  assign last_beat = remaining == '0;
  assign release_now = head_ready && hold && !busy && (!reading || last_beat);
  assign pop = release_now || head_stale;
  assign read_slot = head.slot;
  assign read_start = release_now ? (head.line ? 2'b10 : 2'b01) : 2'b00;

  always_ff @(posedge clk) begin
    hold <= head_ready || reading;
    if (release_now) begin
      reading <= 1'b1;
      current <= head;
      remaining <= head.beats - 1'b1;
    end else if (reading) begin
      if (last_beat) reading <= 1'b0;
      else remaining <= remaining - 1'b1;
    end
    read[0] <= '{valid: reading, last: last_beat, line: current.line, keep: last_beat ? current.keep : '1};
    read[1] <= read[0];
    released <= release_now;
    if (rst) begin
      hold <= 1'b0;
      reading <= 1'b0;
      read[0].valid <= 1'b0;
      read[1].valid <= 1'b0;
      released <= 1'b0;
    end
  end

  // ---- the output -------------------------------------------------------------------------------------------

  logic [S-1:0] number, passed_number, passed_next;
  logic passes, line, restarts, occupied;
  logic [1:0] unused_refused, unused_bad, unused_missed;
  logic [CountBits-1:0] unused_count;
  logic unused;
  assign unused = &{1'b0, unused_refused, unused_bad, unused_missed, unused_count, unused_line};

  assign occupied = hold || reading || read[0].valid || read[1].valid;

  line_select #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) select (
      .clk,
      .rst,
      .a,
      .b,
      .hold(occupied),
      .busy,
      .number,
      .number_passes(!known || number == expected),
      .stored_valid(read[1].valid),
      .stored_data(read_data[read[1].line]),
      .stored_keep(read[1].keep),
      .stored_last(read[1].last),
      .out,
      .passed(passes),
      .line,
      .passed_number,
      .passed_next,
      .passed_count(unused_count),
      .refused(unused_refused),
      .bad(unused_bad),
      .missed(unused_missed)
  );

  // What is kept of the old session leaves first; then the new one's numbers count.
  assign restarts = (restart || restarting) && empty && !busy;
  assign expected_changes = passes || release_now || restarts;

  always_ff @(posedge clk) begin
    if (passes) expected <= passed_next;
    else if (release_now) expected <= head_next;
    else if (restarts) expected <= restart ? restart_number : restart_reg;
    if (passes || release_now) known <= 1'b1;
    cut_through <= passes ? (line ? 2'b10 : 2'b01) : 2'b00;
    gap <= release_now && known && head_number != expected;
    gap_from <= expected;
    gap_to <= head_number;
    if (rst) begin
      known <= 1'b0;
      cut_through <= '0;
      gap <= 1'b0;
    end
  end

  logic unused_passed;
  assign unused_passed = &{1'b0, passed_number};
  assert property (@(posedge clk) disable iff (rst) !(passes && release_now));
  assert property (@(posedge clk) disable iff (rst) !release_now || !known || head_number - expected < (S'(1) << NearBits));
endmodule

// Makes of each event of a good frame a frame of its own, for a strategy that is called at each change of the book (`@each_change`).
//
//   events ─┬───────────────────────────────────────────────┬─ out
//           └─ words ─ front ─ one, when the book is done ──┘     `enabled`
//              verdicts ─┘     with the one before
//
// Each event waits for the verdict on its frame, and then for the book and the strategy to be done with the event before it (`taken`): so a strategy
// sees the book as each event left it, its best levels known, and acts on no frame that is not good. Bad frames go no further. That a frame begins a
// session is said of the first of its events alone; that messages before it are missing, of all of them. Without `enabled` everything passes as it is.
// It is switched where no frame is under way and nothing waits.
//
// Latency: none without `enabled`; with it, verdict to the first event 3 cycles, and 18 or more from event to event. Throughput: an event a cycle in.
// Parameters: N, events a beat; DEPTH, beats and verdicts that wait, a power of two.
// Overflow: what finds no room is lost, with the rest of its frame: `overflow` pulses, and a gap follows.
module event_by_event
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int N = 1,
    parameter int DEPTH = 256
) (
    input logic clk,
    input logic rst,
    input logic enabled,
    input logic taken,    // nothing of the events before is on its way in the book or in the strategy

    event_if.snk                    events,
    input  id_t                     early_id,  // order_id of event 0 of the next cycle
    input  logic                    after_gap,       // of the frame whose events come
    input  logic                    begins_session,
    input  logic                    from_first,
    input  logic                    gap,             // pulse: messages before gap_next are lost
    input  logic                    new_session,     // pulse: the frame that had begins_session was good
    input  logic [SequenceBits-1:0] first_sequence,  // of the frame, with its verdict and until a session's pulse; with `gap` gap_next

    event_if.src                    out,
    output id_t                     out_early_id,
    output logic                    out_after_gap,
    output logic                    out_begins_session,
    output logic                    out_from_first,
    output logic                    out_gap,
    output logic                    out_new_session,
    output logic [SequenceBits-1:0] out_first_sequence,
    output logic                    overflow            // pulse
);
  localparam int Pace = 16;  // cycles from an event until `taken` says so of it, and more

  typedef struct packed {
    logic   [N-1:0]          valid;
    event_t [N-1:0]          data;
    logic                    after_gap;
    logic                    begins_session;
    logic                    from_first;
    logic                    gap;
    logic                    ends;        // the verdict on the frame has come
    logic [SequenceBits-1:0] gap_next;
  } word_t;

  // ---- what comes ------------------------------------------------------------------------------------

  logic active, open, comes, ends, losing, full, empty, writes, read, no_verdict, good;
  logic [SequenceBits-1:0] session_first, session_first_out;
  word_t word, front;
  logic given;  // an event is out
  logic [SequenceBits-1:0] next;  // after the last event that came

  assign comes = |events.valid;
  assign ends = events.verdict_valid;
  // With what was lost the rest of its frame is lost, until there is room for a gap at the end of one.
  assign writes = active && (losing ? ends : comes || ends || gap);

  always_comb begin
    word = '{
        valid: events.valid,
        data: events.data,
        after_gap: after_gap,
        begins_session: begins_session,
        from_first: from_first,
        gap: gap,
        ends: ends,
        gap_next: first_sequence
    };
    if (losing) begin
      word.valid = '0;
      word.gap = 1'b1;
      word.gap_next = comes ? SequenceBits'(events.data[0].sequence_number + 64'd1) : next;
    end
  end

  always_ff @(posedge clk) begin
    open <= (open || comes) && !ends;
    if (comes) next <= SequenceBits'(events.data[0].sequence_number + 64'd1);
    if (!open && !comes && !ends && !gap && empty && !given && !losing) active <= enabled;
    losing <= losing ? !(writes && !full) : writes && full;
    overflow <= !losing && writes && full && !rst;
    if (rst) {active, open, losing, next} <= '0;
  end

  logic words_overflow, verdicts_overflow, verdicts_full;
  logic [$clog2(DEPTH):0] words_count, verdicts_count;
  fifo_registered #(
      .WIDTH($bits(word_t)),
      .DEPTH(DEPTH)
  ) words (
      .clk,
      .rst,
      .write(writes && !full),
      .write_data(word),
      .full,
      .overflow(words_overflow),
      .read,
      .read_data(front),
      .empty,
      .count(words_count)
  );

  fifo_registered #(
      .WIDTH(1 + SequenceBits),
      .DEPTH(DEPTH)
  ) of_frames (
      .clk,
      .rst,
      .write(writes && ends && !full),
      .write_data({events.verdict_good && !losing, first_sequence}),
      .full(verdicts_full),
      .overflow(verdicts_overflow),
      .read(read && front.ends),
      .read_data({good, session_first}),
      .empty(no_verdict),
      .count(verdicts_count)
  );

  // ---- what goes -------------------------------------------------------------------------------------

  logic gives, drops, first, has_event, given_begins, gap_goes;
  logic [$clog2(Pace+1)-1:0] since;
  word_t word_out;

  assign has_event = |front.valid;
  // A frame without events is one event less.
  assign gives = !empty && !no_verdict && good && (has_event || (front.ends && first)) && since == $bits(since)'(Pace) && taken;
  // What has no verdict while something is being lost is of a frame that is.
  assign drops = !empty && ((!has_event && !front.ends) || (no_verdict ? losing : !good || (!has_event && !first)));
  assign read = gives || drops;

  always_ff @(posedge clk) begin
    given <= gives && !rst;
    gap_goes <= read && front.gap && !rst;
    given_begins <= front.begins_session && first;
    if (read) word_out <= front;
    session_first_out <= session_first;
    if (read) first <= front.ends || (first && !gives);
    since <= gives ? '0 : since == $bits(since)'(Pace) ? since : since + 1'b1;
    if (rst) {first, since} <= {1'b1, $bits(since)'(Pace)};
  end

  always_comb begin
    out.valid = active ? word_out.valid & {N{given}} : events.valid;
    out.data = active ? word_out.data : events.data;
    if (active) for (int i = 0; i < N; i++) out.data[i].last = i == N - 1 || !word_out.valid[N-1];
    out.verdict_valid = active ? given : events.verdict_valid;
    out.verdict_good = active || events.verdict_good;
    out_early_id = active ? front.data[0].order_id[IdBits-1:0] : early_id;
    out_after_gap = active ? word_out.after_gap : after_gap;
    out_begins_session = active ? given_begins : begins_session;
    out_from_first = active ? word_out.from_first : from_first;
    out_gap = active ? gap_goes : gap;
    out_new_session = active ? given && given_begins : new_session;
    out_first_sequence = !active ? first_sequence : gap_goes ? word_out.gap_next : session_first_out;
  end

  logic begun;  // the last frame began a session
  always_ff @(posedge clk) begin
    if (ends) begun <= events.verdict_good && begins_session;
  end

  logic unused;
  assign unused = &{1'b0, words_count, verdicts_count, verdicts_full, words_overflow, verdicts_overflow, word_out};

  assert property (@(posedge clk) disable iff (rst) !new_session || begun || (ends && events.verdict_good && begins_session));
  assert property (@(posedge clk) disable iff (rst) !words_overflow && !verdicts_overflow);
endmodule

// The arbiter of a trader: every packet of lines A and B that has something new, at once, from whichever line brings it first. Nothing is stored.
//
//   A ─ packet_number ─┬─ low_latency ─ out
//   B ─ packet_number ─┤
//                      └─ session_tracker ─ a session reset
//
// As the low-latency output of `arbiter`, by the same rules (docs/reference/arbitration.md), without the other one.
//
// Latency: 1 cycle. Throughput: a beat a cycle on each line. Parameters: W, 8 or 64; PROTOCOL; HOLD, cycles for which an old session is remembered.
// Overflow: see low_latency and session_tracker.
module first_arrival
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int HOLD = 1 << 27,
    localparam int S = PROTOCOL.sequence_bits
) (
    input  logic           clk,
    input  logic           rst,
    stream_if.snk          a,
    stream_if.snk          b,
    input  logic    [31:0] idle_limit,  // cycles of silence after which a line counts as silent; 0: never
    stream_if.src          out,
    output arbiter_event_t events,
    output logic           gap,         // pulse, with its bounds: messages from gap_from up to, not including, gap_to are lost
    output logic [  S-1:0] gap_from,
    output logic [  S-1:0] gap_to
);
  arbiter_line_if #(
      .W(W),
      .S(S)
  ) line_a ();
  arbiter_line_if #(
      .W(W),
      .S(S)
  ) line_b ();

  packet_number #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) number_a (
      .clk,
      .rst,
      .line(a),
      .first(line_a.first),
      .here(line_a.here),
      .short_end(line_a.short_end),
      .sequence_now(line_a.sequence_now),
      .sequence_held(line_a.sequence_held),
      .count_field(line_a.count_field),
      .count_now(line_a.count_now),
      .count_held(line_a.count_held),
      .end_now(line_a.end_now),
      .end_held(line_a.end_held)
  );

  packet_number #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) number_b (
      .clk,
      .rst,
      .line(b),
      .first(line_b.first),
      .here(line_b.here),
      .short_end(line_b.short_end),
      .sequence_now(line_b.sequence_now),
      .sequence_held(line_b.sequence_held),
      .count_field(line_b.count_field),
      .count_now(line_b.count_now),
      .count_held(line_b.count_held),
      .end_now(line_b.end_now),
      .end_held(line_b.end_held)
  );

  assign {line_a.valid, line_a.data, line_a.keep, line_a.last, line_a.err} = {a.valid, a.data, a.keep, a.last, a.err};
  assign {line_b.valid, line_b.data, line_b.keep, line_b.last, line_b.err} = {b.valid, b.data, b.keep, b.last, b.err};

  // ---- the output ---------------------------------------------------------------------------------------

  logic known, restart;
  logic [S-1:0] expected, restart_number;
  logic [1:0] passed, refused, bad, missed;

  low_latency #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) low (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .restart,
      .restart_number,
      .out,
      .known,
      .expected,
      .passed,
      .refused,
      .bad,
      .missed,
      .gap,
      .gap_from,
      .gap_to
  );

  // ---- another session, silence -------------------------------------------------------------------------

  logic [1:0] ends, short_ends, ended, malformed, far, stale, line_silent;
  logic [1:0][S-1:0] ended_number, numbers;

  assign numbers = {line_b.sequence_held, line_a.sequence_held};

  always_ff @(posedge clk) begin
    // A cycle later the number is held.
    ends <= {b.valid && b.last && !b.err, a.valid && a.last && !a.err} & {2{!rst}};
    short_ends <= {line_b.short_end, line_a.short_end};
    ended <= ends & ~short_ends & {2{!rst}};
    malformed <= ends & short_ends & {2{!rst}};
    ended_number <= numbers;
  end

  logic restart_unused, seen_unused, line_unused;
  logic [1:0] dropped_unused;
  logic [1:0][0:0] record_unused;
  logic [0:0] seen_record_unused;
  logic [S-1:0] number_unused, coming_unused;

  session_tracker #(
      .S(S),
      .RECORD(1),
      .HOLD(HOLD),
      .PIPELINED(W == 8)
  ) session_tracker (
      .clk,
      .rst,
      .ended,
      .ended_number,
      .ended_record('0),
      .known,
      .expected,
      .reliable_known(1'b0),
      .reliable_expected('0),
      .restart,
      .restart_reliable(restart_unused),
      .restart_number,
      .far,
      .stale,
      .dropped(dropped_unused),
      .dropped_record(record_unused),
      .out_valid(seen_unused),
      .out_line(line_unused),
      .out_number(number_unused),
      .coming_number(coming_unused),
      .out_record(seen_record_unused)
  );

  logic [1:0] silent_unused;
  line_silence line_silence (
      .clk,
      .rst,
      .speaks({b.valid, a.valid}),
      .limit(idle_limit),
      .line_silent,
      .silent(silent_unused)
  );

  always_comb begin
    events = '0;
    {events.passed, events.refused, events.missed, events.bad} = {passed, refused, missed, bad};
    {events.malformed, events.distant, events.stale} = {malformed, far, stale};
    {events.line_silent, events.session_reset} = {line_silent, restart};
  end

  logic unused;
  assign unused = &{
    1'b0, restart_unused, seen_unused, line_unused, dropped_unused, record_unused, seen_record_unused, number_unused, coming_unused,
    silent_unused
  };
endmodule

// A/B line arbitration with the low-latency output alone: for a core that has no time to wait for a packet that is late, and no room to store one.
//
//   A ─ packet_number ─┬─ low_latency ─ packets at or past what is expected, at once
//   B ─ packet_number ─┤
//                      └─ packet_end ── session_tracker: a new session
//
// Latency: 1 cycle. Throughput: a beat a cycle on each line. Parameters: W, bits in a beat: 8, 64 or 128; PROTOCOL; HOLD, cycles for which an old
// session is remembered. Overflow: counted through the pulses, see the parts.
module low_latency_arbiter
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int HOLD = 1 << 27,
    localparam int S = PROTOCOL.sequence_bits
) (
    input logic          clk,
    input logic          rst,
    stream_if.snk        a,
    stream_if.snk        b,
    input logic [31:0]   idle_limit,  // cycles of silence after which a line counts as silent; 0: never
    stream_if.src        out,
    output arbiter_event_t events,
    output logic         gap,         // messages from gap_from up to, not including, gap_to are lost
    output logic [S-1:0] gap_from,
    output logic [S-1:0] gap_to
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
      .out(line_a.src)
  );

  packet_number #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) number_b (
      .clk,
      .rst,
      .line(b),
      .out(line_b.src)
  );

  logic known, all_silent_unused;
  logic [S-1:0] expected, restart_number;
  logic [1:0] passed, refused, bad, missed;
  logic [1:0] malformed, far, stale, line_silent;
  logic session_reset;

  low_latency #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) low (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .restart(session_reset),
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

  // ---- good packets that have ended: another session? ----------------------------------------------------

  logic [1:0] ended, session_unused, dropped_unused, record_unused;
  logic [1:0][S-1:0] ended_number;
  logic [1:0][CountBits-1:0] count_unused;
  logic restart_unused, seen_unused, line_unused, seen_record_unused;
  logic [S-1:0] number_unused, coming_unused;

  packet_end #(
      .S(S)
  ) end_a (
      .clk,
      .rst,
      .line(line_a.snk),
      .ended(ended[0]),
      .ended_number(ended_number[0]),
      .ended_count(count_unused[0]),
      .ended_session(session_unused[0]),
      .malformed(malformed[0])
  );

  packet_end #(
      .S(S)
  ) end_b (
      .clk,
      .rst,
      .line(line_b.snk),
      .ended(ended[1]),
      .ended_number(ended_number[1]),
      .ended_count(count_unused[1]),
      .ended_session(session_unused[1]),
      .malformed(malformed[1])
  );

  session_tracker #(
      .S(S),
      .RECORD(1),
      .HOLD(HOLD),
      .PIPELINED(W <= 64)  // nothing waits for it
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
      .restart(session_reset),
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

  line_silence line_silence (
      .clk,
      .rst,
      .beat({b.valid, a.valid}),
      .idle_limit,
      .line_silent,
      .all_silent(all_silent_unused)
  );

  assign events = '{
          passed: passed,
          refused: refused,
          missed: missed,
          bad: bad,
          malformed: malformed,
          distant: far,
          stale: stale,
          line_silent: line_silent,
          session_reset: session_reset,
          default: '0
      };
endmodule

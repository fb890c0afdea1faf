// A/B line arbitration: two lines of one feed in, the feed out on two outputs (docs/reference/arbitration.md).
//
//   A ─ packet_number ─┬─ low_latency ────── packets at or past what is expected, at once
//   B ─ packet_number ─┤
//                      └─ high_reliability ─ packets in their turn, within the window
//
// Latency: 1 cycle to both outputs for a packet that is expected and finds them free. Throughput: a beat a cycle on each line and output.
// Parameters: W, bits in a beat: 8, 64 or 128; PROTOCOL; PACKETS that can be kept, half of them a line's; HOLD, cycles for which an old session is
// remembered. Overflow: counted through the pulses, see the parts.
module arbiter
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
    stream_if.snk                      a,
    stream_if.snk                      b,
    input  window_e                    mode,
    input  logic       [         31:0] time_window,      // cycles
    input  logic       [CountBits-1:0] count_window,     // messages
    input  logic       [         31:0] idle_limit,       // cycles of silence after which a line counts as silent; 0: never
    input  logic                       flush,
    stream_if.src                      low_latency,
    stream_if.src                      high_reliability,
    output arbiter_event_t             events,
    // Lost messages, by output: 0 is low latency. Numbers from `from` up to, not including, `to`.
    output logic       [          1:0] gap,
    output logic       [ 1:0][  S-1:0] gap_from,
    output logic       [ 1:0][  S-1:0] gap_to
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

  // ---- the outputs --------------------------------------------------------------------------------------

  logic known, flush_reg;
  logic [S-1:0] expected, restart_number;

  low_latency #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) low (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .restart(events.session_reset),
      .restart_number,
      .out(low_latency),
      .known,
      .expected,
      .passed(events.passed),
      .refused(events.refused),
      .bad(events.bad),
      .missed(events.missed),
      .gap(gap[0]),
      .gap_from(gap_from[0]),
      .gap_to(gap_to[0])
  );

  high_reliability #(
      .W(W),
      .PROTOCOL(PROTOCOL),
      .PACKETS(PACKETS),
      .HOLD(HOLD)
  ) high (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .mode,
      .time_window,
      .count_window,
      .flush(flush_reg),
      .session_known(known),
      .session_expected(expected),
      .session_reset(events.session_reset),
      .restart_number,
      .out(high_reliability),
      .cut_through(events.cut_through),
      .kept(events.kept),
      .malformed(events.malformed),
      .too_long(events.too_long),
      .overflow(events.overflow),
      .far(events.distant),
      .stale(events.stale),
      .released(events.released),
      .gap(gap[1]),
      .gap_from(gap_from[1]),
      .gap_to(gap_to[1])
  );

  // ---- silence ------------------------------------------------------------------------------------------

  logic all_silent;

  line_silence line_silence (
      .clk,
      .rst,
      .beat({b.valid, a.valid}),
      .idle_limit,
      .line_silent(events.line_silent),
      .all_silent
  );

  always_ff @(posedge clk) flush_reg <= flush || all_silent;
endmodule

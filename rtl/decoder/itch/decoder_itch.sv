// MoldUDP64 and TotalView-ITCH 4.1 or 5.0: UDP payload in, events and a verdict on the datagram out (docs/reference/rules.md).
//
//   in ─ moldudp64_deframer ─ itch_decoder ─ events
//              └─ verdict, feed, status
//
// Latency: 4 cycles from the beat with a message's last byte to its event, 4 from in.last to the verdict, always: the verdict
// comes in the cycle of the frame's last event or later. Throughput: a beat a cycle, whatever it holds: at W = 64 that is at
// most the end of one message (event 0), a complete 4.1 T or S after it (event 1), and the beginning of the next.
// Parameter: W, bits in a beat, 8 or 64. Nothing is stored, so nothing overflows. Set itch50 between frames only.
module decoder_itch
  import tickwire_pkg::*;
  import moldudp64_pkg::*;
#(
    parameter int W = 64
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                itch50,            // 1: ITCH 5.0, 0: 4.1
    stream_if.snk        in,                // UDP payload
    event_if.src                events,            // N = 2, at W = 8 1: [1] is a message that began and ended within the beat
    output instrument_key_t     key,               // of event 0 of the next cycle
    output event_ahead_t        ahead,             // of event 0 of the next cycle
    output feed_info_t          feed,
    output feed_status_t        status
);

  logic beat_valid, begin_session;
  logic [W-1:0] beat;
  logic event_valid, short_valid;
  event_t event_data, short_data;
  verdict_t verdict;
  blocks_t         blocks;

  localparam int N = events.N;
  if (N != (W == 8 ? 1 : 2)) begin : gen_check
    $fatal(1, "decoder_itch: at W = %0d it makes up to %0d events a beat, not %0d", W, W == 8 ? 1 : 2, N);
  end

  assign events.valid[0] = event_valid;
  assign events.data[0] = event_data;
  if (N > 1) begin : gen_short
    assign events.valid[N-1] = short_valid;
    assign events.data[N-1]  = short_data;
  end else begin : gen_no_short
    logic unused;
    assign unused = &{1'b0, short_valid, short_data};
  end
  assign events.verdict_valid = verdict.valid;
  assign events.verdict_good  = verdict.good;
  assign status.commit = verdict.valid && verdict.good;
  assign status.first_sequence = feed.first_sequence;
  assign status.begins_session = feed.new_session;
  assign {status.overflow, status.fast} = '0;  // it has no buffer

  moldudp64_deframer #(
      .W(W)
  ) deframer (
      .clk,
      .rst,
      .in,
      .out_valid (beat_valid),
      .out_data  (beat),
      .out_blocks(blocks),
      .begin_session,
      .feed,
      .verdict,
      .mold_cause_valid(status.packet_valid),
      .mold_cause(status.packet),
      .new_session(status.new_session),
      .gap(status.gap),
      .after_gap(status.after_gap),
      .from_first(status.from_first),
      .lost(status.lost),
      .messages(status.messages)
  );

  itch_decoder #(
      .W(W)
  ) decoder (
      .clk,
      .rst,
      .itch50,
      .valid(beat_valid),
      .data(beat),
      .blocks,
      .begin_session,
      .first_sequence(feed.first_sequence),
      .verdict,
      .event_valid,
      .event_data,
      .key,
      .ahead,
      .short_valid,
      .short_data,
      .unknown_type(status.unknown_type),
      .bad_length(status.bad_length)
  );

endmodule

// MoldUDP64 and TotalView-ITCH 4.1 or 5.0: UDP payload in, events and a verdict on the datagram out (docs/reference/rules.md).
//
//   in ─ moldudp64_deframer ─ itch_decoder ─ event, short event
//              └─ verdict, feed, cause, gap
//
// Latency: 4 cycles from the beat with a message's last byte to its event, 4 from in.last to the verdict, always: the verdict
// comes in the cycle of the frame's last event or later. Throughput: a beat a cycle, whatever it holds: at W = 64 that is at
// most the end of one message (event), a whole 4.1 T or S behind it (short event), and the beginning of the next.
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
    output logic                event_valid,
    output event_t              event_data,
    output logic         [63:0] trade_symbol,      // of the trade whose event comes in the next cycle
    output logic                short_valid,       // began and ended within one beat; comes after event_data of the same cycle
    output event_t              short_data,
    output verdict_t            verdict,
    output feed_info_t          feed,
    output logic                mold_cause_valid,  // one a datagram whose UDP was good, with its verdict
    output mold_cause_e         mold_cause,
    output logic                new_session,       // pulses, with the verdict
    output logic                gap,
    output logic         [63:0] lost,              // running total
    output logic         [15:0] messages,          // of the committed packet, with its verdict
    output logic         [15:0] unknown_type,
    output logic         [15:0] bad_length
);

  logic beat_valid, begin_session;
  logic    [W-1:0] beat;
  blocks_t         blocks;

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
      .mold_cause_valid,
      .mold_cause,
      .new_session,
      .gap,
      .lost,
      .messages
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
      .trade_symbol,
      .short_valid,
      .short_data,
      .unknown_type,
      .bad_length
  );

endmodule

// The ITCH feed: its datagrams on lines A and B in, its events out; with its registers.
//
//   line A ─┐
//           ├─ arbiter_stage ─ decoder_itch ─ events, status
//   line B ─┘
//   csr ─ arbiter_registers, feed_registers
//
// Latency, throughput, overflow: those of its parts. Parameters: W; LINES, PACKETS: as arbiter_stage; PACKET_BYTES that the arbiter stores of a packet.
module itch_stage
  import tickwire_pkg::*;
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int PACKET_BYTES = 1500,
    parameter int PACKETS = 8
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,

    stream_if.snk line_a,
    stream_if.snk line_b,

    event_if.src            events,
    output instrument_key_t key,             // of event 0 of the next cycle
    output event_ahead_t    ahead,
    output feed_info_t      feed,
    output logic            payload_end,     // the decoder is given a packet's last beat,
    output logic            arbitrated,      // through the arbiter
    output feed_status_t    status,
    output arbiter_status_t arbiter_status
);
  arbiter_config_t setting;
  logic itch50, shown;
  stream_if #(.W(W)) payload ();
  csr_if part[2] ();

  csr_split #(
      .N(2)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  arbiter_registers arbiter_registers (
      .clk,
      .rst,
      .csr(part[0].stage),
      .shown,
      .status(arbiter_status),
      .setting
  );

  feed_registers feed_registers (
      .clk,
      .rst,
      .csr(part[1].stage),
      .status,
      .itch50,
      .shown
  );

  // At W = 64 the statistics need longer to settle than the arbiter needs for the next frame; on a single line that comes after the headers.
  arbiter_stage #(
      .W(W),
      .LINES(LINES),
      .PROTOCOL(limited(MoldUdp64, PACKET_BYTES)),
      .PACKETS(PACKETS),
      .SETTLE(W == 8 || LINES == 1 ? 0 : 9)
  ) arbiter_stage (
      .clk,
      .rst,
      .setting,
      .line_a,
      .line_b,
      .out(payload.src),
      .arbitrated,
      .status(arbiter_status)
  );

  decoder_itch #(
      .W(W)
  ) decoder_itch (
      .clk,
      .rst,
      .itch50,
      .in(payload.snk),
      .events,
      .key,
      .ahead,
      .feed,
      .status
  );
  assign payload_end = payload.valid && payload.last;
endmodule

// The ITCH feed: its datagrams on lines A and B in, its events out; with its registers.
//
//   line A ─┐
//           ├─ arbiter_stage ─ decoder_itch ─ events, status
//   line B ─┘
//   csr ─ arbiter_registers, feed_registers
//
// Latency, throughput, overflow: those of its parts. Parameters: W; PACKETS, SETTLE: as arbiter_stage; PACKET_BYTES that the arbiter stores of a packet.
module itch_stage
  import tickwire_pkg::*;
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int PACKET_BYTES = 1500,
    parameter int PACKETS = 8,
    parameter int SETTLE = 0
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,

    stream_if.snk line_a,
    stream_if.snk line_b,

    event_if.src    events,
    feed_if.decoder feed
);
  arbiter_config_t setting;
  arbiter_status_t arbiter_status;
  feed_status_t status;
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

  arbiter_stage #(
      .W(W),
      .PROTOCOL(limited(MoldUdp64, PACKET_BYTES)),
      .PACKETS(PACKETS),
      .SETTLE(SETTLE)
  ) arbiter_stage (
      .clk,
      .rst,
      .setting,
      .line_a,
      .line_b,
      .out(payload.src),
      .arbitrated(feed.arbitrated),
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
      .key(feed.key),
      .ahead(feed.ahead),
      .feed(feed.info),
      .status
  );
  assign {feed.status, feed.arbiter, feed.payload_end} = {status, arbiter_status, payload.valid && payload.last};
endmodule

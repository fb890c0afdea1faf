// One FAST feed: its datagrams on lines A and B in, its events, status and records for the host out.
//
//   line A, of this feed? ─┐
//                          ├─ arbiter_stage ─┬─ decoder_fast ─┬─ events, status
//   line B, of this feed? ─┘                 │                └─ feed_records ─ fields
//                                            └────────────────── feed_records ─ frames
//
// Latency, throughput, overflow: those of its parts. Parameters: W, LINES, PROTOCOL, PACKETS: as arbiter_stage; FEED, its number, of FEEDS; VALUES: see fast_records;
// RING, 0: there are no records.
module fast_feed
  import tickwire_pkg::*;
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter protocol_t PROTOCOL = Moex,
    parameter int PACKETS = 8,
    parameter int FEED = 0,
    parameter int FEEDS = 1,
    parameter int VALUES = record_pkg::RecordValues,
    parameter bit RING = 1'b0
) (
    input logic                      clk,
    input logic                      rst,
    input record_pkg::ring_setting_t ring_setting,
    csr_if.stage                     csr,
    input instrument_write_t         instrument,

    stream_if.snk line_a,
    input logic   of_a,    // it is this feed's
    stream_if.snk line_b,
    input logic   of_b,

    event_if.src    events,
    feed_if.decoder feed,

    record_if.src fields,
    record_if.src frames
);
  stream_if #(.W(W)) own_a ();
  stream_if #(.W(W)) own_b ();
  stream_if #(.W(W)) payload ();
  fast_pkg::field_t field;
  fast_pkg::fast_verdict_t verdict;
  logic field_valid;

  arbiter_config_t setting;
  arbiter_status_t arbiter_status;
  feed_status_t status;
  logic shown, itch50_unused;
  config_if host ();
  csr_if part[4] ();

  csr_split #(
      .N(4)
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

  feed_registers #(
      .FEED (FEED),
      .FEEDS(FEEDS)
  ) feed_registers (
      .clk,
      .rst,
      .csr(part[1].stage),
      .status,
      .itch50(itch50_unused),
      .shown
  );

  fast_registers fast_registers (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown,
      .status(status.fast)
  );

  csr_operations csr_operations (
      .csr(part[3].stage),
      .out(host.src)
  );

  assign own_a.valid = line_a.valid && of_a;
  assign {own_a.data, own_a.keep, own_a.last, own_a.err} = {line_a.data, line_a.keep, line_a.last, line_a.err};
  assign own_b.valid = line_b.valid && of_b;
  assign {own_b.data, own_b.keep, own_b.last, own_b.err} = {line_b.data, line_b.keep, line_b.last, line_b.err};
  assign {feed.status, feed.arbiter, feed.payload_end} = {status, arbiter_status, payload.valid && payload.last};

  arbiter_stage #(
      .W(W),
      .LINES(LINES),
      .PROTOCOL(PROTOCOL),
      .PACKETS(PACKETS)
  ) arbiter_stage (
      .clk,
      .rst,
      .setting,
      .line_a(own_a.snk),
      .line_b(own_b.snk),
      .out(payload.src),
      .arbitrated(feed.arbitrated),
      .status(arbiter_status)
  );

  decoder_fast #(
      .W(W),
      .FEED(FEED)
  ) decoder_fast (
      .clk,
      .rst,
      .host(host.snk),
      .instrument,
      .in(payload.snk),
      .events,
      .key(feed.key),
      .ahead(feed.ahead),
      .feed(feed.info),
      .status,
      .field_valid,
      .field,
      .verdict
  );

  if (RING) begin : gen_records
    feed_records #(
        .W(W),
        .FEED(FEED),
        .VALUES(VALUES)
    ) feed_records (
        .clk,
        .rst,
        .setting(ring_setting),
        .field_valid,
        .field,
        .verdict,
        .frame(payload.snk),
        .fields,
        .frames
    );
  end else begin : gen_no_records
    assign {fields.valid, fields.record, frames.valid, frames.record} = '0;
    logic unused;
    assign unused = &{1'b0, ring_setting, field_valid, field, verdict};
  end
endmodule

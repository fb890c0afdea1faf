// FAST feeds side by side, each with its arbiter and its engine; all make records for the host, and the first one's events go on to the other stages.
//
//   lines A, B ─┬─ fast_feed 0 ─┬─ events
//               │               └─ records
//               ├─ fast_feed 1 ─── records
//               └─ ...
//   csr ─ each feed's registers, program and table
//
// Feeds do not wait for each other: what a feed sends, or fails to, changes nothing of another but the turns in the ring.
//
// Latency, throughput: those of its parts. Parameters: W, LINES, PACKETS: as arbiter_stage; PACKET_BYTES that an arbiter stores of a packet; FEEDS, 1 to 4;
// RING, 1: there are records. Overflow: as its parts: by feed, dropped and counted.
module fast_stage
  import tickwire_pkg::*;
  import arbiter_pkg::*;
  import record_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int FEEDS = 1,
    parameter int PACKET_BYTES = 1500,
    parameter int PACKETS = 8,
    parameter int RING = 0
) (
    input logic            clk,
    input logic            rst,
    csr_if.stage           csr,
    input instrument_write_t instrument,

    stream_if.snk            line_a,
    input logic [FEEDS-1:0] feed_a,  // whose it is, a bit each
    stream_if.snk            line_b,
    input logic [FEEDS-1:0] feed_b,

    event_if.src    events,       // of the first feed
    feed_if.decoder feeds[FEEDS],

    input ring_setting_t ring_setting,
    record_if.src        records[2*FEEDS]  // fields, frames, of the first; of the second ...
);
  localparam int Events = W == 8 ? 1 : 2;  // as the caller's, of whom only the first comes
  localparam int Values = FEEDS == 1 ? RecordValues : RecordValues - 1;

  csr_if part[FEEDS] ();

  csr_split #(
      .N(FEEDS)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  for (genvar i = 0; i < FEEDS; i++) begin : gen_feed
    event_if #(.N(Events)) own ();

    fast_feed #(
        .W(W),
        .LINES(LINES),
        .PROTOCOL(limited(Moex, PACKET_BYTES)),
        .PACKETS(PACKETS),
        .FEED(i),
        .FEEDS(FEEDS),
        .VALUES(Values),
        .RING(RING != 0)
    ) fast_feed (
        .clk,
        .rst,
        .ring_setting,
        .csr(part[i].stage),
        .instrument(i == 0 ? instrument : '0),
        .line_a,
        .of_a(FEEDS == 1 || feed_a[i]),
        .line_b,
        .of_b(FEEDS == 1 || feed_b[i]),
        .events(own.src),
        .feed(feeds[i]),
        .fields(records[2*i]),
        .frames(records[2*i+1])
    );

    if (i == 0) begin : gen_first
      assign {events.valid, events.data} = {own.valid, own.data};
      assign {events.verdict_valid, events.verdict_good} = {own.verdict_valid, own.verdict_good};
    end else begin : gen_other
      logic unused;
      assign unused = &{1'b0, own.valid, own.data, own.verdict_valid, own.verdict_good};
    end
  end

  if (FEEDS == 1) begin : gen_one
    logic unused;
    assign unused = &{1'b0, feed_a, feed_b};
  end
endmodule

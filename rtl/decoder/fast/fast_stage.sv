// FAST feeds side by side, each with its arbiter and its engine, all into one ring in host memory; the first one's events also go on to the other stages.
//
//   lines A, B ─┬─ fast_feed 0 ─┬─ events
//               │               └──────────┐
//               ├─ fast_feed 1 ─── records ┴ record_ring ─ AXI4
//               └─ ...
//   host ─ each feed's program and table; ring_config
//
// Feeds do not wait for each other: what a feed sends, or fails to, changes nothing of another but the turns in the ring.
//
// Latency, throughput: those of its parts. Parameters: W, LINES, PACKETS: as arbiter_stage; PACKET_BYTES that an arbiter stores of a packet; FEEDS, 1 to 4;
// RING, 1: there is one; WIRE_RATE: see fast_feed; MEMORY, bits in a beat of it. Overflow: as its parts: by feed, dropped and counted.
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
    parameter int RING = 0,
    parameter int WIRE_RATE = 0,
    parameter int MEMORY = 512
) (
    input logic            clk,
    input logic            rst,
    input arbiter_config_t setting,
    config_if.snk          host,

    stream_if.snk            line_a,
    input logic [FEEDS-1:0] feed_a,  // whose it is, a bit each
    stream_if.snk            line_b,
    input logic [FEEDS-1:0] feed_b,

    // Of the first feed.
    event_if.src            events,
    output instrument_key_t key,     // of event 0 of the next cycle
    output event_ahead_t    ahead,
    output feed_info_t      feed,
    output logic            payload_end,
    output logic            arbitrated,

    output feed_status_t    [FEEDS-1:0] status,
    output arbiter_status_t [FEEDS-1:0] arbiter_status,

    axi_write_if.src     memory,
    output ring_status_t ring_status
);
  localparam int Events = W == 8 ? 1 : 2;  // as the caller's, of whom only the first comes
  localparam int Values = FEEDS == 1 ? RecordValues : RecordValues - 1;

  ring_setting_t ring_setting;
  config_if ports[FEEDS+1] ();  // the last is the ring's
  logic [FEEDS:0] busy;
  config_pkg::config_answer_t [FEEDS:0] answers;
  record_if records[2*FEEDS] ();

  always_comb begin
    host.answer = '0;
    for (int i = 0; i <= FEEDS; i++) host.answer |= answers[i];
  end
  assign host.busy = busy != '0;

  for (genvar i = 0; i <= FEEDS; i++) begin : gen_port
    assign {ports[i].valid, ports[i].operation} = {host.valid, host.operation};
    assign {ports[i].index, ports[i].operand} = {host.index, host.operand};
    assign busy[i] = ports[i].busy;
    assign answers[i] = ports[i].answer;
  end

  for (genvar i = 0; i < FEEDS; i++) begin : gen_feed
    event_if #(.N(Events)) own ();
    instrument_key_t own_key;
    event_ahead_t own_ahead;
    feed_info_t own_feed;
    logic own_end, own_arbitrated;

    fast_feed #(
        .W(W),
        .LINES(LINES),
        .PROTOCOL(limited(Moex, PACKET_BYTES)),
        .PACKETS(PACKETS),
        .FEED(i),
        .VALUES(Values),
        .RING(RING != 0),
        .WIRE_RATE(WIRE_RATE)
    ) fast_feed (
        .clk,
        .rst,
        .setting,
        .ring_setting,
        .host(ports[i].snk),
        .line_a,
        .of_a(FEEDS == 1 || feed_a[i]),
        .line_b,
        .of_b(FEEDS == 1 || feed_b[i]),
        .events(own.src),
        .key(own_key),
        .ahead(own_ahead),
        .feed(own_feed),
        .status(status[i]),
        .arbiter_status(arbiter_status[i]),
        .payload_end(own_end),
        .arbitrated(own_arbitrated),
        .fields(records[2*i]),
        .frames(records[2*i+1])
    );

    if (i == 0) begin : gen_first
      assign {events.valid, events.data} = {own.valid, own.data};
      assign {events.verdict_valid, events.verdict_good} = {own.verdict_valid, own.verdict_good};
      assign {key, ahead, feed, payload_end, arbitrated} = {own_key, own_ahead, own_feed, own_end, own_arbitrated};
    end else begin : gen_other
      logic unused;
      assign unused = &{
        1'b0, own.valid, own.data, own.verdict_valid, own.verdict_good, own_key, own_ahead, own_feed, own_end, own_arbitrated
      };
    end
  end

  if (RING != 0) begin : gen_ring
    ring_config ring_port (
        .clk,
        .rst,
        .host(ports[FEEDS].snk),
        .setting(ring_setting)
    );

    record_ring #(
        .N(2 * FEEDS),
        .DATA(MEMORY)
    ) record_ring (
        .clk,
        .rst,
        .setting(ring_setting),
        .records,
        .memory,
        .status(ring_status)
    );
  end else begin : gen_no_ring
    assign {ports[FEEDS].busy, ports[FEEDS].answer, ring_setting, ring_status} = '0;
    assign {memory.awvalid, memory.awaddr, memory.awlen, memory.wvalid, memory.wdata, memory.wlast, memory.bready} = '0;
    for (genvar i = 0; i < 2 * FEEDS; i++) begin : gen_record
      logic unused;
      assign unused = &{1'b0, records[i].valid, records[i].record};
    end
    logic unused;
    assign unused = &{1'b0, memory.awready, memory.wready, memory.bvalid, memory.bresp, ports[FEEDS].valid, ports[FEEDS].operation};
  end
  if (FEEDS == 1) begin : gen_one
    logic unused;
    assign unused = &{1'b0, feed_a, feed_b};
  end
endmodule

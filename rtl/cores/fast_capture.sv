// FAST feeds on lines A and B into host memory: fields, events, packets, and what goes wrong in the stages, in one ring (system A).
//
//   MII ─ net_receive ─ fast_stage ─┬─ instrument_stage ─ event_records ─┐
//                                   └────────────────────────────────────┴─ ring_stage ─ host memory
//   host ─ csr_if of each stage
//
// Latency: last FCS byte in to the ring's line, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); FEEDS side by side, 1 to 4; PACKET_BYTES, the longest UDP
// payload that an arbiter stores; HOST_WORDS, beats stored for the host, by line.
// Overflow: receive never waits. What finds no room is dropped, and counted by its stage.
module fast_capture
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1,
    parameter int PACKET_BYTES = 1500,
    parameter int HOST_WORDS = 1024
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // W = 8: GMII; W = 64: XGMII
    mii_if.rx           rx_b,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included;
    output logic        host_line,          // of line B: 1
    axi_write_if.src    memory,             // the ring, in host memory
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  localparam int Instruments = 16;
  localparam int Events = W == 8 ? 1 : 2;  // a beat
  localparam int Sources = 2 * FEEDS + 1;  // fields and packets of each feed, events of the first

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_FEED,
    CSR_INSTRUMENT,
    CSR_RING,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  net_config_t net_config_unused;
  receive_status_t receive_status;
  found_instrument_t found;
  instrument_write_t instrument_written;
  record_pkg::ring_setting_t setting;
  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  stream_if #(.W(W)) data_a ();
  stream_if #(.W(W)) data_b ();
  feed_if feeds[FEEDS] ();
  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  record_if records[Sources] ();
  record_if feed_records[2*FEEDS] ();
  logic [63:0] time_ns;
  logic [FEEDS-1:0] feed_a, feed_b;
  logic enable_unused, refused_unused;

  host_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .RING(1'b1),
      .FEEDS(FEEDS),
      .STAGES(CSR_STAGES)
  ) host_stage (
      .clk,
      .rst,
      .axil,
      .csr,
      .time_from_outside,
      .time_ns,
      .latency(NoLatency),
      .operation_refused(refused_unused)
  );

  net_receive #(
      .W(W),
      .FEEDS(FEEDS),
      .HOST_WORDS(HOST_WORDS)
  ) net_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii_a(rx_a),
      .mii_b(rx_b),
      .enable(enable_unused),
      .net_config(net_config_unused),
      .data_a(data_a.src),
      .data_b(data_b.src),
      .feed_a,
      .feed_b,
      .line_a(line.src),
      .verdict(verdict.src),
      .host(host_frames),
      .host_line,
      .status(receive_status)
  );

  assign verdict.claimed = 1'b0;

  fast_stage #(
      .W(W),
      .FEEDS(FEEDS),
      .PACKET_BYTES(PACKET_BYTES),
      .RING(1)
  ) fast_stage (
      .clk,
      .rst,
      .csr(csr[CSR_FEED].stage),
      .instrument(instrument_written),
      .line_a(data_a.snk),
      .feed_a,
      .line_b(data_b.snk),
      .feed_b,
      .events(decoded.src),
      .feeds,
      .ring_setting(setting),
      .records(feed_records)
  );

  instrument_stage #(
      .INSTRUMENTS(Instruments)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feeds[0].listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(instrument_written),
      .csr(csr[CSR_INSTRUMENT].stage)
  );

  for (genvar i = 0; i < 2 * FEEDS; i++) begin : gen_records
    assign {records[i].valid, records[i].record} = {feed_records[i].valid, feed_records[i].record};
  end

  event_records event_records (
      .clk,
      .rst,
      .enable(setting.events),
      .events(events.snk),
      .found,
      .out(records[2*FEEDS].src)
  );

  ring_stage #(
      .SOURCES(Sources),
      .FEEDS(FEEDS),
      .MEMORY(memory.DATA)
  ) ring_stage (
      .clk,
      .rst,
      .csr(csr[CSR_RING].stage),
      .setting,
      .sources(records),
      .feeds,
      .receive_status,
      .faults('0),
      .time_ns,
      .memory
  );

  assign {probe.delivered_valid, probe.delivered_sequence} = {
    feeds[0].status.commit && feeds[0].status.packet_valid && feeds[0].status.packet == MOLD_PACKET, feeds[0].status.first_sequence
  };
  assign probe.delivered_messages = feeds[0].status.messages;
  assign probe.path = '{received: feeds[0].payload_end, decoded: events.verdict_valid, default: '0 };
endmodule

// Statistics of ITCH on lines A and B: those of each second leave as a packet (system B).
//
//   MII ─ net_receive ─ itch_stage ─ instrument_stage ─ statistics_stage ─ report_transmit ─ MII
//   host ─ csr_if of each stage
//
// Latency: last FCS byte in to first preamble byte of the report out, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a product (rtl/presets.toml): W, 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); PACKET_BYTES, the longest UDP payload that the arbiter
// stores; HOST_WORDS, beats stored for the host, by line.
// Overflow: receive never waits. What finds no room is dropped, and counted by its stage.
module itch_statistics
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int PACKET_BYTES = 9000,
    parameter int HOST_WORDS = 2048
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // W = 8: GMII; W = 64: XGMII
    mii_if.rx           rx_b,
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included;
    output logic        host_line,          // of line B: 1
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  localparam int Instruments = 16;
  localparam int Events = W == 8 ? 1 : 2;  // a beat

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_FEED,
    CSR_INSTRUMENT,
    CSR_STATISTICS,
    CSR_TRANSMIT,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  latency_t latency;
  net_config_t net_config;
  found_instrument_t found;
  instrument_write_t written_unused;
  receive_status_t receive_status_unused;
  line_if #(.W(W)) line ();
  line_verdict_if verdict ();
  feed_if feed ();
  stream_if #(.W(W)) data_a ();
  stream_if #(.W(W)) data_b ();
  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  market_if #(.N(Events)) market ();
  tx_stream_if #(.W(W)) report ();
  logic [63:0] time_ns;
  logic [15:0] report_length;
  logic report_request, report_ready, heartbeat, started;
  logic enable_unused, feed_a_unused, feed_b_unused, refused_unused;

  host_stage #(
      .W(W),
      .INSTRUMENTS(Instruments),
      .STAGES(CSR_STAGES)
  ) host_stage (
      .clk,
      .rst,
      .axil,
      .csr,
      .time_from_outside,
      .time_ns,
      .latency,
      .operation_refused(refused_unused)
  );

  net_receive #(
      .W(W),
      .HOST_WORDS(HOST_WORDS)
  ) net_receive (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .mii_a(rx_a),
      .mii_b(rx_b),
      .enable(enable_unused),
      .net_config,
      .data_a(data_a.src),
      .data_b(data_b.src),
      .feed_a(feed_a_unused),
      .feed_b(feed_b_unused),
      .line_a(line.src),
      .verdict(verdict.src),
      .host(host_frames),
      .host_line,
      .status(receive_status_unused)
  );

  assign verdict.claimed = 1'b0;

  // At W = 64 the statistics need longer to settle than the arbiter needs for the next frame.
  itch_stage #(
      .W(W),
      .PACKET_BYTES(PACKET_BYTES),
      .SETTLE(W == 8 ? 0 : 9)
  ) itch_stage (
      .clk,
      .rst,
      .csr(csr[CSR_FEED].stage),
      .line_a(data_a.snk),
      .line_b(data_b.snk),
      .events(decoded.src),
      .feed(feed.decoder)
  );

  instrument_stage #(
      .INSTRUMENTS(Instruments),
      .CHARACTERS(W == 8)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feed.listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(written_unused),
      .csr(csr[CSR_INSTRUMENT].stage)
  );

  assign {market.change_valid, market.change, market.change_found} = {events.valid, events.data, found};
  assign {market.verdict_valid, market.verdict_good} = {events.verdict_valid, events.verdict_good};

  statistics_stage #(
      .W(W),
      .INSTRUMENTS(Instruments)
  ) statistics_stage (
      .clk,
      .rst,
      .csr(csr[CSR_STATISTICS].stage),
      .market(market.changes),
      .feed(feed.listener),
      .request_valid(report_request),
      .request_ready(report_ready),
      .payload_length(report_length),
      .payload(report.src),
      .heartbeat
  );

  report_transmit #(
      .W(W)
  ) report_transmit (
      .clk,
      .rst,
      .csr(csr[CSR_TRANSMIT].stage),
      .net_config,
      .request_valid(report_request),
      .request_ready(report_ready),
      .payload_length(report_length),
      .report(report.snk),
      .mii(tx),
      .started
  );

  latency_meter latency_meter (
      .clk,
      .rst,
      .verdict(feed.payload_end),
      .verdict_delay(feed.arbitrated ? 8'd5 : 8'd4),  // line_rx 3, arbiter 1, feed_select 1
      .heartbeat,
      .started,
      .last(latency.last),
      .minimum(latency.minimum),
      .maximum(latency.maximum)
  );

  assign {probe.delivered_valid, probe.delivered_sequence} = {
    feed.status.commit && feed.status.packet_valid && feed.status.packet == MOLD_PACKET, feed.status.first_sequence
  };
  assign probe.delivered_messages = feed.status.messages;
  assign probe.path = '{received: feed.payload_end, decoded: events.verdict_valid, default: '0 };
endmodule

// The receive stage of a core with two lines, with its registers: gives the market data that is for us, the raw frames for TCP and the control plane, and to
// the host the frames that no one else takes.
//
//   MII, line A ─ line_rx ─┬─ data_a          ┌─ host
//                          ├─ line_a          │
//                          └─ tx_merge ───────┤
//   MII, line B ─ line_rx ─┬──────────────────┘
//                          └─ data_b
//   csr ─ net_registers ─ enable, net_config
//
// Latency: as line_rx. Throughput: line rate. Parameters: W; FEEDS: as udp_rx; HOST_WORDS, beats stored for the host, by line.
// Overflow: a frame for the host that finds no room is dropped, and counted.
module net_receive
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1,
    parameter int HOST_WORDS = 2048
) (
    input logic        clk,
    input logic        rst,
    csr_if.stage        csr,
    input  logic [63:0] time_ns,
    mii_if.rx           mii_a,
    mii_if.rx           mii_b,
    output logic        enable,      // frames are received
    output net_config_t net_config,

    stream_if.src data_a,
    stream_if.src data_b,
    output logic [FEEDS-1:0] feed_a,  // whose the data are, a bit each: from a datagram's first beat to its last
    output logic [FEEDS-1:0] feed_b,
    line_if.src   line_a,
    line_verdict_if.src verdict,  // of line A

    tx_stream_if.src host,
    output logic     host_line,  // 1 is B

    output receive_status_t status
);
  logic fcs_b_unused;
  line_if #(.W(W)) line_b ();
  tx_stream_if #(.W(W)) host_a ();
  tx_stream_if #(.W(W)) host_b ();

  net_registers #(
      .W(W)
  ) net_registers (
      .clk,
      .rst,
      .csr,
      .time_ns,
      .status,
      .enable,
      .net_config
  );

  line_rx #(
      .W(W),
      .FEEDS(FEEDS),
      .HOST_WORDS(HOST_WORDS)
  ) rx_a (
      .clk,
      .rst,
      .enable,
      .mii_data(mii_a.data),
      .mii_control(mii_a.control),
      .mii_error(mii_a.error),
      .net_config,
      .out(data_a),
      .feed(feed_a),
      .line(line_a),
      .fcs_good(verdict.fcs_good),
      .cause_valid(status.cause_valid[0]),
      .cause(status.cause[0]),
      .frame_start(status.frame_start[0]),
      .claimed(verdict.claimed),
      .host(host_a.src),
      .host_kept(status.host_frame[0]),
      .host_overflow(status.host_overflow[0])
  );

  line_rx #(
      .W(W),
      .FEEDS(FEEDS),
      .HOST_WORDS(HOST_WORDS)
  ) rx_b (
      .clk,
      .rst,
      .enable,
      .mii_data(mii_b.data),
      .mii_control(mii_b.control),
      .mii_error(mii_b.error),
      .net_config,
      .out(data_b),
      .feed(feed_b),
      .line(line_b.src),
      .fcs_good(fcs_b_unused),
      .cause_valid(status.cause_valid[1]),
      .cause(status.cause[1]),
      .frame_start(status.frame_start[1]),
      .claimed(1'b0),
      .host(host_b.src),
      .host_kept(status.host_frame[1]),
      .host_overflow(status.host_overflow[1])
  );

  tx_merge host_merge (
      .clk,
      .rst,
      .a(host_a.snk),
      .b(host_b.snk),
      .from_b(host_line),
      .out(host)
  );

  assign {verdict.cause_valid, verdict.cause} = {status.cause_valid[0], status.cause[0]};
  always_ff @(posedge clk) verdict.busy <= line_a.valid || line_b.valid;
endmodule

// Receives the lines: the market data that is for us, the raw frames for TCP and the control plane, and for the host the frames that no one else takes.
//
//   MII, line A ─ line_rx ─┬─ data_a          ┌─ host
//                          ├─ line_a          │
//                          └─ tx_merge ───────┤
//   MII, line B ─ line_rx ─┬──────────────────┘
//                          └─ data_b
//
// Latency: as line_rx. Throughput: line rate. Parameters: W; LINES, 1: there is no line B; FEEDS: as udp_rx; HOST_WORDS, beats stored for the host, by line.
// Overflow: a frame for the host that finds no room is dropped, and counted.
module net_receive
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int FEEDS = 1,
    parameter int HOST_WORDS = 2048
) (
    input logic        clk,
    input logic        rst,
    input logic        enable,
    input net_config_t net_config,

    // W = 8: GMII, control[0] is dv. W = 64: XGMII, control is a bit a byte.
    input logic [  W-1:0] a_data,
    input logic [W/8-1:0] a_control,
    input logic           a_error,
    input logic [  W-1:0] b_data,
    input logic [W/8-1:0] b_control,
    input logic           b_error,

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
  logic b_busy;
  tx_stream_if #(.W(W)) host_a ();
  tx_stream_if #(.W(W)) host_b ();

  line_rx #(
      .W(W),
      .FEEDS(FEEDS),
      .HOST_WORDS(HOST_WORDS)
  ) rx_a (
      .clk,
      .rst,
      .enable,
      .mii_data(a_data),
      .mii_control(a_control),
      .mii_error(a_error),
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

  if (LINES == 2) begin : gen_line_b
    line_if #(.W(W)) line_b ();
    logic fcs_unused;
    line_rx #(
        .W(W),
        .FEEDS(FEEDS),
        .HOST_WORDS(HOST_WORDS)
    ) rx_b (
        .clk,
        .rst,
        .enable,
        .mii_data(b_data),
        .mii_control(b_control),
        .mii_error(b_error),
        .net_config,
        .out(data_b),
        .feed(feed_b),
        .line(line_b.src),
        .fcs_good(fcs_unused),
        .cause_valid(status.cause_valid[1]),
        .cause(status.cause[1]),
        .frame_start(status.frame_start[1]),
        .claimed(1'b0),
        .host(host_b.src),
        .host_kept(status.host_frame[1]),
        .host_overflow(status.host_overflow[1])
    );
    assign b_busy = line_b.valid;
  end else begin : gen_no_line_b
    logic unused;
    assign unused = &{1'b0, b_data, b_control, b_error, host_b.ready};
    assign {status.cause_valid[1], status.frame_start[1], status.host_frame[1], status.host_overflow[1], b_busy} = '0;
    assign status.cause[1] = CAUSE_MII_ERROR;
    assign {data_b.valid, data_b.data, data_b.keep, data_b.last, data_b.err, feed_b} = '0;
    assign {host_b.valid, host_b.data, host_b.keep, host_b.last} = '0;
  end

  tx_merge host_merge (
      .clk,
      .rst,
      .a(host_a.snk),
      .b(host_b.snk),
      .from_b(host_line),
      .out(host)
  );

  assign {verdict.cause_valid, verdict.cause} = {status.cause_valid[0], status.cause[0]};
  always_ff @(posedge clk) verdict.busy <= line_a.valid || b_busy;
endmodule

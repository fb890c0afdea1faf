// The receive stage of a core with one line: its registers, and the line.
//
//   MII ─ line_rx ─┬─ out
//                  ├─ line, verdict: for the session
//                  └─ host
//   csr ─ net_registers ─ enable, net_config
//
// Latency, throughput, overflow: as line_rx. Parameters: W; AT_ONCE: as udp_rx; HOST_WORDS, beats stored for the host.
module line_receive
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter bit AT_ONCE = 1'b0,
    parameter int HOST_WORDS = 2048
) (
    input  logic                clk,
    input  logic                rst,
    csr_if.stage                csr,
    input  logic        [ 63:0] time_ns,
    mii_if.rx                         mii,
    output logic                enable,       // frames are received
    output net_config_t         net_config,
    stream_if.src               out,
    line_if.src                 line,
    line_verdict_if.src         verdict,
    tx_stream_if.src            host
);
  receive_status_t status;
  logic feed_unused;

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
      .AT_ONCE(AT_ONCE),
      .HOST_WORDS(HOST_WORDS)
  ) line_rx (
      .clk,
      .rst,
      .enable,
      .mii_data(mii.data),
      .mii_control(mii.control),
      .mii_error(mii.error),
      .net_config,
      .out,
      .feed(feed_unused),
      .line,
      .fcs_good(verdict.fcs_good),
      .cause_valid(status.cause_valid[0]),
      .cause(status.cause[0]),
      .frame_start(status.frame_start[0]),
      .claimed(verdict.claimed),
      .host,
      .host_kept(status.host_frame[0]),
      .host_overflow(status.host_overflow[0])
  );

  // There is no line B.
  assign {status.cause_valid[1], status.frame_start[1], status.host_frame[1], status.host_overflow[1]} = '0;
  assign status.cause[1] = CAUSE_MII_ERROR;

  assign {verdict.cause_valid, verdict.cause} = {status.cause_valid[0], status.cause[0]};
  always_ff @(posedge clk) verdict.busy <= line.valid;
endmodule

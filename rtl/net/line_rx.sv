// Receives a line: the market data that is for us and, for the host, the frames that no one else takes.
//
//   MII ─ net_rx ─┬─ out
//                 ├─ line: the frames themselves, for the control plane and TCP
//                 └─ host_frames ─ register ─ host
//
// Latency: as net_rx and host_frames. Throughput: line rate. Parameters: W; FEEDS, AT_ONCE: as udp_rx; HOST_WORDS, beats stored for the host.
// Overflow: a frame for the host that finds no room is dropped, and reported.
module line_rx
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1,
    parameter bit AT_ONCE = 1'b0,
    parameter int HOST_WORDS = 2048
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   enable,         // low: the line is idle
    input  logic         [  W-1:0] mii_data,
    input  logic         [W/8-1:0] mii_control,
    input  logic                   mii_error,
    input  net_config_t            net_config,
    stream_if.src                  out,
    output logic [FEEDS-1:0]       feed,           // whose it is, a bit each: from its first beat to its last
    line_if.src                    line,
    output logic                   fcs_good,       // for the frame whose last beat was on `line` in the cycle before
    output logic                   cause_valid,
    output net_cause_e             cause,
    output logic                   frame_start,
    input  logic                   claimed,        // with cause_valid: another module has taken the frame, the host does not need it
    tx_stream_if.src               host,
    output logic                   host_kept,
    output logic                   host_overflow
);
  line_if #(.W(W)) received ();
  tx_stream_if #(.W(W)) host_memory ();

  net_rx #(
      .W(W),
      .FEEDS(FEEDS),
      .AT_ONCE(AT_ONCE)
  ) net_rx (
      .clk,
      .rst,
      .mii_data,
      .mii_control,
      .mii_error,
      .enable,
      .net_config,
      .line(received.src),
      .fcs_good,
      .out,
      .feed,
      .cause_valid,
      .cause,
      .frame_start
  );

  host_frames #(
      .W(W),
      .WORDS(HOST_WORDS)
  ) host_frames (
      .clk,
      .rst,
      .line(received.snk),
      .cause_valid,
      .cause,
      .claimed,
      .out(host_memory.src),
      .kept(host_kept),
      .overflow(host_overflow)
  );

  assign line.valid = received.valid;
  assign line.data = received.data;
  assign line.first = received.first;
  assign line.offset = received.offset;
  assign line.stop = received.stop;
  assign line.last = received.last;
  assign line.error = received.error;
  assign line.tag = received.tag;

  // The memory is slow.
  tx_register #(
      .W(W),
      .FROM_MEMORY(1'b1)
  ) host_register (
      .clk,
      .rst,
      .in (host_memory.snk),
      .out(host)
  );
endmodule

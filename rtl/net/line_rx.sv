// Receives a line: the market data that is for us, and beside it, for the host, what is nobody's.
//
//   MII ─ net_rx ─┬─ out
//                 └─ host_frames ─ register ─ host
//
// Latency: as net_rx and host_frames. Throughput: line rate. Parameters: W; HOST_WORDS, beats kept for the host.
// Overflow: a frame for the host that finds no room is dropped, and told.
module line_rx
  import tickwire_pkg::*;
#(
    parameter int W = 64,
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
    output logic                   cause_valid,
    output net_cause_e             cause,
    output logic                   frame_start,
    tx_stream_if.src               host,
    output logic                   host_kept,
    output logic                   host_overflow
);
  line_if #(.W(W)) line ();
  tx_stream_if #(.W(W)) kept ();

  net_rx #(
      .W(W)
  ) net_rx (
      .clk,
      .rst,
      .mii_data(enable ? mii_data : {W / 8{8'h07}}),
      .mii_control(enable ? mii_control : W == 8 ? '0 : '1),
      .mii_error(mii_error && enable),
      .net_config,
      .line(line.src),
      .out,
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
      .line(line.snk),
      .cause_valid,
      .cause,
      .claimed(1'b0),
      .out(kept.src),
      .kept(host_kept),
      .overflow(host_overflow)
  );

  // The memory is slow.
  tx_register #(
      .W(W)
  ) host_register (
      .clk,
      .rst,
      .in (kept.snk),
      .out(host)
  );
endmodule

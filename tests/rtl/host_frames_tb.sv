// net_rx with host_frames, streams as plain ports.
module host_frames_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = 256
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [  W-1:0]   mii_data,
    input  logic [W/8-1:0]   mii_control,
    input  logic             mii_error,
    input  logic [   47:0]   local_mac,
    input  logic [   31:0]   local_ip,
    input  logic [   31:0]   group,
    input  logic [   15:0]   port,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [  W-1:0]   out_data,
    output logic [W/8-1:0]   out_keep,
    output logic             out_last,
    output logic             accepted,
    output logic             kept,
    output logic             overflow
);
  stream_if #(.W(W)) payload ();
  line_if #(.W(W)) line ();
  tx_stream_if #(.W(W)) out ();
  net_config_t net_config;
  logic cause_valid, frame_start;
  net_cause_e cause;
  logic unused;

  always_comb begin
    net_config = '0;
    net_config.local_mac = local_mac;
    net_config.local_ip = local_ip;
    net_config.group[0] = group;
    net_config.port[0] = port;
  end

  logic fcs_good_unused, feed_unused;

  net_rx #(
      .W(W)
  ) net_rx (
      .clk,
      .rst,
      .mii_data,
      .mii_control,
      .mii_error,
      .enable(1'b1),
      .net_config,
      .line(line.src),
      .fcs_good(fcs_good_unused),
      .out(payload.src),
      .feed(feed_unused),
      .cause_valid,
      .cause,
      .frame_start
  );

  host_frames #(
      .W(W),
      .WORDS(WORDS)
  ) dut (
      .clk,
      .rst,
      .line(line.snk),
      .cause_valid,
      .cause,
      .claimed(1'b0),
      .out(out.src),
      .kept,
      .overflow
  );

  assign out_valid = out.valid;
  assign out.ready = out_ready;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;
  assign accepted = cause_valid && cause == CAUSE_ACCEPTED;
  assign unused = &{1'b0, frame_start, payload.valid, payload.data, payload.keep, payload.last, payload.err};
endmodule

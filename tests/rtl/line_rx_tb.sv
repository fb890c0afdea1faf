// line_rx with its streams as plain ports.
module line_rx_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int HOST_WORDS = 256
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           enable,
    input  logic           claimed,
    input  logic [  W-1:0] mii_data,
    input  logic [W/8-1:0] mii_control,
    input  logic           mii_error,
    input  logic [   47:0] local_mac,
    input  logic [   31:0] local_ip,
    input  logic [   31:0] group,
    input  logic [   15:0] port,
    output logic           out_valid,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,
    output logic           out_err,
    output logic           cause_valid,
    output net_cause_e     cause,
    output logic           frame_start,
    output logic           host_valid,
    input  logic           host_ready,
    output logic [  W-1:0] host_data,
    output logic [W/8-1:0] host_keep,
    output logic           host_last,
    output logic           host_kept,
    output logic           host_overflow
);
  stream_if #(.W(W)) out ();
  line_if #(.W(W)) line ();
  logic fcs_good_unused, feed_unused;
  tx_stream_if #(.W(W)) host ();
  net_config_t net_config;

  always_comb begin
    net_config = '0;
    net_config.local_mac = local_mac;
    net_config.local_ip = local_ip;
    net_config.group[0] = group;
    net_config.port[0] = port;
  end

  line_rx #(
      .W(W),
      .HOST_WORDS(HOST_WORDS)
  ) dut (
      .clk,
      .rst,
      .enable,
      .mii_data,
      .mii_control,
      .mii_error,
      .net_config,
      .out(out.src),
      .feed(feed_unused),
      .line(line.src),
      .fcs_good(fcs_good_unused),
      .cause_valid,
      .cause,
      .frame_start,
      .claimed,
      .host(host.src),
      .host_kept,
      .host_overflow
  );

  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};
  assign {host_valid, host_data, host_keep, host_last} = {host.valid, host.data, host.keep, host.last};
  assign host.ready = host_ready;
endmodule

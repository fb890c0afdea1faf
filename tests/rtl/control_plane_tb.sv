// net_rx with the control plane beside it, and host_frames for what that does not claim; streams as plain ports.
module control_plane_tb
  import tickwire_pkg::*, control_pkg::*;
#(
    parameter int W = 64,
    parameter int PEERS = 2,
    parameter int SECOND = 100,
    parameter int OLDER = 12
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic             [      W-1:0]   mii_data,
    input  logic             [    W/8-1:0]   mii_control,
    input  logic                             mii_error,
    input  logic                             enable,
    input  logic                             millisecond,
    input  logic             [       47:0]   local_mac,
    input  logic             [       31:0]   local_ip,
    input  logic             [        3:0][31:0] group,
    input  logic             [       15:0]   port,
    input  logic             [  PEERS-1:0]   resolve_valid,
    input  logic             [  PEERS-1:0][31:0] resolve_ip,
    input  logic             [  PEERS-1:0]   pinned,
    output logic             [  PEERS-1:0]   peer_mac_valid,
    output logic             [  PEERS-1:0][47:0] peer_mac,
    output logic                             out_valid,
    input  logic                             out_ready,
    output logic             [      W-1:0]   out_data,
    output logic             [    W/8-1:0]   out_keep,
    output logic                             out_last,
    output logic                             host_valid,
    output logic             [      W-1:0]   host_data,
    output logic             [    W/8-1:0]   host_keep,
    output logic                             host_last,
    output control_event_t                   events,
    output logic                             active  // a bench that sees it low may wait for it
);
  stream_if #(.W(W)) payload ();
  line_if #(.W(W)) line ();
  tx_stream_if #(.W(W)) out ();
  tx_stream_if #(.W(W)) host ();
  net_config_t net_config;
  logic cause_valid, frame_start, claimed, kept, overflow;
  net_cause_e cause;
  logic unused;

  always_comb begin
    net_config = '0;
    net_config.local_mac = local_mac;
    net_config.local_ip = local_ip;
    net_config.group = group;
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

  control_plane #(
      .W(W),
      .PEERS(PEERS),
      .SECOND(SECOND),
      .OLDER(OLDER)
  ) dut (
      .clk,
      .rst,
      .enable,
      .millisecond,
      .net_config,
      .line(line.snk),
      .cause_valid,
      .cause,
      .claimed,
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .out(out.src),
      .events
  );

  host_frames #(
      .W(W),
      .WORDS(512)
  ) host_frames (
      .clk,
      .rst,
      .line(line.snk),
      .cause_valid,
      .cause,
      .claimed,
      .out(host.src),
      .kept,
      .overflow
  );

  assign active = out.valid || host.valid || (events != '0);
  assign out_valid = out.valid;
  assign out.ready = out_ready;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;
  assign host_valid = host.valid;
  assign host.ready = 1'b1;
  assign host_data = host.data;
  assign host_keep = host.keep;
  assign host_last = host.last;
  assign unused = &{1'b0, frame_start, kept, overflow, payload.valid, payload.data, payload.keep, payload.last, payload.err};
endmodule

// tcp_sessions with plain ports, session 0 in the low bits, behind fcs_check as in net_rx.
module tcp_sessions_tb
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int SESSIONS = 4,
    parameter int BUFFER = 16384
) (
    input logic clk,
    input logic rst,
    input logic tick,

    input logic [47:0] local_mac,
    input logic [31:0] local_ip,
    input logic [15:0] mss,
    input logic [31:0] secret,
    input logic [17:0] rto_initial,
    input logic [17:0] rto_minimum,
    input logic [17:0] rto_maximum,
    input logic [17:0] keep_alive,
    input logic [17:0] time_wait,
    input logic [ 3:0] retries,

    input logic [SESSIONS-1:0][15:0] local_port,
    input logic [SESSIONS-1:0][31:0] peer_ip,
    input logic [SESSIONS-1:0][15:0] peer_port,
    input logic [SESSIONS-1:0]       connect,
    input logic [SESSIONS-1:0]       close,
    input logic [SESSIONS-1:0]       reset_session,
    input logic [SESSIONS-1:0]       peer_mac_valid,
    input logic [SESSIONS-1:0][47:0] peer_mac,
    input logic [SESSIONS-1:0][15:0] receive_window,

    input logic                 line_valid,
    input logic [        W-1:0] line_data,
    input logic                 line_first,
    input logic                 line_offset,
    input logic [$clog2(W/8):0] line_stop,
    input logic                 line_last,
    input logic                 line_error,

    output logic [SESSIONS-1:0]          payload_valid,
    output logic [SESSIONS-1:0][  W-1:0] payload_data,
    output logic [SESSIONS-1:0][W/8-1:0] payload_keep,
    output logic [SESSIONS-1:0]          payload_last,
    output logic [SESSIONS-1:0]          payload_err,

    output logic [SESSIONS-1:0]          lanes_valid,
    output logic [SESSIONS-1:0][  W-1:0] lanes_data,
    output logic [SESSIONS-1:0][W/8-1:0] lanes_keep,
    output logic [SESSIONS-1:0]          lanes_last,
    output logic [SESSIONS-1:0]          lanes_err,

    input  logic [SESSIONS-1:0]        order_valid,
    output logic [SESSIONS-1:0]        order_ready,
    input  logic [SESSIONS-1:0][ 15:0] order_length,
    input  logic [SESSIONS-1:0][ 15:0] order_sum,
    output logic [SESSIONS-1:0]        order_payload_ready,
    input  logic [SESSIONS-1:0][W-1:0] order_payload,

    input  logic [SESSIONS-1:0]          host_valid,
    output logic [SESSIONS-1:0]          host_ready,
    input  logic [SESSIONS-1:0][  W-1:0] host_data,
    input  logic [SESSIONS-1:0][W/8-1:0] host_keep,
    input  logic [SESSIONS-1:0]          host_last,

    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,

    output logic [SESSIONS-1:0][          3:0] state,
    output logic [SESSIONS-1:0][         16:0] outstanding,
    output logic [SESSIONS-1:0]                order_full,
    output logic [SESSIONS-1:0][         17:0] rto,
    output logic [SESSIONS-1:0][TcpEvents-1:0] events
);
  line_if #(.W(W)) line ();
  stream_if #(.W(W)) payload[SESSIONS] ();
  stream_if #(.W(W)) lanes[SESSIONS] ();
  tx_stream_if #(.W(W)) host[SESSIONS] ();
  tx_stream_if #(.W(W)) out ();
  tcp_config_t [SESSIONS-1:0] tcp_config;
  logic fcs_good;

  assign line.valid = line_valid;
  assign line.data = line_data;
  assign line.first = line_first;
  assign line.offset = line_offset;
  assign line.stop = line_stop;
  assign line.last = line_last;
  assign line.error = line_error;
  if (W == 8) begin : g_tag_byte
    logic [7:0] before_reg;
    always_ff @(posedge clk) before_reg <= 8'(line_data);
    assign line.tag = {before_reg, 8'(line_data)} == 16'h8100;
  end else begin : g_tag_word
    assign line.tag = 16'(line_data >> (line_offset ? 0 : 32)) == 16'h0081;
  end

  for (genvar i = 0; i < SESSIONS; i++) begin : g_session
    assign {payload_valid[i], payload_data[i], payload_keep[i]} = {payload[i].valid, payload[i].data, payload[i].keep};
    assign {payload_last[i], payload_err[i]} = {payload[i].last, payload[i].err};
    assign {lanes_valid[i], lanes_data[i], lanes_keep[i]} = {lanes[i].valid, lanes[i].data, lanes[i].keep};
    assign {lanes_last[i], lanes_err[i]} = {lanes[i].last, lanes[i].err};
    assign {host[i].valid, host[i].data, host[i].keep, host[i].last} = {host_valid[i], host_data[i], host_keep[i], host_last[i]};
    assign host_ready[i] = host[i].ready;
    assign tcp_config[i] = '{
            local_mac: local_mac,
            local_ip: local_ip,
            local_port: local_port[i],
            peer_ip: peer_ip[i],
            peer_port: peer_port[i],
            mss: mss,
            secret: secret + 32'(i << 20),
            rto_initial: rto_initial,
            rto_minimum: rto_minimum,
            rto_maximum: rto_maximum,
            keep_alive: keep_alive,
            time_wait: time_wait,
            retries: retries
        };
  end

  assign {out_valid, out_data, out_keep, out_last} = {out.valid, out.data, out.keep, out.last};
  assign out.ready = out_ready;

  fcs_check #(
      .W(W)
  ) fcs (
      .clk,
      .line(line.snk),
      .good(fcs_good)
  );

  tcp_sessions #(
      .W(W),
      .SESSIONS(SESSIONS),
      .BUFFER(BUFFER)
  ) dut (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect,
      .close,
      .abort(reset_session),
      .peer_mac_valid,
      .peer_mac,
      .receive_window,
      .line(line.snk),
      .fcs_good,
      .line_busy(line.valid),
      .payload,
      .lanes,
      .order_valid,
      .order_ready,
      .order_length,
      .order_sum,
      .order_payload_ready,
      .order_payload,
      .host,
      .out(out.src),
      .state,
      .outstanding,
      .order_full,
      .rto,
      .events
  );
endmodule

// The FIX session's TCP: connects to the peer when the host says so, gives what the peer sends to the decoder and to the host, and sends orders first.
//
//   line ─ tcp_engine ─┬─ lanes, to the decoder
//                      └─ byte_queue ─ host_bytes, to the host
//   order, host_messages ─ tcp_engine ─ frames
//   csr ─ settings, commands, status, counters
//
// Latency, throughput: as the parts. Parameters: W; BUFFER, bytes stored for retransmission; QUEUE, bytes stored for the host.
// Overflow: TCP's window closes when the host does not read; orders and messages wait for room to be stored in, and say so to the host.
module tcp_session
  import tcp_pkg::*;
  import tcp_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384,
    parameter int QUEUE = 8192
) (
    input logic clk,
    input logic rst,
    input logic tick,  // once in 256 us

    csr_if.stage csr,
    /* verilator lint_off UNUSEDSIGNAL */  // only who we are
    input tickwire_pkg::net_config_t net_config,
    /* verilator lint_on UNUSEDSIGNAL */

    line_if.snk line,
    input logic fcs_good,  // for the frame whose last beat was on the line in the cycle before
    input logic line_busy, // a frame is coming in, on any line: what can wait does

    output logic        resolve_valid,  // the next hop's MAC is wanted
    output logic [31:0] resolve_ip,
    output logic        pinned,         // the session uses the MAC: it must not change
    input  logic        peer_mac_valid,
    input  logic [47:0] peer_mac,

    order_message_if.snk order,
    tx_stream_if.snk     host_messages,
    tx_stream_if.src     frames,

    stream_if.src    lanes,       // what the peer sends: see tcp_engine
    tx_stream_if.src host_bytes,  // the same for the host: see byte_queue

    output logic connected
);
  logic wanted_reg;
  tcp_config_t tcp_config;
  tcp_command_t command;
  tcp_status_t status;
  logic [15:0] receive_window;
  logic [Time-1:0] rto_unused;
  stream_if #(.W(W)) payload ();

  // ---- registers -------------------------------------------------------------------------------------

  setting_t setting;
  status_t shown;
  logic [Counters-1:0] pulse;
  csr_if part[3] ();

  csr_split #(
      .N(3)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_settings #(
      .T(setting_t),
      .FIELDS(SettingFields),
      .MAP(SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(shown)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  assign tcp_config = '{
          local_mac: net_config.local_mac,
          local_ip: net_config.local_ip,
          local_port: setting.tcp_port.local_port,
          peer_ip: setting.peer_ip,
          peer_port: setting.tcp_port.peer_port,
          mss: setting.tcp_mss,
          secret: setting.tcp_secret,
          rto_initial: setting.rto_initial,
          rto_minimum: setting.rto_minimum,
          rto_maximum: setting.rto_maximum,
          keep_alive: setting.keep_alive,
          time_wait: setting.time_wait,
          retries: setting.tcp_retries
      };
  assign shown = '{
          session_state: '{
              tcp: status.state,
              next_hop: peer_mac_valid,
              full: status.order_full,
              connecting: status.connecting
          },
          outstanding: status.outstanding
      };

  always_ff @(posedge clk) begin
    command <= '{
        connect: setting.session_command.connect && !rst,
        finish: setting.session_command.close && !rst,
        reset: setting.session_command.abort && !rst
    };
    // The first member of a packed struct is its highest bit, the first counter the lowest.
    for (int i = 0; i < TcpEvents; i++) pulse[i] <= status.events[TcpEvents-1-i] && !rst;
  end
  if (TcpEvents != Counters) begin : gen_check
    $fatal(1, "tcp_session: %0d events are counted, of %0d", Counters, TcpEvents);
  end

  // ---- the session -----------------------------------------------------------------------------------

  assign resolve_valid = wanted_reg || pinned;
  assign status.connecting = wanted_reg;
  assign resolve_ip = setting.next_hop_ip;
  assign connected = status.connected;

  always_ff @(posedge clk) begin
    status.connected <= (status.state == TCP_ESTABLISHED || status.state == TCP_CLOSE_WAIT) && !rst;  // from a register, for its fan-out
    pinned <= status.state != TCP_CLOSED && !rst;  // its reader is far away, too
    if (command.connect) wanted_reg <= 1'b1;
    else if (status.state != TCP_CLOSED || command.reset) wanted_reg <= 1'b0;
    if (rst) wanted_reg <= 1'b0;
  end

  tcp_engine #(
      .W(W),
      .BUFFER(BUFFER)
  ) tcp_engine (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect(command.connect),
      .close(command.finish),
      .abort(command.reset),
      .peer_mac_valid,
      .peer_mac,
      .receive_window,
      .line,
      .fcs_good,
      .line_busy,
      .payload(payload.src),
      .lanes,
      .order_valid(order.valid),
      .order_ready(order.ready),
      .order_length(setting.message_length),
      .order_sum(order.sum),
      .order_payload_ready(order.payload_ready),
      .order_payload(order.payload),
      .host(host_messages),
      .out(frames),
      .state(status.state),
      .outstanding(status.outstanding),
      .order_full(status.order_full),
      .rto(rto_unused),
      .events(status.events)
  );

  byte_queue #(
      .W(W),
      .BYTES(QUEUE)
  ) byte_queue (
      .clk,
      .rst,
      .clear(command.connect),
      .in(payload.snk),
      .room(receive_window),
      .out(host_bytes)
  );
endmodule

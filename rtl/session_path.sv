// The FIX session: TCP below, prices out of what the peer says, and the orders and the host's messages into what is said to it.
//
//   line ─ tcp_engine ─┬─ decoder_fix ─ events
//                      └─ byte_queue ─ session (to the host)
//   orders, host's messages ─ tcp_engine ─ frames
//
// Latency, throughput: as the parts. Parameters: W; INSTRUMENTS; BUFFER, bytes kept for retransmission; QUEUE, bytes kept for the host.
// Overflow: TCP's window closes when the host does not read; orders and messages wait for room to be kept in, `order_full`.
module session_path
  import tickwire_pkg::*;
  import tcp_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int BUFFER = 16384,
    parameter int QUEUE = 8192
) (
    input logic                                               clk,
    input logic                                               rst,
    input logic                                               tick,      // once in 256 us
    input logic                                        [47:0] local_mac,
    input logic                                        [31:0] local_ip,
    input order_registers_pkg::order_registers__out_t        setting,

    line_if.snk  line,
    input logic  fcs_good,  // of the frame whose last beat was on the line in the cycle before
    input logic  line_busy,  // a frame is coming in, on any line: what may wait does

    output logic        resolve_valid,   // the next hop's MAC is wanted
    output logic [31:0] resolve_ip,
    output logic        pinned,          // and lived with
    input  logic        peer_mac_valid,
    input  logic [47:0] peer_mac,

    // What is said to the peer: see tcp_engine. An order's length is that of the template, setting.message_length.
    input  logic               order_valid,
    output logic               order_ready,
    input  logic       [ 15:0] order_sum,
    output logic               order_payload_ready,
    input  logic       [W-1:0] order_payload,
    tx_stream_if.snk    host,
    tx_stream_if.src    frames,

    // What the peer says: its bytes in order, see byte_queue, and the prices among them, see decoder_fix.
    tx_stream_if.src                             session,
    input  logic                                        instrument_write,
    input  logic            [$clog2(INSTRUMENTS)-1:0]   instrument_index,
    input  fix_instrument_t                             instrument,
    output logic instrument_busy,
    committed_event_if.src                              events,
    output logic                                        event_wide,   // its price does not fit into NarrowPrice bits

    output tcp_state_e                       state,
    output logic                             connected,
    output logic                             connecting,   // waits for the next hop's MAC
    output logic       [         16:0]       outstanding,  // bytes not acknowledged
    output logic                             order_full,
    output tcp_event_t                       tcp_events,
    output logic [FixCauses-1:0] fix_cause
);
  tcp_config_t tcp_config;
  logic wanted_reg;
  logic [15:0] receive_window;
  logic [Time-1:0] rto_unused;
  stream_if #(.W(W)) payload ();
  stream_if #(.W(W)) lanes ();

  assign tcp_config = '{
          local_mac: local_mac,
          local_ip: local_ip,
          local_port: setting.tcp_port.local_port.value,
          peer_ip: setting.peer_ip.value.value,
          peer_port: setting.tcp_port.peer_port.value,
          mss: setting.tcp_mss.value.value,
          secret: setting.tcp_secret.value.value,
          rto_initial: setting.rto_initial.value.value,
          rto_minimum: setting.rto_minimum.value.value,
          rto_maximum: setting.rto_maximum.value.value,
          keep_alive: setting.keep_alive.value.value,
          time_wait: setting.time_wait.value.value,
          retries: setting.tcp_retries.value.value
      };
  assign resolve_valid = wanted_reg || pinned;
  assign connecting = wanted_reg;
  assign resolve_ip = setting.next_hop_ip.value.value;

  always_ff @(posedge clk) begin
    connected <= (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT) && !rst;  // many ask: from a register
    pinned <= state != TCP_CLOSED && !rst;  // far away, too
    if (setting.session_command.connect.value) wanted_reg <= 1'b1;
    else if (state != TCP_CLOSED || setting.session_command.abort.value) wanted_reg <= 1'b0;
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
      .connect(setting.session_command.connect.value),
      .close(setting.session_command.close.value),
      .abort(setting.session_command.abort.value),
      .peer_mac_valid,
      .peer_mac,
      .receive_window,
      .line,
      .fcs_good,
      .line_busy,
      .payload(payload.src),
      .lanes(lanes.src),
      .order_valid,
      .order_ready,
      .order_length(setting.message_length.value.value),
      .order_sum,
      .order_payload_ready,
      .order_payload,
      .host,
      .out(frames),
      .state,
      .outstanding,
      .order_full,
      .rto(rto_unused),
      .events(tcp_events)
  );

  byte_queue #(
      .W(W),
      .BYTES(QUEUE)
  ) byte_queue (
      .clk,
      .rst,
      .clear(setting.session_command.connect.value),
      .in(payload.snk),
      .room(receive_window),
      .out(session)
  );

  decoder_fix #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES_ONLY(1'b1)
  ) decoder_fix (
      .clk,
      .rst,
      .restart(!connected),
      .in(lanes.snk),
      .instrument_write,
      .instrument_index,
      .instrument,
      .instrument_busy,
      .events,
      .event_wide,
      .cause(fix_cause)
  );
endmodule

// The FIX session's TCP: connects to the peer when the host says so, gives what the peer sends to the decoder and to the host, and sends orders first.
//
//   line ─ tcp_engine ─┬─ lanes, to the decoder
//                      └─ byte_queue ─ host_bytes, to the host
//   order, host_messages ─ tcp_engine ─ frames
//
// Latency, throughput: as the parts. Parameters: W; BUFFER, bytes stored for retransmission; QUEUE, bytes stored for the host.
// Overflow: TCP's window closes when the host does not read; orders and messages wait for room to be stored in, `status.order_full`.
module tcp_session
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384,
    parameter int QUEUE = 8192
) (
    input logic clk,
    input logic rst,
    input logic tick,  // once in 256 us

    input tcp_config_t        tcp_config,
    input tcp_command_t       command,
    input logic        [31:0] next_hop_ip,
    input logic        [15:0] order_length,  // of every order's message, bytes

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

    output tcp_status_t status
);
  logic wanted_reg;
  logic [15:0] receive_window;
  logic [Time-1:0] rto_unused;
  stream_if #(.W(W)) payload ();

  assign resolve_valid = wanted_reg || pinned;
  assign status.connecting = wanted_reg;
  assign resolve_ip = next_hop_ip;

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
      .order_length,
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

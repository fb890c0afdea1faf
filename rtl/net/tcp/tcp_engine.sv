// A TCP client (RFC 9293, 6298, 5961, 6582): one session, orders ahead of all else.
//
//   line ─ tcp_rx ─┬─ payload, in order
//                  └─ segment ─ tcp_state ─ request ┐
//   order ──────────────────────────────────── tcp_schedule ─ tcp_tx ─ out
//   host ─ tcp_host_writer ─────────────────────────┘     └─ tcp_buffer, and from it again
//
// Receive. `line`, `fcs_good` as udp_rx has them; `payload` as its `out`, for the host; `lanes` the same without any delay, for decoder_fix:
// see tcp_rx. They cannot be held up: `receive_window` is the room after `payload`, announced to the peer, and may only
// shrink by what was received.
//
// Orders. `order_valid` with `order_ready` begins a message of `order_length` bytes; the frame's first beat is valid in the same cycle. The
// payload is then asked for beat by beat: in each cycle of `order_payload_ready` the next W/8 bytes must stand at `order_payload`
// (first byte in lane 0; what stands after the message's end is not looked at), and change in the next. `order_sum` is the
// ones'-complement sum of the payload's 16-bit words, first byte high, a last odd byte followed by 0. At W = 64 `out`, once it takes a
// frame's first beat, must be ready to its end, as mac_tx is. With `out` always ready, in cycles after the one that accepted the order:
//
//                                                W = 64    W = 8 (add the 8 of the preamble, for which mac_tx is not ready)
//   `order_sum` must be there from, to the end     4         47
//   first payload beat is taken in                 5         53
//
// `order_ready` is low when there is no session, `order_length` is more than window, buffer (`full` is counted) or segment allow, or another
// frame is leaving. `order_length` changes only while nothing is connected.
//
// Host. Complete messages, one a packet, at most a segment: see tcp_host_writer.
// What is sent stays in the buffer until it is acknowledged.
//
// Latency: order_valid to `out` 0 cycles, to the MII 1 more (mac_tx); receive as tcp_rx: `lanes` with the line, verdict on the MII's last byte 3
// cycles later, as that of `payload`. Throughput: line rate in; an order in 4 cycles more than its frame.
// Parameters: W; BUFFER, bytes stored for retransmission, a power of two up to 65,536.
// Overflow: the writers wait. Segments beyond `receive_window` are dropped and asked for again.
module tcp_engine
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384
) (
    input logic clk,
    input logic rst,
    input logic tick,  // once in 256 us

    input  tcp_config_t tcp_config,
    input  logic        connect,         // pulse: done as soon as there is no session and the peer's MAC is known
    input  logic        close,           // pulse: FIN, after what the host has written
    /* verilator lint_off SYMRSVDWORD */  // RFC 9293's word
    input  logic        abort,           // pulse: RST
    /* verilator lint_on SYMRSVDWORD */
    input  logic        peer_mac_valid,
    input  logic [47:0] peer_mac,        // sampled when a session begins
    input  logic [15:0] receive_window,

    line_if.snk   line,
    input  logic  fcs_good,  // for the frame whose last beat was on the line in the cycle before
    input  logic  line_busy,  // a frame is coming in, on any line: what can wait does
    stream_if.src payload,
    stream_if.src lanes,

    input  logic         order_valid,
    output logic         order_ready,
    input  logic [ 15:0] order_length,
    input  logic [ 15:0] order_sum,
    output logic         order_payload_ready,
    input  logic [W-1:0] order_payload,

    tx_stream_if.snk host,
    tx_stream_if.src out,

    output tcp_state_e      state,
    output logic [    16:0] outstanding,  // sequence numbers that wait for acknowledgment
    output logic            order_full,   // no room for an order, in window or buffer
    output logic [Time-1:0] rto,
    output tcp_event_t      events
);
  localparam int Address = $clog2(BUFFER);

  tcp_session_t session;
  tcp_segment_t segment;
  tcp_request_t request;
  tcp_frame_t frame;
  tcp_event_t state_events;
  logic segment_due, segment_valid, checksum_error, connecting, sending, receiving, closing, moved, closed;
  logic order_fits, shrunk, host_full, host_waiting, host_refused, host_allowed, host_done;
  logic [31:0] request_number;
  logic reset_at_next, idle, busy, start, transmitter_idle;
  logic [15:0] host_length, host_sum, resend_sum, sum;
  logic [W-1:0] host_data, resend_data, option_data, payload_data;
  logic payload_ready, resend_valid;
  logic [47:0] peer_mac_reg;
  logic peer_known_reg;

  assign state = session.state;

  // ---- receive -----------------------------------------------------------------------------------

  tcp_rx #(
      .W(W)
  ) rx (
      .clk,
      .rst,
      .line,
      .fcs_good,
      .tcp_config,
      .connecting,
      .receiving,
      .expected(session.receive_next),
      .receive_window,
      .unacknowledged(session.send_unacknowledged),
      .outstanding,
      .largest_window(session.largest_window),
      .out(payload),
      .lanes,
      .segment_due,
      .segment_valid,
      .segment,
      .checksum_error
  );

  // ---- state -------------------------------------------------------------------------------------

  tcp_state control (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect,
      .close,
      .abort,
      .peer_mac_valid,
      .peer_known(peer_known_reg),
      .receive_window,
      .segment_due,
      .segment_valid,
      .segment,
      .idle,
      .sent(start),
      .frame,
      .outstanding,
      .order_full,
      .host_waiting,
      .host_full,
      .session,
      .connecting,
      .sending,
      .receiving,
      .closing,
      .moved,
      .closed,
      .request,
      .request_number,
      .reset_at_next,
      .rto,
      .events(state_events)
  );

  tcp_room #(
      .W(W),
      .BUFFER(BUFFER)
  ) room (
      .clk,
      .session,
      .order_length,
      .host_length,
      .outstanding,
      .order_full,
      .order_fits,
      .host_full,
      .shrunk
  );

  always_ff @(posedge clk) begin
    if (connecting) begin  // unchanged while the session is open, whatever ARP says
      peer_mac_reg   <= peer_mac;
      peer_known_reg <= 1'b1;
    end
    if (rst) peer_known_reg <= 1'b0;
  end

  always_comb begin
    events = state_events;
    events.checksum_error = checksum_error;
    events.host_refused = host_refused;
  end

  // ---- transmit ----------------------------------------------------------------------------------

  logic resend_read, resending;
  logic [Address-1:0] resend_address;
  logic [15:0] resend_length;

  assign host_allowed = host_waiting && !host_full && sending;

  tcp_schedule #(
      .W(W)
  ) schedule (
      .clk,
      .rst,
      .peer_known(peer_known_reg),
      .line_busy,
      .session,
      .request,
      .request_number,
      .reset_at_next,
      .receive_window,
      .shrunk,
      .moved,
      .closed,
      .order_allowed(order_fits && !closing && sending),
      .order_valid,
      .order_ready,
      .order_length,
      .host_allowed,
      .host_length,
      .resend_ready(resend_valid),
      .resend_length,
      .transmitter_idle,
      .frame,
      .start,
      .busy,
      .idle
  );

  tcp_tx #(
      .W(W)
  ) tx (
      .clk,
      .rst,
      .tcp_config,
      .peer_mac(peer_mac_reg),
      .frame,
      .start,
      .idle(transmitter_idle),
      .sum,
      .payload_ready,
      .payload_data,
      .out
  );

  // ---- payload -----------------------------------------------------------------------------------

  logic [3:0][7:0] option;
  logic first_reg;
  tcp_frame_e kind_reg;  // a cycle late: stable from before the start to the end
  logic in_message, has_payload;  // a message of one of the writers; a frame with payload

  always_ff @(posedge clk) kind_reg <= frame.kind;

  assign option = {16'h0204, tcp_config.mss};
  assign has_payload = kind_reg inside {FRAME_ORDER, FRAME_HOST, FRAME_RESEND, FRAME_SYN};
  assign in_message = kind_reg inside {FRAME_ORDER, FRAME_HOST};
  assign order_payload_ready = payload_ready && kind_reg == FRAME_ORDER;
  assign host_done = busy && transmitter_idle && kind_reg == FRAME_HOST;

  if (W == 8) begin : g_option_byte
    logic [1:0] option_reg;
    always_ff @(posedge clk) begin
      if (start) option_reg <= '0;
      else if (payload_ready) option_reg <= option_reg + 1'b1;
    end
    assign option_data = option[~option_reg];
  end else begin : g_option_word
    assign option_data = W'({option[0], option[1], option[2], option[3]});
  end

  // By two bits of the kind: the other kinds have no payload, so any will do for `payload_data`.
  always_comb begin
    unique case (kind_reg[1:0])
      FRAME_ORDER[1:0]: {sum, payload_data} = {order_sum, order_payload};
      FRAME_HOST[1:0]: {sum, payload_data} = {host_sum, host_data};
      FRAME_RESEND[1:0]: {sum, payload_data} = {resend_sum, resend_data};
      default: {sum, payload_data} = {option[3:2] + option[1:0], option_data};
    endcase
    if (!has_payload) sum = '0;
  end

  tcp_host_writer #(
      .W(W)
  ) host_writer (
      .clk,
      .rst,
      .in(host),
      .longest(session.send_mss),
      .refused(host_refused),
      .waiting(host_waiting),
      .length(host_length),
      .sum(host_sum),
      .take(payload_ready && kind_reg == FRAME_HOST),
      .data(host_data),
      .done(host_done),
      .drop(session.state inside {TCP_CLOSED, TCP_SYN_SENT, TCP_SYN_RECEIVED} && !busy)
  );

  always_ff @(posedge clk) begin
    if (start) first_reg <= 1'b1;
    else if (payload_ready) first_reg <= 1'b0;
  end

  assign resending = kind_reg == FRAME_RESEND;

  tcp_resend #(
      .BUFFER(BUFFER)
  ) resend (
      .clk,
      .rst,
      .session,
      .outstanding,
      .requested(request.resend),
      .moved,
      .leaving(busy && in_message),
      .start(start && resending),
      .sending(busy && resending),
      .sent(transmitter_idle),
      .read(resend_read),
      .address(resend_address),
      .length(resend_length)
  );

  tcp_buffer #(
      .W(W),
      .BUFFER(BUFFER)
  ) buffer (
      .clk,
      .rst,
      .write(payload_ready && in_message),
      .write_first(first_reg),
      .write_address(frame.sequence_number[Address-1:0]),
      .write_data(payload_data),
      .read(resend_read),
      .read_address(resend_address),
      .read_length(resend_length),
      .read_valid(resend_valid),
      .sum(resend_sum),
      .take(payload_ready && kind_reg == FRAME_RESEND),
      .read_data(resend_data)
  );

endmodule

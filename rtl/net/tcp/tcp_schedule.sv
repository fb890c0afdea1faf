// Chooses what is sent next and makes its frame: an order at once, everything else when there is none.
//
//   LOAD ─ SETTLE ─ OPEN ─┬─ order ─────────────────────────┬─ BUSY ─ LOAD
//                         └─ request ─ CHOSEN ─ MADE ─ START ┘
//
// While OPEN, `frame` is always that of the next order, so that an order starts in the cycle in which it is accepted; it changes to another
// request's when that is CHOSEN. A request is checked once more before it starts: what was acknowledged meanwhile is not sent again.
// Acknowledgment and probe wait until no frame has come in for 64 cycles: the order that such a frame causes would otherwise wait for them, and
// it carries the acknowledgment anyway. One that starts before a frame comes in has ended when that frame's order is there. If the lines are
// never that quiet, one of them leaves when it has waited 2,048 cycles. A message of the host does not wait like this: orders have been held
// since it got its number.
// `order_ready` comes from flip-flops, and so does `start`, except for `order_valid`: it has many sources and leads to the MII at once.
// Latency: order_valid to `start` 0 cycles; a request 4, an acknowledgment or probe 5. The next frame starts 3 cycles (order) or 6 (request)
// after a frame's end.
// Parameter: W. Overflow: none, requests stay.
module tcp_schedule
  import tcp_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         peer_known,       // the peer's MAC is known
    input  logic         line_busy,        // a frame is coming in
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_session_t session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  tcp_request_t    request,
    input  logic [ 31:0] request_number,   // sequence number of a probe, or of a RST that answers
    input  logic         reset_at_next,    // the RST is not an answer: its number is SND.NXT
    input  logic [ 15:0] receive_window,
    input  logic         shrunk,           // the peer's window: SND.NXT is beyond it
    input  logic         moved,            // SND.UNA changes in the next cycle
    input  logic         closed,           // there will be no session in the next cycle
    input  logic         order_allowed,    // there is room for one; a cycle late
    input  logic         order_valid,
    output logic         order_ready,
    input  logic [ 15:0] order_length,
    input  logic         host_allowed,     // its message waits and has room
    input  logic [ 15:0] host_length,
    input  logic         resend_ready,     // the buffer is ready
    input  logic [ 15:0] resend_length,
    input  logic         transmitter_idle,
    output tcp_frame_t   frame,
    output logic         start,
    output logic         busy,             // a frame is being sent
    output logic         idle              // no frame is being sent, and no request has been chosen
);
  localparam logic [15:0] OptionBytes = 16'd4;

  // In cycles.
  localparam int Quiet = 64;  // at W = 8 an order comes 30 after the end of its frame
  localparam int WaitMost = 2048;  // more than the longest frame takes

  typedef enum logic [2:0] {
    LOAD,
    SETTLE,
    OPEN,
    CHOSEN,
    MADE,
    START,
    BUSY
  } state_e;

  state_e state_reg;
  // The same twice: the MII is far, and what takes the order is elsewhere.
  (* keep *) logic order_ready_reg, order_starts_reg;
  logic start_reg, still, reset_requested, resend_requested, ack_requested, from_unacknowledged, from_request;
  logic [$clog2(Quiet):0] quiet_left_reg;
  logic [$clog2(WaitMost):0] waited_reg;  // stays at WaitMost
  logic may_start_reg;
  tcp_frame_e kind;
  logic [7:0] requested, kind_reg;  // a bit a kind: what is requested; the kind of `frame` in the cycle before

  assign reset_requested  = request.reset && peer_known;
  assign resend_requested = request.resend && resend_ready;
  assign ack_requested = request.ack && may_start_reg;

  always_comb begin
    if (state_reg != OPEN) kind = FRAME_ORDER;
    else if (reset_requested) kind = FRAME_RESET;
    else if (request.syn) kind = FRAME_SYN;
    else if (request.fin) kind = FRAME_FIN;
    else if (resend_requested) kind = FRAME_RESEND;
    else if (ack_requested) kind = FRAME_ACK;
    else if (request.probe && may_start_reg) kind = FRAME_PROBE;
    else if (host_allowed) kind = FRAME_HOST;
    else kind = FRAME_ORDER;
    // The peer would ignore an acknowledgment with a number beyond its window.
    from_unacknowledged = frame.kind == FRAME_SYN || frame.kind == FRAME_RESEND || (frame.kind == FRAME_FIN && session.fin_sent) ||
        (frame.kind == FRAME_ACK && shrunk);
    from_request = frame.kind == FRAME_PROBE || (frame.kind == FRAME_RESET && !reset_at_next);

    requested = '0;
    requested[FRAME_RESEND] = resend_requested;
    requested[FRAME_HOST] = host_allowed;
    requested[FRAME_ACK] = request.ack;
    requested[FRAME_RESET] = reset_requested;
    requested[FRAME_SYN] = request.syn;
    requested[FRAME_FIN] = request.fin;
    requested[FRAME_PROBE] = request.probe;
    still = (kind_reg & requested) != '0;
  end

  assign order_ready = order_ready_reg;
  assign start = (order_valid && order_starts_reg) || start_reg;
  assign busy = state_reg == BUSY;
  assign idle = state_reg == LOAD || state_reg == SETTLE || state_reg == OPEN;

  always_ff @(posedge clk) begin
    if (line_busy) quiet_left_reg <= ($clog2(Quiet) + 1)'(Quiet);
    else if (quiet_left_reg != '0) quiet_left_reg <= quiet_left_reg - 1'b1;
    if (state_reg == CHOSEN || !(request.ack || request.probe)) waited_reg <= '0;
    else if (!waited_reg[$clog2(WaitMost)]) waited_reg <= waited_reg + 1'b1;
    may_start_reg <= (quiet_left_reg == '0 && !line_busy) || waited_reg[$clog2(WaitMost)];
    // At W = 8 there is time to load the numbers even in the cycle in which an order starts: `start` has a smaller fan-out.
    if (idle && !start) frame.kind <= kind;
    if (idle && (W == 8 || !start)) begin
      frame.sequence_number <= session.send_next;
      frame.length <= order_length;
      frame.acknowledgment <= session.receive_next;
      frame.ack <= session.state != TCP_SYN_SENT;
      frame.window <= receive_window;
    end
    if (state_reg == CHOSEN) begin
      if (from_request) frame.sequence_number <= request_number;
      if (from_unacknowledged) frame.sequence_number <= session.send_unacknowledged;
      unique case (frame.kind)
        FRAME_HOST: frame.length <= host_length;
        FRAME_RESEND: frame.length <= resend_length;
        FRAME_SYN: frame.length <= OptionBytes;
        default: frame.length <= '0;
      endcase
    end
    kind_reg <= 8'd1 << frame.kind;
    {order_ready_reg, order_starts_reg} <= '0;
    start_reg <= state_reg == MADE && still && !moved && !closed && !rst;
    unique case (state_reg)
      LOAD: state_reg <= SETTLE;
      SETTLE: begin
        state_reg <= OPEN;
        {order_ready_reg, order_starts_reg} <= {2{order_allowed && !closed}};
      end
      OPEN: begin
        if (start) state_reg <= BUSY;
        else if (kind != FRAME_ORDER) state_reg <= CHOSEN;
        else {order_ready_reg, order_starts_reg} <= {2{order_allowed && !closed}};
      end
      CHOSEN: state_reg <= MADE;
      MADE: state_reg <= still && !moved && !closed ? START : LOAD;
      START: state_reg <= BUSY;
      default: if (transmitter_idle) state_reg <= LOAD;
    endcase
    if (rst) begin
      state_reg <= LOAD;
      {order_ready_reg, order_starts_reg} <= '0;
      quiet_left_reg <= '0;
      waited_reg <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !order_ready_reg || state_reg == OPEN);
  assert property (@(posedge clk) disable iff (rst) order_ready_reg == order_starts_reg);
  assert property (@(posedge clk) disable iff (rst) start_reg == (state_reg == START));

endmodule

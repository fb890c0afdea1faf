// Chooses what is sent next and makes up its frame: an order at once, everything else when there is none.
//
//   LOAD ─ SETTLE ─ OPEN ─┬─ order ──────────────────┬─ BUSY ─ LOAD
//                         └─ wish ─ CHOSEN ─ START ──┘
//
// While OPEN, `frame` is the next order's, kept up to date, so that one starts in the cycle in which it is accepted. A wish is looked at
// once more before it starts: what was acknowledged meanwhile is not sent again.
// Latency: order_valid to `start` 0 cycles; a wish 3. A frame behind another starts 3 cycles (order) or 5 (wish) after its end.
// Parameters: none. Overflow: none, wishes stay.
module tcp_schedule
  import tcp_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic         peer_known,      // its MAC
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    input  tcp_session_t session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  tcp_wish_t    wish,
    input  logic [ 31:0] reset_number,
    input  logic         reset_ack,
    input  logic [ 15:0] receive_window,
    input  logic         order_allowed,
    input  logic         order_valid,
    output logic         order_ready,
    input  logic [ 15:0] order_length,
    input  logic         host_allowed,    // and waiting
    input  logic [ 15:0] host_length,
    input  logic         resend_ready,    // the buffer is
    input  logic [ 15:0] resend_length,
    input  logic         transmitter_idle,
    output tcp_frame_t   frame,
    output logic         start,
    output logic         busy,            // a frame is being sent
    output logic         idle             // none is, and no wish has been chosen
);
  localparam logic [15:0] OptionBytes = 16'd4;

  typedef enum logic [2:0] {
    LOAD,
    SETTLE,
    OPEN,
    CHOSEN,
    START,
    BUSY
  } state_e;

  state_e state_reg;
  logic order_allowed_reg, any, still;
  tcp_frame_t order, chosen;
  logic [31:0] before_next;

  assign before_next = session.send_next - 1'b1;

  always_comb begin
    order = '0;
    order.kind = FRAME_ORDER;
    order.sequence_number = session.send_next;
    order.acknowledgment = session.receive_next;
    order.ack = 1'b1;
    order.psh = 1'b1;
    order.window = receive_window;
    order.length = order_length;

    chosen = order;
    chosen.psh = 1'b0;
    chosen.length = '0;
    any = 1'b1;
    if (wish.reset) begin
      chosen.kind = FRAME_RESET;
      chosen.rst = 1'b1;
      chosen.ack = reset_ack;
      chosen.sequence_number = reset_ack ? '0 : reset_number;
      chosen.acknowledgment = reset_ack ? reset_number : '0;
      chosen.window = '0;
    end else if (wish.syn) begin
      chosen.kind = FRAME_SYN;
      chosen.syn = 1'b1;
      chosen.ack = session.state != TCP_SYN_SENT;
      if (!chosen.ack) chosen.acknowledgment = '0;
      chosen.sequence_number = session.send_unacknowledged;
      chosen.length = OptionBytes;
    end else if (wish.fin) begin
      chosen.kind = FRAME_FIN;
      chosen.fin = 1'b1;
      chosen.sequence_number = before_next;
    end else if (wish.resend && resend_ready) begin
      chosen.kind = FRAME_RESEND;
      chosen.psh = 1'b1;
      chosen.sequence_number = session.send_unacknowledged;
      chosen.length = resend_length;
    end else if (wish.ack) begin
      chosen.kind = FRAME_ACK;
    end else if (wish.probe) begin
      chosen.kind = FRAME_PROBE;
      chosen.sequence_number = before_next;
    end else begin
      chosen.kind = FRAME_HOST;
      chosen.psh = 1'b1;
      chosen.length = host_length;
      any = host_allowed;
    end
    any = any && peer_known;

    unique case (frame.kind)
      FRAME_RESEND: still = wish.resend && resend_ready;
      FRAME_HOST: still = host_allowed;
      FRAME_ACK: still = wish.ack;
      FRAME_RESET: still = wish.reset;
      FRAME_SYN: still = wish.syn;
      FRAME_FIN: still = wish.fin;
      FRAME_PROBE: still = wish.probe;
      default: still = 1'b0;
    endcase
  end

  assign order_ready = state_reg == OPEN && order_allowed_reg;
  assign start = (order_valid && order_ready) || (state_reg == START && still);
  assign busy = state_reg == BUSY;
  assign idle = state_reg inside {LOAD, SETTLE, OPEN} && !start;

  always_ff @(posedge clk) begin
    order_allowed_reg <= order_allowed;
    unique case (state_reg)
      LOAD: begin
        frame <= order;
        state_reg <= SETTLE;
      end
      SETTLE: begin
        frame <= order;
        state_reg <= OPEN;
      end
      OPEN: begin
        if (start) state_reg <= BUSY;
        else begin
          frame <= any ? chosen : order;
          if (any) state_reg <= CHOSEN;
        end
      end
      CHOSEN: state_reg <= START;
      START: state_reg <= still ? BUSY : LOAD;
      default: if (transmitter_idle) state_reg <= LOAD;
    endcase
    if (rst) state_reg <= LOAD;
  end

endmodule

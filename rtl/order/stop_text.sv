// Sets stops so that what is sent is what risk checked: an order's text is whole before its slot is armed with it.
//
//   write ─ text not in use ─ order_text ─ whole ─ stop_orders ─ done: the slot's text is the other one now ─ answer
//
// Each slot has two texts, {bank, slot}. The one of the bank that is not armed is written, and the stop carries its index in the low bits
// of `client_id`, through stop_orders and risk to order_tx: an old stop that fires meanwhile leaves with its old text. An order with the
// text to be written can still wait in risk or in order_tx, from when its bank was armed before: the write waits for it.
// An order of the host (STOP_SEND) takes the text of slot 0 that is not armed. One that follows while it waits in stop_orders is refused.
//
// Wiring: `order_*` is risk_check's output to order_stage; `busy`, `busy_text` are order_stage's; TEXTS of order_stage is 2 * SLOTS.
// Latency: that of order_text and stop_orders, about 1,600 cycles. Throughput: a write at a time. Parameters: SLOTS.
// Overflow: none. A write whose numbers do not fit the message is refused (`text_answer`) before stop_orders sees it.
module stop_text
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input  logic                       write_valid,
    output logic                       write_ready,
    input  stop_operation_e            write_operation,
    input  logic            [Slot-1:0] write_slot,
    input  stop_t                      write_stop,       // the low Slot + 1 bits of client_id are not looked at
    output logic                       answer_valid,     // pulse
    output stop_answer_t               answer,           // of stop_orders; not done if the text was refused
    output text_answer_e               text_answer,

    output logic                      text_valid,
    input  logic                      text_ready,
    output logic         [    Slot:0] text_index,
    output text_fields_t              text_fields,
    input  logic                      text_answer_valid,
    input  text_answer_e              text_given,

    output logic                       stop_valid,
    input  logic                       stop_ready,
    output stop_operation_e            stop_operation,
    output logic            [Slot-1:0] stop_slot,
    output stop_t                      stop,
    input  logic                       stop_answer_valid,
    input  stop_answer_t               stop_answer,
    input  logic                       send_waits,  // an order of the host waits in stop_orders

    input logic            order_valid,
    input logic [  Slot:0] order_text,  // low bits of the order's client_id
    input logic            busy,
    input logic [  Slot:0] busy_text
);
  typedef enum logic [2:0] {
    IDLE,
    WAIT,     // until the text is not in use
    WRITE,
    WRITTEN,
    STOP,
    STOPPED
  } state_e;

  state_e state;
  // The one a slot is armed with; while none is armed, any.
  (* ram_style = "distributed" *)logic bank[SLOTS];
  stop_t wanted;
  logic in_use, send_waiting, first_slot;

  assign write_ready = state == IDLE;
  assign text_valid = state == WRITE;
  assign stop_valid = state == STOP;
  assign send_waiting = send_waits && first_slot;
  assign in_use = send_waiting || (order_valid && order_text == text_index) || (busy && busy_text == text_index);

  always_comb begin
    stop = wanted;
    stop.client_id[Slot:0] = text_index;
    text_fields = '0;
    text_fields.kind = wanted.kind;
    text_fields.order_type = wanted.order_type;
    text_fields.side = wanted.side;
    text_fields.instrument = wanted.instrument;
    text_fields.price = wanted.price;
    text_fields.quantity = wanted.quantity;
    text_fields.original = number_t'(wanted.trigger);
  end

  always_ff @(posedge clk) begin
    answer_valid <= 1'b0;
    unique case (state)
      IDLE: begin
        stop_operation <= write_operation;
        stop_slot <= write_slot;
        first_slot <= write_slot == '0;
        wanted <= write_stop;
        text_index <= {!bank[write_slot], write_slot};
        text_answer <= TEXT_WHOLE;
        if (write_valid) state <= write_operation == STOP_CANCEL ? STOP : WAIT;
      end
      WAIT:
      if (send_waiting && stop_operation == STOP_SEND) begin
        answer <= '{done: 1'b0, previous: STOP_FIRING};
        answer_valid <= 1'b1;
        state <= IDLE;
      end else if (!in_use) begin
        state <= WRITE;
      end
      WRITE: if (text_ready) state <= WRITTEN;
      WRITTEN:
      if (text_answer_valid) begin
        text_answer <= text_given;
        answer <= '0;
        answer_valid <= text_given != TEXT_WHOLE;
        state <= text_given == TEXT_WHOLE ? STOP : IDLE;
      end
      STOP: if (stop_ready) state <= STOPPED;
      default:
      if (stop_answer_valid) begin
        answer <= stop_answer;
        answer_valid <= 1'b1;
        if (stop_answer.done && stop_operation inside {STOP_SET, STOP_CHANGE}) bank[stop_slot] <= text_index[Slot];
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      answer_valid <= 1'b0;
    end
  end

  // Nothing fires with a text that is being written.
  assert property (@(posedge clk) disable iff (rst) !(state inside {WRITE, WRITTEN}) || !in_use);
endmodule

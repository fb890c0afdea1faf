// Carries out what the host enters: an order is prepared in the order store; then a stop's slot is set, or the order itself is asked for.
//
//   entry ─ prepare ─┬─ stop: slot ─ done: commit ─ answer
//                    └─ order: commit ─ answer, intent (handle SLOTS) until risk takes it
//
// The order of a slot has the slot's number as its handle. It is committed in the cycle after that in which the slot takes it: what fires meanwhile
// leaves as it was. While an order of the host waits for risk, another is not done (`previous` is STOP_FIRING).
//
// Latency: those of order_store and stop_orders, about 1,150 cycles. Throughput: an entry at a time. Parameters: SLOTS.
// Overflow: none. An entry whose numbers do not fit the message is refused (`text`), and nothing changes.
module order_entry
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
  import order_entry_pkg::*;
#(
    parameter int SLOTS = 64,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input  logic                    entry_valid,
    output logic                    entry_ready,
    input  entry_e                  entry_code,
    input  logic         [Slot-1:0] entry_slot,
    input  entry_t                  entry,
    output logic                    answer_valid,  // pulse
    output stop_answer_t            answer,        // of stop_orders; not done if the text was refused
    output text_answer_e            text,

    // See order_store.
    output logic                         prepare_valid,
    input  logic                         prepare_ready,
    output logic       [HandleWidth-1:0] prepare_handle,
    output order_t                       prepare_order,
    output number_t                      prepare_original,
    output logic                         prepare_collar,
    input  logic                         prepared,
    input  text_answer_e                 prepared_text,
    output logic                         commit,

    // See stop_orders.
    output logic                       stop_valid,
    input  logic                       stop_ready,
    output stop_operation_e            stop_operation,
    output logic            [Slot-1:0] stop_slot,
    output stop_watch_t                stop_watch,
    input  logic                       stop_answer_valid,
    input  stop_answer_t               stop_answer,

    intent_if.src intent
);
  typedef enum logic [2:0] {
    IDLE,
    PREPARE,
    PREPARED,
    STOP,
    STOPPED
  } state_e;

  state_e state;
  entry_e code;
  entry_t entered;
  logic of_host;

  assign of_host = code == ENTRY_ORDER;
  assign entry_ready = state == IDLE;
  assign prepare_valid = state == PREPARE;
  assign prepare_handle = of_host ? HandleWidth'(SLOTS) : HandleWidth'(stop_slot);
  assign prepare_original = number_t'(entered.trigger);
  assign prepare_collar = of_host || entered.order_type == TYPE_LIMIT;
  assign stop_valid = state == STOP;
  assign stop_operation = stop_operation_e'(code);
  assign stop_watch = '{side: entered.side, instrument: entered.instrument, trigger: entered.trigger};

  always_comb begin
    prepare_order = '0;
    prepare_order.kind = entered.kind;
    prepare_order.order_type = entered.order_type;
    prepare_order.side = entered.side;
    prepare_order.instrument = entered.instrument;
    prepare_order.price = prepare_collar ? entered.price : entered.trigger;
    prepare_order.quantity = entered.quantity;
    prepare_order.client_id = entered.client_id;
    commit = (state == PREPARED && prepared && prepared_text == TEXT_WHOLE && of_host) ||
        (stop_answer_valid && stop_answer.done && code != ENTRY_CANCEL);
  end

  assign intent.soon = intent.valid;
  assign intent.handle = HandleWidth'(SLOTS);

  always_ff @(posedge clk) begin
    answer_valid <= 1'b0;
    if (intent.ready) intent.valid <= 1'b0;
    unique case (state)
      IDLE: begin
        code <= entry_code;
        stop_slot <= entry_slot;
        entered <= entry;
        text <= TEXT_WHOLE;
        answer <= '{done: 1'b0, previous: STOP_FIRING};
        if (entry_valid) begin
          state <= entry_code == ENTRY_CANCEL ? STOP : PREPARE;
          if (entry_code == ENTRY_ORDER && intent.valid) begin
            answer_valid <= 1'b1;
            state <= IDLE;
          end
        end
      end
      PREPARE: if (prepare_ready) state <= PREPARED;
      PREPARED:
      if (prepared) begin
        text <= prepared_text;
        state <= STOP;
        if (of_host || prepared_text != TEXT_WHOLE) begin
          answer <= '{done: prepared_text == TEXT_WHOLE, previous: STOP_EMPTY};
          answer_valid <= 1'b1;
          state <= IDLE;
        end
        if (of_host && prepared_text == TEXT_WHOLE) begin
          intent.valid <= 1'b1;
          intent.instrument <= entered.instrument;
        end
      end
      STOP: if (stop_ready) state <= STOPPED;
      default:
      if (stop_answer_valid) begin
        answer <= stop_answer;
        answer_valid <= 1'b1;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      {answer_valid, intent.valid} <= '0;
    end
  end
endmodule

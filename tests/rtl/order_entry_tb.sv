// order_entry with flat ports.
module order_entry_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
  import order_entry_pkg::*;
#(
    parameter int SLOTS = 8,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input  logic            entry_valid,
    output logic            entry_ready,
    input  logic [     1:0] entry_code,
    input  logic [Slot-1:0] entry_slot,
    input  logic [     1:0] entry_kind,
    input  logic            entry_limit,
    input  logic            entry_sell,
    input  logic [     7:0] entry_instrument,
    input  logic [    47:0] entry_trigger,
    input  logic [    47:0] entry_price,
    input  logic [    31:0] entry_quantity,
    input  logic [    31:0] entry_client_id,
    output logic            answer_valid,
    output logic            answer_done,
    output logic [     1:0] answer_previous,
    output logic [     1:0] answer_text,

    output logic        prepare_valid,
    input  logic        prepare_ready,
    output logic [ 8:0] prepare_handle,
    output logic [ 1:0] prepare_kind,
    output logic        prepare_limit,
    output logic        prepare_sell,
    output logic [ 7:0] prepare_instrument,
    output logic [47:0] prepare_price,
    output logic [31:0] prepare_quantity,
    output logic [31:0] prepare_client_id,
    output logic [35:0] prepare_original,
    output logic        prepare_collar,
    input  logic        prepared,
    input  logic [ 1:0] prepared_text,
    output logic        commit,

    output logic            stop_valid,
    input  logic            stop_ready,
    output logic [     1:0] stop_operation,
    output logic [Slot-1:0] stop_slot,
    output logic            stop_sell,
    output logic [     7:0] stop_instrument,
    output logic [    47:0] stop_trigger,
    input  logic            stop_answer_valid,
    input  logic            stop_answer_done,
    input  logic [     1:0] stop_answer_previous,

    output logic       intent_valid,
    input  logic       intent_ready,
    output logic [8:0] intent_handle,
    output logic [7:0] intent_instrument
);
  intent_if intent ();
  order_t order;
  stop_watch_t watch;
  stop_answer_t answer;
  text_answer_e text;
  stop_operation_e operation;

  assign intent_valid = intent.valid;
  assign intent_handle = intent.handle;
  assign intent_instrument = intent.instrument;
  assign intent.ready = intent_ready;
  assign {answer_done, answer_previous} = {answer.done, answer.previous};
  assign answer_text = text;
  assign stop_operation = operation;
  assign {stop_sell, stop_instrument, stop_trigger} = watch;
  assign prepare_kind = order.kind;
  assign prepare_limit = order.order_type;
  assign prepare_sell = order.side;
  assign prepare_instrument = order.instrument;
  assign prepare_price = order.price;
  assign prepare_quantity = order.quantity;
  assign prepare_client_id = order.client_id;

  order_entry #(
      .SLOTS(SLOTS)
  ) dut (
      .clk,
      .rst,
      .entry_valid,
      .entry_ready,
      .entry_code(entry_e'(entry_code)),
      .entry_slot,
      .entry('{
          kind: order_kind_e'(entry_kind),
          side: side_e'(entry_sell),
          order_type: order_type_e'(entry_limit),
          instrument: entry_instrument,
          trigger: entry_trigger,
          price: entry_price,
          quantity: entry_quantity,
          client_id: entry_client_id
      }),
      .answer_valid,
      .answer,
      .text,
      .prepare_valid,
      .prepare_ready,
      .prepare_handle,
      .prepare_order(order),
      .prepare_original,
      .prepare_collar,
      .prepared,
      .prepared_text(text_answer_e'(prepared_text)),
      .commit,
      .stop_valid,
      .stop_ready,
      .stop_operation(operation),
      .stop_slot,
      .stop_watch(watch),
      .stop_answer_valid,
      .stop_answer('{done: stop_answer_done, previous: stop_state_e'(stop_answer_previous)}),
      .intent(intent.src)
  );
endmodule

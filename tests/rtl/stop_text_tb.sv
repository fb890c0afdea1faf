// stop_text with flat ports.
module stop_text_tb
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 8,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input  logic            write_valid,
    output logic            write_ready,
    input  logic [     1:0] write_operation,
    input  logic [Slot-1:0] write_slot,
    input  logic [     1:0] write_kind,
    input  logic [    35:0] write_original,
    input  logic [    31:0] write_quantity,
    input  logic [    31:0] write_client_id,
    output logic            answer_valid,
    output logic            answer_done,
    output logic [     1:0] answer_previous,
    output logic [     1:0] answer_text,

    output logic          text_valid,
    input  logic          text_ready,
    output logic [Slot:0] text_index,
    output logic [   1:0] text_kind,
    output logic [  35:0] text_original,
    output logic [  31:0] text_quantity,
    input  logic          text_answer_valid,
    input  logic [   1:0] text_given,

    output logic            stop_valid,
    input  logic            stop_ready,
    output logic [     1:0] stop_operation,
    output logic [Slot-1:0] stop_slot,
    output logic [    31:0] stop_client_id,
    output logic [    31:0] stop_quantity,
    input  logic            stop_answer_valid,
    input  logic            stop_answer_done,
    input  logic [     1:0] stop_answer_previous,
    input  logic            send_waits,

    input logic          order_valid,
    input logic [Slot:0] order_text,
    input logic          busy,
    input logic [Slot:0] busy_text
);
  stop_t write_stop, stop;
  stop_answer_t answer;
  stop_operation_e operation;
  text_answer_e text_answer;
  text_fields_t fields;

  always_comb begin
    write_stop = '0;
    write_stop.kind = order_kind_e'(write_kind);
    write_stop.trigger = 48'(write_original);
    write_stop.quantity = write_quantity;
    write_stop.client_id = write_client_id;
  end
  assign answer_done = answer.done;
  assign answer_previous = answer.previous;
  assign answer_text = text_answer;
  assign text_kind = fields.kind;
  assign text_original = fields.original;
  assign text_quantity = fields.quantity;
  assign stop_operation = operation;
  assign stop_client_id = stop.client_id;
  assign stop_quantity = stop.quantity;

  stop_text #(
      .SLOTS(SLOTS)
  ) dut (
      .clk,
      .rst,
      .write_valid,
      .write_ready,
      .write_operation(stop_operation_e'(write_operation)),
      .write_slot,
      .write_stop,
      .answer_valid,
      .answer,
      .text_answer,
      .text_valid,
      .text_ready,
      .text_index,
      .text_fields(fields),
      .text_answer_valid,
      .text_given(text_answer_e'(text_given)),
      .stop_valid,
      .stop_ready,
      .stop_operation(operation),
      .stop_slot,
      .stop,
      .stop_answer_valid,
      .stop_answer('{done: stop_answer_done, previous: stop_state_e'(stop_answer_previous)}),
      .send_waits,
      .order_valid,
      .order_text,
      .busy,
      .busy_text
  );
endmodule

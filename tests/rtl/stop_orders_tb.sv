// stop_orders with plain ports.
module stop_orders_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int AT_ONCE = SLOTS
) (
    input logic clk,
    input logic rst,

    input logic        event_valid,
    input logic [ 7:0] event_instrument,
    input logic [48:0] event_price,

    input  logic                     write_valid,
    output logic                     write_ready,
    input  logic [              1:0] write_operation,
    input  logic [$clog2(SLOTS)-1:0] write_slot,
    input  logic [              1:0] write_kind,
    input  logic                     write_sell,
    input  logic                     write_limit,
    input  logic [              7:0] write_instrument,
    input  logic [             47:0] write_trigger,
    input  logic [             47:0] write_price,
    input  logic [             31:0] write_quantity,
    input  logic [             31:0] write_client_id,
    output logic                     answer_valid,
    output logic                     answer_done,
    output logic [              1:0] answer_previous,

    output logic                     request_valid,
    input  logic                     request_ready,
    output logic [              1:0] request_kind,
    output logic                     request_limit,
    output logic                     request_sell,
    output logic [              7:0] request_instrument,
    output logic [             47:0] request_price,
    output logic [             31:0] request_quantity,
    output logic [             31:0] request_client_id,
    output logic [             63:0] request_notional,
    output logic [$clog2(SLOTS)-1:0] request_slot,
    output logic                     request_by_host,
    output logic                     send_waits,
    output logic                     next_valid,
    output logic [              7:0] next_instrument,
    output logic [  $clog2(SLOTS):0] armed_count
);
  order_request_t request;
  stop_answer_t   answer;

  assign {answer_done, answer_previous} = {answer.done, answer.previous};
  assign request_kind = request.order.kind;
  assign request_limit = request.order.order_type;
  assign request_sell = request.order.side;
  assign request_instrument = request.order.instrument;
  assign request_price = request.order.price;
  assign request_quantity = request.order.quantity;
  assign request_client_id = request.order.client_id;
  assign request_notional = request.notional;
  assign request_by_host = request.by_host;

  stop_orders #(
      .SLOTS(SLOTS),
      .AT_ONCE(AT_ONCE)
  ) dut (
      .clk,
      .rst,
      .event_valid,
      .event_instrument,
      .event_price,
      .write_valid,
      .write_ready,
      .write_operation(stop_operation_e'(write_operation)),
      .write_slot,
      .write_stop('{
          kind: order_kind_e'(write_kind),
          side: side_e'(write_sell),
          order_type: order_type_e'(write_limit),
          instrument: write_instrument,
          trigger: write_trigger,
          price: write_price,
          quantity: write_quantity,
          client_id: write_client_id
      }),
      .answer_valid,
      .answer,
      .request_valid,
      .request_ready,
      .request,
      .request_slot,
      .next_valid,
      .next_instrument,
      .send_waits,
      .armed_count
  );
endmodule

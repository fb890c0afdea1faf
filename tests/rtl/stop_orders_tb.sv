// stop_orders with plain ports.
module stop_orders_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int GROUP = SLOTS / 4,
    parameter bit REGISTERED = 1'b0
) (
    input logic clk,
    input logic rst,

    input  logic               event_valid,
    output logic               event_ready,
    input  logic        [ 7:0] event_instrument,
    input  logic signed [48:0] event_price,

    input  logic                            write_valid,
    output logic                            write_ready,
    input  logic        [              1:0] write_operation,
    input  logic        [$clog2(SLOTS)-1:0] write_slot,
    input  logic                            write_sell,
    input  logic        [              7:0] write_instrument,
    input  logic signed [             47:0] write_trigger,
    output logic                            answer_valid,
    output logic                            answer_done,
    output logic        [              1:0] answer_previous,

    output logic                     intent_valid,
    input  logic                     intent_ready,
    output logic                     intent_soon,
    output logic [$clog2(SLOTS)-1:0] intent_slot,
    output logic [              7:0] intent_instrument,
    output logic [  $clog2(SLOTS):0] armed_count
);
  stop_answer_t answer;
  intent_if intent ();

  assign {answer_done, answer_previous} = {answer.done, answer.previous};
  assign intent_valid = intent.valid;
  assign intent_soon = intent.soon;
  assign intent_slot = intent.handle[$clog2(SLOTS)-1:0];
  assign intent_instrument = intent.instrument;
  assign intent.ready = intent_ready;

  stop_orders #(
      .SLOTS(SLOTS),
      .GROUP(GROUP),
      .REGISTERED(REGISTERED)
  ) dut (
      .clk,
      .rst,
      .event_valid,
      .event_ready,
      .event_instrument,
      .event_price,
      .write_valid,
      .write_ready,
      .write_operation(stop_operation_e'(write_operation)),
      .write_slot,
      .write_watch('{side: side_e'(write_sell), instrument: write_instrument, trigger: write_trigger}),
      .answer_valid,
      .answer,
      .intent(intent.src),
      .armed_count
  );
endmodule

// The strategy processor with plain ports.
module processor_tb
  import processor_pkg::*;
#(
    parameter int DEPTH = 16
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         event_valid,
    output logic         event_ready,
    input  logic [  1:0] event_handler,
    input  logic [703:0] event_inputs,
    output logic         done,
    output logic         intent_valid,
    input  logic         intent_ready,
    output logic [  1:0] intent_kind,
    output logic         intent_fits,
    output logic [ 31:0] intent_order,
    output logic [  2:0] intent_time_in_force,
    output logic         intent_limit,
    output logic         intent_sell,
    output logic [  7:0] intent_instrument,
    output logic [ 47:0] intent_price,
    output logic [ 31:0] intent_quantity,
    output logic         level_valid,
    output logic         level_sell,
    output logic [  3:0] level_number,
    input  logic         level_answered,
    input  logic [191:0] level,
    output logic         record_value_valid,
    output logic [ 63:0] record_value,
    output logic         record_valid,
    output logic [  7:0] record_tag,
    output logic         fault_division,
    output logic         fault_index,
    output logic         fault_intents,
    output logic         stopped,
    input  logic         hold,
    output logic         held,
    input  logic         load,
    input  logic [  1:0] load_what,
    input  logic [  9:0] load_address,
    input  logic [ 63:0] load_value,
    input  logic [  8:0] look,
    output logic [ 63:0] looked
);
  processor_intent_t intent;
  value_t record_number, looked_number;

  strategy_processor #(
      .DEPTH(DEPTH)
  ) processor (
      .clk,
      .rst,
      .event_valid,
      .event_ready,
      .event_handler(handler_e'(event_handler)),
      .event_inputs(event_inputs),
      .done,
      .intent_valid,
      .intent_ready,
      .intent,
      .level_valid,
      .level_sell,
      .level_number,
      .level_answered,
      .level(level),
      .record_value_valid,
      .record_value(record_number),
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .hold,
      .held,
      .load,
      .load_what(processor_load_e'(load_what)),
      .load_address,
      .load_value(load_value),
      .look,
      .looked(looked_number)
  );

  assign record_value = record_number;
  assign looked = looked_number;
  assign intent_kind = intent.kind;
  assign {intent_fits, intent_limit, intent_sell} = {intent.fits, intent.limit, intent.sell};
  assign {intent_order, intent_time_in_force} = {intent.order, intent.time_in_force};
  assign {intent_instrument, intent_price, intent_quantity} = {intent.instrument, intent.price, intent.quantity};
endmodule

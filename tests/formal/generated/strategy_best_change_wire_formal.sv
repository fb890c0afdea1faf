// Proves that the wire target of the strategy BestChange does what its reference does (language_check), written by
// verify/language_formal: do not edit, change the strategy.
module strategy_best_change_wire_formal
  import processor_pkg::*;
  import reference_pkg::*;
(
    input logic clk,
    input logic any_valid,
    input handler_e any_handler,
    input value_t [EventInputs-1:0] any_inputs,
    input logic any_ready,
    input logic any_hold,
    input logic any_load,
    input logic any_control,
    input place_t any_address,
    input value_t any_value
);
  logic event_valid, event_ready, done, intent_valid, hold, load, control, held, fits, idle, consistent;
  logic level_valid, level_sell, record_value_valid, record_valid, fault_division, fault_index, fault_intents, stopped;
  logic [3:0] level_number;
  logic [7:0] record_tag;
  processor_intent_t intent;
  handler_e handler;
  value_t [EventInputs-1:0] inputs;
  place_t load_address;
  value_t record_value, looked, orders, orders_before, orders_after;
  outcome_t outcome;
  value_t [0:0] words, state_before, state_after;
  value_t [1:0] parameters_held, parameters, parameters_now;
  value_t [1:0] positions_held, positions;

  strategy_best_change dut (
      .clk,
      .rst(1'b0),
      .event_valid,
      .event_ready,
      .event_handler(any_handler),
      .event_inputs(any_inputs),
      .done,
      .intent_valid,
      .intent_ready(any_ready),
      .intent,
      .level_valid,
      .level_sell,
      .level_number,
      .level_answered(1'b0),
      .level('0),
      .record_value_valid,
      .record_value,
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .hold,
      .held,
      .load,
      .load_what(control ? LOAD_CONTROL : LOAD_DATA),
      .load_address,
      .load_value(any_value),
      .look('0),
      .looked
  );

  strategy_best_change_reference reference (
      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .state_after,
      .orders_after,
      .outcome
  );

  language_check #(
      .PARAMETERS(2),
      .LOADED(2),
      .INSTRUMENTS(2),
      .WORDS(1),
      .LATEST(8),
      .MOST(1),
      .RECORDS(0),
      .FAULTS(1'b0),
      .CHANGES(1'b1)
  ) check (
      .clk,
      .any_valid,
      .any_handler,
      .any_inputs,
      .any_ready,
      .any_hold,
      .any_load,
      .any_control,
      .any_address,
      .any_value,
      .event_valid,
      .event_ready,
      .done,
      .intent_valid,
      .intent,
      .level_valid,
      .record_value_valid,
      .record_value,
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .stops(dut.stops),
      .held,
      .hold,
      .load,
      .control,
      .load_address,
      .idle,
      .consistent,
      .fits,
      .words,
      .orders,
      .parameters_held,
      .positions_held,
      .handler,
      .inputs,
      .parameters,
      .positions,
      .parameters_now,
      .state_before,
      .orders_before,
      .state_after,
      .orders_after,
      .outcome
  );

  assign orders = dut.orders;
  assign parameters_held[0] = dut.parameter_instrument;
  assign parameters_held[1] = dut.parameter_size;
  assign positions_held[0] = dut.positions[0];
  assign positions_held[1] = dut.positions[1];
  assign words[0] = dut.state_last;
  assign fits = 1'b1;
  assign consistent = 1'b1;
  assign idle = !dut.running &&
      !dut.left &&
      !dut.ended &&
      !dut.done &&
      dut.division_faults.left == '0 &&
      dut.index_faults.left == '0 &&
      dut.intents_faults.left == '0 &&
      dut.intents.left == '0 &&
      dut.records.left == '0 &&
      dut.record_at == '0 &&
      dut.book_stage == '0 && dut.book_new == '0;
endmodule

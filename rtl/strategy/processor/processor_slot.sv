// The strategy processor with the interface of the slot.
//
// Latency, throughput, overflow: those of strategy_processor. No parameters.
module processor_slot (
    input logic            clk,
    input logic            rst,
    program_if.program_side slot
);
  processor_pkg::value_t looked;

  strategy_processor processor (
      .clk,
      .rst,
      .event_valid(slot.event_valid),
      .event_ready(slot.event_ready),
      .event_handler(slot.event_handler),
      .event_inputs(slot.event_inputs),
      .done(slot.done),
      .intent_valid(slot.intent_valid),
      .intent_ready(slot.intent_ready),
      .intent(slot.intent),
      .level_valid(slot.level_valid),
      .level_sell(slot.level_sell),
      .level_number(slot.level_number),
      .level_answered(slot.level_answered),
      .level(slot.level),
      .record_value_valid(slot.record_value_valid),
      .record_value(slot.record_value),
      .record_valid(slot.record_valid),
      .record_tag(slot.record_tag),
      .fault_division(slot.fault_division),
      .fault_index(slot.fault_index),
      .fault_intents(slot.fault_intents),
      .stopped(slot.stopped),
      .hold(slot.hold),
      .held(slot.held),
      .load(slot.load),
      .load_what(slot.load_what),
      .load_address(slot.load_address),
      .load_value(slot.load_value),
      .look('0),
      .looked
  );

  logic unused;
  assign unused = &{1'b0, looked};
endmodule

// Between the slot and a strategy: the events that it gets, what it asks for, its words. The same for the processor (strategy/processor), for a module that
// crates/language_module has written, and for one written by hand.
//
// An event goes where `event_valid` and `event_ready` are both high; its handler is over with `done`. What it asks for stays until `intent_ready`. Neither
// `ready` depends on its `valid` in the same cycle. `load` comes only while `held`.
interface program_if;
  import processor_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // a slot does not use all of it yet
  logic                     event_valid;
  logic                     event_ready;
  handler_e                 event_handler;
  value_t [EventInputs-1:0] event_inputs;
  logic                     done;               // pulse

  logic                     intent_valid;
  logic                     intent_ready;
  processor_intent_t              intent;

  logic                     level_valid;        // stays until the answer
  logic                     level_sell;
  logic               [3:0] level_number;
  logic                     level_answered;
  value_t             [2:0] level;              // price, quantity, orders

  logic                     record_value_valid;
  value_t                   record_value;
  logic                     record_valid;       // after its values
  logic               [7:0] record_tag;

  logic                     fault_division;     // pulses
  logic                     fault_index;
  logic                     fault_intents;
  logic                     stopped;            // a fault has stopped it

  logic                     hold;               // no handler begins
  logic                     held;               // and none runs
  logic                     load;
  processor_load_e                load_what;
  place_t                   load_address;
  value_t                   load_value;
  /* verilator lint_on UNUSEDSIGNAL */

  modport slot(
      output event_valid, event_handler, event_inputs, intent_ready, level_answered, level,
      output hold, load, load_what, load_address, load_value,
      input event_ready, done, intent_valid, intent, level_valid, level_sell, level_number,
      input record_value_valid, record_value, record_valid, record_tag, fault_division, fault_index, fault_intents, stopped, held
  );
  modport program_side(
      input event_valid, event_handler, event_inputs, intent_ready, level_answered, level,
      input hold, load, load_what, load_address, load_value,
      output event_ready, done, intent_valid, intent, level_valid, level_sell, level_number,
      output record_value_valid, record_value, record_valid, record_tag, fault_division, fault_index, fault_intents, stopped, held
  );
endinterface

// Compares a target of the strategy language with its reference, event by event. The target begins at rest, with any state, parameters
// and positions; then the host loads any parameters and positions whenever the target is held, any events come, and intents wait for as
// long as they have to. The reference (combinational) is given the event, and what state, parameters and positions were when it was taken.
// Then
//
//   - each intent that leaves is the reference's next one, and in the end all have left; none does if a fault stops the strategy, or did
//     before;
//   - each record is the reference's next one, and all are told;
//   - there were as many faults of each kind, and the strategy has stopped if it should;
//   - the cycle after `done`, the state and the number of orders are the reference's;
//   - an event takes at most LATEST cycles, without those in which an intent waits;
//   - at rest, the target is again as it was assumed to be at the begin (`idle`, `consistent`). So what holds for an event holds for all
//     after it.
module language_check
  import processor_pkg::*;
  import reference_pkg::*;
#(
    parameter int PARAMETERS = 1,  // words, at least 1
    parameter int LOADED = 1,      // parameters that there are
    parameter int INSTRUMENTS = 2,
    parameter int WORDS = 1,
    parameter int LATEST = 16,
    parameter int MOST = 1,        // intents of an event
    parameter int RECORDS = 0,
    parameter bit FAULTS = 1'b0,   // there may be some
    parameter bit CHANGES = 1'b1   // the state may change
) (
    input logic clk,

    // Anything.
    input logic any_valid,
    input handler_e any_handler,
    input value_t [EventInputs-1:0] any_inputs,
    input logic any_ready,
    input logic any_hold,
    input logic any_load,
    input logic any_control,  // what is loaded is whether a fault stops the strategy
    input place_t any_address,
    input value_t any_value,

    // The target.
    output logic event_valid,
    input logic event_ready,
    input logic done,
    input logic intent_valid,
    input processor_intent_t intent,
    input logic level_valid,
    input logic record_value_valid,
    input value_t record_value,
    input logic record_valid,
    input logic [7:0] record_tag,
    input logic fault_division,
    input logic fault_index,
    input logic fault_intents,
    input logic stopped,
    input logic stops,
    input logic held,
    output logic hold,
    output logic load,
    output logic control,
    output place_t load_address,
    input logic idle,  // nothing runs in it
    input logic consistent,  // its state is one that it may have: a bool is 0 or 1, the sum of a ring is that of its values
    input logic fits,  // so are the parameters
    input value_t [WORDS-1:0] words,
    input value_t orders,
    input value_t [PARAMETERS-1:0] parameters_held,
    input value_t [INSTRUMENTS-1:0] positions_held,

    // The reference.
    output handler_e handler,
    output value_t [EventInputs-1:0] inputs,
    output value_t [PARAMETERS-1:0] parameters,
    output value_t [INSTRUMENTS-1:0] positions,
    output value_t [PARAMETERS-1:0] parameters_now,
    output value_t [WORDS-1:0] state_before,
    output value_t orders_before,
    input value_t [WORDS-1:0] state_after,
    input value_t orders_after,
    input outcome_t outcome
);
  logic started = 1'b0;
  always_ff @(posedge clk) started <= 1'b1;
  logic busy = 1'b0;  // from the cycle after the event to `done`
  logic over = 1'b0;  // the cycle after `done`

  // ---- parameters and positions: as the host has loaded them ----------------------------------------------

  value_t [INSTRUMENTS-1:0] positions_now;
  logic loaded;
  logic stops_now, stopped_now;
  assign hold = any_hold;
  assign load = any_load && held && !busy && !over;
  assign control = any_control;
  assign load_address = any_address;
  assign event_valid = any_valid;
  always_ff @(posedge clk) begin
    for (int i = LOADED; i < PARAMETERS; i++) parameters_now[i] <= '0;
    if (over) stopped_now <= stopped;
    if (load && control) {stops_now, stopped_now} <= {any_value[0], 1'b0};
    if (load && !control) begin
      loaded <= 1'b1;
      for (int i = 0; i < LOADED; i++) if (load_address == PlaceWidth'(i)) parameters_now[i] <= any_value;
      for (int i = 0; i < INSTRUMENTS; i++) if (load_address == PlaceWidth'(LOADED + i)) positions_now[i] <= any_value;
    end
  end

  // ---- the event -------------------------------------------------------------------------------------------

  logic taken, leaves, was_stopped, stalled;
  logic [2:0] sent, told, told_values;
  logic [7:0] division_faults, index_faults, intent_faults;
  logic [7:0] cycles;
  logic [1:0] events = '0;
  outcome_t due;
  logic faulty;

  assign taken = event_valid && event_ready;
  assign leaves = intent_valid && any_ready;

  always_ff @(posedge clk) begin
    busy <= taken || (busy && !done);
    over <= done;
    if (done && events != '1) events <= events + 1'b1;
    if (taken) begin
      {handler, inputs, parameters, positions} <= {any_handler, any_inputs, parameters_now, positions_now};
      {state_before, orders_before, was_stopped} <= {words, orders, stopped};
      {sent, told, told_values, division_faults, index_faults, intent_faults, cycles, stalled} <= '0;
    end else begin
      sent <= sent + 3'(leaves);
      if (record_value_valid) told_values <= told_values + 1'b1;
      if (record_valid) {told, told_values} <= {told + 3'd1, 3'd0};
      division_faults <= division_faults + 8'(fault_division);
      index_faults <= index_faults + 8'(fault_index);
      intent_faults <= intent_faults + 8'(fault_intents);
      if (!intent_valid || any_ready) cycles <= done ? '0 : cycles + 1'b1;
      if (intent_valid && !any_ready) stalled <= 1'b1;
    end
  end

  // ---- what is due ------------------------------------------------------------------------------------------

  assign faulty = outcome.division_faults != '0 || outcome.index_faults != '0 || outcome.intent_faults != '0;
  always_comb begin
    due = outcome;
    if (stops && faulty) due.count = '0;
    if (was_stopped) due = '0;
  end

  always_comb begin
    if (!started) begin
      assume (idle);
      assume (stops_now == stops && stopped_now == stopped);
      assume (!loaded);
      assume (consistent);
      assume (parameters_now == parameters_held && positions_now == positions_held);
    end
    if (taken) assume (orders >= 0 && orders < 64'sh7fff_ffff);
    if (taken) assume (fits && consistent);
    assume (fits);
    assume (!any_control || !any_value[1]);  // the state is not set back
    assume (!any_load || any_address < PlaceWidth'(LOADED + INSTRUMENTS));
    // `tradable`, `changed` and a side are 0 or 1.
    assume (any_inputs[4][63:1] == '0);
    assume (any_handler != HANDLER_BOOK || any_inputs[3][63:1] == '0);

    if (started) begin
      assert (!taken || !busy);
      assert (!done || busy);
      assert (!level_valid);
      assert (!intent_valid || busy || over);
      if (intent_valid) assert (sent < due.count && intent == due.intents[sent[1:0]]);
      if (record_value_valid) begin
        assert (busy && told < due.record_count && told_values < due.records[told[0]].count);
        assert (record_value == due.records[told[0]].values[told_values]);
      end
      if (record_valid) begin
        assert (busy && told < due.record_count && told_values == due.records[told[0]].count && record_tag == due.records[told[0]].tag);
      end
      assert (busy || !(fault_division || fault_index || fault_intents));
      assert (cycles <= 8'(LATEST) || !busy);
      if (over) begin
        assert (words == (was_stopped ? state_before : state_after));
        assert (orders == (was_stopped ? orders_before : orders_after));
        assert (division_faults == due.division_faults && index_faults == due.index_faults && intent_faults == due.intent_faults);
        assert (told == due.record_count && told_values == '0);
        assert (stopped == (was_stopped || (stops && faulty)));
        assert (sent == due.count);
      end
      if (!busy) begin
        assert (idle && consistent);
        assert (over || (stops == stops_now && stopped == stopped_now));
        assert (parameters_held == parameters_now && positions_held == positions_now);
      end
    end
  end

  // ---- what is reached --------------------------------------------------------------------------------------

  always_comb begin
    if (started) begin
      cover (over && loaded && !was_stopped);
      cover (over && was_stopped);
    end
  end
  always_comb cover (over && events == 2'd2 && !was_stopped && state_before != words);
  if (MOST != 0) begin : gen_intents
    always_comb cover (leaves && sent == 3'(MOST - 1) && stalled);
  end
  if (RECORDS != 0) begin : gen_records
    always_comb cover (over && told == 3'(RECORDS));
  end
  if (FAULTS) begin : gen_faults
    always_comb cover (over && faulty && !was_stopped && stops);
    always_comb cover (over && faulty && !was_stopped && !stops);
  end
  if (CHANGES) begin : gen_changes
    always_comb cover (over && words != state_before);
  end
endmodule

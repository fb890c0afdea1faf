// The strategy EachInstrument, written by crates/language_module: do not edit, change the strategy.
//
//   event ─ inputs ─ stages, one after the other ─ intents, records ─ state
//
// Latency, event to first intent, cycles: trade 3. Throughput: one event at a time. Parameter: LOOK, whether `looked` shows the
// words of the state. Overflow: none, events wait.
module strategy_each_instrument
  import processor_pkg::*;
#(
    parameter bit LOOK = 1'b0
) (
    input logic clk,
    input logic rst,

    input  logic       event_valid,
    output logic       event_ready,
    input  handler_e   event_handler,
    input  value_t [EventInputs-1:0] event_inputs,
    output logic       done,

    output logic        intent_valid,
    input  logic        intent_ready,
    output processor_intent_t intent,

    output logic        level_valid,
    output logic        level_sell,
    output logic [3:0]  level_number,
    input  logic        level_answered,
    input  value_t [2:0] level,

    output logic        record_value_valid,
    output value_t      record_value,
    output logic        record_valid,
    output logic [7:0]  record_tag,

    output logic fault_division,
    output logic fault_index,
    output logic fault_intents,
    output logic stopped,

    input  logic      hold,
    output logic      held,
    input  logic      load,
    input  processor_load_e load_what,
    input  place_t    load_address,
    input  value_t    load_value,
    input  address_t  look,
    output value_t    looked
);
  // ---- parameters, state, positions

  value_t parameter_most;
  value_t state_highest[2];
  value_t positions[2];
  value_t orders;

  // ---- the event

  logic running, stops, begins, finish, any_fault;
  handler_e handler;
  value_t [EventInputs-1:0] inputs;

  assign event_ready = !running && !hold && !done;
  assign held = hold && !running;

  // ---- on_trade

  logic [1:0] trade_stage, trade_new, trade_go;

  assign trade_go[0] = trade_stage[0];
  assign trade_go[1] = trade_stage[1];

  // stage 0
  logic trade_8;
  logic trade_9;
  logic trade_10;
  logic trade_11, trade_11_r;
  value_t trade_12;
  value_t trade_13, trade_13_r;
  logic trade_17;
  value_t trade_18, trade_18_r;
  logic trade_19;
  value_t trade_20, trade_20_r;
  value_t trade_21;
  value_t trade_22, trade_22_r;
  value_t trade_28, trade_28_r;
  // 11: if trade.price > self.highest[trade.instrument]:
  assign trade_8 = inputs[2] >= 64'sd0;
  assign trade_9 = inputs[2] < 64'sd2;
  assign trade_10 = trade_8 & trade_9;
  assign trade_11 = !trade_10;
  assign trade_12 = state_highest[1'(inputs[2])];
  assign trade_13 = trade_10 ? trade_12 : 64'sd0;
  // 12: self.highest[trade.instrument] = trade.price
  assign trade_17 = inputs[2] == 64'sd0;
  assign trade_18 = trade_17 ? inputs[5] : state_highest[0];
  assign trade_19 = inputs[2] == 64'sd1;
  assign trade_20 = trade_19 ? inputs[5] : state_highest[1];
  // 13: if self.position(trade.instrument) < self.most:
  assign trade_21 = positions[8'(inputs[2])];
  assign trade_22 = trade_10 ? trade_21 : 64'sd0;
  // 14: self.sell(trade.instrument, trade.price, trade.quantity)
  assign trade_28 = orders + 64'sd1;
  always_ff @(posedge clk) begin
    if (trade_stage[0]) begin
      trade_11_r <= trade_11;
      trade_13_r <= trade_13;
      trade_18_r <= trade_18;
      trade_20_r <= trade_20;
      trade_22_r <= trade_22;
      trade_28_r <= trade_28;
    end
  end

  // stage 1
  logic trade_14;
  logic trade_16, trade_16_r;
  logic trade_24;
  logic trade_26, trade_26_r;
  value_t trade_32;
  value_t trade_34, trade_34_r;
  value_t trade_35, trade_35_r;
  value_t trade_36, trade_36_r;
  // 11: if trade.price > self.highest[trade.instrument]:
  assign trade_14 = inputs[5] > trade_13_r;
  // 12: self.highest[trade.instrument] = trade.price
  assign trade_16 = trade_14 & trade_11_r;
  // 13: if self.position(trade.instrument) < self.most:
  assign trade_24 = trade_22_r < parameter_most;
  assign trade_26 = trade_14 & trade_24;
  assign trade_32 = trade_24 ? trade_28_r : orders;
  // 11: if trade.price > self.highest[trade.instrument]:
  assign trade_34 = trade_14 ? trade_18_r : state_highest[0];
  assign trade_35 = trade_14 ? trade_20_r : state_highest[1];
  assign trade_36 = trade_14 ? trade_32 : orders;
  always_ff @(posedge clk) begin
    if (trade_stage[1]) begin
      trade_16_r <= trade_16;
      trade_26_r <= trade_26;
      trade_34_r <= trade_34;
      trade_35_r <= trade_35;
      trade_36_r <= trade_36;
    end
  end

  always_ff @(posedge clk) begin
    trade_new <= {trade_go[0:0], begins && event_handler == HANDLER_TRADE} & {2{!rst}};
    trade_stage <= ({trade_go[0:0], begins && event_handler == HANDLER_TRADE} | (trade_stage & ~trade_go)) & {2{!rst}};
  end

  assign {level_valid, level_sell, level_number} = '0;

  // ---- what leaves

  logic leaves, ends;  // all is known that leaves; the state too
  assign leaves = trade_go[1];
  assign ends = trade_go[1];

  logic [0:0] division_faults_first;
  logic division_faults_any;
  one_by_one #(
      .N(1)
  ) division_faults (
      .clk,
      .rst,
      .load(leaves),
      .mask(1'b0),
      .take(1'b1),
      .first(division_faults_first),
      .any(division_faults_any)
  );
  assign fault_division = division_faults_any;

  logic [2:0] index_faults_first;
  logic index_faults_any;
  one_by_one #(
      .N(3)
  ) index_faults (
      .clk,
      .rst,
      .load(leaves),
      .mask({(trade_go[1] && trade_16), (trade_go[1] && trade_16), (trade_go[1] && trade_11_r)}),
      .take(1'b1),
      .first(index_faults_first),
      .any(index_faults_any)
  );
  assign fault_index = index_faults_any;

  logic [0:0] intents_faults_first;
  logic intents_faults_any;
  one_by_one #(
      .N(1)
  ) intents_faults (
      .clk,
      .rst,
      .load(leaves),
      .mask(1'b0),
      .take(1'b1),
      .first(intents_faults_first),
      .any(intents_faults_any)
  );
  assign fault_intents = intents_faults_any;

  assign any_fault = (trade_go[1] && trade_11_r) || (trade_go[1] && trade_16) || (trade_go[1] && trade_16);

  logic [0:0] intents_first;
  logic intents_any;
  one_by_one #(
      .N(1)
  ) intents (
      .clk,
      .rst,
      .load(leaves),
      .mask({trade_go[1] && trade_26 && 64'sd0 < 4 && !(stops && any_fault)}),
      .take(intent_ready),
      .first(intents_first),
      .any(intents_any)
  );
  assign intent_valid = intents_any;
  always_comb begin
    intent = '0;
    if (intents_first[0]) intent = narrowed(INTENT_NEW, trade_28_r, 3'd0, 1'b1, 1'b1, inputs[2], inputs[5], inputs[6]);
  end

  logic [2:0] record_at, record_length;
  logic record_ends;
  logic [0:0] records_first;
  logic records_any;
  one_by_one #(
      .N(1)
  ) records (
      .clk,
      .rst,
      .load(leaves),
      .mask(1'b0),
      .take(record_ends),
      .first(records_first),
      .any(records_any)
  );
  assign record_ends = records_any && record_at == record_length;
  assign record_valid = record_ends;
  assign record_value_valid = records_any && !record_ends;
  always_ff @(posedge clk) record_at <= rst || record_ends || !records_any ? '0 : record_at + 1'b1;
  always_comb begin
    record_length = '0;
    record_tag = '0;
    record_value = '0;
  end

  // ---- the state

  assign begins = event_valid && event_ready && !stopped && (event_handler == HANDLER_TRADE);
  logic left, ended;
  assign finish = left && ended && !intents_any && !records_any && !division_faults_any && !index_faults_any && !intents_faults_any;

  always_ff @(posedge clk) begin
    if (begins) {running, handler, inputs} <= {1'b1, event_handler, event_inputs};
    left <= (leaves || (left && !finish)) && !rst;
    ended <= (ends || (ended && !finish)) && !rst;
    done <= (finish || (event_valid && event_ready && !begins)) && !rst;
    if (finish) running <= 1'b0;
    if (leaves && stops && any_fault) stopped <= 1'b1;
    if (finish && handler == HANDLER_TRADE) begin
      state_highest[0] <= trade_34_r;
      state_highest[1] <= trade_35_r;
      orders <= trade_36_r;
    end
    if (load && load_what == LOAD_DATA) begin
      if (load_address == 0) parameter_most <= load_value;
      for (int i = 0; i < 2; i++) if (load_address == PlaceWidth'(1 + i)) positions[i] <= load_value;
    end
    if (load && load_what == LOAD_CONTROL) {stopped, stops} <= {1'b0, load_value[0]};
    if (rst || (load && load_what == LOAD_CONTROL && load_value[1])) begin
      orders <= '0;
      for (int i = 0; i < 2; i++) state_highest[i] <= 64'sd0;
    end
    if (rst) {running, stops, stopped} <= '0;
  end

  if (LOOK) begin : gen_look
    always_ff @(posedge clk) begin
      unique case (look)
        0: looked <= state_highest[0];
        1: looked <= state_highest[1];
        default: looked <= '0;
      endcase
    end
  end else begin : gen_no_look
    assign looked = '0;
  end

  logic unused;
  assign unused = &{1'b0, look, level, level_answered, load_address, inputs, positions[0], stops, any_fault};
endmodule

// The strategy Tells, written by crates/language_module: do not edit, change the strategy.
//
//   event ─ inputs ─ stages, one after the other ─ intents, records ─ state
//
// Latency, event to first intent, cycles: book 3, order 2. Throughput: one event at a time. Parameter: LOOK, whether `looked` shows the
// words of the state. Overflow: none, events wait.
module strategy_tells
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

  value_t state_seen;
  value_t positions[2];
  value_t orders;

  // ---- the event

  logic running, stops, begins, finish, any_fault;
  handler_e handler;
  value_t [EventInputs-1:0] inputs;

  assign event_ready = !running && !hold && !done;
  assign held = hold && !running;

  // ---- on_book

  logic [1:0] book_stage, book_new, book_go;

  assign book_go[0] = book_stage[0];
  assign book_go[1] = book_stage[1];
  always_comb begin
    {level_sell, level_number} = '0;
  end
  assign level_valid = 1'b0;

  // stage 0
  value_t book_4, book_4_r;
  value_t book_9, book_9_r;
  // 10: self.seen += 1
  assign book_4 = state_seen + 64'sd1;
  // 12: self.emit(3, self.seen, book.bid.orders - book.ask.orders, -self.seen)
  assign book_9 = inputs[7] - inputs[10];
  always_ff @(posedge clk) begin
    if (book_stage[0]) begin
      book_4_r <= book_4;
      book_9_r <= book_9;
    end
  end

  // stage 1
  value_t book_10, book_10_r;
  // 12: self.emit(3, self.seen, book.bid.orders - book.ask.orders, -self.seen)
  assign book_10 = -book_4_r;
  always_ff @(posedge clk) begin
    if (book_stage[1]) begin
      book_10_r <= book_10;
    end
  end

  always_ff @(posedge clk) begin
    book_new <= {book_go[0:0], begins && event_handler == HANDLER_BOOK} & {2{!rst}};
    book_stage <= ({book_go[0:0], begins && event_handler == HANDLER_BOOK} | (book_stage & ~book_go)) & {2{!rst}};
  end

  // ---- on_order

  logic [0:0] order_stage, order_new, order_go;

  assign order_go[0] = order_stage[0];

  // stage 0
  logic order_5, order_5_r;
  logic order_8;
  value_t order_12, order_12_r;
  // 16: if report.reason != 0:
  assign order_5 = inputs[9] != 64'sd0;
  // 17: self.emit(255, report.reason, self.seen if report.reason > 5 else 0)
  assign order_8 = inputs[9] > 64'sd5;
  assign order_12 = order_8 ? state_seen : 64'sd0;
  always_ff @(posedge clk) begin
    if (order_stage[0]) begin
      order_5_r <= order_5;
      order_12_r <= order_12;
    end
  end

  always_ff @(posedge clk) begin
    order_new <= {begins && event_handler == HANDLER_ORDER} & {1{!rst}};
    order_stage <= ({begins && event_handler == HANDLER_ORDER} | (order_stage & ~order_go)) & {1{!rst}};
  end

  // ---- what leaves

  logic leaves, ends;  // all is known that leaves; the state too
  assign leaves = book_go[1] || order_go[0];
  assign ends = book_go[1] || order_go[0];

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

  logic [0:0] index_faults_first;
  logic index_faults_any;
  one_by_one #(
      .N(1)
  ) index_faults (
      .clk,
      .rst,
      .load(leaves),
      .mask(1'b0),
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

  assign any_fault = 1'b0;

  logic [0:0] intents_first;
  logic intents_any;
  one_by_one #(
      .N(1)
  ) intents (
      .clk,
      .rst,
      .load(leaves),
      .mask(1'b0),
      .take(intent_ready),
      .first(intents_first),
      .any(intents_any)
  );
  assign intent_valid = intents_any;
  always_comb begin
    intent = '0;
  end

  logic [2:0] record_at, record_length;
  logic record_ends;
  logic [2:0] records_first;
  logic records_any;
  one_by_one #(
      .N(3)
  ) records (
      .clk,
      .rst,
      .load(leaves),
      .mask({order_go[0] && order_5, book_go[1] && 1'b1, book_go[1] && inputs[3][0]}),
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
    if (records_first[0]) begin
      record_length = 3'd3;
      record_tag = 8'd3;
      if (record_at == 3'd0) record_value = book_4_r;
      if (record_at == 3'd1) record_value = book_9_r;
      if (record_at == 3'd2) record_value = book_10_r;
    end
    if (records_first[1]) begin
      record_length = 3'd0;
      record_tag = 8'd7;
    end
    if (records_first[2]) begin
      record_length = 3'd2;
      record_tag = 8'd255;
      if (record_at == 3'd0) record_value = inputs[9];
      if (record_at == 3'd1) record_value = order_12_r;
    end
  end

  // ---- the state

  assign begins = event_valid && event_ready && !stopped && (event_handler == HANDLER_BOOK || event_handler == HANDLER_ORDER);
  logic left, ended;
  assign finish = left && ended && !intents_any && !records_any && !division_faults_any && !index_faults_any && !intents_faults_any;

  always_ff @(posedge clk) begin
    if (begins) {running, handler, inputs} <= {1'b1, event_handler, event_inputs};
    left <= (leaves || (left && !finish)) && !rst;
    ended <= (ends || (ended && !finish)) && !rst;
    done <= (finish || (event_valid && event_ready && !begins)) && !rst;
    if (finish) running <= 1'b0;
    if (leaves && stops && any_fault) stopped <= 1'b1;
    if (finish && handler == HANDLER_BOOK) begin
      state_seen <= book_4_r;
    end
    if (load && load_what == LOAD_DATA) begin
      for (int i = 0; i < 2; i++) if (load_address == PlaceWidth'(0 + i)) positions[i] <= load_value;
    end
    if (load && load_what == LOAD_CONTROL) {stopped, stops} <= {1'b0, load_value[0]};
    if (rst || (load && load_what == LOAD_CONTROL && load_value[1])) begin
      orders <= '0;
      state_seen <= 64'sd0;
    end
    if (rst) {running, stops, stopped} <= '0;
  end

  if (LOOK) begin : gen_look
    always_ff @(posedge clk) begin
      unique case (look)
        0: looked <= state_seen;
        default: looked <= '0;
      endcase
    end
  end else begin : gen_no_look
    assign looked = '0;
  end

  logic unused;
  assign unused = &{1'b0, look, level, level_answered, load_address, inputs, positions[0], stops, any_fault};
endmodule

// A processor for strategies: runs the handler of an event, one instruction a cycle, and gives its intents when it has ended.
//
//   event ─ inputs ─┐                    ┌─ processor_multiply, processor_divide
//   go ─ processor_fetch ─┴─ processor_execute ──────┼─ processor_intents ─ intents
//                        └─ processor_memory   ├─ level of the book
//                                        └─ records
//
// The program comes from crates/language_processor; docs/reference/strategy-processor.md has its instructions and their cycles. While `hold` is high no handler
// begins; when `held` answers, program, data and parameters may be written (`load`), and words read (`look`: 2 cycles later in `looked`).
//
// A fault in a handler (division by zero, an index beyond an array, a fifth intent) stops the strategy, if LOAD_CONTROL says so: its intents are
// dropped, and no handler runs any more.
//
// Latency: an event to its handler's first instruction 5 cycles; its last one to `done` 1, to an intent 3. Throughput: a handler at a time; events wait
// for `event_ready`. Parameter: DEPTH, intents that wait. Overflow: none, events wait; what keeps them must not overflow in silence.
module strategy_processor
  import processor_pkg::*;
#(
    parameter int DEPTH = 16
) (
    input logic clk,
    input logic rst,

    input  logic       event_valid,
    output logic       event_ready,
    input  handler_e   event_handler,
    input  value_t [EventInputs-1:0] event_inputs,
    output logic       done,          // pulse: the handler is over, or there is none

    output logic        intent_valid,
    input  logic        intent_ready,
    output processor_intent_t intent,

    output logic        level_valid,   // stays until the answer
    output logic        level_sell,
    output logic [3:0]  level_number,
    input  logic        level_answered,
    input  value_t [2:0] level,        // price, quantity, orders

    output logic        record_value_valid,
    output value_t      record_value,
    output logic        record_valid,  // after its values
    output logic [7:0]  record_tag,

    output logic fault_division,  // pulses
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
  typedef struct packed {
    logic used;
    place_t place;
  } entry_t;

  logic running, waits, level_waits, stops, faulted, ends, ended, begins, dropped;
  entry_t [3:0] entries;
  entry_t entry;
  handler_e handler;
  value_t [Inputs-1:0] inputs;
  value_t [EventInputs-1:0] held_inputs;
  value_t product, quotient, order, a, b, a_word, b_word, write_value;
  value_t [2:0] answered;
  place_t resume_place, jump_place, next_place, fetch_place, go_place;
  instruction_t fetched;
  operation_e operation;
  logic [FieldWidth-1:0] to, b_field;
  address_t a_address, b_address, write_address;
  logic go, stop, jump, fetch_valid, step, write, divided, resumes, room, index_fault, level_starts, level_bad;

  // ---- events ----------------------------------------------------------------------------------------

  // From a flip-flop, as it leads far into the queue of events. Room does not get less before the next event.
  logic ready;
  assign event_ready = ready;
  assign held = hold && !ready && !running && !ended;
  assign entry = entries[event_handler];
  assign begins = event_valid && event_ready && entry.used && !stopped;
  assign ends = step && operation == PROCESSOR_END;
  assign dropped = stops && (faulted || fault_division || fault_index || fault_intents);

  always_ff @(posedge clk) begin
    ready <= !begins && !running && room && !hold && !rst;
    if (begins) {running, handler, held_inputs} <= {1'b1, event_handler, event_inputs};
    done <= (ends || (event_valid && event_ready && !begins)) && !rst;
    if (ends) running <= 1'b0;
    ended <= ends && !rst;
    // The last faults come a cycle after the end.
    faulted <= !begins && (faulted || fault_division || fault_index || fault_intents);
    if (ended && dropped) stopped <= 1'b1;
    if (load && load_what == LOAD_ENTRY) entries[load_address[1:0]] <= load_value[PlaceWidth:0];
    if (load && load_what == LOAD_CONTROL) {stopped, stops} <= {1'b0, load_value[0]};
    if (rst) begin
      {running, stopped, stops, faulted} <= '0;
      entries <= '0;
    end
  end

  // ---- the program -----------------------------------------------------------------------------------

  assign resumes = waits && (divided || (level_waits && level_answered) || level_bad);
  assign go = begins || jump || resumes;
  assign go_place = begins ? entry.place : resumes ? resume_place : jump_place;

  processor_fetch processor_fetch (
      .clk,
      .rst,
      .go,
      .go_place,
      .stop,
      .valid(fetch_valid),
      .instruction(fetched),
      .place(fetch_place),
      .write(load && load_what == LOAD_INSTRUCTION),
      .write_place(load_address),
      .write_instruction(load_value[$bits(instruction_t)-1:0])
  );

  processor_execute processor_execute (
      .clk,
      .rst,
      .valid(fetch_valid),
      .instruction(fetched),
      .place(fetch_place),
      .inputs,
      .a_address,
      .b_address,
      .a_word,
      .b_word,
      .write,
      .write_address,
      .write_value,
      .step,
      .operation,
      .to,
      .b_field,
      .a,
      .b,
      .stop,
      .jump,
      .jump_place,
      .next_place,
      .fault_index(index_fault)
  );

  logic write_data;
  assign write_data = load && load_what == LOAD_DATA;

  processor_memory processor_memory (
      .clk,
      .a_address(running ? a_address : look),
      .b_address,
      .a(a_word),
      .b(b_word),
      .write(write || write_data),
      .write_address(write_data ? load_address[AddressWidth-1:0] : write_address),
      .write_value(write_data ? load_value : write_value)
  );
  assign looked = a_word;

  // ---- units -----------------------------------------------------------------------------------------

  always_comb begin
    inputs[EventInputs-1:0] = held_inputs;
    inputs[ProductInput] = product;
    inputs[QuotientInput] = quotient;
    inputs[OrderInput] = order;
    inputs[LevelInput+:3] = answered;
  end

  processor_multiply processor_multiply (
      .clk,
      .start(step && operation == PROCESSOR_MULTIPLY),
      .a,
      .b,
      .product
  );

  processor_divide processor_divide (
      .clk,
      .rst,
      .start(step && is_long(operation) && operation != PROCESSOR_LEVEL),
      .operation,
      .a,
      .b,
      .done(divided),
      .quotient
  );

  // The book is asked a cycle later; where there can be no such level, it is not asked.
  value_t asked_number;
  logic asked_sell;
  assign level_starts = step && operation == PROCESSOR_LEVEL;
  assign level_valid = level_waits;

  logic level_looks, level_there;  // level_there: the number is one of a level
  assign level_there = handler == HANDLER_BOOK && asked_number[ValueWidth-1:4] == '0;
  assign level_sell = asked_sell;
  assign level_number = asked_number[3:0];

  logic divides_by_zero, division;
  always_ff @(posedge clk) begin
    if (stop && step && is_long(operation)) begin
      resume_place <= next_place;
      waits <= 1'b1;
    end
    if (resumes) waits <= 1'b0;
    {level_looks, level_bad} <= {level_starts, level_looks && !level_there} & {2{!rst}};
    if (level_starts) {asked_sell, asked_number} <= {a != '0, b};
    if (level_looks && level_there) level_waits <= 1'b1;
    if (level_waits && level_answered) {level_waits, answered} <= {1'b0, level};
    if (level_bad) answered <= '0;
    division <= step && operation inside {PROCESSOR_DIVIDE, PROCESSOR_MODULO};
    divides_by_zero <= b == '0;
    fault_division <= division && divides_by_zero && !rst;
    if (rst) {waits, level_waits} <= '0;
  end
  assign fault_index = index_fault || level_bad;

  // ---- what leaves -----------------------------------------------------------------------------------

  processor_intents #(
      .DEPTH(DEPTH)
  ) processor_intents (
      .clk,
      .rst,
      .begins,
      .step,
      .operation,
      .a,
      .b,
      .kind_bits(b_field[4:0]),
      .ended,
      .dropped,
      .restart(load && load_what == LOAD_CONTROL && load_value[1]),
      .order,
      .refused(fault_intents),
      .room,
      .valid(intent_valid),
      .ready(intent_ready),
      .out(intent)
  );

  always_ff @(posedge clk) begin
    record_value_valid <= step && operation == PROCESSOR_VALUE && !rst;
    record_value <= a;
    record_valid <= step && operation == PROCESSOR_EMIT && !rst;
    record_tag <= to[7:0];
  end

  logic unused;
  assign unused = &{1'b0, b_field, to};

  assert property (@(posedge clk) disable iff (rst) !load || held);
  assert property (@(posedge clk) disable iff (rst) !(resumes && jump));
endmodule

// The value of a field: decimals to their scale, times to nanoseconds, digits and names to 64 bits; and the end of an entry in its order.
//
//   field ─┬─ price, quantity: times ten or a hundred until it has its scale
//          ├─ time ─────┐
//          ├─ order id ─┼─ worked out while other fields come
//          ├─ symbol ───┘
//          └─ the entry's end: waits for all of them, and for what a value means
//
// Latency: as docs/reference/fast-events.md says; `done` in the field's last cycle. No parameters. Nothing overflows.
module fast_event_values
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic word_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input event_word_t word,
    input event_class_t word_class,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic mapped,  // its template is in the table
    input logic ends,  // an event ends with it
    input logic settles,  // a member that does not come from here is not there yet
    input logic waits,  // no entry and no packet ends: the entry before is being looked at
    input logic [1:0] time_decimals,
    input logic [4:0] price_scale,
    input logic [4:0] quantity_scale,
    input logic forget,  // the time before

    output logic done,  // with the field, or there is none
    output event_value_t out,
    output logic [47:0] nanoseconds,  // of the last time, when an entry is complete
    output logic time_bad
);
  typedef enum logic [2:0] {
    WORK_BEGIN,   // the field's first cycle
    WORK_ROW,     // the template's row is there
    WORK_SCALE,   // times ten
    WORK_FINISH,  // the sum is a member
    WORK_END      // the entry is complete
  } work_e;

  work_e work, work_next;
  logic is_negative, drops;
  logic [63:0] sum, sum_next, magnitude;
  logic [71:0] scaled;
  logic two;  // powers of ten in this cycle
  logic [4:0] powers;  // of ten
  logic wrong, wrong_next, negative;
  logic [7:0] own_exponent, shift;

  assign is_negative = (word.kind == FIELD_SIGNED || word.kind == FIELD_DECIMAL) && word.value[63];
  assign magnitude = is_negative ? -word.value : word.value;
  // Exponent and scale. What is negative has more decimals than the scale.
  assign own_exponent = word.kind == FIELD_DECIMAL ? {word.exponent[6], word.exponent} : 8'd0;
  assign shift = own_exponent + 8'(word.member == MEMBER_PRICE ? price_scale : quantity_scale);
  assign two = powers >= 5'd2;
  // Times 100 or 10.
  assign scaled = two ? (72'(sum) << 6) + (72'(sum) << 5) + (72'(sum) << 2) : (72'(sum) << 3) + (72'(sum) << 1);

  logic time_start, time_busy;
  fast_time clock (
      .clk,
      .rst,
      .start(time_start),
      .value(word.value),
      .decimals(time_decimals),
      .forget,
      .busy(time_busy),
      .nanoseconds,
      .bad(time_bad)
  );

  // A message begins: what is left of one that was broken off is of no use.
  logic digits_start, digits_room, digits_busy, name_start, name_room, name_busy;
  assign drops = word_valid && work == WORK_BEGIN && word_class.message;

  fast_event_digits order_id (
      .clk,
      .rst,
      .start(digits_start),
      .word,
      .room(digits_room),
      .drop(drops),
      .busy(digits_busy),
      .done(out.order_id.done),
      .wrong(out.order_id.wrong),
      .value(out.order_id.value)
  );
  fast_event_name symbol (
      .clk,
      .rst,
      .start(name_start),
      .word,
      .room(name_room),
      .drop(drops),
      .busy(name_busy),
      .done(out.symbol.done),
      .wrong(out.symbol.wrong),
      .value(out.symbol.value)
  );

  always_comb begin
    work_next = work;
    done = 1'b0;
    sum_next = sum;
    wrong_next = wrong;
    {time_start, digits_start, name_start} = '0;
    case (work)
      WORK_BEGIN: begin
        done = 1'b1;
        sum_next = magnitude;
        if (word.is_verdict && waits) done = 1'b0;
        wrong_next = shift[7] || (magnitude != '0 && shift > 8'd18) || (word.kind == FIELD_UNSIGNED && word.value[63]);
        if (word_class.message) begin
          done = 1'b0;
          work_next = WORK_ROW;
        end else if (mapped) begin
          // Two in a row: the second waits for the first.
          if (word_class.time_value) {time_start, done} = {2{!time_busy}};
          if (word_class.order_id) {digits_start, done} = {2{digits_room}};
          if (word_class.symbol) {name_start, done} = {2{name_room}};
          if (word_class.number) begin
            done = 1'b0;
            work_next = shift[7] || shift == '0 || shift > 8'd18 || magnitude == '0 ? WORK_FINISH : WORK_SCALE;
          end
        end
      end
      WORK_ROW: done = 1'b1;
      WORK_SCALE: begin
        sum_next = scaled[63:0];
        wrong_next = wrong || scaled[71:64] != '0;
        if (powers == (two ? 5'd2 : 5'd1)) work_next = WORK_FINISH;
      end
      WORK_FINISH: done = 1'b1;
      default: done = !(time_busy || digits_busy || name_busy || settles || waits);
    endcase
    // The event is put together in a cycle of its own.
    if (done && work != WORK_END && ends) begin
      done = 1'b0;
      work_next = WORK_END;
    end
    if (!word_valid) begin
      done = 1'b1;
      {time_start, digits_start, name_start} = '0;
      work_next = WORK_BEGIN;
    end else if (done) work_next = WORK_BEGIN;
  end

  always_ff @(posedge clk) begin
    work <= work_next;
    if (word_valid) begin
      sum <= sum_next;
      wrong <= wrong_next;
      powers <= powers - (two ? 5'd2 : 5'd1);
      if (work == WORK_BEGIN) begin
        powers <= shift[4:0];
        negative <= is_negative;
      end
    end
    if (rst) work <= WORK_BEGIN;
  end

  assign out.begins = word_valid && work == WORK_BEGIN;
  assign out.finishes = word_valid && work == WORK_FINISH;
  assign out.complete = word_valid && work == WORK_END && done;
  assign out.time_taken = time_start;
  assign out.wrong = wrong;
  assign out.negative = negative;
  assign out.value = sum;
endmodule

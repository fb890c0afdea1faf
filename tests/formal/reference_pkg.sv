// What the references of strategies are made of: the operators of the language, to the bit, as crates/language/src/value.rs has them, and
// intents, as crates/language/src/slot.rs narrows them. verify/language_formal writes the references; nothing here comes from a target.
package reference_pkg;
  import processor_pkg::*;

  localparam int MostIntents = 4;
  localparam int MostRecords = 2;  // of a reference
  localparam int MostValues = 7;

  typedef struct packed {
    logic [7:0] tag;
    logic [2:0] count;
    value_t [MostValues-1:0] values;
  } told_t;

  // What a handler gives.
  typedef struct packed {
    logic [2:0] count;
    processor_intent_t [MostIntents-1:0] intents;
    logic [7:0] division_faults;
    logic [7:0] index_faults;
    logic [7:0] intent_faults;
    logic [2:0] record_count;
    told_t [MostRecords-1:0] records;
  } outcome_t;

  function automatic value_t truth(input logic a);
    return a ? 64'sd1 : 64'sd0;
  endfunction

  // ---- of one value

  function automatic value_t negate(input value_t a);
    return -a;
  endfunction

  function automatic value_t absolute(input value_t a);
    return a < 0 ? -a : a;
  endfunction

  function automatic value_t invert(input value_t a);
    return ~a;
  endfunction

  function automatic value_t is_zero(input value_t a);
    return truth(a == 0);
  endfunction

  // ---- of two

  function automatic value_t add(input value_t a, input value_t b);
    return a + b;
  endfunction

  function automatic value_t subtract(input value_t a, input value_t b);
    return a - b;
  endfunction

  function automatic value_t bits_and(input value_t a, input value_t b);
    return a & b;
  endfunction

  function automatic value_t bits_or(input value_t a, input value_t b);
    return a | b;
  endfunction

  function automatic value_t bits_xor(input value_t a, input value_t b);
    return a ^ b;
  endfunction

  function automatic value_t equal(input value_t a, input value_t b);
    return truth(a == b);
  endfunction

  function automatic value_t not_equal(input value_t a, input value_t b);
    return truth(a != b);
  endfunction

  function automatic value_t less(input value_t a, input value_t b);
    return truth(a < b);
  endfunction

  function automatic value_t less_equal(input value_t a, input value_t b);
    return truth(a <= b);
  endfunction

  function automatic value_t greater(input value_t a, input value_t b);
    return truth(a > b);
  endfunction

  function automatic value_t greater_equal(input value_t a, input value_t b);
    return truth(a >= b);
  endfunction

  function automatic value_t minimum(input value_t a, input value_t b);
    return a < b ? a : b;
  endfunction

  function automatic value_t maximum(input value_t a, input value_t b);
    return a > b ? a : b;
  endfunction

  // ---- indexes

  function automatic logic is_index(input value_t index, input value_t length);
    return index >= 0 && index < length;
  endfunction

  // ---- intents: a member that is cut makes the whole unfit

  function automatic logic is_unsigned_32(input value_t a);
    return a >= 0 && a < 64'sh1_0000_0000;
  endfunction

  function automatic logic is_signed_48(input value_t a);
    return a >= -64'sh8000_0000_0000 && a < 64'sh8000_0000_0000;
  endfunction

  function automatic processor_intent_t new_order(input value_t order, input logic [2:0] time_in_force, input logic limit, input logic sell,
                                                  input value_t instrument, input value_t price, input value_t quantity);
    processor_intent_t intent;
    intent = '0;
    intent.kind = INTENT_NEW;
    intent.order = order[31:0];
    intent.time_in_force = time_in_force;
    intent.limit = limit;
    intent.sell = sell;
    intent.instrument = instrument[7:0];
    if (limit) intent.price = price[47:0];
    intent.quantity = quantity[31:0];
    intent.fits = instrument >= 0 && instrument < 256 && is_unsigned_32(quantity) && (!limit || is_signed_48(price));
    return intent;
  endfunction

  function automatic processor_intent_t cancel(input value_t order);
    processor_intent_t intent;
    intent = '0;
    intent.kind = INTENT_CANCEL;
    intent.order = order[31:0];
    intent.fits = is_unsigned_32(order);
    return intent;
  endfunction

  function automatic processor_intent_t replacement(input value_t order, input value_t price, input value_t quantity);
    processor_intent_t intent;
    intent = '0;
    intent.kind = INTENT_REPLACE;
    intent.order = order[31:0];
    intent.limit = 1'b1;
    intent.price = price[47:0];
    intent.quantity = quantity[31:0];
    intent.fits = is_unsigned_32(order) && is_signed_48(price) && is_unsigned_32(quantity);
    return intent;
  endfunction
endpackage

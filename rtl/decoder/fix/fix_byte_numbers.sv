// W=8: computes the open entry's price and quantity: times ten plus each digit as it comes, and on to their scales after the SOH.
//
//   byte, decimals it lacks ─ next digit of each ─ ten times the number and the digit
//
// A negative price is stored as its ones' complement; its digits are then complemented to nine, and the same adder serves.
//
// Latency: a digit is added 2 cycles after its byte; a number is at its scale 2 cycles after its SOH and another for each decimal it lacks, at
// most 10. Throughput: a byte a cycle; the next number of the same kind must begin after that, and in a good message does.
// No parameters. Overflow: of numbers that are refused.
module fix_byte_numbers
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic save,
    input logic restores,  // in the next cycle: duplicated for fan-out
    input logic clear,  // an entry begins

    /* verilator lint_off UNUSEDSIGNAL */
    input fix_byte_t in,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic       in_price,    // the byte belongs to a price, or ends it
    input logic       in_quantity,
    input logic [3:0] missing,     // decimals, with its SOH
    input logic       was_equals,  // the byte before it: in_price, in_quantity say of which number

    output fix_numbers_t numbers
);
  localparam int Bits = 54;

  // A digit as it is added: half of it in a sum where 4 v leaves room for two bits and a carry, for 10 v + d is 2 (5 v + d / 2).
  typedef struct packed {
    logic [1:0] half;
    logic       carry;
    logic       odd;
  } digit_t;

  typedef struct packed {
    logic            minus;
    logic [Bits:0]   price;             // two's complement, less one if negative
    logic [Bits-1:0] quantity;
    logic [3:0]      price_missing;
    logic [3:0]      quantity_missing;
    logic            price_zero;        // it is there, and no digit of it is another
    logic            quantity_zero;
    logic            price_step;
    logic            quantity_step;
    digit_t          price_digit;
    digit_t          quantity_digit;
  } state_t;

  state_t state, next, saved;
  logic restore;

  function automatic digit_t digit_of(input logic [3:0] digit);
    return '{half: digit[3] ? 2'b11 : digit[2:1], carry: digit[3], odd: digit[0]};
  endfunction

  function automatic logic [Bits:0] appended(input logic [Bits-1:0] value, input digit_t added);
    return {{value[Bits-3:0], added.half} + value + Bits'(added.carry), added.odd};
  endfunction

  logic [3:0] price_digit, quantity_digit;

  always_comb begin
    next = state;

    // The next digit; after the number's end, a zero.
    next.price_step = (in.digit && in_price) || state.price_missing != '0;
    price_digit = state.price_missing == '0 ? in.data[3:0] : 4'd0;
    if (state.minus) price_digit = 4'd9 - price_digit;
    next.price_digit = digit_of(price_digit);
    next.quantity_step = (in.digit && in_quantity) || state.quantity_missing != '0;
    quantity_digit = state.quantity_missing == '0 ? in.data[3:0] : 4'd0;
    next.quantity_digit = digit_of(quantity_digit);
    if (state.price_missing != '0) next.price_missing = state.price_missing - 1'b1;
    if (state.quantity_missing != '0) next.quantity_missing = state.quantity_missing - 1'b1;
    if (in.soh && in_price) next.price_missing = missing;
    if (in.soh && in_quantity) next.quantity_missing = missing;

    if (state.price_step) next.price = appended(state.price[Bits-1:0], state.price_digit);
    if (state.quantity_step) next.quantity = Bits'(appended(state.quantity, state.quantity_digit));

    if (clear || (was_equals && in_price)) begin
      next.minus = 1'b0;
      next.price = '0;
      next.price_missing = '0;
      next.price_zero = !clear;
    end
    if (clear || (was_equals && in_quantity)) begin
      next.quantity = '0;
      next.quantity_missing = '0;
      next.quantity_zero = !clear;
    end
    if (in.digit && in.data[3:0] != '0) begin
      if (in_price) next.price_zero = 1'b0;
      if (in_quantity) next.quantity_zero = 1'b0;
    end
    if (in.minus && in_price) begin
      next.minus = 1'b1;
      next.price = '1;
    end
  end

  always_ff @(posedge clk) begin
    restore <= restores;
    state <= restore ? saved : next;
    if (save) saved <= state;
    if (rst) state <= '0;
  end

  logic [Bits:0] price;
  assign price = state.price + (Bits + 1)'(state.minus);
  assign numbers.wide = state.price[Bits:NarrowPrice-1] != '0 && state.price[Bits:NarrowPrice-1] != '1;  // or the lowest that does fit
  assign {numbers.price_zero, numbers.quantity_zero} = {state.price_zero, state.quantity_zero};
  assign numbers.price = price;
  assign numbers.quantity = NumberBits'(state.quantity);
endmodule

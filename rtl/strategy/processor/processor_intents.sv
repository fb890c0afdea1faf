// The intents of a handler: they leave when it has ended well.
//
//   terms, an order ─ narrowed ─ memory ─┬─ committed ─ out
//                                        └─ dropped, if a fault stopped the strategy
//
// Latency: the end of the handler to `valid` 2 cycles. Throughput: an intent a cycle. Parameter: DEPTH, intents that wait, a power of two of at least
// 8. Overflow: a handler's fifth intent is a fault (`refused`); a handler begins only while there is room for four.
module processor_intents
  import processor_pkg::*;
#(
    parameter int DEPTH = 16
) (
    input logic clk,
    input logic rst,

    input  logic       begins,      // a handler
    input  logic       step,        // `operation` happens now
    input  operation_e operation,
    input  value_t     a,
    input  value_t     b,
    input  logic [4:0] kind_bits,
    input  logic       ended,       // the handler is over
    input  logic       dropped,     // with that: its intents are not to be sent
    input  logic       restart,     // orders are numbered from 1 again
    output value_t     order,       // the number of the last new one, 0 if it was refused; the cycle after its operation
    output logic       refused,     // pulse
    output logic       room,        // for four intents

    output logic        valid,
    input  logic        ready,
    output processor_intent_t out
);
  localparam int Most = 4;
  localparam int PointerWidth = $clog2(DEPTH) + 1;

  (* no_rw_check *) processor_intent_t intents[DEPTH];
  typedef logic [PointerWidth-1:0] pointer_t;
  pointer_t write_at, committed, read_at;

  logic asks, has_room;
  logic [2:0] count;
  logic [31:0] orders;

  value_t price, quantity, asked;
  logic waiting;
  logic [4:0] bits;
  logic [31:0] number;
  processor_intent_e kind;
  processor_intent_t narrow;

  assign asks = step && operation inside {PROCESSOR_NEW, PROCESSOR_CANCEL, PROCESSOR_REPLACE};
  assign has_room = count != 3'(Most);

  assign narrow = narrowed(kind, kind == INTENT_NEW ? value_t'({1'b0, number}) : asked, bits[4:2], bits[1] || kind == INTENT_REPLACE,
                           bits[0], asked, price, quantity);

  always_ff @(posedge clk) begin
    refused <= asks && !has_room && !rst;
    waiting <= asks && has_room && !rst;
    if (step && operation == PROCESSOR_TERMS) {price, quantity} <= {a, b};
    asked <= a;
    bits <= operation == PROCESSOR_NEW ? kind_bits : '0;
    kind <= operation == PROCESSOR_NEW ? INTENT_NEW : operation == PROCESSOR_CANCEL ? INTENT_CANCEL : INTENT_REPLACE;
    number <= orders + 1'b1;
    if (asks) count <= count + 3'(has_room);
    if (asks && operation == PROCESSOR_NEW) begin
      order <= has_room ? value_t'(orders) + 1'b1 : '0;
      if (has_room) orders <= orders + 1'b1;
    end
    if (begins) count <= '0;
    if (waiting) intents[write_at[PointerWidth-2:0]] <= narrow;
    write_at <= ended && dropped ? committed : write_at + PointerWidth'(waiting);
    if (ended && !dropped) committed <= write_at + PointerWidth'(waiting);
    // This is a cycle late, and so are the intents of the handler before.
    room <= committed - read_at <= PointerWidth'(DEPTH - 2 * Most);

    if (valid && ready) valid <= 1'b0;
    if ((!valid || ready) && read_at != committed) begin
      out <= intents[read_at[PointerWidth-2:0]];
      read_at <= read_at + 1'b1;
      valid <= 1'b1;
    end
    if (restart) orders <= '0;
    if (rst) begin
      {count, orders, write_at, committed, read_at} <= '0;
      valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) PointerWidth'(write_at - read_at) <= PointerWidth'(DEPTH));
  assert property (@(posedge clk) disable iff (rst) count <= 3'(Most));
endmodule

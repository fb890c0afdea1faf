// W=64: puts the numbers to the entry they belong to; a number comes a cycle behind its beat.
//
// Latency: the numbers of a beat are in `closed` and `open` in the next cycle. Throughput: a beat a cycle. No parameters; nothing overflows.
module fix_entry_numbers
  import fix_pkg::*;
(
    input logic clk,

    input logic valid,
    input logic last,
    input logic err,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it
    input fix_beat_t beat,
    /* verilator lint_on UNUSEDSIGNAL */

    input logic signed [1:0][54:0] number,  // of each half, a cycle later
    input logic [1:0] wide,  // it does not fit into NarrowPrice bits

    output fix_numbers_t closed,  // of the entry that was open before that beat
    output fix_numbers_t open     // of the one that is open behind it
);
  typedef struct packed {
    logic [1:0] closed;  // it has the number of this half
    logic [1:0] open;
    logic       none;    // the open one has none
  } choice_t;

  fix_numbers_t open_reg, saved;
  choice_t price, quantity;
  logic had_good_end, had_err;

  function automatic choice_t choice(input logic told, input logic first, input logic half, input logic clear);
    choice.closed = {half, !half} & {2{told && first}};
    choice.open = {half, !half} & {2{told && !(first && clear)}};
    choice.none = clear && !(told && !first);
  endfunction

  localparam int Bits = NumberBits;

  function automatic logic [Bits-1:0] chosen(input logic [1:0] half, input logic [1:0][Bits-1:0] from, input logic [Bits-1:0] before_);
    return (from[0] & {Bits{half[0]}}) | (from[1] & {Bits{half[1]}}) | (before_ & {Bits{half == '0}});
  endfunction

  assign closed.wide = price.closed == '0 ? open_reg.wide : (price.closed & wide) != '0;
  assign open.wide = (price.open == '0 ? open_reg.wide : (price.open & wide) != '0) && !price.none;
  assign closed.price = chosen(price.closed, number, open_reg.price);
  assign closed.quantity = chosen(quantity.closed, number, open_reg.quantity);
  assign open.price = chosen(price.open, number, open_reg.price) & {Bits{!price.none}};
  assign open.quantity = chosen(quantity.open, number, open_reg.quantity) & {Bits{!quantity.none}};

  always_ff @(posedge clk) begin
    price <= choice(beat.price, beat.price_first, beat.price_half, beat.clear) & {$bits(choice_t) {valid && !(last && err)}};
    quantity <= choice(beat.quantity, beat.quantity_first, beat.quantity_half, beat.clear) & {$bits(choice_t) {valid && !(last && err)}};
    had_good_end <= valid && last && !err;
    had_err <= valid && last && err;
    open_reg <= had_err ? saved : open;
    if (had_good_end) saved <= open;
  end
endmodule

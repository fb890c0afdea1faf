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

    // A cycle later.
    input logic        price_negative,
    input logic [53:0] price_magnitude,
    input logic [53:0] quantity_magnitude,

    output fix_numbers_t closed,  // of the entry that was open before that beat
    output fix_numbers_t open     // of the one that is open behind it
);
  fix_numbers_t open_reg, saved;
  logic [63:0] price, quantity;
  logic had_price, had_price_first, had_quantity, had_quantity_first, had_clear, had_good_end, had_err;

  assign price = price_negative ? -{10'd0, price_magnitude} : {10'd0, price_magnitude};
  assign quantity = {10'd0, quantity_magnitude};

  always_comb begin
    closed = open_reg;
    if (had_price && had_price_first) closed.price = price;
    if (had_quantity && had_quantity_first) closed.quantity = quantity;
    open = had_clear ? '0 : closed;
    if (had_price && !had_price_first) open.price = price;
    if (had_quantity && !had_quantity_first) open.quantity = quantity;
  end

  always_ff @(posedge clk) begin
    {had_price_first, had_quantity_first} <= {beat.price_first, beat.quantity_first};
    {had_price, had_quantity, had_clear} <= {beat.price, beat.quantity, beat.clear} & {3{valid && !(last && err)}};
    had_good_end <= valid && last && !err;
    had_err <= valid && last && err;
    open_reg <= had_err ? saved : open;
    if (had_good_end) saved <= open;
  end
endmodule

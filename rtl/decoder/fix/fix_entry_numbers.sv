// W=64: assigns numbers to their entries; a number comes a cycle after its beat.
//
// Latency: 1 cycle from the beat, none from its numbers. Throughput: a beat a cycle. No parameters; nothing overflows.
module fix_entry_numbers
  import fix_pkg::*;
(
    input logic clk,

    input logic valid,
    input logic last,
    input logic err,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input fix_beat_t beat,
    /* verilator lint_on UNUSEDSIGNAL */

    // A cycle later: the price and the quantity that are in the beat.
    input logic signed [NumberBits-1:0] price,
    input logic                         price_wide,  // it does not fit into NarrowPrice bits
    input logic                         price_zero,
    input logic signed [NumberBits-1:0] quantity,
    input logic                         quantity_zero,

    input  logic         of_closed,  // `numbers` are those of the entry that the beat closed, not of the one that is open after it
    output fix_numbers_t out
);
  typedef struct packed {
    logic closed;  // the number is of the entry that the beat closed
    logic open;    // of the one that is open after it
    logic none;    // the one that is open after it has no such number yet
  } owner_t;

  fix_numbers_t open_reg, saved;
  owner_t price_owner, quantity_owner;
  logic had_good_end, settled, had_err;

  function automatic owner_t owner(input logic present, input logic first, input logic clear);
    owner.closed = present && first;
    owner.open = present && !(first && clear);
    owner.none = clear && !(present && !first);
  endfunction

  always_comb begin
    out = open_reg;
    if (!of_closed && price_owner.none) {out.wide, out.price_zero, out.price} = '0;
    if (!of_closed && quantity_owner.none) {out.quantity_zero, out.quantity} = '0;
    if (of_closed ? price_owner.closed : price_owner.open) {out.wide, out.price_zero, out.price} = {price_wide, price_zero, price};
    if (of_closed ? quantity_owner.closed : quantity_owner.open) {out.quantity_zero, out.quantity} = {quantity_zero, quantity};
  end

  always_ff @(posedge clk) begin
    price_owner <= owner(beat.price, beat.price_first, beat.clear) & {$bits(owner_t) {valid && !(last && err)}};
    quantity_owner <= owner(beat.quantity, beat.quantity_first, beat.clear) & {$bits(owner_t) {valid && !(last && err)}};
    had_good_end <= valid && last && !err;
    had_err <= valid && last && err;
    settled <= had_good_end;
    if (price_owner.open) {open_reg.wide, open_reg.price_zero, open_reg.price} <= {price_wide, price_zero, price};
    if (quantity_owner.open) {open_reg.quantity_zero, open_reg.quantity} <= {quantity_zero, quantity};
    if (price_owner.none) {open_reg.wide, open_reg.price_zero, open_reg.price} <= '0;
    if (quantity_owner.none) {open_reg.quantity_zero, open_reg.quantity} <= '0;
    // No beat comes within three cycles of a segment's end.
    if (had_err) open_reg <= saved;
    if (settled) saved <= open_reg;
  end

  assert property (@(posedge clk) !((had_err || settled) && (price_owner != '0 || quantity_owner != '0)));
endmodule

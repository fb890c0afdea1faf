// Prices to ranks, within the window of an instrument: exact, without a division.
//
//   cycle 1                         2                          3
//   the window ─┬─ price shifted ── times the inverse of ─┬─ tick ── rank
//               │                   the odd factor        └─ in the window, if the price is a multiple of the tick
//               └─ bounds compared
//
// A multiple of an odd number is divided by it by a product with its inverse modulo 2^InverseBits. If it is no multiple, that product is far
// away from the window's ticks: as long as the odd factor is at most 2047, and so a factor of 5^4, of four decimals more than the tick needs. The rank is in
// the lowest bits, which are those of one multiplier's product; what the upper bits need besides is two small products beside it. A price beyond the window's worse end gets the rank next to that end;
// whether such a price is a multiple of the tick is not looked at.
//
// Latency: 3 cycles to `rank3` and `outside3`, 4 to the others. Throughput: a price a cycle. Nothing overflows.
module book_ticks
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,

    input logic        write,             // a window; not while prices of its instrument are in the pipeline
    input instrument_t write_instrument,
    input window_t     write_window,

    input instrument_t instrument0,
    input price_t      price0,
    input logic        below0,       // the price is less than any of PriceBits
    input logic        above0,       // or more
    input logic        ranked0,      // the rank is given, not the price
    input rank_t       given_rank0,
    input side_e       given_side0,  // of that rank
    input side_e       side3,        // of a replacement that is known by then only

    output rank_t rank3,
    output logic  outside4,   // beyond the worse end of the window
    output logic  better4,    // beyond the better one
    output logic  off_tick4
);
  // One memory for each cycle that reads it.
  price_t low_prices[Instruments];
  price_t end_prices[Instruments];
  logic [ShiftBits-1:0] shifts[Instruments];
  logic [InverseBits-1:0] inverses[Instruments];
  logic [InverseBits-1:0] low_ticks[Instruments];
  always_ff @(posedge clk) begin
    if (write) begin
      low_prices[write_instrument] <= write_window.low_price;
      end_prices[write_instrument] <= write_window.end_price;
      shifts[write_instrument] <= write_window.shift;
      inverses[write_instrument] <= write_window.inverse;
      low_ticks[write_instrument] <= write_window.low_tick[InverseBits-1:0];
    end
  end

  // ---- cycle 1: the window, and where the price is in it. Not read in cycle 0: the instrument comes late, and goes to all bits of these memories.

  instrument_t instrument1;
  price_t price1, low_price1, end_price1;
  logic [ShiftBits-1:0] shift1;
  logic below1, above1, below2, above2, below3, above3, rest2, rest3, ranked1, ranked2, ranked3;
  rank_t given1, given2, given3;
  side_e given_side1, given_side2;
  localparam int Part = InverseBits < 18 ? InverseBits : 18;  // of a factor: a multiplier takes so much
  logic [InverseBits-1:0] multiple2, inverse2, low_tick2;
  logic [Part-1:0] low_tick3;

  assign {low_price1, end_price1, shift1} = {low_prices[instrument1], end_prices[instrument1], shifts[instrument1]};

  always_ff @(posedge clk) begin
    {instrument1, price1, below1, above1, ranked1, given1, given_side1} <=
        {instrument0, price0, below0, above0, ranked0, given_rank0, given_side0};

    below2 <= below1 || (!above1 && price1 < low_price1);
    above2 <= above1 || (!below1 && price1 >= end_price1);
    rest2 <= |(price1 & ~({PriceBits{1'b1}} << shift1));
    multiple2 <= InverseBits'(price1 >> shift1);
    {inverse2, low_tick2} <= {inverses[instrument1], low_ticks[instrument1]};
    {ranked2, given2, given_side2} <= {ranked1, given1, given_side1};
  end

  // ---- cycles 2 and 3: the tick

  logic [InverseBits-1:0] quotient3, from_low3;  // without the two small products, and without the upper bits of the lowest tick
  logic outside_upper3;  // the upper bits are not the window's
  rank_t beyond3, tick3, given_from_low3;
  logic outside3, better3;

  always_ff @(posedge clk) begin
    quotient3 <= InverseBits'(multiple2[Part-1:0]) * InverseBits'(inverse2[Part-1:0]);
    {below3, above3, rest3, ranked3, given3, low_tick3} <= {below2, above2, rest2, ranked2, given2, low_tick2[Part-1:0]};
    given_from_low3 <= (given_side2 == SIDE_BUY ? ~given2 : given2) - low_tick2[TickBits-1:0];
    beyond3 <= low_tick2[TickBits-1:0] + (below2 ? '1 : rank_t'(WindowTicks));
  end

  assign tick3 = below3 || above3 ? beyond3 : quotient3[TickBits-1:0];
  assign rank3 = ranked3 ? given3 : side3 == SIDE_BUY ? ~tick3 : tick3;
  assign from_low3 = quotient3 - InverseBits'(low_tick3);
  if (InverseBits > Part) begin : gen_upper
    typedef logic [InverseBits-Part-1:0] upper_t;
    upper_t wanted3;
    always_ff @(posedge clk) begin
      wanted3 <= low_tick2[InverseBits-1:Part] - multiple2[InverseBits-1:Part] * upper_t'(inverse2) -
          upper_t'(multiple2) * inverse2[InverseBits-1:Part];
    end
    assign outside_upper3 = from_low3[InverseBits-1:Part] != wanted3;
  end else begin : gen_whole
    assign outside_upper3 = 1'b0;
  end
  assign outside3 = ranked3 ? given_from_low3 >= rank_t'(WindowTicks) : side3 == SIDE_BUY ? below3 : above3;
  assign better3 = !ranked3 && (side3 == SIDE_BUY ? above3 : below3);

  always_ff @(posedge clk) begin
    outside4 <= outside3;
    better4 <= better3;
    off_tick4 <= !ranked3 && !below3 && !above3 && (rest3 || outside_upper3 || from_low3[Part-1:0] >= Part'(WindowTicks));
  end

  logic unused;
  assign unused = &{1'b0, write_window};
endmodule

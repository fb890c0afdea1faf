// Prices to ranks, within the window of an instrument: exact, without a division.
//
//   cycle 0                   1                    2                      3
//   price - lowest price ─ shifted, bounds ─ times the inverse of ─ + lowest tick ─ rank
//                            compared          the odd factor
//
// A multiple of an odd number is divided by it by a product with its inverse modulo 2^InverseBits. If it is no multiple, that product is a large
// number: the quotient is exact if it is less than WindowTicks, as long as the odd factor is at most 31. A price beyond the window's worse end
// gets the rank next to that end; whether such a price is a multiple of the tick is not looked at.
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
    input side_e       side0,
    input price_t      price0,
    input logic        below0,       // the price is less than any of PriceBits
    input logic        above0,       // or more
    input logic        ranked0,      // the rank is given, not the price
    input rank_t       given_rank0,
    input side_e       side3,        // of a replacement that is known by then only

    output rank_t rank3,
    output logic  outside4,   // beyond the worse end of the window
    output logic  better4,    // beyond the better one
    output logic  off_tick4
);
  localparam int Beyond = PriceBits - InverseBits;

  // One memory for each cycle that reads it.
  price_t low_prices[Instruments];
  price_t spans[Instruments];
  logic [ShiftBits-1:0] shifts[Instruments];
  logic [InverseBits-1:0] inverses[Instruments];
  rank_t low_ticks[Instruments];
  always_ff @(posedge clk) begin
    if (write) begin
      low_prices[write_instrument] <= write_window.low_price;
      spans[write_instrument] <= write_window.span;
      shifts[write_instrument] <= write_window.shift;
      inverses[write_instrument] <= write_window.inverse;
      low_ticks[write_instrument] <= write_window.low_tick[TickBits-1:0];
    end
  end

  // ---- cycle 0, 1: where it is in the window

  instrument_t instrument1, instrument2;
  logic [PriceBits:0] from_low1;
  logic below1, above1, below2, above2, below3, above3, rest2, rest3, ranked1, ranked2, ranked3;
  price_t shifted1, mask1;
  logic [InverseBits-1:0] multiple2, inverse2;
  rank_t given1, given2, low_tick2, low_tick3;

  assign shifted1 = from_low1[PriceBits-1:0] >> shifts[instrument1];
  assign mask1 = ~({PriceBits{1'b1}} << shifts[instrument1]);

  always_ff @(posedge clk) begin
    from_low1 <= {1'b0, price0} - {1'b0, low_prices[instrument0]};
    {instrument1, below1, above1, ranked1, given1} <= {instrument0, below0, above0, ranked0, side0 == SIDE_BUY ? ~given_rank0 : given_rank0};

    below2 <= below1 || (from_low1[PriceBits] && !above1);
    above2 <= above1 || (!below1 && !from_low1[PriceBits] && from_low1[PriceBits-1:0] >= spans[instrument1]);
    rest2 <= |(from_low1[PriceBits-1:0] & mask1);
    multiple2 <= shifted1[InverseBits-1:0];
    inverse2 <= inverses[instrument1];
    {instrument2, ranked2, given2} <= {instrument1, ranked1, given1};
  end
  assign low_tick2 = low_ticks[instrument2];

  // ---- cycle 2, 3: the quotient

  logic [InverseBits-1:0] quotient3;
  rank_t given_from_low3, from_low3, tick3;
  logic outside3, better3;
  logic given_outside3;

  always_ff @(posedge clk) begin
    quotient3 <= multiple2 * inverse2;
    {below3, above3, rest3, ranked3, low_tick3} <= {below2, above2, rest2, ranked2, low_tick2};
    given_from_low3 <= given2 - low_tick2;
  end

  assign from_low3 = ranked3 ? given_from_low3 : below3 ? '1 : above3 ? rank_t'(WindowTicks) : quotient3[TickBits-1:0];
  assign tick3 = low_tick3 + from_low3;
  assign rank3 = side3 == SIDE_BUY ? ~tick3 : tick3;
  assign given_outside3 = given_from_low3 >= rank_t'(WindowTicks);
  assign outside3 = ranked3 ? given_outside3 : side3 == SIDE_BUY ? below3 : above3;
  assign better3 = !ranked3 && (side3 == SIDE_BUY ? above3 : below3);

  always_ff @(posedge clk) begin
    outside4 <= outside3;
    better4 <= better3;
    off_tick4 <= !ranked3 && !below3 && !above3 && (rest3 || quotient3 >= InverseBits'(WindowTicks));
  end

  logic unused;
  assign unused = &{1'b0, shifted1[PriceBits-1-:Beyond]};
endmodule

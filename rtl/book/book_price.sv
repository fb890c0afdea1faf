// Ranks to prices in the instrument's scale.
//
//   rank - lowest tick ─ × tick size ─ + lowest price ─ price
//
// Latency: 3 cycles. Throughput: a rank a cycle. Nothing overflows. A price that is given goes through unchanged.
module book_price
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,

    input logic        write,
    input instrument_t write_instrument,
    input window_t     write_window,

    input  instrument_t instrument,
    input  side_e       side,
    input  rank_t       rank,
    input  logic        given_valid,
    input  logic        given_wide,   // but it has more than PriceBits
    input  price_t      given,
    output price_t      price,
    output logic        known    // an order beyond the window has a rank, but no price
);
  rank_t low_ticks[Instruments];
  price_t low_prices[Instruments];
  logic [SizeBits-1:0] sizes[Instruments];
  instrument_t instrument1;
  rank_t from_low1;
  logic [TickBits-1+SizeBits:0] product2;
  price_t given1, base2;
  logic outside2, given_valid1, given_valid2, given_wide1, given_wide2;

  always_ff @(posedge clk) begin
    if (write) begin
      low_ticks[write_instrument] <= write_window.low_tick[TickBits-1:0];
      low_prices[write_instrument] <= write_window.low_price;
      sizes[write_instrument] <= write_window.size;
    end
    from_low1 <= (side == SIDE_BUY ? ~rank : rank) - low_ticks[instrument];
    given_valid1 <= given_valid;
    given_valid2 <= given_valid1;
    {given_wide1, given_wide2} <= {given_wide, given_wide1};
    instrument1 <= instrument;
    given1 <= given_valid ? given : low_prices[instrument];
    product2 <= (TickBits + SizeBits)'(from_low1) * (TickBits + SizeBits)'(sizes[instrument1]);
    base2 <= given1;
    outside2 <= from_low1 >= rank_t'(WindowTicks);
    known <= given_valid2 ? !given_wide2 : !outside2;
    price <= base2 + (given_valid2 ? '0 : price_t'(product2));
  end
  logic unused;
  assign unused = &{1'b0, write_window};
endmodule

// book_ticks, and book_price after it: prices to ranks and back.
module book_ticks_tb
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input  logic        clk,
    input  logic        write,
    input  logic [ 3:0] instrument,
    input  logic [31:0] window_low_price,
    input  logic [31:0] window_low_tick,
    input  logic [31:0] window_end_price,
    input  logic [ 2:0] window_shift,
    input  logic [23:0] window_inverse,
    input  logic [17:0] window_size,
    input  logic        sell,
    input  logic [31:0] price,
    input  logic        below,
    input  logic        above,
    input  logic        ranked,
    input  logic [13:0] given_rank,
    output logic [13:0] rank,             // 4 cycles later
    output logic        outside,
    output logic        better,
    output logic        off_tick,
    input  logic        given_valid,      // for price_again
    input  logic [31:0] given,
    output logic [31:0] price_again,      // 7 cycles later
    output logic        price_known
);
  window_t window;
  rank_t rank3;
  side_e [4:1] side;
  instrument_t [4:1] instruments;
  logic [4:1] given_valids;
  price_t [4:1] givens;

  assign window = '{window_low_price, window_low_tick, window_end_price, window_shift, window_inverse, window_size, depth_t'(0)};
  always_ff @(posedge clk) begin
    side <= {side[3:1], side_e'(sell)};
    instruments <= {instruments[3:1], instrument};
    given_valids <= {given_valids[3:1], given_valid};
    givens <= {givens[3:1], given};
    rank <= rank3;
  end

  book_ticks ticks (
      .clk,
      .write,
      .write_instrument(instrument),
      .write_window(window),
      .instrument0(instrument),
      .price0(price),
      .below0(below),
      .above0(above),
      .ranked0(ranked),
      .given_rank0(given_rank),
      .given_side0(side_e'(sell)),
      .side3(side[3]),
      .rank3,
      .outside4(outside),
      .better4(better),
      .off_tick4(off_tick)
  );

  book_price prices (
      .clk,
      .write,
      .write_instrument(instrument),
      .write_window(window),
      .instrument(instruments[4]),
      .side(side[4]),
      .rank,
      .given_valid(given_valids[4]),
      .given_wide(1'b0),
      .given(givens[4]),
      .price(price_again),
      .known(price_known)
  );
endmodule

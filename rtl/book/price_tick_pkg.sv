// Ticks of a window of prices: which one a price is, found by a multiplication with the modular inverse of the tick size.
//
// (price - low) / size has no remainder, if the price is on a tick, and then (price - low) * inverse of the size's odd part is it, shifted by the size's twos: modulo 2^20, which
// has room for 13 bits of it and seven twos. Of another price some tick comes out: whether the tick comes to the price again is checked later (price_ladder).
package price_tick_pkg;
  localparam int WindowBits = 13;
  localparam int PartBits = WindowBits + (1 << book_pkg::ShiftBits) - 1;
  localparam int Powers = 6;  // of ten that a mantissa is multiplied with

  typedef logic [WindowBits-1:0] tick_t;
  typedef logic [PartBits-1:0] part_t;
endpackage

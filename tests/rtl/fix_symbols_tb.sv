// fix_symbols with plain ports: two halves of a beat.
module fix_symbols_tb
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input  logic                           clk,
    input  logic                           rst,
    input  logic                           write,
    input  logic [$clog2(INSTRUMENTS)-1:0] index,
    input  logic                           used,
    input  logic [                   63:0] symbol,
    input  logic [                    3:0] symbol_length,
    output logic                           busy,
    input  logic [                  127:0] chars,
    input  logic [                    1:0] equals,
    output logic [          INSTRUMENTS-1:0] match_0,
    output logic [          INSTRUMENTS-1:0] match_1
);
  fix_symbols #(
      .HALVES(2),
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .instrument_write(write),
      .instrument_index(index),
      .instrument('{used: used, symbol: symbol, symbol_length: symbol_length, price_scale: '0, quantity_scale: '0}),
      .instrument_busy(busy),
      .chars,
      .equals,
      .match({match_1, match_0})
  );
endmodule

// W=8: finds which instrument's symbol a value is, as its bytes come, and that instrument's scales.
//
//   byte, its place in the value ─ two block RAMs, one a half byte: a bit an instrument ─ and ─ still the same ─ index
//
// The host's symbol is written bit by bit: for each place, which of the 16 half bytes is the symbol's; after its end comes SOH.
//
// Latency: 3 cycles to `matching`, 4 to `hit` and `index`; a table entry takes 146 cycles, in which `instrument` is held and matches
// nothing. Throughput: a byte a cycle. Parameter: INSTRUMENTS. Overflow: none; a value longer than any symbol matches none.
module fix_byte_symbols
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    localparam int Index = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic table_rst,
    input logic rst,
    input logic save,
    input logic restore,

    input  logic                        instrument_write,
    input  logic            [Index-1:0] instrument_index,
    input  fix_instrument_t             instrument,
    output logic                        instrument_busy,

    input logic [7:0] data,    // of the byte that comes
    input logic [3:0] place,   // its place in its value, if it is in one
    input logic       present, // two cycles later: there was a byte
    input logic       equals,  // it was the "=" before a value

    output logic                 hit,
    output logic [    Index-1:0] index,

    input  logic [    Index-1:0] scales_index,   // in the next cycle:
    output logic [ScaleBits-1:0] price_scale,
    output logic [ScaleBits-1:0] quantity_scale
);
  localparam int Places = SymbolChars + 1;

  // ---- the table -------------------------------------------------------------------------------------

  logic [INSTRUMENTS-1:0] used;
  logic writing, writing_reg;
  logic [3:0] write_place, half_byte;
  logic [7:0] write_row;  // of both memories
  logic [2:0] from_end;
  logic [7:0] character, character_reg;
  logic write_last;

  assign instrument_busy = instrument_write || writing || writing_reg;
  assign write_last = half_byte == '1 && write_place == 4'(Places - 1);
  assign from_end = 3'(instrument.symbol_length - 4'd1 - write_place);
  assign character = write_place == instrument.symbol_length ? Soh : instrument.symbol[8*from_end+:8];

  always_ff @(posedge clk) begin
    {write_place, half_byte} <= {write_place, half_byte} + 1'b1;
    if (instrument_write) begin
      writing <= 1'b1;
      {write_place, half_byte} <= '0;
      used[instrument_index] <= 1'b0;
    end else if (write_last) begin
      writing <= 1'b0;
    end
    writing_reg   <= writing;
    write_row     <= {write_place, half_byte};
    character_reg <= character;
    if (writing_reg && !writing) used[instrument_index] <= instrument.used;
    if (table_rst) begin
      {writing, writing_reg} <= '0;
      used <= '0;
    end
  end

  // Read a row at a time, written a bit at a time.
  (* no_rw_check *) logic high[256*INSTRUMENTS], low[256*INSTRUMENTS];
  logic [INSTRUMENTS-1:0] high_read, low_read, high_reg, low_reg;

  always_ff @(posedge clk) begin
    if (writing_reg) high[{write_row, instrument_index}] <= write_row[3:0] == character_reg[7:4];
    if (writing_reg) low[{write_row, instrument_index}] <= write_row[3:0] == character_reg[3:0];
    for (int i = 0; i < INSTRUMENTS; i++) begin
      high_read[i] <= high[{place, data[7:4], Index'(i)}];
      low_read[i]  <= low[{place, data[3:0], Index'(i)}];
    end
    high_reg <= high_read;
    low_reg  <= low_read;
  end

  (* ram_style = "distributed" *) logic [2*ScaleBits-1:0] scales[INSTRUMENTS];
  always_ff @(posedge clk) begin
    if (instrument_write) scales[instrument_index] <= {instrument.price_scale, instrument.quantity_scale};
    {price_scale, quantity_scale} <= scales[scales_index];
  end

  // ---- the value ---------------------------------------------------------------------------------------

  logic [INSTRUMENTS-1:0] matching, saved;
  logic [Index-1:0] found;

  always_comb begin
    found = '0;
    for (int i = 0; i < INSTRUMENTS; i++) if (matching[i]) found |= Index'(i);
  end

  always_ff @(posedge clk) begin
    if (equals) matching <= used;
    else if (present) matching <= matching & high_reg & low_reg;
    if (restore) matching <= saved;
    if (save) saved <= matching;
    if (rst) {matching, saved} <= '0;
    hit   <= |matching;
    index <= found;
  end

  assert property (@(posedge clk) disable iff (rst) !(instrument_write && (writing || writing_reg)));
endmodule

// W=64: finds, for each half of a beat, which instrument's symbol the value is that ends there.
//
//   characters ─ a RAM for each half byte: a bit for each instrument ─ and ─ match
//   instrument ─ symbols ─ rows of four instruments ─ write
//
// A symbol's half byte c matches in the row that has its own value. The character before the symbol must be the "=", and the characters before
// that one match in every row. A distributed RAM is 16 rows of four instruments: they are written together, so the symbols of all
// instruments are stored a second time.
//
// Latency: 1 cycle; an instrument takes 67 cycles to write, in which it matches nothing and `instrument` must not change. Throughput: a beat a cycle.
// Parameters: HALVES of a beat; INSTRUMENTS, a power of two, at least 4. Overflow: none.
module fix_symbols
  import fix_pkg::*;
#(
    parameter int HALVES = 2,
    parameter int INSTRUMENTS = 16,
    localparam int Index = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,  // of the table

    input  logic                        instrument_write,
    input  logic            [Index-1:0] instrument_index,
    /* verilator lint_off UNUSEDSIGNAL */  // the scales are fix_values'
    input  fix_instrument_t             instrument,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic                        instrument_busy,

    input  logic [HALVES-1:0][SymbolChars-1:0][7:0] chars,   // before the SOH, [0] the last
    input  logic [HALVES-1:0]                       equals,  // the one before them all is "="
    output logic [HALVES-1:0][ INSTRUMENTS-1:0]     match
);
  localparam int Four = 4;  // instruments in a distributed RAM
  localparam int Fours = INSTRUMENTS / Four;

  if (INSTRUMENTS < Four || INSTRUMENTS != 1 << Index) begin : gen_check
    $fatal(1, "fix_symbols: INSTRUMENTS is %0d; it must be a power of two, at least 4", INSTRUMENTS);
  end

  // ---- the table -------------------------------------------------------------------------------------

  typedef struct packed {
    logic [3:0]                  symbol_length;
    logic [SymbolChars-1:0][7:0] symbol;
  } symbol_t;

  (* ram_style = "distributed" *) logic [$bits(symbol_t)-1:0] symbols[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] used, longest;  // longest: its symbol has SymbolChars characters

  logic writing;
  logic [3:0] row;
  logic [1:0] member;  // of the four
  symbol_t member_symbol;
  logic [2:1] writing_reg, last_reg;  // of a row
  logic [2:1][3:0] row_reg;
  logic [SymbolChars-1:0][1:0][Four-1:0] bits;  // of the row, the high half byte in [1]
  logic [Index-1:0] four;  // to which the instrument belongs
  logic [Fours-1:0] four_hot;

  assign four = instrument_index >> 2;

  assign instrument_busy = instrument_write || writing || writing_reg != '0;

  function automatic logic [1:0] in_row(input symbol_t s, input int c, input logic [3:0] number);
    logic [7:0] character;
    character = 4'(c) == s.symbol_length ? "=" : s.symbol[c];
    return {character[7:4] == number, character[3:0] == number} | {2{4'(c) > s.symbol_length}};
  endfunction

  always_ff @(posedge clk) begin
    if (instrument_write) symbols[instrument_index] <= {instrument.symbol_length, instrument.symbol};
    {row, member} <= {row, member} + 1'b1;
    if (instrument_write) begin
      writing <= 1'b1;
      {row, member} <= '0;
      used[instrument_index] <= 1'b0;
    end else if (row == '1 && member == '1) writing <= 1'b0;

    member_symbol <= symbols[Index'({instrument_index>>2, member})];
    for (int c = 0; c < SymbolChars; c++) begin
      automatic logic [1:0] hit = in_row(member_symbol, c, row_reg[1]);
      for (int n = 0; n < 2; n++) bits[c][n] <= {hit[n], bits[c][n][Four-1:1]};
    end
    writing_reg <= {writing_reg[1], writing};
    last_reg <= {last_reg[1], member == '1};
    row_reg <= {row_reg[1], row};
    for (int g = 0; g < Fours; g++) four_hot[g] <= four == Index'(g);

    if (writing_reg[2] && !writing_reg[1]) begin
      used[instrument_index] <= instrument.used && instrument.symbol_length <= 4'(SymbolChars);
      longest[instrument_index] <= instrument.symbol_length == 4'(SymbolChars);
    end
    if (rst) begin
      writing <= 1'b0;
      writing_reg <= '0;
      used <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(instrument_write && (writing || writing_reg != '0)));

  // ---- the values --------------------------------------------------------------------------------------

  logic [HALVES-1:0][INSTRUMENTS-1:0][SymbolChars-1:0][1:0] same;

  for (genvar h = 0; h < HALVES; h++) begin : gen_half
    for (genvar g = 0; g < Fours; g++) begin : gen_four
      for (genvar c = 0; c < SymbolChars; c++) begin : gen_character
        for (genvar n = 0; n < 2; n++) begin : gen_half_byte
          (* ram_style = "distributed" *) logic [Four-1:0] rows[16];
          logic [Four-1:0] from_row;
          assign from_row = rows[chars[h][c][4*n+:4]];
          always_ff @(posedge clk) if (writing_reg[2] && last_reg[2] && four_hot[g]) rows[row_reg[2]] <= bits[c][n];
          for (genvar i = 0; i < Four; i++) begin : gen_instrument
            assign same[h][Four*g+i][c][n] = from_row[i];
          end
        end
      end
    end
    always_ff @(posedge clk) begin
      for (int i = 0; i < INSTRUMENTS; i++) match[h][i] <= used[i] && same[h][i] == '1 && (equals[h] || !longest[i]);
    end
  end
endmodule

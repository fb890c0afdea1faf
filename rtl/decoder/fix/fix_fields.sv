// Says of each SOH which field it ends, and picks what the field holds.
//
// The tag is the last one found since the SOH before, in this beat or an earlier one; a half's SOH and tag may come in either order. A beat holds
// at most one number of a kind in a good message, whichever half it ends in.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: W, INSTRUMENTS. Nothing overflows.
module fix_fields
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    localparam int N = W / 8,
    localparam int Half = 4,
    localparam int Halves = N / Half
) (
    input logic clk,
    input logic rst,
    input fix_instrument_t [INSTRUMENTS-1:0] instruments,

    input logic                               in_valid,
    input logic                               in_last,
    input logic                               in_err,
    input logic [  $clog2(N+1)-1:0]           in_count,
    input logic [2:0] in_skip,
    input logic [       N-1:0][7:0]           in_data,
    input logic [    Halves-1:0][Half-1:0]    in_soh,
    input logic [Halves-1:0] in_extra,
    input logic [    Halves-1:0]              in_short,
    input logic [Halves-1:0][SymbolChars:0][7:0] in_chars,
    input number_chars_t [Halves-1:0]         in_number,
    input tag_t [N-1:0] in_tag,
    input logic [N-1:0] in_bare,
    input logic [Halves-1:0][Half-1:0] in_before,
    input logic [Halves-1:0][Half-1:0] in_behind,
    input logic [N-1:0] in_begin,
    input logic [N-1:0] in_begin_before,
    input logic [N-1:0] in_begin_behind,

    output logic                           out_valid,
    output logic                           out_last,
    output logic                           out_err,
    output logic [  $clog2(N+1)-1:0]       out_count,
    output logic [         Halves-1:0]     out_end,          // a field ends in this half
    output tag_t [         Halves-1:0]     out_tag,          // its tag
    output logic [         Halves-1:0]     out_bare,
    output logic [Halves-1:0] out_extra,
    output logic [         Halves-1:0]     out_short,
    output logic [         Halves-1:0]     out_single,       // its value is one character
    output logic [         Halves-1:0][7:0]out_char,
    output logic [         Halves-1:0]     out_digits_good,  // its value is three digits
    output logic [         Halves-1:0][2:0][3:0] out_digits, // [0] the last
    output logic [Halves-1:0][INSTRUMENTS-1:0] out_match,    // its value is this instrument's symbol
    output logic [Halves-1:0][3:0] out_place,   // bytes of the beat up to the SOH
    output pair_t [Halves-1:0] out_sum,  // their sum
    output pair_t [Halves-1:0] out_total,  // of the whole half
    output logic [         Halves-1:0]     out_begin,        // 8=FIX ends in this half
    output pair_t [Halves-1:0] out_begin_sum,  // sum up to its X
    output number_marks_t [Halves-1:0] out_marks  // of the characters before the SOH
);

  // ---- which field -----------------------------------------------------------------------------------

  typedef struct packed {
    tag_t tag;
    logic bare;
  } field_t;

  field_t open, open_next, saved_open;
  field_t [Halves-1:0] ahead, behind, ended;
  logic [Halves-1:0] has_soh, has_before;

  always_comb begin
    open_next = open;
    ended = '0;
    for (int h = 0; h < Halves; h++) begin
      has_soh[h] = |in_soh[h];
      has_before[h] = |{in_before[h], in_begin_before[h*Half+:Half]};
      ahead[h] = '0;
      behind[h] = '0;
      for (int i = 0; i < Half; i++) begin
        if (in_before[h][i]) ahead[h].tag |= in_tag[h*Half+i];
        if (in_behind[h][i]) behind[h].tag |= in_tag[h*Half+i];
      end
      ahead[h].tag[TagBegin] = |in_begin_before[h*Half+:Half];
      ahead[h].bare = |(in_begin_before[h*Half+:Half] & in_bare[h*Half+:Half]);
      behind[h].tag[TagBegin] = |in_begin_behind[h*Half+:Half];
      behind[h].bare = |(in_begin_behind[h*Half+:Half] & in_bare[h*Half+:Half]);
      ended[h] = has_before[h] ? ahead[h] : open_next;
      open_next = has_soh[h] ? behind[h] : ended[h];
    end
  end

  always_ff @(posedge clk) begin
    if (in_valid) begin
      open <= in_err ? saved_open : open_next;
      if (in_last && !in_err) saved_open <= open_next;
    end
    if (rst) begin
      open <= '0;
      saved_open <= '0;
    end
  end

  // ---- sums and places -------------------------------------------------------------------------------

  // Lanes up to the one of the mask, each half in two sums: they are put together a cycle later.
  function automatic pair_t pair_to(input logic [Half-1:0][7:0] data, input logic [Half-1:0] mask);
    logic [3:0][7:0] part;
    part = '0;
    for (int i = 0; i < Half; i++) if ((mask >> i) != '0) part[i] = data[i];
    return {part[3] + part[2], part[1] + part[0]};
  endfunction

  function automatic logic [3:0] place_of(input int h, input logic [Half-1:0] mask);
    place_of = '0;
    for (int i = 0; i < Half; i++) if (mask[i]) place_of = 4'(h * Half + i + 1);
  endfunction

  // ---- symbols ---------------------------------------------------------------------------------------

  // Which characters are of the symbol, and where the "=" before it is: the length taken apart when the host writes it.
  typedef struct packed {
    logic                     used;
    logic [SymbolChars:0]     equals;
    logic [SymbolChars-1:0]   cares;
    logic [8*SymbolChars-1:0] symbol;
  } pattern_t;
  pattern_t [INSTRUMENTS-1:0] patterns;

  always_ff @(posedge clk) begin
    for (int i = 0; i < INSTRUMENTS; i++) begin
      patterns[i].used <= instruments[i].used;
      patterns[i].symbol <= instruments[i].symbol;
      for (int c = 0; c <= SymbolChars; c++) patterns[i].equals[c] <= 4'(c) == instruments[i].symbol_length;
      for (int c = 0; c < SymbolChars; c++) patterns[i].cares[c] <= 4'(c) < instruments[i].symbol_length;
    end
  end

  function automatic logic is_symbol(input logic [SymbolChars:0][7:0] chars, input logic [SymbolChars:0] equals, input pattern_t pattern);
    logic [SymbolChars-1:0] same;
    for (int c = 0; c < SymbolChars; c++) same[c] = !pattern.cares[c] || chars[c] == pattern.symbol[8*c+:8];
    return pattern.used && (equals & pattern.equals) != '0 && same == '1;
  endfunction

  logic [Halves-1:0][SymbolChars:0] equals;
  always_comb begin
    for (int h = 0; h < Halves; h++) for (int c = 0; c <= SymbolChars; c++) equals[h][c] = in_number[h][c] == CodeEquals;
  end

  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int i = 0; i < INSTRUMENTS; i++) unused &= |{instruments[i].price_scale, instruments[i].quantity_scale};
  end

  always_ff @(posedge clk) begin
    out_valid <= in_valid && !rst;
    out_last <= in_last;
    out_err <= in_err;
    out_count <= in_count;
    out_end <= has_soh;
    out_short <= in_short;
    out_extra <= in_extra;
    for (int h = 0; h < Halves; h++) begin
      out_tag[h] <= ended[h].tag & {Tags{has_soh[h]}};
      out_bare[h] <= ended[h].bare;
      out_single[h] <= equals[h][1];
      out_char[h] <= in_chars[h][0];
      out_digits_good[h] <= is_digit(in_number[h][0]) && is_digit(in_number[h][1]) && is_digit(in_number[h][2]) &&
          in_number[h][3] == CodeEquals;
      for (int d = 0; d < 3; d++) out_digits[h][d] <= in_number[h][d];
      for (int i = 0; i < INSTRUMENTS; i++) out_match[h][i] <= is_symbol(in_chars[h], equals[h], patterns[i]);
      out_place[h] <= place_of(h, in_soh[h]) - 4'(in_skip);
      out_sum[h] <= pair_to(in_data[h*Half+:Half], in_soh[h]);
      out_begin[h] <= |in_begin[h*Half+:Half];
      out_begin_sum[h] <= pair_to(in_data[h*Half+:Half], in_begin[h*Half+:Half]);
      out_total[h] <= pair_to(in_data[h*Half+:Half], Half'(1) << (Half - 1));
    end
  end

  for (genvar h = 0; h < Halves; h++) begin : gen_marks
    fix_marks number_marks (
        .clk,
        .chars(in_number[h]),
        .marks(out_marks[h])
    );
  end
endmodule

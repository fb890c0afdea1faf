// Says for each SOH which field it ends, and picks the field's value.
//
// The tag is the last one found since the SOH before, in this beat or an earlier one; a half's SOH and tag may come in either order. A beat holds
// at most one number of a kind in a good message, whichever half it ends in.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameter: W. Nothing overflows.
module fix_fields
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Half = 4,
    localparam int Halves = N / Half
) (
    input logic clk,
    input logic rst,

    // Of fix_window.
    input logic                                   in_valid,
    input logic                                   in_last,
    input logic                                   in_err,
    input logic          [$clog2(N+1)-1:0]        in_count,
    input logic          [            2:0]        in_skip,
    input logic          [          N-1:0][  7:0] in_data,
    input logic          [     Halves-1:0][Half-1:0] in_soh,
    input logic          [     Halves-1:0]        in_extra,
    input logic          [     Halves-1:0][  7:0] in_char,
    input number_chars_t [     Halves-1:0]        in_number,
    input tag_t          [          N-1:0]        in_tag,
    input logic          [          N-1:0]        in_bare,
    input logic          [     Halves-1:0][Half-1:0] in_before,
    input logic          [     Halves-1:0][Half-1:0] in_after,
    input logic          [          N-1:0]        in_begin,
    input logic          [          N-1:0]        in_begin_before,
    input logic          [          N-1:0]        in_begin_after,

    output logic                               out_valid,
    output logic                               out_last,
    output logic                               out_err,
    output logic          [$clog2(N+1)-1:0]    out_count,
    output logic          [ Halves-1:0]        out_end,          // a field ends in this half
    output tag_t          [ Halves-1:0]        out_tag,          // its tag; 0 if none ends
    output logic          [ Halves-1:0]        out_bare,
    output logic          [ Halves-1:0]        out_extra,
    output logic          [ Halves-1:0]        out_short,        // it has less than three characters
    output logic          [ Halves-1:0]        out_single,       // its value is one character
    output logic          [ Halves-1:0][  7:0] out_char,
    output logic          [ Halves-1:0]        out_digits_good,  // its value is three digits
    output logic          [ Halves-1:0][  2:0][3:0] out_digits,  // [0] the last
    output logic          [ Halves-1:0][  3:0] out_place,        // bytes of the beat up to the SOH
    output pair_t         [ Halves-1:0]        out_sum,          // of the half's bytes up to the SOH
    output pair_t         [ Halves-1:0]        out_total,        // of the half's bytes
    output logic          [ Halves-1:0]        out_begin,        // 8=FIX ends in this half
    output logic          [ Halves-1:0][  7:0] out_begin_sum,    // sum of the half's bytes up to its X
    output number_marks_t [ Halves-1:0]        out_marks         // of the characters before the SOH
);

  // ---- which field -----------------------------------------------------------------------------------

  typedef struct packed {
    tag_t tag;
    logic bare;
  } field_t;

  field_t open, open_next, saved_open;
  field_t [Halves-1:0] before_soh, after_soh, ended;
  logic [Halves-1:0] has_soh, has_before;

  always_comb begin
    open_next = open;
    ended = '0;
    for (int h = 0; h < Halves; h++) begin
      has_soh[h] = |in_soh[h];
      has_before[h] = |{in_before[h], in_begin_before[h*Half+:Half]};
      before_soh[h] = '0;
      after_soh[h] = '0;
      for (int i = 0; i < Half; i++) begin
        if (in_before[h][i]) before_soh[h].tag |= in_tag[h*Half+i];
        if (in_after[h][i]) after_soh[h].tag |= in_tag[h*Half+i];
      end
      before_soh[h].tag[TagBegin] = |in_begin_before[h*Half+:Half];
      before_soh[h].bare = |(in_begin_before[h*Half+:Half] & in_bare[h*Half+:Half]);
      after_soh[h].tag[TagBegin] = |in_begin_after[h*Half+:Half];
      after_soh[h].bare = |(in_begin_after[h*Half+:Half] & in_bare[h*Half+:Half]);
      ended[h] = has_before[h] ? before_soh[h] : open_next;
      open_next = has_soh[h] ? after_soh[h] : ended[h];
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

  // Sum of the lanes up to the one in the mask, each half in two sums: they are added a cycle later.
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

  // The bytes up to the X are known: those of =FIX that are in this half, except in lanes before the segment's first byte.
  localparam logic [3:0][7:0] EqualsFix = {"X", "I", "F", "="};
  function automatic logic [7:0] sum_to_x(input int h, input logic [Half-1:0] at, input logic [2:0] skip);
    sum_to_x = '0;
    for (int lane = 0; lane < Half; lane++) begin
      for (int first = 0; first <= 6; first += first == 0 ? 2 : 4) begin
        automatic logic [7:0] sum = '0;
        for (int i = 0; i <= lane; i++) if (h * Half + i >= first) sum += EqualsFix[3-lane+i];
        if (at[lane] && skip == 3'(first)) sum_to_x |= sum;
      end
    end
  endfunction

  always_ff @(posedge clk) begin
    out_valid <= in_valid && !rst;
    out_last <= in_last;
    out_err <= in_err;
    out_count <= in_count;
    out_end <= has_soh;
    out_extra <= in_extra;
    for (int h = 0; h < Halves; h++) begin
      out_tag[h] <= ended[h].tag & {Tags{has_soh[h]}};
      out_bare[h] <= ended[h].bare;
      out_short[h] <= in_number[h][0].code == CodeSoh || in_number[h][1].code == CodeSoh || in_number[h][2].code == CodeSoh;
      out_single[h] <= in_number[h][1].equals;
      out_char[h] <= in_char[h];
      out_digits_good[h] <= is_digit(in_number[h][0].code) && is_digit(in_number[h][1].code) && is_digit(in_number[h][2].code) &&
          in_number[h][3].equals;
      for (int d = 0; d < 3; d++) out_digits[h][d] <= in_number[h][d].code;
      out_place[h] <= place_of(h, in_soh[h]) - 4'(in_skip);
      out_sum[h] <= pair_to(in_data[h*Half+:Half], in_soh[h]);
      out_total[h] <= pair_to(in_data[h*Half+:Half], Half'(1) << (Half - 1));
      out_begin[h] <= |in_begin[h*Half+:Half];
      out_begin_sum[h] <= sum_to_x(h, in_begin[h*Half+:Half], in_skip);
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

// Finds where in its entry each token of a beat is: its position counts tokens, optional decimals as two, from the field after the presence map.
//
//   r, V ─ s7 the token that begins an entry, exponents near r ─ s8 lanes before and after it, null exponents 1 ─ s9 null exponents 2, presence map
//        ─ s10 their number by lane ─ s11 positions
//
// Before the boundary a lane is at q + t + null exponents before it, q = n - r; after it at t - v - 1, one more where entries have no presence map. In the
// header q counts from the presence map of the message; the tokens of a Reset are before 0.
//
// Latency: 5 cycles from r. Throughput: a beat a cycle. Nothing overflows.
module fast_wire_lanes
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t template_word,
    /* verilator lint_on UNUSEDSIGNAL */
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat6,
    /* verilator lint_on UNUSEDSIGNAL */
    input row_t r6,
    input logic [EndRows-1:0][Lanes-1:0] at6,
    input logic [Lanes-1:0] exists6,
    input row_t [Lanes-1:0] tokens6,
    input logic resets6,
    input logic [Lanes-1:0] nulls7,  // by ordinal
    input lane_t [Lanes-1:0] lanes7,
    input lane_t [Lanes-1:0] lanes8,
    input lane_t [Lanes-1:0] lanes9,
    input lane_t [Lanes-1:0] lanes10,

    output logic begins9,  // an entry begins
    output logic [MapBits-1:0] map9,  // its presence map
    output logic bad_map9,
    output logic [Lanes-1:0] after11,  // the lane is after the boundary
    output logic header11,  // the lanes before it are the header's
    output logic in_entry11,  // they are an entry's
    output row_t [Lanes-1:0] position11,
    output logic [Lanes-1:0] met11  // the walk took the token for a null exponent
);
  typedef logic [MostNulls:0] met_t;

  function automatic logic is_met(met_t earlier, logic [MostNulls:0] exponents, logic is_null);
    return is_null && (earlier & exponents) != '0;
  endfunction

  function automatic met_t met_step(met_t earlier, logic here);
    return here ? {earlier[MostNulls-1:0], 1'b0} : earlier;
  endfunction

  // ---- s7

  localparam int Near = Lanes + MostNulls;
  logic valid7, last7, header7, resets7, begins7, is_header;
  logic [3:0] header_left;
  logic [Lanes-1:0] at, at7;
  logic [15:0][Lanes-1:0] at_rows;
  logic [NullRows-1:0] exponents[Near];  // bit r: what near7[k] is
  logic [Near-1:0] near7;  // bit k: exponents[r - k]
  row_t r7;
  row_t [Lanes-1:0] tokens7;

  assign is_header   = r6[5] && r6[4:3] != '0;
  assign header_left = {r6[4], r6[2:0]};

  always_comb begin
    for (int x = 0; x < 16; x++) at_rows[x] = x < EndRows ? at6[x%EndRows] : '0;
    at = r6[5:4] == '0 ? at_rows[r6[3:0]] : '0;
    for (int t = 0; t < Lanes; t++)
    if (is_header && exists6[t] && (resets6 ? t >= 2 && header_left == 4'(t - 2) : header_left == 4'(t))) at[t] = 1'b1;
  end

  always_comb for (int k = 0; k < Near; k++) exponents[k] = template_word.exponents << k;

  always_ff @(posedge clk) begin
    valid7 <= beat6.valid;
    last7 <= beat6.valid && beat6.last;
    header7 <= is_header;
    resets7 <= resets6;
    at7 <= at;
    begins7 <= at != '0;
    r7 <= r6;
    tokens7 <= tokens6;
    for (int k = 0; k < Near; k++) near7[k] <= !r6[5] && exponents[k][r6[4:0]];
    if (rst) valid7 <= 1'b0;
  end

  // ---- s8

  logic open8, in_entry, header8, in_entry8, begins8, valid8;
  logic [Lanes-1:0] boundary, after, boundary8, after8;
  logic [2:0] token8;
  row_t tokens, length, q8;
  met_t [Lanes/2-1:0] met8;
  met_t met_half8, met_half;
  met_t [Lanes/2-1:0] met_low;
  logic [Lanes/2-1:0] here_low, here8;
  logic [Near-1:Lanes/2] near8;
  logic [Lanes-1:Lanes/2] nulls8;

  always_comb begin
    tokens = '0;
    for (int t = 0; t < Lanes; t++) if (at7[t]) tokens |= tokens7[t];
    for (int j = 0; j < Lanes; j++) boundary[j] = lanes7[j].stop && at7[lanes7[j].ordinal];
    for (int j = 0; j < Lanes; j++) begin
      after[j] = template_word.no_map && boundary[j];
      for (int i = 0; i < j; i++) after[j] |= boundary[i];
    end
    met_half = met_t'(1);
    for (int t = 0; t < Lanes / 2; t++) begin
      met_low[t] = met_half;
      here_low[t] = is_met(met_half, near7[t+:MostNulls+1], nulls7[t]);
      met_half = met_step(met_half, here_low[t]);
    end
  end

  always_ff @(posedge clk) begin
    valid8 <= valid7;
    begins8 <= begins7;
    boundary8 <= boundary;
    after8 <= after;
    // After two entries that begin in one beat r may look like the header's.
    header8 <= header7 && !in_entry;
    in_entry8 <= in_entry;
    token8 <= {|at7[7:4], |(at7 & 8'hcc), |(at7 & 8'haa)};
    q8 <= length - r7 - (resets7 ? 6'd2 : 6'd0);
    met8 <= met_low;
    here8 <= here_low;
    met_half8 <= met_half;
    near8 <= near7[Near-1:Lanes/2];
    nulls8 <= nulls7[Lanes-1:Lanes/2];
    if (valid7) begin
      open8 <= !last7;
      in_entry <= !last7 && (in_entry || begins7);
      if (begins7) length <= tokens + 6'(template_word.no_map);
    end
    if (last7 || !(valid7 || open8)) length <= 6'(HeaderRow) + 6'(template_word.header);
    if (rst) begin
      valid8 <= 1'b0;
      open8 <= 1'b0;
      in_entry <= 1'b0;
    end
  end

  // ---- s9

  logic header9, in_entry9;
  logic [Lanes-1:0] after9;
  logic [2:0] token9;
  row_t q9;
  met_t [Lanes-1:0] met9;
  met_t [Lanes-1:Lanes/2] met_high;
  logic [Lanes-1:Lanes/2] here_high;
  logic [Lanes-1:0] here9;
  met_t met_rest;
  logic [6:0] byte_before;  // the last byte of the beat before
  logic before_begins;
  logic [MapBits-1:0] map;
  logic too_long, overlong;

  always_comb begin
    met_rest = met_half8;
    for (int t = Lanes / 2; t < Lanes; t++) begin
      met_high[t] = met_rest;
      here_high[t] = is_met(met_rest, near8[t+:MostNulls+1], nulls8[t]);
      met_rest = met_step(met_rest, here_high[t]);
    end
    map = '0;
    too_long = 1'b0;
    overlong = 1'b0;
    for (int j = 0; j < Lanes; j++) begin
      if (boundary8[j]) begin
        map |= lanes8[j].begins ? {7'd0, lanes8[j].bits} : {lanes8[j].bits, j == 0 ? byte_before : lanes8[(j+7)%8].bits};
        too_long |= !lanes8[j].begins && !(j == 0 ? before_begins : lanes8[(j+7)%8].begins);
        overlong |= !lanes8[j].begins && lanes8[j].bits == '0;
      end
    end
  end

  logic too_long9, has_map9;
  always_ff @(posedge clk) begin
    begins9 <= begins8 && valid8;
    header9 <= header8;
    in_entry9 <= in_entry8;
    after9 <= after8;
    token9 <= token8;
    q9 <= q8;
    met9 <= {met_high, met8};
    here9 <= {here_high, here8};
    map9 <= template_word.no_map ? '0 : map;
    too_long9 <= too_long || overlong;
    has_map9 <= begins8 && valid8 && !template_word.no_map;
    if (valid8) begin
      byte_before <= lanes8[Lanes-1].bits;
      before_begins <= lanes8[Lanes-1].begins;
    end
    if (rst) begins9 <= 1'b0;
  end
  assign bad_map9 = has_map9 && (too_long9 || (map9 & ~template_word.known) != '0);

  // ---- s10, s11

  logic header10, in_entry10;
  logic [Lanes-1:0] after10;
  logic [2:0] token10;
  row_t q10;
  logic [Lanes-1:0][2:0] met10;
  logic [Lanes-1:0] here10;
  logic [Lanes-1:0][MostNulls:1] met;
  always_comb for (int j = 0; j < Lanes; j++) met[j] = met9[lanes9[j].ordinal][MostNulls:1];

  always_ff @(posedge clk) begin
    header10 <= header9;
    in_entry10 <= in_entry9;
    after10 <= after9;
    q10 <= q9;
    token10 <= token9 + 3'd1 - 3'(template_word.no_map);
    for (int j = 0; j < Lanes; j++) begin
      met10[j] <= {met[j][4], met[j][3] | met[j][2], met[j][3] | met[j][1]};
    end
    for (int j = 0; j < Lanes; j++) here10[j] <= lanes9[j].stop && here9[lanes9[j].ordinal];
    met11 <= in_entry10 ? here10 & ~after10 : '0;
    header11 <= header10;
    in_entry11 <= in_entry10;
    after11 <= after10;
    for (int j = 0; j < Lanes; j++)
    position11[j] <= after10[j] ? 6'(3'(lanes10[j].ordinal - token10)) : q10 + 6'(lanes10[j].ordinal) + 6'(met10[j]);
  end
endmodule

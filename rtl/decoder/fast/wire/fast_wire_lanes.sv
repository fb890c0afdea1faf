// Finds where in its entry each token of a beat is: its position counts tokens, optional decimals as two, from the field after the presence map.
//
//   r, V ─ s6 the lane that begins an entry, exponents near r ─ s7 lanes before and after it, null exponents 1, presence map ─ s8 null exponents 2
//        ─ s9 their number by lane, positions
//
// Before the boundary a lane is at q + t + null exponents before it, q = n - r; after it at t - v - 1, one more where entries have no presence map. In the
// header q counts from the presence map of the message; the tokens of a Reset are before 0.
//
// Latency: 4 cycles from r. Throughput: a beat a cycle. Parameter: SHORT, stage 8 takes no cycle; null exponents are then found in a table (fast_wire_nulls). Nothing overflows.
module fast_wire_lanes
  import fast_wire_pkg::*;
#(
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t word5,
    input template_t word6,
    input template_t word7,
    /* verilator lint_on UNUSEDSIGNAL */
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat5,
    input lane_t [Lanes-1:0] lanes5,
    input lane_t [Lanes-1:0] lanes6,
    input lane_t [Lanes-1:0] lanes7,
    input lane_t [Lanes-1:0] lanes8,
    /* verilator lint_on UNUSEDSIGNAL */
    input row_t r5,
    input logic late5,
    input logic [NullRows-1:0] late_exponents5,
    input logic [1:0][EndRows-1:0][Lanes-1:0] at5,
    input row_t [Lanes-1:0] tokens6,  // n(pm), by lane
    input logic resets5,
    input logic [Lanes-1:0] nulls4,  // by ordinal
    input logic [Lanes-1:0] nulls6,

    output logic begins7,  // an entry begins
    output logic [2:0] lane7,  // where the token ends that begins it,
    output logic whole7,  // a byte
    output logic [MapBits-1:0] map7,  // its presence map
    output logic bad_map7,
    output logic [Lanes-1:0] after9,  // the lane is after the boundary
    output logic header9,  // the lanes before it are the header's
    output logic in_entry9,  // they are an entry's
    output row_t [Lanes-1:0] position9,
    output logic [Lanes-1:0] met9  // the walk took the token for a null exponent
);
  // ---- s6

  logic valid6, last6, header6, resets6, is_header;
  logic [3:0] header_left, header_end;
  logic [Lanes-1:0] boundary, boundary6;
  logic [1:0][15:0][Lanes-1:0] at_rows;
  row_t r6;

  assign is_header   = r5[5] && r5[4:3] != '0;
  assign header_left = {r5[4], r5[2:0]};
  // A Reset that ends in the beat is two tokens before the header.
  assign header_end  = header_left + (resets5 ? 4'd2 : 4'd0);

  always_comb begin
    for (int late = 0; late < 2; late++) for (int x = 0; x < 16; x++) at_rows[late][x] = x < EndRows ? at5[late][x%EndRows] : '0;
    boundary = r5[5:4] == '0 ? at_rows[late5][r5[3:0]] : '0;
    for (int j = 0; j < Lanes; j++) begin
      if (is_header && header_left < 4'(Lanes) && lanes5[j].stop && 4'(lanes5[j].ordinal) == header_end) boundary[j] = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    valid6 <= beat5.valid;
    last6 <= beat5.valid && beat5.last;
    header6 <= is_header;
    resets6 <= resets5;
    boundary6 <= boundary;
    r6 <= r5;
    if (rst) valid6 <= 1'b0;
  end

  // ---- s7

  logic open7, in_entry, header7, in_entry7, begins;
  logic [Lanes-1:0] after, after7;
  logic [2:0] token, token7;
  row_t tokens, length, length_now, begun, q7;
  logic began;  // an entry in the beat before, of so many tokens as `begun` says: known too late for `length`
  logic [6:0] byte_before;  // the last byte of the beat before
  logic before_begins;
  logic [MapBits-1:0] map;
  logic too_long, overlong, too_long7, has_map7, whole;
  logic [2:0] lane;

  always_comb begin
    begins = boundary6 != '0;
    tokens = '0;
    token = '0;
    lane = '0;
    whole = 1'b0;
    for (int j = 0; j < Lanes; j++) begin
      if (boundary6[j]) begin
        tokens |= tokens6[j];
        token |= lanes6[j].ordinal;
        lane |= 3'(j);
        whole |= lanes6[j].begins;
      end
    end
    for (int j = 0; j < Lanes; j++) begin
      after[j] = (word6.no_map && boundary6[j]) || (boundary6 & Lanes'((1 << j) - 1)) != '0;
    end
    map = '0;
    too_long = 1'b0;
    overlong = 1'b0;
    for (int j = 0; j < Lanes; j++) begin
      if (boundary6[j]) begin
        map |= lanes6[j].begins ? {7'd0, lanes6[j].bits} : {lanes6[j].bits, j == 0 ? byte_before : lanes6[(j+7)%8].bits};
        too_long |= !lanes6[j].begins && !(j == 0 ? before_begins : lanes6[(j+7)%8].begins);
        overlong |= !lanes6[j].begins && lanes6[j].bits == '0;
      end
    end
  end

  assign length_now = began ? begun : length;

  always_ff @(posedge clk) begin
    begins7 <= begins && valid6;
    lane7 <= lane;
    whole7 <= whole;
    after7 <= after;
    // After two entries that begin in one beat r may look like the header's.
    header7 <= header6 && !in_entry;
    in_entry7 <= in_entry;
    token7 <= token;
    q7 <= length_now - r6 - (resets6 ? 6'd2 : 6'd0);
    map7 <= word6.no_map ? '0 : map;
    too_long7 <= too_long || overlong;
    has_map7 <= begins && valid6 && !word6.no_map;
    if (valid6) begin
      byte_before <= lanes6[Lanes-1].bits;
      before_begins <= lanes6[Lanes-1].begins;
      open7 <= !last6;
      in_entry <= !last6 && (in_entry || begins);
    end
    length <= length_now;
    begun  <= tokens + 6'(word6.no_map);
    began  <= valid6 && begins && !last6;
    if (last6 || !(valid6 || open7)) length <= 6'(HeaderRow) + 6'(word5.header);
    if (rst) begin
      begins7 <= 1'b0;
      began <= 1'b0;
      open7 <= 1'b0;
      in_entry <= 1'b0;
    end
  end
  assign bad_map7 = has_map7 && (too_long7 || (map7 & ~word7.known) != '0);

  // ---- s8, s9: null exponents, and positions

  if (SHORT) begin : gen_short
    logic [Lanes-1:0] here7;
    logic [Lanes-1:0][3:0] tokens7;

    fast_wire_nulls nulls_of (
        .clk,
        .exponents(word5.exponents),
        .late_exponents(late_exponents5),
        .nulls4,
        .r5,
        .late5,
        .here7,
        .tokens7
    );

    // One sum, so that the choice of what is added comes before it.
    row_t after_at7;  // what a lane after the boundary adds to
    row_t [Lanes-1:0] from, more;
    assign after_at7 = word7.no_map ? -6'(token7) : ~6'(token7);
    always_comb begin
      for (int j = 0; j < Lanes; j++) begin
        from[j] = after7[j] ? after_at7 : q7;
        more[j] = after7[j] ? 6'(lanes7[j].ordinal) : 6'(tokens7[lanes7[j].ordinal]);
      end
    end

    always_ff @(posedge clk) begin
      header9 <= header7;
      in_entry9 <= in_entry7;
      after9 <= after7;
      for (int j = 0; j < Lanes; j++) begin
        met9[j] <= in_entry7 && !after7[j] && lanes7[j].stop && here7[lanes7[j].ordinal];
        position9[j] <= from[j] + more[j];
      end
    end

    logic unused;
    assign unused = &{1'b0, lanes8, nulls6};
  end else begin : gen_stage8
    typedef logic [MostNulls:0] met_t;
    localparam int Near = Lanes + MostNulls;

    function automatic logic is_met(met_t earlier, logic [MostNulls:0] exponents, logic is_null);
      return is_null && (earlier & exponents) != '0;
    endfunction

    function automatic met_t met_step(met_t earlier, logic here);
      return here ? {earlier[MostNulls-1:0], 1'b0} : earlier;
    endfunction

    logic [NullRows-1:0] exponents;
    logic [NullRows-1:0] exponents_at[Near];  // bit r: what near6[k] is
    logic [Near-1:0] near6;  // bit k: exponents[r - k]
    met_t [Lanes/2-1:0] met_low, met7;
    met_t met_half, met_half7, met_rest;
    logic [Lanes/2-1:0] here_low, here7;
    logic [Near-1:Lanes/2] near7;
    logic [Lanes-1:Lanes/2] nulls7, here_high;
    met_t [Lanes-1:Lanes/2] met_high;
    met_t [Lanes-1:0] met8;
    logic [Lanes-1:0] here8;

    assign exponents = late5 ? late_exponents5 : word5.exponents;
    always_comb begin
      for (int k = 0; k < Near; k++) exponents_at[k] = exponents << k;
      met_half = met_t'(1);
      for (int t = 0; t < Lanes / 2; t++) begin
        met_low[t] = met_half;
        here_low[t] = is_met(met_half, near6[t+:MostNulls+1], nulls6[t]);
        met_half = met_step(met_half, here_low[t]);
      end
      met_rest = met_half7;
      for (int t = Lanes / 2; t < Lanes; t++) begin
        met_high[t] = met_rest;
        here_high[t] = is_met(met_rest, near7[t+:MostNulls+1], nulls7[t]);
        met_rest = met_step(met_rest, here_high[t]);
      end
    end

    logic header8, in_entry8;
    logic [Lanes-1:0] after8;
    logic [Lanes-1:0][2:0] at_after8;  // position after the boundary
    row_t [Lanes-1:0] at_before8;  // position before it, without null exponents
    logic [Lanes-1:0][MostNulls:1] met;
    always_comb for (int j = 0; j < Lanes; j++) met[j] = met8[lanes8[j].ordinal][MostNulls:1];

    always_ff @(posedge clk) begin
      for (int k = 0; k < Near; k++) near6[k] <= !r5[5] && exponents_at[k][r5[4:0]];
      met7 <= met_low;
      here7 <= here_low;
      met_half7 <= met_half;
      near7 <= near6[Near-1:Lanes/2];
      nulls7 <= nulls6[Lanes-1:Lanes/2];

      header8 <= header7;
      in_entry8 <= in_entry7;
      after8 <= after7;
      for (int j = 0; j < Lanes; j++) begin
        at_before8[j] <= q7 + 6'(lanes7[j].ordinal);
        at_after8[j] <= lanes7[j].ordinal - token7 - 3'(!word7.no_map);
      end
      met8 <= {met_high, met7};
      here8 <= {here_high, here7};

      header9 <= header8;
      in_entry9 <= in_entry8;
      after9 <= after8;
      for (int j = 0; j < Lanes; j++) begin
        met9[j] <= in_entry8 && !after8[j] && lanes8[j].stop && here8[lanes8[j].ordinal];
        position9[j] <= after8[j] ? 6'(at_after8[j]) : at_before8[j] + 6'({met[j][4], met[j][3] | met[j][2], met[j][3] | met[j][1]});
      end
    end

    logic unused;
    assign unused = &{1'b0, nulls4};
  end
endmodule

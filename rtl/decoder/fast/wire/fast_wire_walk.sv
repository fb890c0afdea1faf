// Walks through the entries: for each beat, how many tokens are left in the entry before it, and at which token an entry begins.
//
// Where a beat leaves off is worked out for every r at once, without feedback; from beat to beat the recurrence is then one look-up:
//
//   nulls ─ s3 s4: D, null exponents that are met from each r; V, the token that begins an entry ─ s5: T, where r goes; V by lane ─ s6: r' = T[r]
//
//   D_t(x) = exponents[x] & null[t] ? 1 + D_t+1(x-2) : D_t+1(x-1)     from the last token to the first; none with x below 2
//   V_t(x) = exponents[x] & null[t] ?     V_t+1(x-2) : V_t+1(x-1)     V_t(0) = t
//   T[x]   = an entry begins at v ? n(pm_v) + v + 1 - C : x - C - D_0(x)      C tokens end in the beat
//
// D and V are one-hot: a node is a LUT4 a bit. Both are worked out twice: for entries without and with the field of the late bit, which moves the exponents
// before it; the loop knows which the entry has. In the header no token is an exponent: its rows need no D. A Reset before it adds its two tokens in the
// beat where it ends.
//
// Latency: 5 cycles from the beat to `r`; with SHORT 4, for stage 3 takes none. Throughput: a beat a cycle. Overflow: where r is not enough to go on, `starts6` or `nulls6` says so, and r is wrong from there on.
module fast_wire_walk
  import fast_wire_pkg::*;
#(
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t word2,
    input template_t word3,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [NullRows-1:0] late_exponents2,
    input logic [NullRows-1:0] late_exponents3,
    input beat_t beat2,
    input logic [Lanes-1:0] nulls2,
    input logic [3:0] count2,
    input logic resets2,
    input row_t [Lanes-1:0] tokens3,
    input logic [Lanes-1:0] late3,
    /* verilator lint_off UNUSEDSIGNAL */
    input lane_t [Lanes-1:0] lanes4,
    /* verilator lint_on UNUSEDSIGNAL */

    output beat_t beat5,
    output row_t r5,  // before the beat
    output logic late5,  // the entry has the field of the late bit
    output logic [1:0][EndRows-1:0][Lanes-1:0] at5,  // the lane where the token ends that begins an entry, one-hot, by late5 and r
    output logic resets5,
    output logic ends6,  // with the beat the last entry is over
    output logic starts6,  // two entries begin in it
    output logic nulls6  // more than four null exponents
);
  typedef logic [MostNulls:0] met_t;
  typedef logic [Lanes-1:0] at_t;

  // ---- s3, s4: tokens 7 to 4, and 3 to 0

  met_t [1:0][NullRows-1:0] met3, met4, met_high, met_low;
  at_t [1:0][EndRows-1:0] at3, at4, at_high, at_low;
  logic [1:0][NullRows-1:0] exponents2, exponents3;
  assign exponents2 = {late_exponents2, word2.exponents};
  assign exponents3 = {late_exponents3, word3.exponents};
  beat_t beat3, beat4;
  logic [3:0] count3;
  logic [Lanes-1:0] nulls3, exists2, exists3, exists4, late4;
  logic resets3, resets4;

  for (genvar t = 0; t < Lanes; t++) begin : g_exists
    assign exists2[t] = count2 > 4'(t);
  end

  // One token, for every r.
  function automatic met_t [NullRows-1:0] met_step(met_t [NullRows-1:0] after, logic [NullRows-1:0] exponents, logic is_null);
    met_step[0] = met_t'(1);
    met_step[1] = met_t'(1);
    for (int x = 2; x < NullRows; x++) met_step[x] = exponents[x] && is_null ? {after[x-2][MostNulls-1:0], 1'b0} : after[x-1];
  endfunction

  function automatic at_t [EndRows-1:0] at_step(at_t [EndRows-1:0] after, logic [EndRows-1:0] exponents, logic is_null, at_t here);
    at_step[0] = here;
    at_step[1] = after[0];
    for (int x = 2; x < EndRows; x++) at_step[x] = exponents[x] && is_null ? after[x-2] : after[x-1];
  endfunction

  always_comb begin
    for (int late = 0; late < 2; late++) begin
      for (int x = 0; x < NullRows; x++) met_high[late][x] = met_t'(1);
      at_high[late] = '0;
      for (int t = Lanes - 1; t >= Lanes / 2; t--) begin
        met_high[late] = met_step(met_high[late], exponents2[late], nulls2[t]);
        at_high[late] = at_step(at_high[late], exponents2[late][EndRows-1:0], nulls2[t], exists2[t] ? at_t'(1 << t) : '0);
      end
      met_low[late] = met3[late];
      at_low[late] = at3[late];
      for (int t = Lanes / 2 - 1; t >= 0; t--) begin
        met_low[late] = met_step(met_low[late], exponents3[late], nulls3[t]);
        at_low[late] = at_step(at_low[late], exponents3[late][EndRows-1:0], nulls3[t], exists3[t] ? at_t'(1 << t) : '0);
      end
    end
  end

  // Where an entry that begins at token t leaves r: negative if it ends in the beat.
  logic [Lanes-1:0][6:0] left4;
  logic [MostNulls:0][3:0] used4;  // by null exponents
  logic [3:0] count4;
  logic has_late4;

  if (SHORT) begin : gen_short
    assign beat3 = beat2;
    assign {met3, at3} = {met_high, at_high};
    assign {nulls3, count3, exists3, resets3} = {nulls2, count2, exists2, resets2};
  end else begin : gen_stage3
    always_ff @(posedge clk) begin
      beat3 <= beat2;
      {met3, at3} <= {met_high, at_high};
      {nulls3, count3, exists3, resets3} <= {nulls2, count2, exists2, resets2};
      if (rst) beat3.valid <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    beat4 <= beat3;
    met4 <= met_low;
    at4 <= at_low;
    count4 <= count3;
    exists4 <= exists3;
    late4 <= late3;
    has_late4 <= word3.late != '0;
    resets4 <= resets3;
    for (int t = 0; t < Lanes; t++) left4[t] <= 7'(tokens3[t]) + 7'(t + 1) - 7'(count3);
    for (int k = 0; k <= MostNulls; k++) used4[k] <= count3 + 4'(k);
    if (rst) beat4.valid <= 1'b0;
  end

  // ---- s5: T. A row: r, and whether what is asked for cannot be done.

  typedef struct packed {
    logic starts, nulls;
    logic late;
    row_t r;
  } next_t;
  next_t [Rows-1:0] next, next5;
  next_t [HeaderRow-1:0] late_next, late_next5;  // in an entry that has the field of the late bit

  // In the header, with so many tokens left of it.
  function automatic next_t header_step(int left, logic [Lanes-1:0] exists, logic [Lanes-1:0][6:0] lefts, logic [Lanes-1:0] lates,
                                        logic [3:0] count);
    logic [4:0] rest;
    rest = 5'(left) - 5'(count);
    header_step = '{starts: 1'b0, nulls: 1'b0, late: 1'b0, r: rest == '0 ? '0 : 6'(HeaderRow) + 6'(rest)};
    if (left < Lanes && exists[left%Lanes]) begin
      header_step = '{starts: lefts[left%Lanes][6], nulls: 1'b0, late: lates[left%Lanes], r: lefts[left%Lanes][5:0]};
    end
  endfunction

  // In an entry.
  function automatic next_t entry_step(row_t left, logic late, met_t met, at_t at, logic [Lanes-1:0][6:0] lefts, logic [Lanes-1:0] lates,
                                       logic [MostNulls:0][3:0] uses);
    logic [3:0] used;
    logic [6:0] begun;
    used = '0;
    begun = '0;
    for (int k = 0; k <= MostNulls; k++) if (met[k]) used |= uses[k];
    for (int t = 0; t < Lanes; t++) if (at[t]) begun |= lefts[t];
    entry_step = '{starts: 1'b0, nulls: met == '0, late: late, r: left - 6'(used)};
    if (at != '0) entry_step = '{starts: begun[6], nulls: met == '0, late: (at & lates) != '0, r: begun[5:0]};
  endfunction

  always_comb begin
    for (int x = 0; x < HeaderRow; x++) begin
      met_t [1:0] met;
      at_t [1:0] at;
      for (int late = 0; late < 2; late++) begin
        met[late] = x < NullRows ? met4[late][x%NullRows] : met_t'(1);
        at[late] = x < EndRows ? at4[late][x%EndRows] : '0;
      end
      next[x] = entry_step(6'(x), 1'b0, met[0], at[0], left4, late4, used4);
      late_next[x] = entry_step(6'(x), 1'b1, met[1], at[1], left4, late4, used4);
    end
    for (int x = 0; x < HeaderRows; x++) begin
      next[HeaderRow+x] = resets4 ? header_step(x + 2, exists4, left4, late4, count4) : header_step(x, exists4, left4, late4, count4);
    end
  end

  // ---- s6: the loop. After a packet's last beat r is at the start of the next one's header.

  row_t start;
  logic open;
  logic has_late5;  // there is such a bit; where constants say that there is none, synthesis leaves out the second D, V and T
  next_t chosen;
  assign chosen = late5 ? late_next5[r5] : next5[r5];

  always_ff @(posedge clk) begin
    start <= 6'(HeaderRow) + 6'(word3.header);

    beat5 <= beat4;
    has_late5 <= has_late4;
    next5 <= next;
    late_next5 <= late_next;
    for (int late = 0; late < 2; late++) begin
      for (int x = 0; x < EndRows; x++) begin
        for (int j = 0; j < Lanes; j++) at5[late][x][j] <= lanes4[j].stop && at4[late][x][lanes4[j].ordinal];
      end
    end
    resets5 <= resets4;

    ends6 <= chosen.r == '0;
    starts6 <= beat5.valid && chosen.starts;
    nulls6 <= beat5.valid && chosen.nulls;
    if (beat5.valid) begin
      r5 <= beat5.last ? start : chosen.r;
      late5 <= !beat5.last && has_late5 && chosen.late;
      open <= !beat5.last;
    end else if (!open) r5 <= start;
    if (rst) begin
      beat5.valid <= 1'b0;
      open <= 1'b0;
      late5 <= 1'b0;
    end
  end

endmodule

// Finds the tokens of each beat: stop bits, ordinals, null tokens, and for every token how many tokens an entry has if that token is its presence map, and
// whether it has the late bit.
//
//   beat ─ s1 stops, ordinals, map bits counted by lane ─ s2 nulls by ordinal, n and late bit by lane, Reset found ─ s3 n and late bit by ordinal
//
// A packet may begin at any lane of its first beat; later beats are full but for the last one.
//
// Latency: as the digits say. Throughput: a beat a cycle. Parameter: SHORT, stage 3 takes no cycle. Nothing overflows.
module fast_wire_stops
  import fast_wire_pkg::*;
#(
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t word0,  // of the packet in `in`
    input template_t word1,
    /* verilator lint_on UNUSEDSIGNAL */

    output beat_t beat1,
    output lane_t [Lanes-1:0] lanes1,
    output beat_t beat2,
    output logic [Lanes-1:0] nulls2,  // by ordinal
    output logic [3:0] count2,  // tokens that end in the beat
    output logic resets2,  // a Reset ends in the beat: the header begins after it
    output logic open2,  // the beat's last byte is no stop bit
    output row_t [Lanes-1:0] tokens2,  // n(pm), by lane
    output row_t [Lanes-1:0] tokens3,  // by ordinal
    output logic [Lanes-1:0] late3  // its late bit is set, by ordinal
);
  // ---- s1: by lane

  logic first, ended;  // the next beat is a packet's first; the byte before it had a stop bit
  logic [Lanes-1:0] stop, begins, is_null, is_map, is_reset;
  logic [Lanes-1:0][3:0] low_counts1, high_counts1;
  logic [Lanes-1:0] is_map1, is_reset1;
  logic first1, open1;
  logic [3:0] count1, before1;
  logic [Lanes-1:0] low_late1, high_late1;
  logic late_before1;

  always_comb begin
    for (int j = 0; j < Lanes; j++) begin
      stop[j] = in.keep[j] && in.data[8*j+7];
      begins[j] = j == 0 ? first || ended : !in.keep[(j+7)%8] || in.data[8*((j+7)%8)+7];
      is_null[j] = in.keep[j] && begins[j] && in.data[8*j+:8] == 8'h80;
      is_map[j] = in.keep[j] && begins[j] && in.data[8*j+:8] == 8'hc0;
      is_reset[j] = in.keep[j] && begins[j] && in.data[8*j+:8] == word0.reset_id && in.data[8*j+7];
    end
  end

  always_ff @(posedge clk) begin
    beat1 <= '{valid: in.valid, last: in.valid && in.last, err: in.err};
    if (in.valid) begin
      first1 <= first;
      first <= in.last;
      ended <= stop[Lanes-1];
      // Where the last byte is the lane before the first one that is not kept.
      open1 <= in.keep == '0 ? !ended : 1'b0;
      for (int j = 0; j < Lanes; j++) if (in.keep[j] && (j == Lanes - 1 || !in.keep[(j+1)%8])) open1 <= !stop[j];
      count1 <= 4'($countones(stop));
      is_map1 <= is_map & stop;
      is_reset1 <= is_reset & stop;
      before1 <= low_counts1[Lanes-1];
      late_before1 <= low_late1[Lanes-1];
      for (int j = 0; j < Lanes; j++) begin
        lanes1[j] <= '{
            bits: in.data[8*j+:7],
            kept: in.keep[j],
            stop: stop[j],
            begins: begins[j],
            is_null: is_null[j],
            ordinal: 3'($countones(stop & ((8'd1 << j) - 8'd1)))
        };
        low_counts1[j] <= ones(in.data[8*j+:7] & word0.one[6:0]) + ones(in.data[8*j+:7] & word0.two[6:0]);
        high_counts1[j] <= ones(in.data[8*j+:7] & word0.one[13:7]) + ones(in.data[8*j+:7] & word0.two[13:7]);
        low_late1[j] <= (in.data[8*j+:7] & word0.late[6:0]) != '0;
        high_late1[j] <= (in.data[8*j+:7] & word0.late[13:7]) != '0;
      end
    end
    if (rst) begin
      beat1.valid <= 1'b0;
      beat1.last <= 1'b0;
      first <= 1'b1;
    end
  end

  // ---- s2

  logic [Lanes-1:0] late2;
  logic [Lanes-1:0][Lanes-1:0] ends2;  // [t][j]: token t ends in lane j
  logic [1:0] seen, seen_before;  // tokens of the packet, up to two
  logic began_with_map, first_is_map, first_is_reset, second_is_reset;

  always_comb begin
    {first_is_map, first_is_reset, second_is_reset} = '0;
    for (int j = 0; j < Lanes; j++) begin
      first_is_map |= is_map1[j] && lanes1[j].ordinal == 3'd0;
      first_is_reset |= is_reset1[j] && lanes1[j].ordinal == 3'd0;
      second_is_reset |= is_reset1[j] && lanes1[j].ordinal == 3'd1;
    end
  end
  assign seen_before = first1 ? 2'd0 : seen;

  always_ff @(posedge clk) begin
    beat2 <= beat1;
    count2 <= count1;
    open2 <= open1;
    resets2 <= beat1.valid &&
        (seen_before == 2'd0 ? first_is_map && second_is_reset : seen_before == 2'd1 && began_with_map && first_is_reset);
    if (beat1.valid) begin
      seen <= seen_before[1] || count1 >= 4'd2 || (seen_before[0] && count1[0]) ? 2'd2 : seen_before + 2'(count1[0]);
      if (seen_before == 2'd0) began_with_map <= first_is_map;
    end
    for (int t = 0; t < Lanes; t++) begin
      nulls2[t] <= 1'b0;
      for (int j = 0; j < Lanes; j++) begin
        if (lanes1[j].stop && lanes1[j].is_null && lanes1[j].ordinal == 3'(t)) nulls2[t] <= 1'b1;
        ends2[t][j] <= lanes1[j].stop && lanes1[j].ordinal == 3'(t);
      end
    end
    for (int j = 0; j < Lanes; j++) begin
      // A map of two bytes: the first one counts with the lower masks.
      tokens2[j] <= word1.tokens + (lanes1[j].begins ? 6'(low_counts1[j]) :
                                        6'(j == 0 ? before1 : low_counts1[(j+7)%8]) + 6'(high_counts1[j]));
      late2[j] <= lanes1[j].begins ? low_late1[j] : (j == 0 ? late_before1 : low_late1[(j+7)%8]) || high_late1[j];
    end
    if (rst) begin
      beat2.valid <= 1'b0;
      beat2.last <= 1'b0;
      seen <= 2'd0;
    end
  end

  // ---- s3

  row_t [Lanes-1:0] by_ordinal;
  logic [Lanes-1:0] late_by_ordinal;
  always_comb begin
    by_ordinal = '0;
    late_by_ordinal = '0;
    for (int t = 0; t < Lanes; t++) begin
      for (int j = 0; j < Lanes; j++) begin
        if (ends2[t][j]) begin
          by_ordinal[t] |= tokens2[j];
          late_by_ordinal[t] |= late2[j];
        end
      end
    end
  end
  if (SHORT) begin : gen_short
    assign {tokens3, late3} = {by_ordinal, late_by_ordinal};
  end else begin : gen_stage3
    always_ff @(posedge clk) {tokens3, late3} <= {by_ordinal, late_by_ordinal};
  end

  assert property (@(posedge clk) disable iff (rst) !(in.valid && !first && !in.last) || &in.keep);
  assert property (@(posedge clk) disable iff (rst) !(in.valid && first && !in.last) || in.keep[Lanes-1]);
endmodule

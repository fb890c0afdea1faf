// The best levels of one side of one instrument, by number of orders: an entry a cycle, the best price two cycles after it.
//
//   entry ──┬─ s1 compared with every level, and with what s2 changes ─ s2 levels moved ─ best
//   append ─┘
//
// K levels, the best first, in registers. A rank is a price, complemented for bids, so that the smaller one is better. An empty place has the edge: every level up
// to it is here, what is after it only price_ladder knows; all ones, if there is nothing. So an entry at the edge or before it is inserted, one after it is not. An
// entry is compared with the levels as they are and with what the cycle before it brings, the entry's price and a level that is appended, and the comparison
// corrected by what they do: so the loop from entry to entry is a multiplexer.
//
// Latency: 2 cycles; an appended level 3 cycles, and 4 cycles from an entry that empties a level of a full side to the next one in its place. Throughput: an entry
// and an append a cycle, in the same cycle too. Parameters: K levels; RANK, COUNT bits. Overflow: the last level of a full side is forgotten (`missed`). A delete of a
// level that is not there, and more orders than can be counted, pulse `fault`.
module price_levels #(
    parameter int K = 8,
    parameter int RANK = 32,
    parameter int COUNT = 9
) (
    input logic clk,
    input logic rst,
    input logic forget,  // pulse: no level is known; what comes is appended

    input logic valid,  // an order enters or leaves; from flip-flops
    input logic adds,
    input logic [RANK-1:0] rank,

    input  logic append_valid,  // the next level after the edge,
    input  logic append_none,   // or there is none
    input  logic [RANK-1:0] append_rank,
    input  logic [COUNT-1:0] append_count,
    output logic append_taken,
    output logic append_lost,  // pulse, in the cycle after: an entry came between, and the search has to begin anew

    output logic best_valid,  // there is a best level, and it is known
    output logic [RANK-1:0] best,
    output logic [COUNT-1:0] best_count,
    output logic known,  // that, or that there is none
    output logic wants,  // an append
    output logic begins,  // none has come since `forget`
    output logic [RANK-1:0] edge_rank,  // the level that the edge is after
    output logic [$clog2(K+1)-1:0] levels,
    output logic missed,  // pulse: an entry after the edge
    output logic fault
);
  typedef logic [COUNT-1:0] count_t;

  logic [K-1:0][RANK-1:0] level;  // of an empty place: the edge
  count_t [K-1:0] count;
  logic [K-1:0] live, one, two;  // one: of one order
  logic incomplete;  // there may be levels after the edge

  // ---- s1: what s2 does to the levels is known from flip-flops: the entry before it `removes1` a level or `inserts1` one, and a level is appended

  logic valid1, adds1, found1, removes1, inserts1, appends1, closes1, append_one1;
  logic [RANK-1:0] rank1, appended1, newcomer;
  count_t count1;
  logic [K-1:0] equal1, less1, reaches1;  // the entry is at this level; is better than it; either

  logic [K-1:0] equal, less, reaches, up, down, fresh, moves;
  logic [K:0] equal_of, less_of, reaches_of, live_of;
  logic equal_new, equal_appended, less_new, reaches_new, same;
  logic takes_none, takes_level, applies, closes, room, misses, pushes, found, found_same, single, single_same;

  // A level is appended after the entry of its cycle, if that leaves the place and was found: one that was not may belong before it.
  assign room = incomplete && !live[K-1];
  assign takes_none = !valid && !valid1 && !appends1 && !closes1;
  assign takes_level = !(appends1 && (!applies || (live[K-2] && !removes1)));  // there is a place for it
  assign append_taken = append_valid && room && (append_none ? takes_none : takes_level);
  assign applies = appends1 && room && (!valid1 || found1) && !missed;
  assign closes = closes1 && room && !missed;
  assign append_lost = (appends1 && !applies) || (closes1 && !closes);

  always_comb begin
    live_of = {1'b0, live};
    newcomer = inserts1 ? rank1 : appended1;
    less_new = rank < newcomer;
    reaches_new = rank <= newcomer;
    equal_new = reaches_new && !less_new;
    same = valid1 && rank == rank1;
    equal_appended = rank == appended1;  // not through `newcomer`: it is the longest way
    for (int k = 0; k < K; k++) begin
      // Two chains of carries a level: all else is made of them.
      reaches[k] = rank <= level[k];
      less[k] = rank < level[k] || (!live[k] && rank <= level[k]);
      equal[k] = live[k] && reaches[k] && !(rank < level[k]);
      up[k] = removes1 && reaches1[k];
      down[k] = k > 0 && inserts1 && less1[(k+K-1)%K];
      fresh[k] = (inserts1 && less1[k] && !(k > 0 && less1[(k+K-1)%K])) ||
          (applies && (removes1 ? live[k] && !live_of[k+1] : !live[k] && (k == 0 || live[(k+K-1)%K])));
      moves[k] = !live[k] && (closes || applies) && !fresh[k];
    end
    equal_of = {1'b0, equal};
    // Of the place that becomes empty.
    less_of = {!incomplete || reaches[K-1], less};
    reaches_of = {!incomplete || reaches[K-1], reaches};

    // Whether there is such a level then, and with one order: at another level than the entry before, and at the same.
    pushes = inserts1 && less1[K-1] && live[K-1];
    found = equal[K-2:0] != '0 || (equal[K-1] && !pushes) || (applies && equal_appended);
    single = (equal[K-2:0] & one[K-2:0]) != '0 || (equal[K-1] && one[K-1] && !pushes) || (applies && equal_appended && append_one1);
    found_same = (found1 && !removes1) || (inserts1 && less1[K-1]);
    single_same = (inserts1 && less1[K-1]) || (valid1 && !adds1 && (equal1 & two) != '0);
    misses = (valid1 && !adds1 && !found1) || (inserts1 && (!less1[K-1] || live[K-1]));
  end

  always_ff @(posedge clk) begin
    valid1 <= valid;
    adds1 <= adds;
    found1 <= valid && (same ? found_same : found);
    removes1 <= valid && !adds && (same ? single_same : single);
    inserts1 <= valid && adds && !(same ? found_same : found);
    appends1 <= append_taken && !append_none;
    closes1 <= append_taken && append_none;
    append_one1 <= append_count == count_t'(1);
    rank1 <= rank;
    appended1 <= append_rank;
    count1 <= append_count;
    for (int k = 0; k < K; k++) begin
      equal1[k] <= fresh[k] ? equal_new : up[k] ? equal_of[k+1] : down[k] ? equal[(k+K-1)%K] : equal[k];
      less1[k] <= fresh[k] ? less_new : moves[k] ? closes || reaches_new : up[k] ? less_of[k+1] : down[k] ? less[(k+K-1)%K] : less[k];
      reaches1[k] <= fresh[k] || moves[k] ? closes || reaches_new : up[k] ? reaches_of[k+1] : down[k] ? reaches[(k+K-1)%K] : reaches[k];
    end
    if (rst || forget) {valid1, found1, removes1, inserts1, appends1, closes1} <= '0;
  end

  // ---- s2

  logic overflows;
  logic [K-1:0] more, fewer;

  always_comb begin
    overflows = 1'b0;
    for (int k = 0; k < K; k++) begin
      more[k] = valid1 && adds1 && equal1[k];
      fewer[k] = valid1 && !adds1 && equal1[k];
      if (more[k] && &count[k]) overflows = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    for (int k = 0; k < K; k++) begin
      if (fresh[k]) begin
        level[k] <= newcomer;
        count[k] <= applies ? count1 : count_t'(1);
        live[k]  <= 1'b1;
        one[k]   <= !applies || append_one1;
        two[k]   <= applies && count1 == count_t'(2);
      end else if (moves[k]) begin
        level[k] <= closes ? '1 : newcomer;
      end else if (up[k]) begin
        level[k] <= k < K - 1 ? level[(k+1)%K] : !live[K-1] || incomplete ? level[K-1] : '1;
        count[k] <= count[(k+1)%K];
        live[k]  <= live_of[k+1];
        one[k]   <= k == K - 1 ? 1'b0 : one[(k+1)%K];
        two[k]   <= k == K - 1 ? 1'b0 : two[(k+1)%K];
      end else if (down[k]) begin
        level[k] <= level[(k+K-1)%K];
        count[k] <= count[(k+K-1)%K];
        live[k]  <= live[(k+K-1)%K];
        one[k]   <= one[(k+K-1)%K];
        two[k]   <= two[(k+K-1)%K];
      end else if (more[k] || fewer[k]) begin
        count[k] <= count[k] + {{COUNT - 1{fewer[k]}}, 1'b1};
        one[k]   <= fewer[k] && two[k];
        two[k]   <= more[k] ? one[k] : count[k] == count_t'(3);
      end
    end
    incomplete <= (incomplete || (inserts1 && live[K-1])) && !closes;  // the last one goes, or the entry is after it
    if (applies || closes) begins <= 1'b0;
    missed <= misses;
    fault <= (valid1 && !adds1 && !found1 && !incomplete) || overflows;
    if (rst || forget) begin
      // The edge is before everything.
      for (int k = 0; k < K; k++) level[k] <= '0;
      {live, one, two} <= '0;
      {incomplete, begins} <= '1;
      {missed, fault} <= '0;
    end
  end

  assign best_valid = live[0];
  assign best = level[0];
  assign best_count = count[0];
  assign known = live[0] || !incomplete;
  assign wants = room;
  assign edge_rank = level[K-1];
  always_comb begin
    levels = '0;
    for (int k = 0; k < K; k++) if (live[k] && !(k < K - 1 && live[(k+1)%K])) levels = $bits(levels)'(k + 1);
  end

  // Sorted, and without holes.
  for (genvar k = 1; k < K; k++) begin : gen_sorted
    assert property (@(posedge clk) disable iff (rst) !live[k] || (live[k-1] && level[k-1] < level[k]));
  end
endmodule

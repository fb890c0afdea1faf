// The best levels of one side of one instrument, by number of orders: an entry a cycle, the best price three cycles after it.
//
//   entry ──┬─ compared with every level, and with newcomers on their way ─ s1 decided ─ s2 levels moved ─ best
//   append ─┘
//
// K levels, the best first, in registers. A rank is a tick of the window, complemented for bids, so that the smaller one is better; the best one's price is worked out from it ahead. An empty place has the edge: every level up
// to it is here, what is after it only price_ladder knows; all ones, if there is nothing. So an entry at the edge or before it is inserted, one after it is not.
//
// An entry is compared with the levels as they are, and what comes of it is corrected twice by what moves meanwhile: on the way into s1 by the entry in s2, in s1 by the one that
// is in s2 then. Each place has flip-flops of its own that say how it moves; so what s1 decides leads to them alone. An append goes the same way, after the entry of its
// cycle, which may be a delete: a newcomer is one or the other. Whether it fits is known before it begins, for only s1 is not decided then.
//
// Latency: 3 cycles; an appended level too, and 6 cycles from an entry that empties a level of a full side to the next one in its place. Throughput: an entry
// a cycle, and an append in each cycle without one, or with a delete, as long as three places are empty. Parameters: K levels, 3 or more; BIDS; RANK, COUNT bits. Overflow: the
// last level of a full side is forgotten (`missed`). A delete of a level that is not there, and more orders than can be counted, pulse `fault`.
module price_levels #(
    parameter int K = 8,
    parameter bit BIDS = 1'b0,
    parameter int RANK = 13,
    parameter int COUNT = 9
) (
    input logic clk,
    input logic rst,
    input logic forget,  // pulse: no level is known; what comes is appended

    input logic valid,  // an order enters or leaves; from flip-flops
    input logic adds,
    input logic [RANK-1:0] rank,
    // A cycle after it: its price is after all ticks, and the rank has no meaning. It is no level, but there may be
    // levels after the last one then.
    input logic beyond1,
    input book_pkg::price_t first_price,  // of rank 0
    input logic [book_pkg::SizeBits-1:0] size,  // of a tick

    input  logic append_valid,  // the next level after the edge,
    input  logic append_none,   // or there is none
    input  logic [RANK-1:0] append_rank,
    input  logic [COUNT-1:0] append_count,
    output logic append_taken,
    output logic append_lost,  // pulse, two cycles after: an entry came between, and the search has to begin anew

    output logic best_valid,  // there is a best level, and it is known
    output book_pkg::price_t best,
    output logic [COUNT-1:0] best_count,
    output logic known,  // that, or that there is none
    output logic wants,  // an append
    output logic begins,  // none has come since `forget`
    output logic [RANK-1:0] edge_rank,  // the level that the edge is after
    output logic [$clog2(K+1)-1:0] levels,  // a cycle late
    output logic missed,  // pulse, two cycles after an entry: it is after the edge, or moved it to the front
    output logic fault
);
  typedef logic [COUNT-1:0] count_t;

  logic [K-1:0][RANK-1:0] level;  // of an empty place: the edge
  count_t [K-1:0] count;
  logic [K-1:0] live, one, two;  // one: of one order
  logic complete;  // there are no levels after the edge

  // As they are when s2 is done.
  logic [K-1:0] live_next;
  logic incomplete;  // there may be levels after the edge

  // s2: how each place moves. What comes new is the entry, or what is appended.
  typedef enum logic [1:0] {
    STAY,
    LOAD,  // what comes new
    UP,  // what is after it
    DOWN  // what is before it
  } move_e;
  move_e [K-1:0] move2;
  logic [K-1:0] steps2, more2, fewer2;  // steps: it does not stay
  logic deletes2, found2, removes2, inserts2, placed2, pushes2, applies2, ones2, new_one2, new_two2;  // placed: not after the edge
  logic [RANK-1:0] newcomer2;
  count_t new_count2;

  // ---- the entry is compared, and an append begins

  logic valid1, here1, adds1, appends1, closes1, new_one1, new_two1, same1, less_new1, reaches_new1, equal_new1;  // here: at a tick
  logic [RANK-1:0] rank1, newcomer1;
  count_t new_count1;
  logic [K-1:0] equal1, less1, reaches1;  // the entry is at this level; is better than it; either

  logic [K-1:0] equal, less, reaches;
  logic less_new, reaches_new, fits, fills, fills1, begins_now;

  // Known from a flip-flop: two that are not decided fill a place each, at most.
  assign fills = append_taken || (valid && adds);
  assign fills1 = appends1 || (valid1 && adds1);
  assign append_taken = append_valid && begins_now && fits && !missed && !append_lost;
  assign begins_now = append_none ? !valid && !appends1 && !closes1 : !(valid && adds);

  // By a borrow: `<` and `<=` of the same two would share one chain of carries, and the second be made of all its sums.
  function automatic logic below(input logic [RANK-1:0] a, input logic [RANK-1:0] b);
    logic [RANK:0] difference;
    difference = {1'b0, a} - {1'b0, b};
    return difference[RANK];
  endfunction

  logic [K-1:0] below_level;
  always_comb begin
    less_new = below(rank, newcomer2);
    reaches_new = !below(newcomer2, rank);
    for (int k = 0; k < K; k++) begin
      // Two chains of carries a level: all else is made of them.
      below_level[k] = below(rank, level[k]);
      reaches[k] = !below(level[k], rank);
      less[k] = live[k] ? below_level[k] : reaches[k];
      equal[k] = live[k] && reaches[k] && !below_level[k];
    end
  end

  // What s2 does to them.
  function automatic logic [K-1:0] moved(input logic [K-1:0] at, input logic at_end, input logic [K-1:0] at_new);
    for (int k = 0; k < K; k++) begin
      case (move2[k])
        LOAD: moved[k] = at_new[k];
        UP: moved[k] = k == K - 1 ? at_end : at[(k+1)%K];
        DOWN: moved[k] = at[(k+K-1)%K];
        default: moved[k] = at[k];
      endcase
    end
  endfunction

  always_ff @(posedge clk) begin
    valid1 <= valid;
    adds1 <= adds;
    appends1 <= append_taken && !append_none;
    closes1 <= append_taken && append_none;
    rank1 <= rank;
    newcomer1 <= valid && adds ? rank : append_none ? '1 : append_rank;
    new_count1 <= valid && adds ? count_t'(1) : append_count;
    new_one1 <= (valid && adds) || append_count == count_t'(1);
    new_two1 <= !(valid && adds) && append_count == count_t'(2);
    same1 <= here1 && rank == rank1;
    less_new1 <= below(rank, newcomer1);
    reaches_new1 <= !below(newcomer1, rank);
    equal_new1 <= !below(newcomer1, rank) && !below(rank, newcomer1);
    fits <= incomplete && !closes1 && !live_next[K-1] && !(live_next[K-2] && (fills || fills1)) && !(live_next[K-3] && fills && fills1);
    equal1 <= moved(equal, 1'b0, live_next & {K{reaches_new && !less_new}});
    less1 <= moved(less, !incomplete || reaches[K-1], {K{less_new}} | (~live_next & {K{reaches_new}}));
    reaches1 <= moved(reaches, !incomplete || reaches[K-1], {K{reaches_new}});
    if (rst || forget) {valid1, appends1, closes1, fits} <= '0;
  end

  // ---- s1: what is to be done

  assign here1 = valid1 && !beyond1;

  logic [K-1:0] equal_at, less_at, reaches_at;
  logic [K:0] live_of;
  logic [K-1:0] grown;
  move_e [K-1:0] move, rests;
  logic grows, shrinks, found, single, deletes, enters, goes_beyond, removes, inserts, appends, applies, closes;

  always_comb begin
    equal_at = moved(equal1, 1'b0, live_next & {K{equal_new1}});
    less_at = moved(less1, !incomplete || reaches1[K-1], {K{less_new1}} | (~live_next & {K{reaches_new1}}));
    reaches_at = moved(reaches1, !incomplete || reaches1[K-1], {K{reaches_new1}});
    live_of = {1'b0, live_next};

    // Whether there is such a level, and with one order: at another level than the entry before, and at the same.
    found = same1 ? (found2 && !removes2) || (inserts2 && placed2) :
        equal1[K-2:0] != '0 || (equal1[K-1] && !pushes2) || (applies2 && equal_new1);
    single = same1 ? (inserts2 && placed2) || (deletes2 && (equal1 & two) != '0) :
        (equal1[K-2:0] & one[K-2:0]) != '0 || (equal1[K-1] && one[K-1] && !pushes2) || (applies2 && equal_new1 && new_one2);

    deletes = here1 && !adds1;
    enters = here1 && adds1;
    goes_beyond = valid1 && beyond1 && adds1;
    removes = deletes && single;
    inserts = enters && !found;
    // Not past an entry that may belong before it, and not after one that was not appended.
    appends = appends1 && !missed && !append_lost;
    applies = appends && !(deletes && !found);
    closes = closes1 && !missed && !append_lost;
    grown = {live_next[K-2:0], 1'b1};
    grows = !here1 ? appends : !found ? adds1 && less_at[K-1] : appends && !single;
    shrinks = removes && !appends;
    // The two that are known last choose. A place after an appended level has the new edge.
    for (int k = 0; k < K; k++) begin
      rests[k] = (appends || closes) && !live_next[k] ? LOAD : STAY;
      if (!here1) move[k] = rests[k];
      else if (!found) move[k] = !adds1 ? STAY : k > 0 && less_at[(k+K-1)%K] ? DOWN : less_at[k] ? LOAD : STAY;
      else if (!single) move[k] = rests[k];
      else move[k] = adds1 ? STAY : appends && !live_of[k+1] ? LOAD : reaches_at[k] ? UP : STAY;
    end
  end

  always_ff @(posedge clk) begin
    deletes2 <= deletes;
    found2 <= here1 && found;
    {removes2, inserts2, applies2} <= {removes, inserts, applies};
    placed2 <= less_at[K-1];
    pushes2 <= inserts && less_at[K-1] && live_next[K-1];
    ones2 <= removes && live_next[K-1] && !incomplete;
    {newcomer2, new_count2, new_one2, new_two2} <= {newcomer1, new_count1, new_one1, new_two1};
    move2 <= move;
    for (int k = 0; k < K; k++) begin
      steps2[k] <= move[k] != STAY;
      more2[k] <= enters && equal_at[k];
      fewer2[k] <= deletes && equal_at[k];
    end
    live_next <= live_of[K:1] | (live_next & ~{K{shrinks}}) | (grown & {K{grows}});
    incomplete <= (incomplete || (inserts && live_next[K-1]) || goes_beyond) && !closes;  // the last one goes, or the entry is after it
    if (applies || closes) begins <= 1'b0;
    missed <= (deletes && !found) || (inserts && (!less_at[K-1] || live_next[K-1])) || goes_beyond;
    append_lost <= (appends1 && !applies) || (closes1 && !closes);
    if (rst || forget) begin
      move2 <= '0;
      {steps2, more2, fewer2} <= '0;
      {deletes2, found2, removes2, inserts2, pushes2, applies2, ones2} <= '0;
      live_next <= '0;
      {incomplete, begins} <= '1;
      {missed, append_lost} <= '0;
    end
  end

  // ---- s2

  logic overflows;

  always_comb begin
    overflows = 1'b0;
    for (int k = 0; k < K; k++) if (more2[k] && &count[k]) overflows = 1'b1;
  end

  always_ff @(posedge clk) begin
    for (int k = 0; k < K; k++) begin
      if (steps2[k]) begin
        case (move2[k])
          LOAD: level[k] <= newcomer2;
          UP: level[k] <= k < K - 1 ? level[(k+1)%K] : ones2 ? '1 : level[k];
          default: level[k] <= level[(k+K-1)%K];
        endcase
        case (move2[k])
          LOAD: {count[k], one[k], two[k]} <= {new_count2, new_one2, new_two2};
          UP: {count[k], one[k], two[k]} <= {count[(k+1)%K], one[(k+1)%K], two[(k+1)%K]};
          default: {count[k], one[k], two[k]} <= {count[(k+K-1)%K], one[(k+K-1)%K], two[(k+K-1)%K]};
        endcase
      end else if (more2[k] || fewer2[k]) begin
        count[k] <= count[k] + {{COUNT - 1{fewer2[k]}}, 1'b1};
        one[k]   <= fewer2[k] && two[k];
        two[k]   <= more2[k] ? one[k] : count[k] == count_t'(3);
      end
    end
    live <= live_next;
    complete <= !incomplete;
    fault <= (deletes2 && !found2 && !incomplete) || overflows;
    if (rst || forget) begin
      // The edge is before everything.
      for (int k = 0; k < K; k++) level[k] <= '0;
      live <= '0;
      complete <= 1'b0;
      fault <= 1'b0;
    end
  end

  assign best_valid = live[0];
  assign best_count = count[0];
  assign known = live[0] || complete;
  assign edge_rank = level[K-1];
  always_ff @(posedge clk) begin
    wants <= incomplete && !live_next[K-1];
    levels <= '0;
    for (int k = 0; k < K; k++) if (live[k] && !(k < K - 1 && live[(k+1)%K])) levels <= $bits(levels)'(k + 1);
  end

  // ---- the price of the best level: that of the one before it, of a newcomer, or of the second one

  typedef logic [RANK+book_pkg::SizeBits-1:0] offset_t;
  offset_t [2:0] offsets;  // of the first levels as they were in the cycle before
  offset_t newest, newest_before;  // of newcomer2, and as it was in the cycle before
  offset_t second, first;  // of the second level as it is; of what comes to be the best one
  move_e move_before;  // of the second level
  logic stayed;

  always_comb begin
    case (move_before)
      LOAD: second = newest_before;
      UP: second = offsets[2];
      default: second = offsets[0];
    endcase
    if (stayed) second = offsets[1];
    first = move2[0] == LOAD ? newest : second;
  end

  always_ff @(posedge clk) begin
    for (int k = 0; k < 3; k++) offsets[k] <= offset_t'(level[k]) * offset_t'(size);
    newest <= offset_t'(newcomer1) * offset_t'(size);
    newest_before <= newest;
    move_before <= move2[1];
    stayed <= !steps2[1];
    if (steps2[0]) best <= BIDS ? first_price - book_pkg::price_t'(first) : first_price + book_pkg::price_t'(first);
  end

  assert property (@(posedge clk) disable iff (rst) !live[0] ||
      (BIDS ? first_price - best : best - first_price) == book_pkg::price_t'(level[0]) * book_pkg::price_t'(size));
  // Sorted, and without holes.
  for (genvar k = 1; k < K; k++) begin : gen_sorted
    assert property (@(posedge clk) disable iff (rst) !live[k] || (live[k-1] && level[k-1] < level[k]));
  end
  assert property (@(posedge clk) disable iff (rst) !(closes1 && valid1));
  // What is appended finds a place.
  assert property (@(posedge clk) disable iff (rst) !(appends1 || closes1) || (incomplete && (!live_next[K-1])));
  assert property (@(posedge clk) disable iff (rst) !(appends1 && valid1 && adds1));
  for (genvar k = 0; k < K; k++) begin : gen_steps
    assert property (@(posedge clk) disable iff (rst) steps2[k] == (move2[k] != STAY));
  end
endmodule

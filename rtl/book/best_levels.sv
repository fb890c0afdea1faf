// The best K levels of each instrument and side, exact and sorted, in distributed RAM: operations at least 2 cycles apart.
//
//   cycle 3        4                    5                      6
//   instrument ─ lines of bids, asks ─ line, compared with ─ line as it is now
//                                      the operation's rank
//
// A line is a prefix of the side's levels: a level that is better than its last one and is not in it has no orders. `incomplete`: there are
// levels after it, or may be. An emptied level goes, and those after it move up. A better new one enters; if the last one has no room any
// more, the line is incomplete. A new level after all of them enters if the line is complete and has room. What is appended enters a line
// that has room (book_refill looks it up). The rank of the last level of an empty line stays: what has orders comes after it, so a level that is not
// after it is the best, and enters an incomplete line too. Each level has its price beside it, so that the best one's is known at once.
//
// Latency: 3 cycles. Throughput: an operation in 2 cycles. Parameter: K. Nothing overflows.
module best_levels
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 8
) (
    input logic clk,
    input logic rst,

    input instrument_t instrument3,
    input side_e       side3,

    input logic          valid4,
    input logic          acts4,       // else it is only read after all
    input instrument_t   instrument4,
    input side_e         side4,
    input rank_t         rank4,
    input price_t        price4,      // of a level that enters or is appended
    input logic          enters4,     // an order more; without any of the three an order's quantity changes
    input logic          leaves4,     // an order less
    input logic          appends4,
    input logic          found4,      // there is a level to append
    input logic          clears4,     // the line is made empty
    input logic          outside4,    // of a level that enters
    input level_shares_t shares4,     // more, or of the level
    input logic          less4,       // so many less
    input orders_t       orders4,     // of the level that is appended
    input logic          complete4,   // there is none after it

    output logic              valid5,
    output instrument_t       instrument5,
    output side_e             side5,
    output price_t            price_soon5,        // of the best level in the next cycle
    output price_t            other_price5,
    output logic              valid6,
    output instrument_t       instrument6,
    output side_e             side6,
    output level_t    [K-1:0] line6,        // the best first
    output logic              incomplete6,
    output logic              pushed6,          // the operation pushed a level out of the line, made it empty, or found no room to append
    output logic              after6,           // it was about a level after the line
    output logic              best_changed6,    // the first entry is another one, or has other orders or quantity
    output level_t            other6,       // the best of the other side
    output logic              other_incomplete6,
    output logic              known6            // the best of both sides, or that there is none
);
  typedef struct packed {
    logic           incomplete;
    level_t [K-1:0] level;
  } line_t;

  (* ram_style = "distributed" *) line_t bids[Instruments];
  (* ram_style = "distributed" *) line_t asks[Instruments];
  initial begin
    for (int i = 0; i < Instruments; i++) begin
      bids[i] = '0;
      asks[i] = '0;
    end
  end

  // ---- cycle 4: the line, and where the rank is in it

  // Of each side what is not wanted is 0 (a flip-flop's reset, no logic), so that a bit of the line is one LUT.
  line_t bid4, ask4, line4, line5, next5;
  line_t result6;
  level_t other_bid4, other_ask4;
  logic other_incomplete_bid4, other_incomplete_ask4;
  logic forward4, forward_other4;
  level_t other4, other5;
  logic other_incomplete4, other_incomplete5;
  logic [K-1:0] same4, better4;  // better: than the entry, or there is none
  logic leads4, leads5;  // not after the last level that an empty line had
  logic [K-1:0] only4, room4;  // the entry's only order leaves; a new level may stand where it is
  rank_t rank4_distance[K];
  logic acts5, enters5, leaves5, appends5, clears5, outside5, found5, completes5;
  rank_t rank5;
  price_t price5;
  level_shares_t signed5;
  orders_t orders5, step5;

  assign line4 = forward4 ? result6 : bid4 | ask4;
  assign other4 = forward_other4 ? result6.level[0] : other_bid4 | other_ask4;
  assign other_incomplete4 = forward_other4 ? result6.incomplete : other_incomplete_bid4 | other_incomplete_ask4;

  always_comb begin
    for (int k = 0; k < K; k++) begin
      rank4_distance[k] = rank4 - line4.level[k].rank;
      same4[k] = line4.level[k].live && rank4 == line4.level[k].rank;
      better4[k] = !line4.level[k].live || rank4_distance[k][TickBits-1];
      only4[k] = leaves4 && line4.level[k].orders == OrdersBits'(1);
      // After all entries: only if it is known that nothing lies between.
      room4[k] = (enters4 && (line4.level[k].live || !line4.incomplete)) || (appends4 && found4);
    end
    leads4 = rank4_distance[0][TickBits-1] || rank4 == line4.level[0].rank;
  end

  // What becomes of each entry.
  logic [K-1:0] same5, better5, empties5, changes5, room5;
  logic inserts5;  // if it is not there

  always_ff @(posedge clk) begin
    bid4 <= side3 == SIDE_SELL ? '0 : bids[instrument3];
    ask4 <= side3 == SIDE_SELL ? asks[instrument3] : '0;
    other_bid4 <= side3 == SIDE_SELL ? bids[instrument3].level[0] : '0;
    other_ask4 <= side3 == SIDE_SELL ? '0 : asks[instrument3].level[0];
    other_incomplete_bid4 <= side3 == SIDE_SELL && bids[instrument3].incomplete;
    other_incomplete_ask4 <= side3 != SIDE_SELL && asks[instrument3].incomplete;
    forward4 <= (valid5 && instrument5 == instrument3 && side5 == side3) || (valid6 && instrument6 == instrument3 && side6 == side3);
    forward_other4 <= (valid5 && instrument5 == instrument3 && side5 != side3) ||
        (valid6 && instrument6 == instrument3 && side6 != side3);

    valid5 <= valid4;
    {instrument5, side5, appends5, clears5, outside5} <= {instrument4, side4, appends4, clears4, outside4};
    rank5 <= rank4;
    {enters5, leaves5} <= {enters4, leaves4};
    inserts5 <= enters4 || (appends4 && found4);
    {line5, other5, other_incomplete5, same5, better5, room5} <= {line4, other4, other_incomplete4, same4, better4, room4};
    empties5 <= same4 & only4;
    changes5 <= same4 & ~only4 & {K{!appends4}};
    acts5 <= acts4;
    leads5 <= leads4 && enters4 && acts4;
    if (!acts4) {same5, room5, changes5, empties5, inserts5, enters5} <= '0;
    completes5 <= appends4 && complete4;
    found5 <= found4;
    price5 <= price4;
    signed5 <= (shares4 ^ {LevelSharesBits{less4}}) + LevelSharesBits'(less4);
    orders5 <= appends4 ? orders4 : OrdersBits'(1);
    step5 <= enters4 ? OrdersBits'(1) : leaves4 ? '1 : '0;
    if (rst) valid5 <= 1'b0;
  end

  // ---- cycle 5: the line as it will be

  logic hit5, entered5, after5, pushed5;
  logic [K-1:0] ups5, downs5, shifts5, fresh5;

  always_comb begin
    hit5 = |same5;
    fresh5[0] = (room5[0] || leads5) && better5[0];
    for (int k = 0; k < K; k++) begin
      ups5[k] = |(empties5 & ~({K{1'b1}} << k << 1));  // it, or one before it, was emptied
      // The first one that the rank is better than, unless it is the level of the one before. If that has no place there, those after it have
      // no levels either, and may well move.
      if (k != 0) fresh5[k] = room5[k] && better5[k] && !(better5[k==0?0 : k-1] || same5[k==0?0 : k-1]);
      downs5[k] = inserts5 && !hit5 && k != 0 && better5[k==0?0 : k-1];
    end
    shifts5 = ups5 | downs5;
    entered5 = |fresh5;
    after5 = acts5 && !hit5 && !entered5 && !appends5;
    pushed5 = entered5 && line5.level[K-1].live;
  end

  for (genvar k = 0; k < K; k++) begin : gen_entry
    level_t up, down, here, fresh, next_entry;
    assign up = k == K - 1 ? '0 : line5.level[k==K-1?k : k+1];
    assign down = k == 0 ? '0 : line5.level[k==0?0 : k-1];
    assign fresh = '{live: 1'b1, outside: outside5, orders: orders5, shares: signed5, rank: rank5, price: price5};
    always_comb begin
      here = line5.level[k];
      here.orders = line5.level[k].orders + (step5 & {OrdersBits{changes5[k]}});
      here.shares = line5.level[k].shares + (signed5 & {LevelSharesBits{changes5[k]}});
      next_entry = shifts5[k] ? (leaves5 ? up : down) : fresh5[k] ? fresh : here;
      if (k == 0 && leaves5 && shifts5[0] && !up.live) next_entry.rank = here.rank;
      if (clears5) next_entry.live = 1'b0;
    end
    assign next5.level[k] = next_entry;
  end
  assign next5.incomplete = !clears5 &&
      (appends5 ? line5.incomplete && !(completes5 && (entered5 || !found5)) : line5.incomplete || (enters5 && after5) || pushed5);

  assign price_soon5  = next5.level[0].price;
  assign other_price5 = other5.price;

  always_ff @(posedge clk) begin
    valid6 <= valid5;
    // Of an append without room the search has to know: a level after it may find room that was made meanwhile.
    pushed6 <= valid5 && (pushed5 || clears5 || (appends5 && found5 && !entered5));
    after6 <= valid5 && after5;
    best_changed6 <= ups5[0] || fresh5[0] || changes5[0];
    {other6, other_incomplete6} <= {other5, other_incomplete5};
    known6 <= (next5.level[0].live || !next5.incomplete) && (other5.live || !other_incomplete5);
    if (valid5) {result6, instrument6, side6} <= {next5, instrument5, side5};
    if (valid6 && side6 == SIDE_BUY) bids[instrument6] <= result6;
    if (valid6 && side6 == SIDE_SELL) asks[instrument6] <= result6;
    if (rst) {valid6, pushed6, after6} <= '0;
  end

  assign line6 = result6.level;
  assign incomplete6 = result6.incomplete;

  // ---- what must hold

  for (genvar k = 1; k < K; k++) begin : gen_sorted
    rank_t apart;
    assign apart = result6.level[k].rank - result6.level[k-1].rank;
    assert property (@(posedge clk) disable iff (rst) !(valid6 && result6.level[k].live) || (result6.level[k-1].live &&
        apart != '0 && !apart[TickBits-1]));
  end
  assert property (@(posedge clk) disable iff (rst) !valid6 ||
      known6 == ((line6[0].live || !incomplete6) && (other6.live || !other_incomplete6)));
  assert property (@(posedge clk) disable iff (rst) !(valid4 && valid5));
  assert property (@(posedge clk) disable iff (rst) $onehot0({enters4, leaves4, appends4}));
endmodule

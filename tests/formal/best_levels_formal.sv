// Proofs of best_levels, for any length of time and any operations 2 cycles apart or more, of two instruments:
// - the line is sorted, the best level first, and without holes;
// - it is a prefix of the side's levels: a level that has orders and is better than the last one of the line, or than none of a line that is
//   complete, is in it, once, with its quantity and its number of orders; what is in the line has orders. So the first is the best of all;
// - the best of the other side, which is told with it, is the first of that side's line;
// - price_soon5 and other_price5 are the prices of the two a cycle earlier.
//
// One level, any, of one instrument and side, any, is followed by the operations alone: how many orders it has, and their quantity. What the
// search (book_refill) may rely on and what it guarantees stands in the assumptions; a copy of the line, as it left last, serves for them.
module best_levels_formal
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 2
) (
    input logic clk,

    input instrument_t any_instrument,
    input side_e       any_side,
    input rank_t       any_rank,

    input instrument_t   instrument3,
    input side_e         side3,
    input logic          valid4,
    input logic          acts4,
    input rank_t         rank4,
    input logic          enters4,
    input logic          leaves4,
    input logic          appends4,
    input logic          found4,
    input logic          clears4,
    input level_shares_t shares4,
    input logic          less4,
    input orders_t       orders4,
    input logic          complete4
);
  localparam rank_t Worst = {1'b0, {TickBits - 1{1'b1}}};  // of all orders beyond the window

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  instrument_t instrument, instrument4, instrument5, instrument6;
  side_e side, side4, side5, side6;
  rank_t rank;
  always_ff @(posedge clk) if (rst) {instrument, side, rank} <= {any_instrument, any_side, any_rank};
  always_ff @(posedge clk) {instrument4, side4} <= {instrument3, side3};

  logic valid5, valid6, incomplete6, pushed6, after6, best_changed6, other_incomplete6, known6;
  price_t price_soon5, other_price5;
  level_t [K-1:0] line6;
  level_t other6;

  best_levels #(
      .K(K)
  ) dut (
      .clk,
      .rst,
      .instrument3,
      .side3,
      .valid4,
      .acts4,
      .instrument4,
      .side4,
      .rank4,
      .price4(price_t'(rank4)),
      .enters4,
      .leaves4,
      .appends4,
      .found4,
      .clears4,
      .outside4(rank4 == Worst),
      .shares4,
      .less4,
      .orders4,
      .complete4,
      .valid5,
      .instrument5,
      .side5,
      .price_soon5,
      .other_price5,
      .valid6,
      .instrument6,
      .side6,
      .line6,
      .incomplete6,
      .pushed6,
      .after6,
      .best_changed6,
      .other6,
      .other_incomplete6,
      .known6
  );

  // ---- the model: the level that is followed, and the line as it left last --------------------------------

  orders_t orders, orders_next;
  level_shares_t shares, shares_next;
  level_t [K-1:0] line, line_before;
  logic mine4, mine6, live, in_line, after_tail, same4;
  assign mine4 = valid4 && instrument4 == instrument && side4 == side;
  assign mine6 = valid6 && instrument6 == instrument && side6 == side;
  assign same4 = mine4 && acts4 && rank4 == rank;
  assign live = orders != '0;
  assign line = mine6 ? line6 : line_before;

  always_comb begin
    in_line = 1'b0;
    after_tail = 1'b1;  // rank4: of all that is in the line, or it is in the line itself
    for (int k = 0; k < K; k++) begin
      if (line[k].live && line[k].rank == rank) in_line = 1'b1;
      if (line[k].live && rank4 < line[k].rank) after_tail = 1'b0;
    end
    for (int k = 0; k < K; k++) if (line[k].live && line[k].rank == rank4) after_tail = 1'b1;
    {orders_next, shares_next} = {orders, shares};
    if (same4 && !appends4) begin
      orders_next = orders + orders_t'(enters4) - orders_t'(leaves4);
      shares_next = less4 ? shares - shares4 : shares + shares4;
    end
    if (mine4 && clears4) {orders_next, shares_next} = '0;
  end

  logic valid_before;
  always_ff @(posedge clk) begin
    valid_before <= valid4 && !rst;
    line_before <= line;
    {orders, shares} <= {orders_next, shares_next};
    if (rst) {orders, shares, line_before} <= '0;
  end

  // ---- what the pipeline and the search guarantee ----------------------------------------------------------

  always_comb begin
    // Memories begin empty, and stay so in the cycle of the reset.
    assume (!rst || (!valid4 && !valid5 && !valid6 && !any_rank[TickBits-1]));
    assume (!(valid4 && valid_before));
    assume (!rank4[TickBits-1]);  // ranks of a window
    assume ($onehot0({enters4, leaves4, appends4, clears4}));
    if (clears4 || appends4) assume (acts4);
    // The level that is followed: an order that leaves or changes is there, and its level does not overflow.
    if (same4 && !appends4 && !clears4) begin
      if (enters4) assume (!less4 && shares4 != '0 && orders != '1);
      if (leaves4) assume (live && less4 && shares4 <= shares && (orders == orders_t'(1)) == (shares4 == shares));
      if (!enters4 && !leaves4) assume (live && (!less4 || shares4 < shares));
      if (!less4) assume ({1'b0, shares} + {1'b0, shares4} <= {1'b0, {LevelSharesBits{1'b1}}});
    end
    // What is appended is the next level after the line: none between has orders. Where it says that there is none after it, there is none.
    if (mine4 && acts4 && appends4) begin
      if (found4) begin
        assume (after_tail && orders4 != '0);
        if (rank4 == rank) assume (live && orders4 == orders && shares4 == shares && !less4);
        if (live && rank < rank4) assume (in_line);
        if (live && complete4) assume (rank <= rank4);
      end else if (complete4) assume (!live || in_line);
    end
  end

  // ---- what holds --------------------------------------------------------------------------------------------

  logic [1:0] times;  // in the line it is so often
  logic before_tail;  // it is better than the last one of the line
  always_comb begin
    times = '0;
    before_tail = 1'b0;
    for (int k = 0; k < K; k++) begin
      if (line6[k].live && line6[k].rank == rank) times = times + 2'd1;
      if (line6[k].live && rank < line6[k].rank) before_tail = 1'b1;
    end
  end

  price_t price6, other_price6;
  logic was_pushed, was_appended;
  always_ff @(posedge clk) begin
    {price6, other_price6} <= {price_soon5, other_price5};
    was_pushed <= !rst && (was_pushed || (mine6 && live && times == '0 && before_tail == 1'b0 && line6[K-1].live));
    was_appended <= !rst && (was_appended || (mine4 && acts4 && appends4 && found4 && rank4 == rank && was_pushed));
  end

  always_ff @(posedge clk) begin
    if (!rst && valid6) begin
      for (int k = 1; k < K; k++) if (line6[k].live) assert (line6[k-1].live && line6[k-1].rank < line6[k].rank);
      for (int k = 0; k < K; k++) begin
        if (line6[k].live) assert (line6[k].price == price_t'(line6[k].rank) && line6[k].outside == (line6[k].rank == Worst));
        if (mine6 && line6[k].live && line6[k].rank == rank) assert (line6[k].orders == orders && line6[k].shares == shares && live);
      end
      if (mine6) assert (times == 2'(live && (before_tail || times != '0 || !incomplete6)));
      if (mine6 && live && line6[0].live) assert (line6[0].rank <= rank);
      if (line6[0].live) assert (price6 == line6[0].price);
      // The other side's best.
      if (instrument6 == instrument && side6 != side) begin
        assert (!live || (other6.live ? other6.rank <= rank : other_incomplete6));
        if (other6.live && other6.rank == rank) assert (live && other6.orders == orders && other6.shares == shares);
        if (other6.live) assert (other_price6 == other6.price);
      end

      cover (mine6 && was_appended && line6[1].live && line6[1].rank == rank);
      cover (mine6 && was_appended && line6[0].live && line6[0].rank == rank && orders == 2'd2);
      cover (mine6 && was_appended && times == '0 && !live && !incomplete6);
      cover (instrument6 == instrument && side6 != side && was_pushed && other6.rank == rank && other6.live);
      cover (mine6 && pushed6 && live && times == '0);
    end
  end

  logic unused;
  assign unused = &{1'b0, valid5, instrument5, side5, after6, best_changed6};
endmodule

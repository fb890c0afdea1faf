// Proofs of book_stage at a tiny size, up to a depth in cycles, of three events on an empty book, whatever they are:
// - without UNDO they are one good frame: after it the best prices that the book tells are the highest of the live bids and the lowest of the live
//   asks, with all their orders and their quantity, as a plain list of orders by id has them;
// - with UNDO the first one is a good frame, the other two a bad one. After it the best prices are again those before it, and the table of orders is as
//   it was, each order in its place with all that the book knows of it;
// - the instrument is tradable at the end exactly if no good frame had a fault; one that the host has not rebuilt never is.
//
// The first cycles are the reset, the sweep of the tables, and the host that sets the window of instrument 0 and rebuilds it: the same in each run.
// Instrument 1 is still being rebuilt. Ids 0 to 3, prices of 4 ticks inside the window, orders of 1 or 2.
module book_stage_formal
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 2,
    parameter bit UNDO = 1'b0
) (
    input logic       clk,
    input logic [3:0] any_kind,
    input logic       any_known,
    input logic       any_instrument,
    input side_e      any_side,
    input logic [1:0] any_tick,
    input logic [1:0] any_quantity,
    input logic [1:0] any_id,
    input logic [1:0] any_new_id,
    input logic       any_valid
);
  localparam int Boot = 48;
  localparam int Low = 8;  // of the window
  localparam int Ids = 4;
  localparam logic [1:0] Few = UNDO ? 2'b01 : 2'b11;  // bits of an id and of a price
  localparam int Ways = 2;
  localparam int SetsLog2 = 2;
  localparam int Sets = 1 << SetsLog2;

  // ---- until the book stands ------------------------------------------------------------------------------

  logic [7:0] boot = '0;
  logic rst, booted, windowed, begun;
  assign rst = boot < 8'd3;
  assign booted = boot == 8'(Boot);
  always_ff @(posedge clk) if (!booted) boot <= boot + 1'b1;

  event_if #(.N(1)) events ();
  book_if #(.K(K)) book ();
  book_host_if host ();
  book_walk_if walk ();
  book_level_if level_reads ();
  assign {walk.valid, walk.after_line, walk.instrument, walk.side} = '0;
  assign {level_reads.one_by_one, level_reads.busy, level_reads.valid, level_reads.instrument, level_reads.side, level_reads.number} = '0;

  always_comb begin
    host.valid = !rst && !begun && !host.ready;
    host.request = windowed ? HOST_TRADABLE : HOST_WINDOW;
    host.instrument = '0;
    host.side = SIDE_BUY;
    host.id = '0;
    host.shares = '0;
    host.price = '0;
    host.next = '1;
    host.window = '{
        low_price: price_t'(Low),
        low_tick: FullTickBits'(Low),
        end_price: price_t'(Low + WindowTicks),
        shift: '0,
        inverse: InverseBits'(1),
        size: SizeBits'(1),
        depth: '0
    };
  end
  always_ff @(posedge clk) begin
    if (host.ready && host.done) {windowed, begun} <= {1'b1, windowed};
    if (rst) {windowed, begun} <= '0;
  end

  // ---- three events, and the verdicts on their frames -------------------------------------------------------------

  typedef struct packed {
    logic       valid;
    event_kind_e kind;
    logic       known;
    logic       instrument;
    side_e      side;
    logic [1:0] tick;
    logic [1:0] quantity;
    logic [1:0] id;
    logic [1:0] new_id;
  } news_t;

  news_t coming, news;
  logic [6:0] now;  // cycles since it began
  logic event_time, verdict_time, verdict, good;
  always_comb begin
    event_time = UNDO ? now inside {7'd1, 7'd11, 7'd13} : now inside {7'd1, 7'd3, 7'd5};
    verdict_time = UNDO ? now inside {7'd2, 7'd15} : now == 7'd7;
    coming = '0;
    if (booted && event_time && any_valid) begin
`ifdef COVER  // few runs, so that a trace is found soon: all are adds, but for a delete in the bad frame; the last one may have quantity 0
      coming = '{
          1'b1,
          now == 7'd11 ? KIND_DELETE : KIND_ADD,
          1'b1,
          1'b0,
          side_e'(now == 7'd5),
          2'd1,
          {1'b0, now inside {7'd1, 7'd3} || any_known},
          now == 7'd11 ? 2'd0 : now == 7'd13 ? 2'd1 : now[2:1],
          2'd0
      };
`else
      coming = '{
          1'b1,
          event_kind_e'(any_kind),
          any_known,
          any_instrument,
          any_side,
          any_tick & Few,
          any_quantity,
          any_id & Few,
          any_new_id & Few
      };
`endif
    end
  end
  always_ff @(posedge clk) begin
    now <= booted ? now + 7'(now != '1) : '0;
    news <= coming;
    verdict <= booted && verdict_time;
    good <= !(UNDO && now > 7'd10);
  end

  always_comb begin
    events.valid = news.valid;
    events.data = '0;
    events.data[0].kind = news.kind;
    events.data[0].known = news.known;
    events.data[0].instrument = 8'(news.instrument);
    events.data[0].side = news.side;
    events.data[0].price = 64'(Low) + 64'(news.tick);
    events.data[0].quantity = 64'(news.quantity);
    events.data[0].order_id = 64'(news.id);
    events.data[0].new_order_id = 64'(news.new_id);
    events.verdict_valid = verdict;
    events.verdict_good = verdict && good;
  end

  logic [SequenceBits-1:0] next_unused;
  logic count_fault, count_not_ours, count_undone, count_overflow;
  book_cause_e count_cause;
  book_stage #(
      .WAYS(Ways),
      .SETS_LOG2(SetsLog2),
      .ORDERS(6),
      .STASH(1),
      .LEVEL_WAYS(4),
      .LEVEL_SETS_LOG2(1),
      .K(K),
      .LOG(8),
      .FIFO(8)
  ) dut (
      .clk,
      .rst,
      .events(events.snk),
      .early_id(id_t'(coming.id)),
      .direct_trades(1'b0),
      .after_gap(1'b0),
      .begins_session(1'b0),
      .from_first(1'b0),
      .gap(1'b0),
      .gap_next('0),
      .new_session(1'b0),
      .session_first('0),
      .book(book.src),
      .host(host.snk),
      .walk(walk.snk),
      .level_reads(level_reads.book),
      .next(next_unused),
      .count_fault,
      .count_cause,
      .count_not_ours,
      .count_undone,
      .count_overflow
  );

  always_comb begin
    if (coming.valid) begin
      assume (coming.kind inside {KIND_ADD, KIND_EXECUTE, KIND_REDUCE, KIND_DELETE, KIND_REPLACE});
      assume (coming.kind != KIND_ADD || coming.known);
      assume (coming.quantity != 2'd3);  // three orders' quantity fits a level
    end
  end

  // ---- the model: orders by id -----------------------------------------------------------------------------

  typedef struct packed {
    logic       live;
    side_e      side;
    logic [1:0] tick;
    logic [1:0] shares;
  } kept_t;

  kept_t [Ids-1:0] orders, orders_next, orders_before;  // before: the open frame
  logic broken, broken_next, broken_before;  // a fault
  logic ours, fault;
  kept_t old;
  always_comb begin
    old = orders[news.id];
    orders_next = orders;
    fault = 1'b0;
    // What an event names is the instrument's; what names none, its order's. Instrument 1 is being rebuilt: nothing of it is booked.
    ours = news.valid && (news.known ? news.instrument == 1'b0 : news.kind != KIND_ADD && old.live);
    if (ours) begin
      unique case (news.kind)
        KIND_ADD: begin
          fault = news.quantity == '0 || old.live;
          if (!fault) orders_next[news.id] = '{1'b1, news.side, news.tick, news.quantity};
        end
        KIND_EXECUTE, KIND_REDUCE: begin
          fault = news.quantity == '0 || !old.live || news.quantity > old.shares;
          if (!fault) begin
            orders_next[news.id].shares = old.shares - news.quantity;
            if (news.quantity == old.shares) orders_next[news.id] = '0;
          end
        end
        KIND_DELETE: begin
          fault = !old.live;
          orders_next[news.id] = '0;
        end
        default: begin
          fault = news.quantity == '0 || news.id == news.new_id || !old.live;
          if (!fault) begin
            orders_next[news.id] = '0;
            if (orders[news.new_id].live) fault = 1'b1;
            else orders_next[news.new_id] = '{1'b1, old.side, news.tick, news.quantity};
          end
        end
      endcase
    end
    // An event that names none, of an unknown order, with a fault of its own is refused, but is nobody's.
    broken_next = broken || fault;
  end
  logic [2:0] live;  // orders
  always_comb begin
    live = '0;
    for (int i = 0; i < Ids; i++) live = live + 3'(orders_next[i].live);
    assume (live <= 3'd3);
  end
  always_ff @(posedge clk) begin
    orders <= orders_next;
    broken <= broken_next;
    if (verdict) begin
      if (good) {orders_before, broken_before} <= {orders_next, broken_next};
      else {orders, broken} <= {orders_before, broken_before};
    end
    if (!booted) begin
      {orders, orders_before} <= '0;
      {broken, broken_before} <= '0;
    end
  end

  // The best of a side.
  function automatic best_level_t best_of(input kept_t [Ids-1:0] all, input side_e side);
    best_of = '0;
    for (int i = 0; i < Ids; i++) begin
      if (all[i].live && all[i].side == side) begin
        if (!best_of.exists || (side == SIDE_BUY ? all[i].tick > best_of.price[1:0] : all[i].tick < best_of.price[1:0])) begin
          best_of = '{1'b1, BookPriceWidth'(all[i].tick), BookQuantityWidth'(all[i].shares), BookOrdersWidth'(1)};
        end else if (all[i].tick == best_of.price[1:0]) begin
          best_of.quantity = best_of.quantity + BookQuantityWidth'(all[i].shares);
          best_of.orders = best_of.orders + 1'b1;
        end
      end
    end
  endfunction

  // ---- what was told last, with this cycle --------------------------------------------------------------------

  book_top_t told, told_before;
  logic complete, complete_before;
  always_comb begin
    told = told_before;
    complete = complete_before;
    if (book.top.valid && book.top.instrument == '0 && (book.shown || book.known)) {told, complete} = {book.top, book.complete};
    if (book.top.valid && book.top.instrument == '0) told.tradable = book.top.tradable;
  end
  always_ff @(posedge clk) begin
    {told_before, complete_before} <= {told, complete};
    if (!booted) begin
      told_before <= '0;
      told_before.tradable <= 1'b1;
      complete_before <= 1'b1;
    end
  end

  // ---- the table of orders, and what it was when the last good frame was settled ---------------------------------

  localparam int Word = 1 + IdBits - SetsLog2 + $bits(order_record_t);
  logic [Ways-1:0][Sets-1:0][Word-1:0] words, words_before;
  logic stash_live, stash_live_before;
  for (genvar i = 0; i < Sets; i++) begin : gen_word
    assign words[0][i] = dut.pipe.orders.gen_way[0].memory[i];
    assign words[1][i] = dut.pipe.orders.gen_way[1].memory[i];
  end
  assign stash_live = dut.stash_waits;

  // ---- what must hold at the end of a frame ------------------------------------------------------------------------

  logic [1:0] given, taken;  // verdicts
  logic settled, was_settled;  // the last of them leaves
  logic broken_settled;  // a frame whose verdict has left had a fault
  always_ff @(posedge clk) begin
    given <= given + 2'(verdict);
    taken <= taken + 2'(book.verdict_valid);
    was_settled <= settled;
    if (settled) broken_settled <= broken_before;
    if (settled && given == 2'd1) {words_before, stash_live_before} <= {words, stash_live};
    if (!booted) {given, taken, was_settled, broken_settled} <= '0;
  end

  best_level_t bid, ask;
  assign bid = best_of(orders_before, SIDE_BUY);  // of the last frame whose verdict came
  assign ask = best_of(orders_before, SIDE_SELL);
  assign settled = booted && given == taken + 2'(book.verdict_valid) && book.verdict_valid;

  always_comb begin
    if (booted) begin
      assert (begun);
      if (settled) begin
        if (complete) assert (told.bid == bid && told.ask == ask);
        if (complete && book.verdict_good) assert (told.tradable == !broken_before);
      end
      assert (!(book.top.valid && book.top.tradable && (book.top.instrument != '0 || broken_settled)));
      if (was_settled) assert (book.all_tradable[0] == !broken_before);
      assert (!book.all_tradable[1]);
      assert (!count_overflow);
    end
  end
  if (UNDO) begin : gen_undo
    always_comb begin
      if (settled && given == 2'd2) begin
        assert (stash_live == stash_live_before);
        for (int i = 0; i < Sets; i++) begin
          for (int w = 0; w < Ways; w++) begin
            assert (words[w][i][Word-1] == words_before[w][i][Word-1]);
            assert (!words[w][i][Word-1] || words[w][i] == words_before[w][i]);
          end
        end
      end
    end
  end

  // An order that leaves in the bad frame, and one of its level; a fault; the best of two levels, of two orders.
  logic [1:0] changed;  // events that changed the model in this frame
  logic had_fault;
  always_ff @(posedge clk) begin
    if (ours && !fault) changed <= changed + 1'b1;
    if (verdict && !(UNDO && !good)) changed <= '0;
    had_fault <= had_fault || fault;
    if (!booted) {changed, had_fault} <= '0;
  end
  always_comb begin
    if (booted && settled) begin
      if (UNDO) begin
        cover (given == 2'd2 && changed == 2'd2 && bid.exists);
        cover (given == 2'd2 && had_fault && !broken_before);
      end else begin
        cover (complete && bid.exists && bid.orders == BookOrdersWidth'(2) && ask.exists);
        cover (had_fault);
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, count_fault, count_cause, count_not_ours, next_unused,
      walk.level_valid, walk.place, walk.tick, walk.level, walk.done, walk.count};
endmodule

// A strategy: takes the best price of the other side whenever it changed, once a frame, at its end (system E).
//
//   market.book ─ of its instrument? ─ best price so far ─┐
//        └─ verdict ──────────────────────────────────────┴─ another than the last one? ─ intent
//
// A buyer watches the best ask, a seller the best bid. After a good frame that changed its instrument's book: if the book is tradable and the watched
// side has a best price, another one than the last it acted on, it asks for its order at that price. The first price is a change. New parameters
// forget the last price. With `single` it has one order in the market at most: while one is open, it asks for its replacement at the new price, under the
// handle after HANDLE, and after a good frame that left no such price for its cancel, under the handle after that; the last price is forgotten then. While an
// answer is due, it asks for nothing. The rule: docs/reference/rules.md; twin: crates/strategy.
//
//   market.improves ─ an add that improves the watched side ─ last of its good frame? ─ intent, 3 cycles before the change ─ fault? ─ withdrawn
//
// That comes to the same as the change itself, only sooner: where risk cannot take it in that cycle, the change will do. Not with `single`.
//
// Latency: change, if the verdict comes with it, or verdict, to intent none; `improves` to intent 1 cycle; to a cancel 5 cycles. Throughput: a frame a cycle. Parameters: HANDLE of its order in the
// order store; DEPTH, intents that wait for risk after the first, a power of two. Overflow: an intent that finds no room is lost: `overflow` pulses a cycle later, a gap to risk.
module best_price
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int HANDLE = 64,
    parameter int DEPTH = 16
) (
    input logic clk,
    input logic rst,

    market_if.book       market,
    strategy_write_if.snk write,
    input logic            not_sent,  // pulses: what became of its orders and cancels (own_order)
    input logic            cancel_sent,
    input working_change_t working,
    intent_if.src        intent,
    output logic         overflow
);
  typedef logic [BookPriceWidth-1:0] price_t;
  localparam int Away = 4;  // cycles until risk has read the order of an intent that it took

  logic enabled;
  logic [InstrumentWidth-1:0] instrument;
  side_e side;

  // ---- the frame so far, and its end ---------------------------------------------------------------

  best_level_t watched;
  logic change, change_ok, ends, fires;
  logic changed, ok;  // in this frame, before
  price_t price, last, now_price;
  logic has_last, now_ok;
  logic single, blocked, in_market, replaces, cancelling, moved, settled;
  logic change_usable, usable, cancels;

  // Known a cycle ahead of the change, for it comes late: whether it is of this instrument, its price, and whether that is a new one.
  logic ours, came_ok, came_price_ok, early_sent, had_last;  // came_ok: also another than the last one, or that is forgotten
  price_t came_price, coming_price, early_price, last_before;

  assign coming_price = side == SIDE_BUY ? market.top.comes_ask : market.top.comes_bid;
  always_ff @(posedge clk) begin
    if (write.ready) ours <= write.enabled && market.top.comes_instrument == write.instrument;
    else ours <= enabled && market.top.comes_instrument == instrument;
    if (rst) ours <= 1'b0;
    came_price <= coming_price;
    came_price_ok <= coming_price != '0;
    // Another than `last` as it will be then; the comparisons beside each other, not after the choice.
    came_ok <= coming_price != '0 &&
        ((fires && change && |(coming_price ^ came_price)) || (fires && !change && |(coming_price ^ price)) ||
         (early_sent && |(coming_price ^ early_price)) ||
         (intent.withdraw && !fires && !early_sent && (!had_last || |(coming_price ^ last_before))) ||
         (!fires && !early_sent && !intent.withdraw && (!has_last || |(coming_price ^ last))) || cancels);
  end

  assign watched = side == SIDE_BUY ? market.top.ask : market.top.bid;
  assign change = market.top.valid && ours;
  assign change_usable = market.top.tradable && watched.exists && came_price_ok;
  assign change_ok = market.top.tradable && watched.exists && came_ok;
  assign now_price = change ? came_price : price;
  assign now_ok = change ? change_ok : ok;
  assign ends = market.top.verdict_good && (change || changed);
  assign fires = ends && now_ok && !blocked;
  assign cancels = ends && in_market && !(change ? change_usable : usable);

  always_ff @(posedge clk) begin
    if (change) {ok, usable, price} <= {change_ok, change_usable, came_price};
    changed <= (changed || change) && !market.top.verdict_valid && !write.ready && !rst;
  end

  logic waiting;  // an intent waits for risk
  logic [$clog2(Away+1)-1:0] away;  // cycles until risk has read the order of the intent that it took, or another order is where it reads

  // ---- an add that improves the best price -----------------------------------------------------------

  logic improves, improves_new, early, early_now, early_direct, early_taken;

  // Not in a cycle in which a frame ends: its intent has the price then.
  assign improves = market.top.improves && !market.top.verdict_valid && market.top.improves_instrument == instrument &&
      market.top.improves_side != side && enabled && !single;
  assign improves_new = market.top.improves_price != '0 && (!has_last || market.top.improves_price != last);
  assign early_now = early && !market.top.verdict_valid;
  assign early_direct = early_now && market.top.improves_last && !waiting && away == '0;
  assign early_sent = early_direct && intent.ready;

  always_ff @(posedge clk) begin
    early <= improves && improves_new && !rst;
    early_price <= market.top.improves_price;
    early_taken <= early_sent && !rst;
    {had_last, last_before} <= {has_last, last};
  end

  // ---- its intents ---------------------------------------------------------------------------------

  // An intent goes in the cycle in which it is known, if its price was `price_soon` in the cycle before: that of the change that was coming, or else
  // what it was then. If not, or if risk has no time, it waits.
  logic
      change_comes, soon_was_coming, soon_was_improving, may_direct, direct, taken, front_taken, front_left, waits, queue_empty, queue_full;
  logic [$clog2(DEPTH):0] queue_count;
  price_t waiting_price, queue_front, late_price;
  logic late;  // an intent that comes after the one that waits: it is in the queue a cycle later

  assign change_comes = market.top.comes && market.top.comes_instrument == instrument && !market.top.verdict_valid;
  assign may_direct = !waiting && soon_was_coming == change && !soon_was_improving && away == '0 && !moved;
  assign direct = fires && may_direct;
  assign taken = intent.valid && intent.ready;
  assign front_taken = waiting && away == '0 && intent.ready;  // the one that waits, without the path through `fires`
  assign waits = fires && !(may_direct && intent.ready);

  fifo #(
      .WIDTH(BookPriceWidth),
      .DEPTH(DEPTH)
  ) queue (
      .clk,
      .rst,
      .write(late && !(front_left && queue_empty)),
      .write_data(late_price),
      .full(queue_full),
      .overflow(overflow),
      .read(front_left && !queue_empty),
      .read_data(queue_front),
      .empty(queue_empty),
      .count(queue_count)
  );

  assign intent.soon = improves || change_comes || market.top.verdict_good || waiting;
  assign intent.valid = direct || early_direct || (waiting && away == '0);
  assign intent.withdraw = early_taken && market.top.improves_fault;
  assign intent.handle = HandleWidth'(HANDLE) + HandleWidth'({cancelling, replaces});
  assign intent.instrument = instrument;
  assign intent.computed = !cancelling;
  assign intent.price = waiting ? waiting_price : early_now ? early_price : now_price;
  assign intent.price_soon = waiting ? waiting_price : improves ? market.top.improves_price : early_now ? early_price :
      change_comes ? coming_price : now_price;
  assign write.ready = write.valid && !waiting && away == '0 && settled && !market.top.comes && !market.top.valid &&
      !market.top.verdict_valid && !market.top.improves && !early;

  always_ff @(posedge clk) begin
    soon_was_coming <= change_comes;
    soon_was_improving <= improves || early_now;
    // The next one is not offered for some cycles (`away`), so it may come a cycle later.
    front_left <= front_taken && !rst;
    late <= fires && waiting && (!front_left || late || !queue_empty);
    late_price <= now_price;
    if (front_left) begin
      waiting_price <= !queue_empty ? queue_front : late ? late_price : now_price;
      waiting <= !queue_empty || late || waits;
    end else if (!waiting) begin
      waiting_price <= now_price;  // if it does not wait, it is not looked at
      waiting <= waits || cancels;
    end
    if (fires) {has_last, last} <= {1'b1, now_price};
    else if (early_sent) {has_last, last} <= {1'b1, early_price};
    else if (intent.withdraw) {has_last, last} <= {had_last, last_before};
    else if (cancels) has_last <= 1'b0;
    away <= taken || moved || cancels || write.ready ? $bits(away)'(Away) : away == '0 ? '0 : away - 1'b1;
    if (write.ready) begin
      {enabled, single, instrument, side} <= {write.enabled, write.single, write.instrument, write.side};
      has_last <= 1'b0;
    end
    if (rst) {enabled, single, has_last, waiting, late, away} <= '0;
  end

  // ---- with `single`: the order that it has in the market -------------------------------------------

  own_order own_order (
      .clk,
      .rst,
      .clear(write.ready),
      .single,
      .fires,
      .cancels,
      .not_sent,
      .cancel_sent,
      .working,
      .blocked,
      .in_market,
      .replaces,
      .cancelling,
      .moved,
      .settled,
      .replace_valid(write.replace_valid),
      .replace_original(write.replace_original),
      .replace_done(write.replace_done)
  );

  logic unused;
  assign unused = &{1'b0, queue_full, queue_count, watched, market.top};

  assert property (@(posedge clk) disable iff (rst) !(fires && write.ready));
  assert property (@(posedge clk) disable iff (rst) !market.top.verdict_good || market.top.verdict_valid);
  assert property (@(posedge clk) disable iff (rst) !(fires && early_direct) && !(fires && early_taken));
  assert property (@(posedge clk) disable iff (rst) !intent.valid || intent.price == $past(intent.price_soon));
endmodule

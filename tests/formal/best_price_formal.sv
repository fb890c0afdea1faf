// Proofs of best_price, for any length of time and any book, verdicts, parameters and pauses of risk:
// - an intent leaves only for a good frame that changed the book of its instrument, after which that was tradable and the watched side had a
//   best price: another one than the last intent's. Nothing leaves for a bad frame, for another instrument, or while it is not enabled;
// - its price is that of the watched side at the end of its frame; one intent a frame, in the order of the frames, none twice;
// - each such frame has its intent, unless `overflow` told a cycle later that it was lost; while any is due, one is offered within 6 cycles;
// - new parameters are taken when no intent of the old ones is due.
//
// Assumes that every order is a new one (`single` is off), and that no add is announced before its change (`improves`): tests/rtl/test_best_price.py has those, and verify/lockstep.
// Only ports are looked at. Of the intents that are due one, any, is watched: how many are before it, and its price.
module best_price_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int HANDLE = 5,
    parameter int DEPTH = 2
) (
    input logic clk,

    input logic                           change_valid,
    input logic                           change_instrument,
    input logic                           change_tradable,
    input logic                           bid_exists,
    input logic      [BookPriceWidth-1:0] bid,
    input logic                           ask_exists,
    input logic      [BookPriceWidth-1:0] ask,
    input logic                           verdict_valid,
    input logic                           verdict_good,
    input logic                           comes,
    input logic                           comes_instrument,
    input logic      [BookPriceWidth-1:0] comes_bid,
    input logic      [BookPriceWidth-1:0] comes_ask,
    input logic                           write_valid,
    input logic                           write_enabled,
    input logic                           write_instrument,
    input side_e                          write_side,
    input logic                           ready,
    input logic                           watch
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  market_if market ();
  strategy_write_if write ();
  intent_if intent ();
  logic overflow;

  always_comb begin
    market.top = '0;
    market.top.valid = change_valid;
    market.top.instrument = 8'(change_instrument);
    market.top.tradable = change_tradable;
    market.top.bid.exists = bid_exists;
    market.top.bid.price = bid;
    market.top.ask.exists = ask_exists;
    market.top.ask.price = ask;
    market.top.verdict_valid = verdict_valid;
    market.top.verdict_good = verdict_valid && verdict_good;
    market.top.comes = comes;
    market.top.comes_instrument = 8'(comes_instrument);
    market.top.comes_bid = comes_bid;
    market.top.comes_ask = comes_ask;
  end
  assign write.valid = write_valid;
  assign write.enabled = write_enabled;
  assign write.single = 1'b0;
  assign write.replace_done = 1'b0;
  assign write.instrument = InstrumentWidth'(write_instrument);
  assign write.side = write_side;
  assign intent.ready = ready;

  best_price #(
      .HANDLE(HANDLE),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .market(market.book),
      .write(write.snk),
      .not_sent(1'b0),
      .cancel_sent(1'b0),
      .working('0),
      .intent(intent.src),
      .overflow
  );

  // What the book promises: the instrument of a change is that of the cycle before; if that is tradable, its prices were there too.
  logic came, came_instrument;
  logic [BookPriceWidth-1:0] came_bid, came_ask;
  always_ff @(posedge clk) {came, came_instrument, came_bid, came_ask} <= {comes, comes_instrument, comes_bid, comes_ask};
  always_comb begin
    if (!rst && change_valid) begin
      assume (came_instrument == change_instrument);
      assume (!change_tradable || (came && (!bid_exists || bid == came_bid) && (!ask_exists || ask == came_ask)));
    end
  end

  // ---- the model: the frame so far, and what is due at its end -------------------------------------------

  typedef struct packed {
    logic                      changed;   // its instrument's book
    logic                      tradable;
    logic                      exists;    // a price of the watched side
    logic [BookPriceWidth-1:0] price;
  } frame_t;

  frame_t frame, frame_before;  // with this cycle, and without it
  logic enabled, instrument, has_last, due, taken;
  side_e side;
  logic [BookPriceWidth-1:0] last;

  always_comb begin
    frame = frame_before;
    if (change_valid && enabled && change_instrument == instrument) begin
      frame.changed  = 1'b1;
      frame.tradable = change_tradable;
      frame.exists   = side == SIDE_BUY ? ask_exists : bid_exists;
      frame.price    = side == SIDE_BUY ? ask : bid;
    end
  end
  assign due = verdict_valid && verdict_good && frame.changed && frame.tradable && frame.exists && frame.price != '0 &&
      (!has_last || frame.price != last);
  assign taken = intent.valid && intent.ready;

  always_ff @(posedge clk) begin
    frame_before <= verdict_valid ? '0 : frame;
    if (due) {has_last, last} <= {1'b1, frame.price};
    if (write.valid && write.ready) begin
      {enabled, instrument, side} <= {write_enabled, write_instrument, write_side};
      has_last <= 1'b0;
      frame_before <= '0;
    end
    if (rst) begin
      {enabled, has_last} <= '0;
      frame_before <= '0;
    end
  end

  // ---- intents that are due and not taken -----------------------------------------------------------------

  logic [3:0] waiting, offered;  // how many, before this cycle; with the one that is due now
  logic watching, watched;  // one is watched, or was
  logic [3:0] ahead;  // so many go before it
  logic [BookPriceWidth-1:0] price;
  logic [2:0] silent;  // cycles in which one was due and none was offered
  logic due_before, watch_began;  // in the cycle before, in which the one that overflows was due

  assign offered = waiting + 4'(due);
  always_ff @(posedge clk) begin
    waiting <= offered - 4'(taken) - 4'(overflow);
    silent <= offered == '0 || intent.valid ? '0 : silent + 3'(silent != '1);
    if (watching && taken) begin
      ahead <= ahead - 1'b1;
      if (ahead == '0) watching <= 1'b0;
    end
    // The one that is due in this cycle is watched from now on, if it does not leave at once.
    due_before <= due;
    watch_began <= 1'b0;
    if (watch && due && !watched && !(taken && waiting == '0)) begin
      watch_began <= 1'b1;
      watching <= 1'b1;
      watched <= 1'b1;
      ahead <= waiting - 4'(taken) - 4'(overflow);
      price <= frame.price;
    end
    if (overflow && watch_began) {watching, watched} <= '0;
    if (rst) begin
      {watching, watched, due_before, watch_began} <= '0;
      {waiting, silent} <= '0;
    end
  end

  logic gave_bad, waited_full, was_second;
  always_ff @(posedge clk) begin
    gave_bad <= !rst && (gave_bad || (verdict_valid && !verdict_good && frame.changed && frame.tradable && frame.exists));
    waited_full <= !rst && (waited_full || overflow);
    was_second <= !rst && (was_second || (watching && ahead == 4'd1));
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (intent.valid) begin
        assert (offered != '0);
        assert (enabled && intent.instrument == InstrumentWidth'(instrument));
        assert (intent.handle == HandleWidth'(HANDLE) && intent.computed);
        if (waiting == '0) assert (intent.price == frame.price);
        if (watching && ahead == '0) assert (intent.price == price);
      end
      if (overflow) assert (due_before);
      if (write.valid && write.ready) assert (offered == '0 && !verdict_valid);
      assert (silent <= 3'd6);

      cover (taken && waiting == '0 && gave_bad);
      cover (taken && due && frame_before.changed && !change_valid);
      cover (taken && watching && ahead == '0 && was_second && side == SIDE_SELL);
      cover (taken && watching && ahead == '0 && waited_full);
      cover (taken && has_last && frame.price != last && change_valid);
      cover (verdict_valid && verdict_good && frame.changed && !frame.tradable);
    end
  end
endmodule

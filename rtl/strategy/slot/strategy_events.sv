// The events of the order book for a strategy in the language, at the end of a good frame: its trades, then one event for each instrument
// that it changed.
//
//   market.top ─┬─ the only one of its frame ───┬───────── compared with those before ─┬─ event
//               ├─ best levels by instrument ─┬─┘ (in turn)                            └─ queue, if the strategy is not ready
//               ├─ instruments as they came ──┤
//               └─ strategy_trades ─ count ───┘     an entry of the queue is a change, or a number of trades
//                  twice: a frame is gathered while the one before is given out
//   market.change ─ strategy_clock ─ time of the trade, of the frame; strategy_timer stands before the strategy
//
// An instrument whose best levels are not both known then has its event when they are. Twins: crates/pipeline, Programs; crates/strategy,
// events::Changes.
//
// Latency: the verdict on a frame to its event 1 cycle; if it changed several instruments, or events wait, 3 to its first; with trades, 6; with a timer, see strategy_timer.
// Throughput: a change a cycle; an event a cycle, a trade in 2. Parameters: INSTRUMENTS; DEPTH, entries that wait after the one in front,
// TRADES, trades that wait, powers of two; WITH_TRADES, WITH_TIMERS: without, there are none (`takes_trades`, `takes_timer` are low); N, WITH_SECONDS: see
// strategy_clock. Overflow: events that find no room are lost, of a frame that cannot be
// gathered all, trades included: `overflow` pulses, a gap to risk.
module strategy_events
  import tickwire_pkg::*;
  import processor_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int DEPTH = 256,
    parameter int TRADES = 512,
    parameter bit WITH_TRADES = 1'b1,
    parameter bit WITH_TIMERS = 1'b1,
    parameter int N = 1,
    parameter bit WITH_SECONDS = 1'b1
) (
    input logic clk,
    input logic rst,

    market_if.book market,
    input logic    takes_trades,  // the strategy has a handler of trades
    input logic    takes_timer,   // and one of a timer,
    input day_time_t every,       // after each such interval
    input logic    restart,       // pulse: a strategy was loaded

    output logic       event_valid,
    input  logic       event_ready,
    output handler_e   event_handler,
    output value_t [EventInputs-1:0] event_inputs,
    output logic       idle,        // no event is on its way: 2 cycles after the verdict on a frame it says so of that one
    output day_time_t  feed_now,    // the time of the last frame
    output logic       overflow
);
  localparam int Instrument = $clog2(INSTRUMENTS);
  typedef logic [Instrument-1:0] instrument_t;

  typedef struct packed {
    logic        complete;
    logic        tradable;
    best_level_t bid;
    best_level_t ask;
  } top_t;

  typedef struct packed {
    instrument_t instrument;
    logic        changed;
    logic        tradable;
    best_level_t bid;
    best_level_t ask;
  } change_t;

  typedef logic [$clog2(TRADES):0] trade_count_t;
  typedef struct packed {
    trade_count_t trades;  // not 0: so many trades, and no change
    session_time_t now;
    change_t      change;
  } entry_t;

  // ---- the frame that comes ----------------------------------------------------------------------------

  (* no_rw_check *) top_t latest[2*INSTRUMENTS];
  (* no_rw_check *) instrument_t order[2*INSTRUMENTS];
  logic gathering, noted_any;  // which of the two frames
  logic [INSTRUMENTS-1:0] noted, noted_now;
  logic [Instrument:0] count, count_now;
  logic change, ends;
  instrument_t instrument;
  top_t now_top;

  logic [1:0] full;  // gathered, not given out yet
  logic spoilt;  // a change of the frame found no room: what was gathered of it is not complete
  logic [1:0][Instrument:0] counts;

  // Of a frame with trades the number is known a bit later: it is given out then, the trades first.
  logic trade_comes, trades_noted, trades_now, keeps;
  logic [2:0] gathering_before;
  logic [1:0] has_trades, trades_known;
  trade_count_t [1:0] trade_counts;
  session_time_t found_time, trade_time;  // of the trade that the book tells; that is next
  logic trades_counted, trade_valid, trade_taken, trades_overflow;
  trade_count_t trades_count;
  instrument_t trade_instrument;
  side_e trade_side;
  logic [BookPriceWidth-1:0] trade_price;
  logic [BookQuantityWidth-1:0] trade_quantity;

  assign change = market.top.valid;
  assign instrument = market.top.instrument[Instrument-1:0];
  assign ends = market.top.verdict_valid;
  assign noted_any = noted_now != '0;
  assign trade_comes = WITH_TRADES && market.top.trade && takes_trades;
  assign trades_now = (trades_noted || trade_comes) && market.top.judged;
  assign keeps = ends && market.top.verdict_good && (noted_any || trades_now) && !spoilt && !full[gathering];

  if (WITH_TRADES) begin : gen_trades
    strategy_trades #(
        .INSTRUMENTS(INSTRUMENTS),
        .DEPTH(TRADES)
    ) strategy_trades (
        .clk,
        .rst,
        .comes(trade_comes),
        .judged(market.top.judged),
        .kept(keeps && trades_now),
        .trades(market.book_trades),
        .told_time(found_time),
        .counted(trades_counted),
        .count(trades_count),
        .trade_valid,
        .trade_taken,
        .trade_instrument,
        .trade_side,
        .trade_price,
        .trade_quantity,
        .trade_time,
        .overflow(trades_overflow)
    );
  end else begin : gen_no_trades
    assign {trades_counted, trades_count, trade_valid, trade_instrument, trade_price, trade_quantity, trade_time, trades_overflow} = '0;
    assign trade_side = SIDE_BUY;
    logic unused;
    assign unused = &{1'b0, takes_trades, market.book_trades, found_time, trade_time};
  end

  assign now_top = '{
          complete: market.top.complete,
          tradable: market.top.tradable,
          bid: present(market.top.bid),
          ask: present(market.top.ask)
      };

  always_comb begin
    noted_now = noted;
    count_now = count;
    if (change) begin
      noted_now[instrument] = 1'b1;
      if (!noted[instrument]) count_now = count + 1'b1;
    end
  end

  // A frame that changed one instrument, with nothing before it on its way: its event needs no memory.
  logic direct, directs;
  top_t latest_top;  // of `instrument_before`
  instrument_t instrument_before;

  // The time of a frame: that of one whose last message has just come is not there yet.
  logic time_ready, time_valid, time_slot, slot_time_comes;
  session_time_t frame_time, read_time;
  logic [1:0] time_known;
  session_time_t [1:0] slot_time;
  logic [1:0] started;
  day_time_t [1:0] start;

  strategy_clock #(
      .N(N),
      .WITH_SECONDS(WITH_SECONDS)
  ) strategy_clock (
      .clk,
      .rst,
      .change_valid(market.change_valid),
      .change(market.change),
      .verdict_valid(market.verdict_valid),
      .verdict_good(market.verdict_good),
      .begins_session(market.begins_session),
      .judged(market.top.judged),
      .ready(time_ready),
      .frame_valid(time_valid),
      .frame_time,
      .trade_number(market.top.trade_number),
      .trade_time(found_time),
      .restart,
      .started,
      .start
  );

  // ---- the frame that is given out ---------------------------------------------------------------------

  logic giving, gives, given_last, read_valid, trades_turn, trades_given;
  trade_count_t read_trades;
  logic [Instrument:0] at;
  instrument_t read_instrument, next_instrument;
  top_t read_top, next_top, last_top;
  (* no_rw_check *) top_t committed[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] seen;  // it has some there
  change_t next, front;
  entry_t waiting;
  trade_count_t trades_left, trades_taken;  // of the entry in front
  logic next_valid, now_valid, queue_write, queue_empty, queue_full, queue_overflow, lost;
  logic [$clog2(DEPTH):0] queue_count;
  logic trade_front;  // trades are next
  logic pass, timer_due;
  day_time_t timer_now;

  assign directs = ends && market.top.verdict_good && count_now == 1 && !trades_now && !spoilt && full == '0 && !read_valid && !direct &&
      queue_empty && !(WITH_TIMERS && takes_timer) && (time_ready || !market.top.judged);
  // Trades whose entry would be lost could not be told from those of another: they wait for room.
  assign trades_turn = has_trades[giving] && !trades_given;
  assign slot_time_comes = time_valid && time_slot == giving;
  assign gives = full[giving] && (time_known[giving] || slot_time_comes) && (!trades_turn || (
      trades_known[giving] && queue_count < ($clog2(DEPTH) + 1)'(DEPTH - 1)));
  assign given_last = trades_turn ? counts[giving] == '0 : at + 1'b1 == counts[giving];

  always_ff @(posedge clk) begin
    if (change && !full[gathering]) begin
      latest[{gathering, instrument}] <= now_top;
      if (!noted[instrument]) order[{gathering, count[Instrument-1:0]}] <= instrument;
    end
    if (change) begin
      instrument_before <= instrument;
      latest_top <= now_top;
    end
    direct <= directs && !rst;
    lost <= ((change && full[gathering]) || (trades_now && market.top.verdict_good && !keeps)) && !rst;
    {noted, count} <= ends ? '0 : {noted_now, count_now};
    trades_noted <= (trades_noted || trade_comes) && !market.top.judged;
    gathering_before <= {gathering_before[1:0], gathering};
    spoilt <= !ends && (spoilt || (change && full[gathering])) && !rst;
    if (time_valid) begin
      time_known[time_slot] <= 1'b1;
      slot_time[time_slot] <= frame_time;
    end
    if (market.top.judged) time_slot <= gathering;
    read_time <= slot_time_comes ? frame_time : slot_time[giving];
    if (keeps && !directs) begin
      // Levels that are known again are of the frame before.
      time_known[gathering] <= !market.top.judged;
      if (!market.top.judged) slot_time[gathering] <= frame_time;
      full[gathering] <= 1'b1;
      counts[gathering] <= count_now;
      has_trades[gathering] <= trades_now;
      trades_known[gathering] <= 1'b0;
      gathering <= !gathering;
    end
    if (trades_counted) begin
      trades_known[gathering_before[2]] <= 1'b1;
      trade_counts[gathering_before[2]] <= trades_count;
    end

    if (gives) begin
      at <= given_last || trades_turn ? '0 : at + 1'b1;
      trades_given <= !given_last && (trades_turn || trades_given);
    end
    if (gives && given_last) begin
      full[giving] <= 1'b0;
      giving <= !giving;
    end
    read_valid <= gives && (!trades_turn || trade_counts[giving] != '0) && !rst;
    read_trades <= trades_turn ? trade_counts[giving] : '0;
    read_instrument <= order[{giving, at[Instrument-1:0]}];
    read_top <= latest[{giving, order[{giving, at[Instrument-1:0]}]}];
    if (rst) {full, gathering, giving, noted, count, at, trades_noted, trades_given} <= '0;
  end

  // One that is not complete comes again: it is compared with what was before the frame then.
  assign next_instrument = direct ? instrument_before : read_instrument;
  assign next_top = direct ? latest_top : read_top;
  assign next_valid = (direct || (read_valid && read_trades == '0)) && next_top.complete;
  assign last_top = seen[next_instrument] ? committed[next_instrument] : '0;
  assign next = '{
          instrument: next_instrument,
          changed: {next_top.bid, next_top.ask} != {last_top.bid, last_top.ask},
          tradable: next_top.tradable,
          bid: next_top.bid,
          ask: next_top.ask
      };
  always_ff @(posedge clk) begin
    if (next_valid) committed[next_instrument] <= next_top;
    if (next_valid) seen[next_instrument] <= 1'b1;
    if (rst) seen <= '0;
  end
  assign now_valid = direct && next_valid;
  assign queue_write = (next_valid && !(now_valid && event_ready)) || (read_valid && read_trades != '0);

  fifo_registered #(
      .WIDTH($bits(entry_t)),
      .DEPTH(DEPTH)
  ) queue (
      .clk,
      .rst,
      .write(queue_write),
      .write_data({direct ? '0 : read_trades, direct ? frame_time : read_time, next}),
      .full(queue_full),
      .overflow(queue_overflow),
      .read(!queue_empty && event_ready && pass && (!trade_front || (trade_valid && trades_left == 1))),
      .read_data(waiting),
      .empty(queue_empty),
      .count(queue_count)
  );

  assign trades_left = waiting.trades - trades_taken;
  always_ff @(posedge clk) begin
    overflow <= (queue_overflow || lost || trades_overflow) && !rst;
    if (trade_taken) trades_taken <= trades_left == 1 ? '0 : trades_taken + 1'b1;
    if (rst) trades_taken <= '0;
  end

  assign trade_front = WITH_TRADES && !queue_empty && waiting.trades != '0;
  assign trade_taken = trade_front && trade_valid && event_ready && pass;
  assign event_valid = timer_due || (pass && (trade_front ? trade_valid : !queue_empty || now_valid));
  assign front = queue_empty ? next : waiting.change;
  assign event_handler = timer_due ? HANDLER_TIMER : trade_front ? HANDLER_TRADE : HANDLER_BOOK;

  // With a timer every event waits here until it is known that the timer is not due before it.
  if (WITH_TIMERS) begin : gen_timer
    strategy_timer strategy_timer (
        .clk,
        .rst,
        .enabled(takes_timer),
        .every,
        .restart,
        .started,
        .start,
        .in_valid(trade_front ? trade_valid : !queue_empty),
        .in_time(trade_front ? trade_time : waiting.now),
        .idle(queue_empty && full == '0 && !read_valid && !direct),
        .idle_time(frame_time),
        .pass,
        .due(timer_due),
        .now(timer_now),
        .taken(event_valid && event_ready)
    );
  end else begin : gen_no_timer
    assign pass = 1'b1;
    assign {timer_due, timer_now} = '0;
    logic unused;
    assign unused = &{1'b0, takes_timer, every, restart, started, start};
  end

  always_comb begin
    event_inputs = '0;
    event_inputs[0] = value_t'({1'b0, queue_empty ? frame_time.time_ns : waiting.now.time_ns});
    event_inputs[2] = value_t'({1'b0, front.instrument});
    event_inputs[3] = value_t'({1'b0, front.changed});
    event_inputs[4] = value_t'({1'b0, front.tradable});
    event_inputs[7:5] = of_level(front.bid);
    event_inputs[10:8] = of_level(front.ask);
    if (trade_front) begin
      event_inputs = '0;
      event_inputs[0] = value_t'({1'b0, trade_time.time_ns});
      event_inputs[2] = value_t'({1'b0, trade_instrument});
      event_inputs[4] = value_t'({1'b0, trade_side});
      event_inputs[5] = value_t'({1'b0, trade_price});
      event_inputs[6] = value_t'({1'b0, trade_quantity});
    end
    if (timer_due) event_inputs = {{EventInputs - 1{value_t'(0)}}, value_t'({1'b0, timer_now})};
  end

  assign idle = queue_count == '0 && queue_empty && full == '0 && !read_valid && !direct;
  assign feed_now = frame_time.time_ns;

  // What does not exist is 0.
  function automatic best_level_t present(input best_level_t level);
    return level.exists ? level : '0;
  endfunction

  // Price, quantity, orders.
  /* verilator lint_off UNUSEDSIGNAL */  // `exists`
  function automatic value_t [2:0] of_level(input best_level_t level);
    return {value_t'({1'b0, level.orders}), value_t'({1'b0, level.quantity}), value_t'({1'b0, level.price})};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  logic unused;
  assign unused = &{1'b0, queue_full, market.top, last_top};

  // Trades of an entry are there before it.
  assert property (@(posedge clk) disable iff (rst) !(read_valid && read_trades != '0) || !direct);
  assert property (@(posedge clk) disable iff (rst) !change || int'(market.top.instrument) < INSTRUMENTS);
endmodule

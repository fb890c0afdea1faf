// The order book: events in as they are decoded, best prices and trades out; what a bad frame did is taken back.
//
//   events ─ book_input ─ book_pipe ─┬─ best levels ───── book.change
//               │            │       ├─ book_price ────── book.trade
//               └─ verdict ──┼───────┴─ book_status ───── book.tradable
//                    │     book_depth ─ of price levels, which is too many ─ book_input
//                    │     book_log ─ inverse operations, back into book_input
//                    └────────┘        book_host ─ windows, rebuilds; book_refill ─ the next levels of a line
//                                      book_level_reader ─ a level, for a strategy
//
// The rules are those of crates/book, with these differences:
// - the window has 8,190 ticks; the host alone sets it, while it rebuilds the instrument; whether a price beyond it is a multiple of the tick is not
//   looked at; an order beyond it has no price that is remembered, so its execution is a trade without one (`trade_priced`);
// - a level that does not fit is reported after the order was booked, which stays; the fault stays too, whatever the verdict;
// - KIND_CLEAR is a fault of an empty book too; faults of bad frames are counted; an event that was missed during a rebuild counts with the number
//   of the last event that had come by then;
// - after a reset every instrument is being rebuilt. Which order of a level came first is not known. A trade's quantity has 32 bits: more is shown
//   as the most there is;
// - the sets of an id can be full before the table is;
// - while CLEAR sweeps the tables, an order that is still there is the instrument's: an event of it is missed, not nobody's, and its id is taken.
// `all_tradable` does not say whether a side is beyond the window, or its best level is being looked up: `tradable` of a change does.
//
// With LEVEL_READS a strategy may read levels (book_level_if); while it wants to, frames go one by one, each when it is done with the one before.
// With LEVELS it takes price levels too, of instruments to which the host has given a depth. A level counts as one order then, whatever the feed says.
//
// Latency: event to change 6 cycles; a replacement 8, where its instrument is not named 10; a level 12, or 10 if it goes; trades 2 more. Verdict to
// verdict: at least 1 cycle, and not before the last change; a bad one after what it takes back: 2 cycles an operation and 16.
// Throughput: an operation in 2 cycles; a replacement is two operations; price levels as in book_input. Parameters: as book_pipe, book_input (FIFO,
// LEVELS) and book_log (LOG) have them; LEVEL_READS.
// Overflow: see there; all of it makes instruments untradable.
module book_stage
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int WAYS = 8,
    parameter int SETS_LOG2 = 11,
    parameter int ORDERS = 12288,
    parameter int STASH = 4,
    parameter int LEVEL_WAYS = 4,
    parameter int LEVEL_SETS_LOG2 = 10,
    parameter int K = 8,
    parameter int LOG = 512,
    parameter int FIFO = 128,
    parameter bit LEVELS = 1'b0,
    parameter bit LEVEL_READS = 1'b0
) (
    input logic clk,
    input logic rst,

    event_if.snk             events,
    input  id_t              early_id,       // order_id of event 0 of the next cycle
    input  logic             direct_trades,       // book.trades: without those that have an event of their own (see market_stage)
    input  logic             after_gap,      // of the frame whose events come: messages before it are missing
    input  logic             begins_session,  // the same: it begins a session,
    input  logic             from_first,      // and that with message 1
    input  logic             gap,            // pulse: the feed lost messages before gap_next
    input  logic [SequenceBits-1:0] gap_next,
    input  logic             new_session,    // pulse: the feed begins a session, with message session_first
    input  logic [SequenceBits-1:0] session_first,

    book_if.src       book,
    book_host_if.snk  host,
    book_walk_if.snk  walk,
    book_level_if.book level_reads,
    output logic       taken,            // no event is on its way, best levels are known, the strategy that reads is done

    output logic [SequenceBits-1:0] next,  // after the last event that came; after new_session, session_first until one has

    output logic        count_fault,     // pulses: an event could not be booked, for this cause
    output book_cause_e count_cause,
    output logic        count_not_ours,  // an order that is not in the book, of nobody knows which instrument
    output logic        count_undone,    // a frame was taken back
    output logic        count_overflow   // an event was lost
);
  if (book.K != K) begin : gen_check
    $fatal(1, "book_stage: the book has lines of %0d levels, its interface %0d", K, book.K);
  end

  // ---- what goes into the pipeline

  // No order may come of a frame that another session begins with, before its verdict says so.
  logic no_orders_before, uncertain;
  assign uncertain = after_gap || (begins_session && !(from_first && no_orders_before));

  book_walk_if search ();
  logic one_by_one, frame_taken, known_valid, known_waits, level_turn;
  op_t known_op;
  logic undo_valid, undo_taken, undoing, undone, log_full, log_filled, log_almost, log_empty;
  op_t undo_op, op, held, host_op, read_op, refill_op;
  logic
      host_valid, host_taken, read_valid, read_taken, refill_valid, refill_taken, background_taken, sweep_all, cleans, cleans_all, cleaning;
  logic op_valid, verdict_valid, verdict_good, verdict_kept, last_of_good, quiet, between, between_frames, settled, overflow;
  logic [WAYS-1:0][SETS_LOG2-1:0] op_sets;
  logic window_write, clear, rebuilt, no_orders, stash_waits;
  id_t stash_key;
  instrument_t host_instrument;
  window_t window;
  logic [Instruments-1:0] rebuilding, untradable;
  book_cause_e causes_unused[Instruments];

  // What goes between two frames alone keeps nothing else from going meanwhile.
  logic host_goes, read_goes, host_sweeps, host_adds;
  assign host_goes = host_valid && (host_sweeps || settled);
  assign read_goes = read_valid && between_frames;
  assign host_taken = background_taken && host_goes;
  assign read_taken = background_taken && !host_goes && read_goes;
  assign refill_taken = background_taken && !host_goes && !read_goes;

  logic [Instruments-1:0] by_level;
  logic [K-1:0] shown6;
  logic too_many7;
  price_t worst7;

  book_input #(
      .WAYS(WAYS),
      .SETS_LOG2(SETS_LOG2),
      .DEPTH(FIFO),
      .LEVELS(LEVELS)
  ) book_input (
      .clk,
      .rst,
      .events,
      .early_id,
      .direct_trades,
      .after_gap(uncertain),
      .by_level,
      .too_many(too_many7),
      .worst(worst7),
      .undo_valid,
      .undo_op,
      .undo_taken,
      .undoing,
      .one_by_one,
      .frame_taken,
      .between_frames,
      .background_valid(host_goes || read_goes || refill_valid),
      .background_may(host_valid || read_valid),
      .background_first(host_goes ? host_adds : read_goes),
      .background_op(host_goes ? host_op : read_goes ? read_op : refill_op),
      .background_taken,
      .move_valid(stash_waits && log_empty),  // a frame that is taken back finds its orders' places as they were
      .move_id(stash_key),
      .op_valid,
      .op,
      .held,
      .op_sets,
      .verdict_valid,
      .verdict_good,
      .verdict_kept,
      .last_of_good,
      .quiet,
      .between,
      .overflow
  );

  // ---- the pipeline

  logic outcome_valid5, add_refused4, line_valid6, line_reads6, incomplete6, pushed6, after6, other_incomplete6, best_changed6;
  outcome_t outcome5;
  localparam int PlaceBits = $clog2(WAYS + STASH);
  logic [PlaceBits-1:0] place5;
  logic line_valid5;
  instrument_t line_instrument5, line_instrument6, level_instrument11;
  side_e line_side5, line_side6, level_side11;
  price_t price_soon5, other_price5;
  level_t [K-1:0] line6;
  level_t other6;
  logic known6;
  sums_t level11;
  logic probe_valid, probe_taken;
  instrument_t probe_instrument;
  side_e probe_side;
  rank_t probe_rank;
  logic append_comes4, append_stands4, level_valid11, level_live11, level_fault11;
  op_kind_e level_kind11;
  rank_t level_rank11;
  book_cause_e level_cause11;

  book_pipe #(
      .WAYS(WAYS),
      .SETS_LOG2(SETS_LOG2),
      .ORDERS(ORDERS),
      .STASH(STASH),
      .LEVEL_WAYS(LEVEL_WAYS),
      .LEVEL_SETS_LOG2(LEVEL_SETS_LOG2),
      .K(K)
  ) pipe (
      .clk,
      .rst,
      .op_valid,
      .op,
      .held,
      .op_sets,
      .sweep_all,
      .append_comes4,
      .append_stands4,
      .window_write,
      .window_instrument(host_instrument),
      .window,
      .rebuilding,
      .log_full,
      .log_filled,
      .log_almost,
      .no_orders,
      .stash_waits,
      .stash_key,
      .outcome_valid5,
      .outcome5,
      .line_valid5,
      .line_instrument5,
      .line_side5,
      .price_soon5,
      .other_price5,
      .place5,
      .line_valid6,
      .line_reads6,
      .add_refused4,
      .line_instrument6,
      .line_side6,
      .line6,
      .incomplete6,
      .pushed6,
      .after6,
      .best_changed6,
      .other6,
      .other_incomplete6,
      .known6,
      .probe_valid,
      .probe_instrument,
      .probe_side,
      .probe_rank,
      .probe_taken,
      .level_valid11,
      .level_kind11,
      .level_instrument11,
      .level_side11,
      .level_rank11,
      .level_live11,
      .level11,
      .level_fault11,
      .level_cause11
  );

  book_log #(
      .DEPTH(LOG),
      .PLACE(PlaceBits)
  ) log (
      .clk,
      .rst,
      .outcome_valid(outcome_valid5),
      .outcome(outcome5),
      .place(place5),
      .full(log_full),
      .filled(log_filled),
      .almost_full(log_almost),
      .empty(log_empty),
      .verdict_valid,
      .verdict_good,
      .undoing,
      .undo_valid,
      .undo_op,
      .undo_taken,
      .undone
  );

  book_depth #(
      .K(K),
      .LEVELS(LEVELS)
  ) book_depth (
      .clk,
      .rst,
      .write(window_write),
      .write_instrument(host_instrument),
      .write_depth(window.depth),
      .instrument5(outcome5.instrument),
      .line_valid6,
      .line6,
      .by_level,
      .shown6,
      .too_many7,
      .worst7
  );

  // ---- whether it can be relied on

  logic day_begins;
  logic [SequenceBits-1:0] sequence_next;
  // An event that comes meanwhile meets what the host changed: it is decided 4 cycles later.
  always_ff @(posedge clk) begin
    settled <= quiet && log_empty && !rst;
    between_frames <= between && log_empty && !rst;
  end

  // Told with the verdict on a frame; a cycle later is soon enough. Its own orders are in the log by then.
  logic lost, other_session;
  always_ff @(posedge clk) if (log_empty) no_orders_before <= no_orders;
  logic [SequenceBits-1:0] lost_next;
  always_ff @(posedge clk) begin
    lost <= gap || overflow;
    lost_next <= gap ? gap_next : new_session ? session_first : sequence_next;
    other_session <= new_session && !(session_first == SequenceBits'(1) && no_orders_before);
    day_begins <= new_session && session_first == SequenceBits'(1) && no_orders_before;
    if (rst) {lost, other_session, day_begins} <= '0;
  end

  always_ff @(posedge clk) begin
    if (events.valid[0]) next <= SequenceBits'(events.data[0].sequence_number + 64'd1);
    else if (other_session || day_begins) next <= lost_next;
    if (rst) next <= '0;
  end

  always_ff @(posedge clk) begin
    if (events.valid[0]) sequence_next <= SequenceBits'(events.data[0].sequence_number + 64'd1);
    if (rst) sequence_next <= '0;
  end

  book_status status (
      .clk,
      .rst,
      .fault(outcome_valid5 && outcome5.fault),
      .instrument(outcome5.instrument),
      .cause(outcome5.cause),
      .restored(outcome5.restore || outcome5.undo),
      .level_fault(level_fault11),
      .level_instrument(level_instrument11),
      .level_cause(level_cause11),
      .gap(lost),
      .new_session(other_session),
      .day_begins,
      .kept(verdict_kept),
      .undone,
      .clear,
      .rebuilt,
      .host_instrument,
      .rebuilding,
      .untradable,
      .causes(causes_unused)
  );

  book_host #(
      .SETS_LOG2(SETS_LOG2),
      .LEVEL_SETS_LOG2(LEVEL_SETS_LOG2)
  ) book_host (
      .clk,
      .rst,
      .host,
      .background_valid(host_valid),
      .background_op(host_op),
      .background_sweeps(host_sweeps),
      .background_adds(host_adds),
      .background_taken(host_taken),
      .sweep_all,
      .cleans,
      .cleans_all,
      .cleaning,
      .window_write,
      .instrument(host_instrument),
      .window,
      .clear,
      .rebuilt,
      .between_frames(settled),
      .rebuilding,
      .missed(outcome_valid5 && outcome5.missed),
      .missed_instrument(outcome5.instrument),
      .unknown(outcome_valid5 && outcome5.not_ours),
      .sequence_next,
      .next,
      .gap(lost || other_session),
      .gap_next(lost_next),
      .new_session(other_session || day_begins)
  );

  // ---- the next levels of a line

  book_refill #(
      .K(K)
  ) refill (
      .clk,
      .rst,
      .cleans,
      .cleans_all,
      .clean_instrument(host_instrument),
      .cleaning,
      .window_write,
      .window_instrument(host_instrument),
      .low_tick(window.low_tick[TickBits-1:0]),
      .outcome_valid5,
      .outcome5,
      .line_valid6,
      .line_instrument6,
      .line_side6,
      .line6,
      .incomplete6,
      .pushed6,
      .after6,
      .level_valid11,
      .level_probe11(level_kind11 == OP_PROBE),
      .level_instrument11,
      .level_side11,
      .level_rank11,
      .level_live11,
      .level11,
      .probe_valid,
      .probe_instrument,
      .probe_side,
      .probe_rank,
      .probe_taken,
      .op_valid(refill_valid),
      .op(refill_op),
      .op_taken(refill_taken),
      .append_comes4,
      .append_stands4,
      .walk(search.snk)
  );

  // ---- what leaves

  logic [FullTickBits-TickBits-1:0] high_ticks[Instruments];
  rank_t low_ticks[Instruments];
  logic [FullTickBits-TickBits-1:0] high6, higher6;
  logic half6;
  logic valid6, partly6, undo6, fault6, untradable6;
  logic operation6, replaced6, left_best;  // the delete of a replacement: the best level of its side changed
  book_cause_e cause6;
  instrument_t instrument6;
  side_e side6;
  logic outside6;
  level_t bid6, ask6;

  // The upper bits of a tick: the window holds at most one multiple of 2^(TickBits-1) within which they change.
  /* verilator lint_off UNUSEDSIGNAL */  // neither needs all of a level
  function automatic best_t best_of(input level_t level, input side_e side, input logic half, input logic [FullTickBits-TickBits-1:0] high,
                                    input logic [FullTickBits-TickBits-1:0] higher);
    rank_t tick;
    tick = side == SIDE_BUY ? ~level.rank : level.rank;
    best_of = '0;
    if (level.live && !level.outside) best_of = '{1'b1, {half && !tick[TickBits-1] ? higher : high, tick}, level.shares, level.orders};
  endfunction

  // A side whose best level is not known, or beyond the window, has none here.
  function automatic best_level_t top_of(input level_t level);
    top_of = '0;
    if (level.live && !level.outside) top_of = '{1'b1, level.price, level.shares, level.orders};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk) begin
    if (window_write) begin
      high_ticks[host_instrument] <= window.low_tick[FullTickBits-1:TickBits];
      low_ticks[host_instrument]  <= window.low_tick[TickBits-1:0];
    end
    high6 <= high_ticks[outcome5.instrument];
    higher6 <= high_ticks[outcome5.instrument] + 1'b1;
    half6 <= low_ticks[outcome5.instrument][TickBits-1];
    valid6 <= outcome_valid5 && (outcome5.done || outcome5.fault) && !(outcome5.replace && outcome5.done) && !outcome5.drop;
    {undo6, partly6, fault6, cause6, instrument6, side6} <=
        {outcome5.undo, outcome5.half, outcome5.fault, outcome5.cause, outcome5.instrument, outcome5.side};
    untradable6 <= untradable[outcome5.instrument] || rebuilding[outcome5.instrument] || outcome5.fault || outcome5.after_gap;
    operation6 <= outcome_valid5;
    replaced6 <= outcome5.replace && outcome5.done;
    if (operation6) left_best <= replaced6 && best_changed6;
    if (rst) {valid6, operation6, left_best} <= '0;
  end

  assign bid6 = side6 == SIDE_BUY ? line6[0] : other6;
  assign ask6 = side6 == SIDE_BUY ? other6 : line6[0];
  assign outside6 = (line6[0].live && line6[0].outside) || (other6.live && other6.outside);

  book_known book_known (
      .clk,
      .rst,
      .change_valid(valid6 && book.shown && !undo6),
      .instrument(instrument6),
      .instrument_next(outcome5.instrument),
      .complete(known6),
      .kept(verdict_kept),
      .undone,
      .op_valid(known_valid),
      .op(known_op),
      .op_taken(read_taken && !level_turn),
      .read(line_reads6),
      .known(book.known),
      .waits(known_waits)
  );

  // ---- reads of strategies

  if (LEVEL_READS) begin : gen_level_reads
    book_walk_if of_level ();
    logic level_valid, reading, busy;
    op_t level_op;

    // An OP_READ at a time, so that each knows its own.
    assign level_turn = level_valid && !known_valid;
    assign read_valid = (known_valid || level_valid) && !reading;
    assign read_op = level_turn ? level_op : known_op;
    always_ff @(posedge clk) begin
      reading <= (read_taken || (reading && !line_reads6)) && !rst;
      one_by_one <= level_reads.one_by_one;
      busy <= level_reads.busy;
      frame_taken <= !busy && !known_waits;
    end

    book_level_reader #(
        .K(K)
    ) book_level_reader (
        .clk,
        .rst,
        .ask(level_reads),
        .op_valid(level_valid),
        .op(level_op),
        .op_taken(read_taken && level_turn),
        .line_reads6,
        .line6,
        .incomplete6,
        .walk(of_level.src),
        .window_write,
        .window_instrument(host_instrument),
        .window
    );

    book_walk_merge book_walk_merge (
        .clk,
        .rst,
        .first(of_level.snk),
        .second(walk),
        .out(search.src)
    );
  end else begin : gen_no_level_reads
    assign {read_valid, read_op, level_turn, one_by_one, frame_taken} = {known_valid, known_op, 3'b001};
    assign {level_reads.answered, level_reads.level} = '0;
    assign {search.valid, search.after_line, search.instrument, search.side} = {walk.valid, walk.after_line, walk.instrument, walk.side};
    assign {walk.level_valid, walk.place, walk.tick, walk.level} = {search.level_valid, search.place, search.tick, search.level};
    assign {walk.done, walk.count} = {search.done, search.count};
    logic unused;
    assign unused = &{
      1'b0, known_waits, level_reads.one_by_one, level_reads.busy, level_reads.valid, level_reads.instrument, level_reads.side,
      level_reads.number
    };
  end

  always_ff @(posedge clk) taken <= settled && frame_taken && !rst;

  assign book.change_valid = valid6;
  assign book.instrument = instrument6;
  assign book.side = side6;
  assign book.undo = undo6;
  assign book.fault = fault6;
  assign book.cause = cause6;
  assign book.shown = !fault6 || partly6;
  assign book.best_changed = best_changed6 || partly6 || left_best;
  assign book.bid = best_of(bid6, SIDE_BUY, half6, high6, higher6);
  assign book.ask = best_of(ask6, SIDE_SELL, half6, high6, higher6);
  assign book.complete = known6;
  for (genvar k = 0; k < K; k++) begin : gen_level
    assign book.levels[k] = shown6[k] ? best_of(line6[k], side6, half6, high6, higher6) : '0;
  end
  assign book.levels_all = !incomplete6;
  assign book.tradable = !untradable6 && known6 && !outside6;
  assign book.all_tradable = ~untradable & ~rebuilding;
  assign book.verdict_valid = verdict_kept || undone;
  assign book.verdict_good = !undone;

  logic improves_alone, improves_fault4, improves3;
  book_improving fast (
      .clk,
      .rst,
      .op_valid,
      .op,
      .tradable(book.all_tradable),
      .verdict_valid,
      .add_refused4,
      .line_valid6,
      .line_instrument6,
      .line_side6,
      .best6(line6[0]),
      .improving(book.improving),
      .instrument(book.improving_instrument),
      .side(book.improving_side),
      .price(book.improving_price),
      .shares(book.improving_shares),
      .alone(improves_alone),
      .fault(improves_fault4)
  );

  always_ff @(posedge clk) improves3 <= book.improving && !rst;

  logic [2:0] every;  // events that are trades
  logic [TradeNumberWidth-1:0] trade_number;

  assign book.top = '{
          valid: valid6 || book.known,
          instrument: 8'(instrument6),
          tradable: !untradable6,
          complete: known6 || !book.shown,  // of a fault no level is shown
          bid: top_of(side6 == SIDE_BUY ? line6[0] : other6),
          ask: top_of(side6 == SIDE_BUY ? other6 : line6[0]),
          verdict_valid: book.verdict_valid || book.known,
          verdict_good: verdict_kept || book.known,  // of a bad one meanwhile nothing was to be taken back
          judged: book.verdict_valid,
          trade_number: trade_number,
          trade: every[0],
          comes: line_valid5,
          comes_instrument: 8'(outcome5.instrument),
          comes_bid: line_side5 == SIDE_BUY ? price_soon5 : other_price5,
          comes_ask: line_side5 == SIDE_BUY ? other_price5 : price_soon5,
          improves: book.improving && improves_alone,
          improves_instrument: 8'(book.improving_instrument),
          improves_side: book.improving_side,
          improves_price: book.improving_price,
          improves_last: improves3 && last_of_good,
          improves_fault: improves_fault4
      };

  // ---- trades

  logic [2:0] trade;
  instrument_t [2:0] trade_instrument;
  side_e trade_sides[3];
  level_shares_t [2:0] trade_quantity;

  book_price trade_prices (
      .clk,
      .write(window_write),
      .write_instrument(host_instrument),
      .write_window(window),
      .instrument(outcome5.instrument),
      .side(outcome5.side),
      .rank(outcome5.rank),
      .given_valid(outcome5.kind == OP_TRADE || outcome5.own_price != '0 || outcome5.own_wide),
      .given_wide(outcome5.own_wide),
      .given(outcome5.own_price),
      .price(book.trade_price),
      .known(book.trade_priced)
  );

  always_ff @(posedge clk) begin
    trade <= {trade[1:0], outcome_valid5 && outcome5.done && !outcome5.undo && (outcome5.execute || outcome5.kind == OP_TRADE)};
    trade_instrument <= {trade_instrument[1:0], outcome5.instrument};
    trade_sides <= '{outcome5.side, trade_sides[0], trade_sides[1]};
    trade_quantity <= {trade_quantity[1:0], outcome5.traded};
    if (rst) trade <= '0;
  end
  assign book.trade_valid = trade[2];
  assign book.trade_instrument = trade_instrument[2];
  assign book.trade_side = trade_sides[2];
  assign book.trade_quantity = trade_quantity[2];

  // A trade that has an event of its own is one even where the log has no room for it.
  logic [2:0] told;
  logic [1:0] verdict_comes, verdict_keeps;
  always_ff @(posedge clk) begin
    every <= {every[1:0], outcome_valid5 && !outcome5.undo && ((outcome5.done && outcome5.execute) || outcome5.kind == OP_TRADE)};
    trade_number <= outcome5.trade_number;
    told <= {
      told[1:0],
      outcome_valid5 && !outcome5.undo && ((outcome5.done && outcome5.execute) || (outcome5.kind == OP_TRADE && !outcome5.direct))
    };
    verdict_comes <= {verdict_comes[0], book.verdict_valid};
    verdict_keeps <= {verdict_keeps[0], book.verdict_good};
    if (rst) {told, every, verdict_comes} <= '0;
  end
  assign book.trades = '{
          valid: told[2],
          every: every[2],
          priced: book.trade_priced,
          instrument: 8'(book.trade_instrument),
          side: book.trade_side,
          price: book.trade_price,
          quantity: BookQuantityWidth'(book.trade_quantity),
          verdict_valid: verdict_comes[1],
          verdict_good: verdict_keeps[1],
          settled: settled
      };

  // ---- what is counted

  // A level that does not fit is counted a cycle later where an event has a fault too: the next one comes 2 cycles later.
  logic event_fault, level_fault12;
  book_cause_e level_cause12;
  assign event_fault = outcome_valid5 && outcome5.fault;
  always_ff @(posedge clk) begin
    level_fault12 <= level_fault11 && event_fault && !rst;
    level_cause12 <= level_cause11;
  end
  assign count_fault = event_fault || level_fault11 || level_fault12;
  assign count_cause = event_fault ? outcome5.cause : level_fault12 ? level_cause12 : level_cause11;
  assign count_not_ours = outcome_valid5 && outcome5.not_ours;
  assign count_undone = undone;
  assign count_overflow = overflow;

  logic unused;
  assign unused = &{1'b0, line_valid6, line_instrument5, line_instrument6, line_side6, other_incomplete6};

  assert property (@(posedge clk) disable iff (rst) !(outcome_valid5 && line_valid6));  // one price at a time
  assert property (@(posedge clk) disable iff (rst) !book.top.valid || book.top.instrument == $past(book.top.comes_instrument));
  assert property (@(posedge clk) disable iff (rst) !(book.top.valid && book.top.tradable && book.top.bid.exists) || ($past(
      book.top.comes
  ) && book.top.bid.price == $past(
      book.top.comes_bid
  )));
  assert property (@(posedge clk) disable iff (rst) !(book.top.valid && book.top.tradable && book.top.ask.exists) || ($past(
      book.top.comes
  ) && book.top.ask.price == $past(
      book.top.comes_ask
  )));
  assert property (@(posedge clk) disable iff (rst) !(valid6 && book.shown) || (line_valid6 && line_instrument6 == instrument6));
endmodule

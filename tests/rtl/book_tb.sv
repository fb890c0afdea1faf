// book_stage with plain ports.
module book_tb
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
    parameter int PATIENCE_LOG2 = 16,
    parameter bit LEVELS = 1'b0,
    parameter bit LEVEL_READS = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic        event_valid,
    input logic [ 3:0] event_kind,
    input logic        event_known,
    input logic        event_has_symbol,
    input logic [ 7:0] event_instrument,
    input logic        event_sell,
    input logic [63:0] event_price,
    input logic [63:0] event_quantity,
    input logic        event_non_printable,
    input logic [63:0] event_id,
    input logic [63:0] event_new_id,
    input logic [47:0] event_sequence,
    input logic        verdict_valid,
    input logic        verdict_good,
    input logic [47:0] early_id,
    input logic        after_gap,
    input logic        begins_session,
    input logic        from_first,

    input logic        gap,
    input logic [47:0] gap_next,
    input logic        new_session,
    input logic [47:0] session_first,

    input  logic        host_valid,
    output logic        host_ready,
    output logic        host_done,
    input  logic [ 1:0] host_request,
    input  logic [ 3:0] host_instrument,
    input  logic [ 1:0] host_restore,
    input  logic        host_sell,
    input  logic [47:0] host_id,
    input  logic [23:0] host_shares,
    input  logic [31:0] host_price,
    input  logic [47:0] host_next,
    input  logic [31:0] window_low_price,
    input  logic [31:0] window_low_tick,
    input  logic [31:0] window_end_price,
    input  logic [ 2:0] window_shift,
    input  logic [23:0] window_inverse,
    input  logic [17:0] window_size,
    input  logic [ 2:0] window_depth,

    output logic [47:0] next,

    input  logic        read_start,
    input  logic [ 3:0] read_instrument,
    input  logic        read_sell,
    output logic        read_busy,
    output logic        read_ends,  // the levels are those of the cycle before
    output logic        read_done,
    input  logic [ 3:0] read_place,
    output logic [13:0] read_tick,
    output logic [11:0] read_orders,
    output logic [31:0] read_shares,

    // A strategy's reads of levels.
    input  logic        level_one_by_one,
    input  logic        level_busy,
    input  logic        level_asks,
    input  logic [ 3:0] level_instrument,
    input  logic        level_sell,
    input  logic [ 3:0] level_number,
    output logic        level_answered,
    output logic        level_exists,
    output logic [31:0] level_price,
    output logic [31:0] level_shares,
    output logic [11:0] level_orders,

    output logic        change_valid,
    output logic        change_known,
    output logic [ 3:0] change_instrument,
    output logic        change_sell,
    output logic        change_undo,
    output logic        change_fault,
    output logic [ 3:0] change_cause,
    output logic        change_shown,
    output logic        change_best,
    output logic        change_complete,
    output logic        change_tradable,
    output logic        bid_live,
    output logic [31:0] bid_tick,
    output logic [31:0] bid_shares,
    output logic [11:0] bid_orders,
    output logic        ask_live,
    output logic [31:0] ask_tick,
    output logic [31:0] ask_shares,
    output logic [11:0] ask_orders,
    output best_t [K-1:0] change_levels,
    output logic        change_levels_all,
    output logic [15:0] all_tradable,
    output logic        improving,
    output logic [ 3:0] improving_instrument,
    output logic        improving_sell,
    output logic [31:0] improving_price,
    output logic [23:0] improving_shares,
    output logic        trade_valid,
    output logic [ 3:0] trade_instrument,
    output logic        trade_sell,
    output logic [31:0] trade_price,
    output logic        trade_priced,
    output logic [31:0] trade_quantity,
    output logic        out_verdict_valid,
    output logic        out_verdict_good,
    output logic        count_fault,
    output logic [ 3:0] count_cause,
    output logic        count_not_ours,
    output logic        count_undone,
    output logic        count_overflow
);
  event_if #(.N(1)) events ();
  book_if #(.K(K)) book ();
  book_host_if host ();
  book_walk_if walk ();
  book_level_if level_reads ();
  book_level_t level;
  book_cause_e cause;

  always_comb begin
    events.valid = event_valid;
    events.data = '0;
    events.data[0].kind = event_kind_e'(event_kind);
    events.data[0].known = event_known;
    events.data[0].has_symbol = event_has_symbol;
    events.data[0].instrument = event_instrument;
    events.data[0].side = side_e'(event_sell);
    events.data[0].price = event_price;
    events.data[0].quantity = event_quantity;
    events.data[0].non_printable = event_non_printable;
    events.data[0].order_id = event_id;
    events.data[0].new_order_id = event_new_id;
    events.data[0].sequence_number = 64'(event_sequence);
    events.verdict_valid = verdict_valid;
    events.verdict_good = verdict_good;

    host.valid = host_valid;
    host.request = host_request_e'(host_request);
    host.restore = host_restore_e'(host_restore);
    host.instrument = host_instrument;
    host.side = side_e'(host_sell);
    host.id = host_id;
    host.shares = host_shares;
    host.price = host_price;
    host.next = host_next;
    host.window = '{window_low_price, window_low_tick, window_end_price, window_shift, window_inverse, window_size, window_depth};
  end
  assign level_reads.one_by_one = level_one_by_one;
  assign level_reads.busy = level_busy;
  assign level_reads.valid = level_asks;
  assign level_reads.instrument = 8'(level_instrument);
  assign level_reads.side = side_e'(level_sell);
  assign level_reads.number = level_number;
  assign level_answered = level_reads.answered;
  assign {level_exists, level_price, level_shares, level_orders} = level_reads.level;

  assign change_levels = book.levels;
  assign change_levels_all = book.levels_all;

  assign host_ready = host.ready;
  assign host_done = host.done;

  assign change_valid = book.change_valid;
  assign change_known = book.known;
  assign change_instrument = book.instrument;
  assign change_sell = book.side;
  assign change_undo = book.undo;
  assign change_fault = book.fault;
  assign change_cause = book.cause;
  assign change_shown = book.shown;
  assign change_best = book.best_changed;
  assign change_complete = book.complete;
  assign change_tradable = book.tradable;
  assign {bid_live, bid_tick, bid_shares, bid_orders} = book.bid;
  assign {ask_live, ask_tick, ask_shares, ask_orders} = book.ask;
  assign all_tradable = book.all_tradable;
  assign improving = book.improving;
  assign improving_instrument = book.improving_instrument;
  assign improving_sell = book.improving_side;
  assign improving_price = book.improving_price;
  assign improving_shares = book.improving_shares;
  assign trade_valid = book.trade_valid;
  assign trade_instrument = book.trade_instrument;
  assign trade_sell = book.trade_side;
  assign trade_price = book.trade_price;
  assign trade_priced = book.trade_priced;
  assign trade_quantity = book.trade_quantity;
  assign out_verdict_valid = book.verdict_valid;
  assign out_verdict_good = book.verdict_good;
  assign count_cause = cause;

  assign read_ends = walk.done;
  assign {read_tick, read_orders, read_shares} = level;

  book_walk #(
      .PATIENCE_LOG2(PATIENCE_LOG2)
  ) reader (
      .clk,
      .rst,
      .start(read_start),
      .instrument(read_instrument),
      .side(side_e'(read_sell)),
      .busy(read_busy),
      .done(read_done),
      .place(read_place),
      .level,
      .walk(walk.src)
  );

  logic taken, unused;
  assign unused = taken;

  book_stage #(
      .WAYS(WAYS),
      .SETS_LOG2(SETS_LOG2),
      .ORDERS(ORDERS),
      .STASH(STASH),
      .LEVEL_WAYS(LEVEL_WAYS),
      .LEVEL_SETS_LOG2(LEVEL_SETS_LOG2),
      .K(K),
      .LOG(LOG),
      .FIFO(FIFO),
      .LEVELS(LEVELS),
      .LEVEL_READS(LEVEL_READS)
  ) dut (
      .clk,
      .rst,
      .events(events.snk),
      .early_id,
      .direct_trades(1'b0),
      .after_gap,
      .begins_session,
      .from_first,
      .gap,
      .gap_next,
      .new_session,
      .session_first,
      .book(book.src),
      .host(host.snk),
      .walk(walk.snk),
      .level_reads(level_reads.book),
      .taken,
      .next,
      .count_fault,
      .count_cause(cause),
      .count_not_ours,
      .count_undone,
      .count_overflow
  );
endmodule

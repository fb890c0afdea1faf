// The order book of a core that trades, with its registers, and the market that strategies see.
//
//   events ─ event_by_event ─┬─ book_stage ─┬─ market_stage ─ market
//                            └──────────────┘      │
//   prices of the session ─────────────────────────┘
//   csr ─ book_registers; market_stage
//
// Latency, throughput, overflow: as the parts. Parameters: INSTRUMENTS; ORDERS that it has room for; K, levels of a side at hand; LEVELS, it takes price
// levels; LEVEL_READS, a strategy may read levels, and be called at each change of the book; TRADES of the feed that wait: see market_stage.
module order_book_stage
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int ORDERS = 12288,
    parameter int K = 8,
    parameter bit LEVELS = 1'b0,
    parameter bit LEVEL_READS = 1'b0,
    parameter int TRADES = 256
) (
    input logic  clk,
    input logic  rst,
    csr_if.stage csr,

    event_if.snk             events,
    feed_if.listener         feed,
    input found_instrument_t found,         // the instrument of event 0 of the cycle before
    committed_event_if.snk   session,       // see market_stage
    input logic              session_wide,
    book_level_if.book       level_reads,
    input logic              each_change,   // the strategy is called at each change of the book

    market_if.src        market,
    output book_status_t status,    // without the strategy's
    output logic         overflow,  // pulses: an event,
    output logic         trade_overflow  // or a trade found no room
);
  localparam int Ways = 8;
  localparam int N = market.N;

  csr_if part[2] ();
  event_if #(.N(N)) book_events ();
  book_if #(.K(K)) book ();
  book_host_if book_host ();
  book_walk_if book_walk ();
  book_pkg::id_t early_id;
  book_pkg::book_cause_e cause_unused;
  /* verilator lint_off UNUSEDSIGNAL */  // the host sees 32 bits of it
  logic [book_pkg::SequenceBits-1:0] next;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [book_pkg::SequenceBits-1:0] first_sequence;
  logic after_gap, begins_session, from_first, gap, new_session, taken, direct_trades, waiting_overflow;
  logic count_fault, count_not_ours, count_undone, count_overflow;

  csr_split #(
      .N(2)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  book_registers book_registers (
      .clk,
      .rst,
      .csr(part[0].stage),
      .status,
      .book(book_host.src),
      .walk(book_walk.src)
  );

  if (LEVEL_READS) begin : gen_event_by_event
    event_by_event #(
        .N(N)
    ) event_by_event (
        .clk,
        .rst,
        .enabled(each_change),
        .taken,
        .events,
        .early_id(feed.ahead.order_id[book_pkg::IdBits-1:0]),
        .after_gap(feed.status.after_gap),
        .begins_session(feed.status.begins_session),
        .from_first(feed.status.from_first),
        .gap(feed.status.gap),
        .new_session(feed.status.new_session),
        .first_sequence(book_pkg::SequenceBits'(feed.status.first_sequence)),
        .out(book_events.src),
        .out_early_id(early_id),
        .out_after_gap(after_gap),
        .out_begins_session(begins_session),
        .out_from_first(from_first),
        .out_gap(gap),
        .out_new_session(new_session),
        .out_first_sequence(first_sequence),
        .overflow(waiting_overflow)
    );
  end else begin : gen_each_frame
    assign {book_events.valid, book_events.data} = {events.valid, events.data};
    assign {book_events.verdict_valid, book_events.verdict_good} = {events.verdict_valid, events.verdict_good};
    assign early_id = feed.ahead.order_id[book_pkg::IdBits-1:0];
    assign {after_gap, begins_session} = {feed.status.after_gap, feed.status.begins_session};
    assign {from_first, gap, new_session} = {feed.status.from_first, feed.status.gap, feed.status.new_session};
    assign first_sequence = book_pkg::SequenceBits'(feed.status.first_sequence);
    assign waiting_overflow = 1'b0;
    logic unused;
    assign unused = &{1'b0, each_change, taken};
  end

  // A quarter of the slots stays free, or orders would not find one.
  book_stage #(
      .WAYS(Ways),
      .SETS_LOG2($clog2(ORDERS * 4 / 3 / Ways)),
      .LEVEL_SETS_LOG2(ORDERS > 12288 ? 13 : 10),
      .ORDERS(ORDERS),
      .K(K),
      .LEVELS(LEVELS),
      .LEVEL_READS(LEVEL_READS)
  ) book_stage (
      .clk,
      .rst,
      .events(book_events.snk),
      .early_id,
      .direct_trades,
      .after_gap,
      .begins_session,
      .from_first,
      .gap,
      .gap_next(first_sequence),
      .new_session,
      .session_first(first_sequence),
      .book(book.src),
      .host(book_host.snk),
      .walk(book_walk.snk),
      .level_reads,
      .taken,
      .next,
      .count_fault,
      .count_cause(cause_unused),
      .count_not_ours,
      .count_undone,
      .count_overflow
  );

  market_stage #(
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES(TRADES),
      .BOOK(1'b1)
  ) market_stage (
      .clk,
      .rst,
      .csr(part[1].stage),
      .events(book_events.snk),
      .begins_session,
      .found,
      .session,
      .session_wide,
      .book_top(book.top),
      .book_trades(book.trades),
      .direct_trades,
      .market,
      .overflow(trade_overflow)
  );

  assign overflow = count_overflow || waiting_overflow;
  assign status = '{
          tradable: 16'(book.all_tradable),
          next: next[31:0],
          fault: count_fault,
          not_ours: count_not_ours,
          undone: count_undone,
          overflow: overflow,
          default: '0
      };
endmodule

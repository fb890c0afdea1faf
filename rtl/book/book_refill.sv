// Looks up the next levels of a line of best levels that has lost some, and appends them.
//
//   order enters ── bitmap: a bit for 8 ranks of a line
//                   │
//   line is short ─ word after the last level ─ first bit ─ its 8 ranks probed ─ those found appended ─┐
//                   ├───────────── none: next word ─┘  └─ none: bit cleared ─┤                         │
//                   └────────────────────────────────────────────────────────┴─── line still short ────┘
//
// Probes and appends are operations of the pipeline, in the background. If meanwhile an operation is about a level after the line that the
// search has passed or looks at, or pushes a level out of the line, or what is appended finds no room, the search begins anew. A bit is not
// cleared when its level goes, only when all its ranks prove empty.
//
// Latency: about 45 cycles to the levels of 8 ranks, as far as no event is in the way. Throughput: a line at a time. Parameters: K, levels of a
// line; LOW: a line is filled up when no more are left. Overflow: a line that is empty meanwhile has no best price: its instrument is not tradable.
module book_refill
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 8,
    parameter int LOW = 5
) (
    input logic clk,
    input logic rst,

    input logic        cleans,            // pulses: the levels of an instrument are forgotten, or of all
    input logic        cleans_all,
    input instrument_t clean_instrument,
    output logic       cleaning,          // until it is done; nothing enters meanwhile
    input logic        window_write,
    input instrument_t window_instrument,
    input rank_t       low_tick,

    input logic              outcome_valid5,
    /* verilator lint_off UNUSEDSIGNAL */
    input outcome_t          outcome5,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic              line_valid6,
    input instrument_t       line_instrument6,
    input side_e             line_side6,
    input level_t    [K-1:0] line6,
    input logic              incomplete6,
    input logic              pushed6,
    input logic              after6,

    input logic  probed10,       // what OP_PROBE found
    input logic  probed_live10,
    input rank_t probed_rank10,
    input sums_t probed_sums10,

    output logic    op_valid,
    output op_t     op,
    input  logic    op_taken,
    input  logic    append_comes4,   // OP_APPEND is in cycle 4 of the pipeline
    output logic    append_stands4   // and nothing has made it wrong meanwhile
);
  if (LOW >= K) begin : gen_check
    $fatal(1, "book_refill: LOW is %0d; it must be less than K, %0d", LOW, K);
  end

  localparam int Lines = 2 * Instruments;
  localparam int LineBits = InstrumentBits + 1;
  localparam int GroupBits = 3;  // ranks of a bit
  localparam int BitBits = 4;  // bits of a word
  localparam int WordBits = TickBits - 1 - GroupBits - BitBits;
  localparam int Address = LineBits + WordBits;

  typedef logic [LineBits-1:0] line_number_t;
  typedef logic [(1<<BitBits)-1:0] word_t;

  // ---- the operation whose best levels leave

  // An order that enters: its bit is set when the best levels leave, so that a search that begins later finds it.
  logic enters6;
  instrument_t instrument6;
  side_e side6;
  rank_t rank6;
  always_ff @(posedge clk) begin
    enters6 <= outcome_valid5 && outcome5.done && (outcome5.kind == OP_ADD);
    {instrument6, side6, rank6} <= {outcome5.instrument, outcome5.side, outcome5.rank};
    if (rst) enters6 <= 1'b0;
  end

  // ---- which lines are short, and where they end

  line_number_t line_number6, at;
  logic [Lines-1:0] short_lines;
  logic live_tail6, before_tail6;
  rank_t tail6, from_tail6;
  logic active, mine6;
  rank_t tails[Lines];
  logic [Lines-1:0] has_tail;
  assign line_number6 = {line_instrument6, line_side6};
  always_comb begin
    tail6 = '0;
    for (int k = 0; k < K; k++) if (line6[k].live) tail6 = line6[k].rank;
    live_tail6 = line6[0].live;
  end
  // A line without levels keeps its last end: what is left is after it, until an operation is about a level before it or at it.
  assign from_tail6 = rank6 + ~tails[line_number6];  // less 1: at it is before
  assign before_tail6 = from_tail6[TickBits-1];
  assign mine6 = line_valid6 && line_number6 == at;

  always_ff @(posedge clk) begin
    if (line_valid6) begin
      if (live_tail6) tails[line_number6] <= tail6;
      has_tail[line_number6] <= live_tail6 || (has_tail[line_number6] && !(after6 && before_tail6));
      short_lines[line_number6] <= incomplete6 && !line6[active&&mine6?K-1 : LOW].live;
    end
    if (rst) {short_lines, has_tail} <= '0;
  end

  // ---- the bitmap

  (* no_rw_check, ram_style = "block" *) word_t bitmap[1<<Address];
  word_t bitmap_read, word, written, word_next;
  logic bitmap_write, just_written, updates, update1, update_sets1;
  word_t update_mask1, scanned;
  logic [Address-1:0] read_address, write_address, update_address, update_address1, search_address;
  logic [BitBits-1:0] update_bit;
  logic drops, cleaning_all, search_reads;
  logic [Address-1:0] clean_address;
  rank_t rank;

  assign updates = enters6 || drops;
  assign update_address = enters6 ? {instrument6, side6, rank6[TickBits-2-:WordBits]} : search_address;
  assign update_bit = enters6 ? rank6[GroupBits+:BitBits] : rank[GroupBits+:BitBits];
  assign search_address = {at, rank[TickBits-2-:WordBits]};
  assign read_address = updates ? update_address : search_address;
  assign word = just_written ? written : bitmap_read;
  always_comb begin
    word_next = update_sets1 ? word | update_mask1 : word & ~update_mask1;  // of what is cleaned, nothing
  end
  assign bitmap_write = update1 || cleaning;
  assign write_address = update1 ? update_address1 : clean_address;

  always_ff @(posedge clk) begin
    if (bitmap_write) bitmap[write_address] <= word_next;
    bitmap_read <= bitmap[read_address];
  end

  always_ff @(posedge clk) begin
    just_written <= bitmap_write && write_address == read_address;
    written <= word_next;
    update1 <= updates;
    {update_address1, update_sets1} <= {update_address, updates && enters6};
    update_mask1 <= updates ? word_t'(1) << update_bit : '1;
    if (cleaning && !update1) begin
      clean_address <= clean_address + 1'b1;
      if (&clean_address[WordBits:0] && (!cleaning_all || &clean_address)) {cleaning, cleaning_all} <= '0;
    end
    if (cleans || cleans_all) begin
      cleaning <= 1'b1;
      cleaning_all <= cleans_all;
      clean_address <= cleans_all ? '0 : {clean_instrument, {WordBits + 1{1'b0}}};
    end
    if (rst) {update1, cleaning, cleaning_all, just_written} <= '0;
  end

  // ---- the search

  typedef enum logic [3:0] {
    FIND,
    START,
    READ,
    WORD,
    SCAN,
    CHECK,
    PROBE,
    RETURN,
    JUDGE,
    APPEND,
    SETTLE
  } state_e;
  state_e state;
  rank_t low_ticks[Instruments];
  // Up to the frontier the search has looked, or looks now: to the end of the word, or of the 8 ranks that are probed. It is compared a cycle
  // early: in the cycle in which it moves on, an order that enters takes the bitmap's port, and the search waits.
  rank_t first, last, probing, frontier, next_word, next_group, before_frontier5;
  logic within6;
  logic touched, touches, whole, ended, past, done;
  logic [GroupBits:0] outstanding;  // operations on their way
  logic [1:0] settle;  // cycles since the last append was in cycle 4
  logic [BitBits-1:0] first_bit;
  logic any_bit;

  // What the probes found.
  typedef struct packed {
    rank_t rank;
    sums_t sums;
  } found_t;
  found_t found_levels[1<<GroupBits];
  found_t next_found;
  logic [GroupBits:0] found, appended;
  assign next_found = found_levels[appended[GroupBits-1:0]];

  assign first = at[0] == SIDE_SELL ? low_ticks[at[LineBits-1:1]] : ~(low_ticks[at[LineBits-1:1]] + rank_t'(WindowTicks - 1));
  assign active = state != FIND;
  assign done = appended == found;

  always_comb begin
    any_bit = |scanned;
    first_bit = '0;
    for (int b = (1 << BitBits) - 1; b >= 0; b--) if (scanned[b]) first_bit = BitBits'(b);
    ended = rank_t'(last - rank) > rank_t'(WindowTicks + 1);  // after the last rank of the window's worse end
    next_word = {rank[TickBits-1:GroupBits+BitBits] + 1'b1, {GroupBits + BitBits{1'b0}}};
    next_group = {rank[TickBits-1:GroupBits] + 1'b1, {GroupBits{1'b0}}};
    before_frontier5 = frontier - outcome5.rank;
    touches = mine6 && (pushed6 || (after6 && within6));
  end

  assign drops = state == JUDGE && found == '0 && whole && !touched && !touches && !enters6;
  assign search_reads = state == READ && !updates;

  always_ff @(posedge clk) begin
    if (window_write) low_ticks[window_instrument] <= low_tick;
    // The frontier can be the rest of a word and another one beyond the window, and so more than half of all ranks away.
    within6 <= !before_frontier5[TickBits-1] || before_frontier5[TickBits-2:BitBits+GroupBits+2] == '0;
    if (touches) touched <= 1'b1;
    outstanding <= outstanding + (GroupBits + 1)'(op_taken) - (GroupBits + 1)'(probed10) - (GroupBits + 1)'(append_comes4);
    if (probed10 && probed_live10) begin
      found_levels[found[GroupBits-1:0]] <= '{probed_rank10, probed_sums10};
      found <= found + 1'b1;
    end

    case (state)
      FIND:
      if (line_valid6 && incomplete6 && !line6[LOW].live) begin
        at <= line_number6;
        state <= START;
      end else if (short_lines[at]) state <= START;
      else at <= at + 1'b1;
      // Not before an append that is on its way has been judged by what `touched` says now.
      START:
      if (outstanding == '0) begin
        touched <= mine6 && (pushed6 || after6);
        rank <= has_tail[at] ? tails[at] + 1'b1 : first;
        last <= first + rank_t'(WindowTicks);
        frontier <= first + rank_t'(WindowTicks);
        found <= '0;
        appended <= '0;
        state <= short_lines[at] && !cleaning ? READ : FIND;
      end
      READ: begin
        frontier <= {rank[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        if (touched) state <= START;
        else if (ended) state <= APPEND;
        else if (search_reads) state <= WORD;
      end
      WORD: begin
        scanned <= word & ({1 << BitBits{1'b1}} << rank[GroupBits+:BitBits]);
        state <= SCAN;
      end
      SCAN:
      if (any_bit) begin
        if (first_bit != rank[GroupBits+:BitBits]) rank[GroupBits+BitBits-1:0] <= {first_bit, {GroupBits{1'b0}}};
        probing <= {rank[TickBits-1:GroupBits+BitBits], first_bit, first_bit == rank[GroupBits+:BitBits] ? rank[GroupBits-1:0] : '0};
        whole <= first_bit != rank[GroupBits+:BitBits] || rank[GroupBits-1:0] == '0;
        state <= CHECK;
      end else begin
        rank <= next_word;
        frontier <= {next_word[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        state <= READ;
      end
      CHECK: begin
        frontier <= {rank[TickBits-1:GroupBits], {GroupBits{1'b1}}};
        past <= rank_t'(last - probing) > rank_t'(WindowTicks + 1);
        state <= PROBE;
      end
      PROBE:
      if (touched || past) begin
        state <= RETURN;
        if (past) whole <= 1'b0;
      end else if (op_taken) begin
        probing <= probing + 1'b1;
        past <= probing == last;
        if (&probing[GroupBits-1:0]) state <= RETURN;
      end
      RETURN: if (outstanding == '0) state <= JUDGE;
      JUDGE:
      if (touched) state <= START;
      else if (found != '0) state <= APPEND;
      else if (!whole || drops || touches) begin
        rank <= next_group;
        frontier <= {next_group[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        state <= READ;
      end
      APPEND:
      if (touched) state <= START;
      else if (op_taken) begin
        if (!done) appended <= appended + 1'b1;
        if (done || appended + 1'b1 == found) state <= SETTLE;
        settle <= '0;
      end
      default: begin
        settle <= outstanding == '0 ? settle + 2'd1 : '0;
        if (touched) state <= START;
        else if (settle == '1) begin
          found <= '0;
          appended <= '0;
          rank <= next_group;
          frontier <= {next_group[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
          state <= short_lines[at] && !ended ? READ : FIND;
        end
      end
    endcase
    if (rst) begin
      state <= FIND;
      at <= '0;
      outstanding <= '0;
    end
  end

  always_comb begin
    op = '0;
    op.kind = state == APPEND ? OP_APPEND : OP_PROBE;
    op.restore = 1'b1;
    op.named = 1'b1;
    op.ranked = 1'b1;
    op.instrument = at[LineBits-1:1];
    op.side = side_e'(at[0]);
    op.rank = state == APPEND ? next_found.rank : probing;
    op.shares = next_found.sums.shares;
    op.price = price_t'(next_found.sums.orders);
    op.below = !done;
    op.above = done;
    op_valid = (state == PROBE && !touched && !past) || (state == APPEND && !touched);
  end
  assign append_stands4 = !touched && !touches;
endmodule

// Looks up the next levels of a line of best levels that has lost some, and appends them.
//
//   new level ── bitmap: a bit for 8 ranks of a line
//                   │
//   line is short ─ word after the last level ─ first bit ─ its 8 ranks probed ─ append
//                   └───────────── none: next word ─┘  └─ none: bit cleared ─┘
//
// Probes and appends are operations of the pipeline, in the background. If, from the start of the search to the append, an operation was about a level
// after the line, or pushed one out of it, the search begins again. A bit is not cleared when its level goes, only when all its ranks
// prove empty.
//
// Latency: 20 cycles and more for a level, as far as no event is in the way. Throughput: a line at a time. Parameters: K, levels of a line; LOW: a
// line is filled up when no more are left. Overflow: a line that is empty meanwhile has no best price: its instrument is not tradable.
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

    input logic              line_valid6,
    input instrument_t       line_instrument6,
    input side_e             line_side6,
    input level_t    [K-1:0] line6,
    input logic              incomplete6,
    input logic              passed6,

    input logic        level_valid10,
    input op_kind_e    level_kind10,
    input instrument_t level_instrument10,
    input side_e       level_side10,
    input rank_t       level_rank10,
    input logic        level_new10,
    input append_t     level10,

    output logic    op_valid,
    output op_t     op,
    input  logic    op_taken,
    output append_t append,
    output logic    append_stands4
);
  localparam int Lines = 2 * Instruments;
  localparam int LineBits = InstrumentBits + 1;
  localparam int GroupBits = 3;  // ranks of a bit
  localparam int BitBits = 4;    // bits of a word
  localparam int WordBits = TickBits - 1 - GroupBits - BitBits;
  localparam int Address = LineBits + WordBits;
  localparam int PipeCycles = 12;

  typedef logic [LineBits-1:0] line_number_t;
  typedef logic [(1<<BitBits)-1:0] word_t;

  // ---- which lines are short, and where they end

  line_number_t line_number6, at;
  logic [Lines-1:0] short_lines;
  logic live_tail6;
  rank_t tail6;
  logic active, mine6;
  rank_t tails[Lines];
  logic [Lines-1:0] has_tail;
  assign line_number6 = {line_instrument6, line_side6};
  always_comb begin
    tail6 = '0;
    for (int k = 0; k < K; k++) if (line6[k].live) tail6 = line6[k].rank;
    live_tail6 = line6[0].live;
  end
  assign mine6 = line_valid6 && line_number6 == at;

  always_ff @(posedge clk) begin
    if (line_valid6) begin
      tails[line_number6] <= tail6;
      has_tail[line_number6] <= live_tail6;
      short_lines[line_number6] <= incomplete6 && !line6[active&&mine6?K-1 : LOW].live;
    end
    if (rst) short_lines <= '0;
  end

  // ---- the bitmap

  (* no_rw_check, ram_style = "block" *) word_t bitmap[1<<Address];
  word_t bitmap_read, word, written, word_next;
  logic bitmap_write, just_written, updates, update1, update_sets1;
  logic [Address-1:0] read_address, write_address, update_address, update_address1, search_address;
  logic [BitBits-1:0] update_bit, update_bit1;
  logic drops, cleaning_all, search_reads;
  logic [Address-1:0] clean_address;
  rank_t rank;

  assign updates = (level_valid10 && level_new10) || drops;
  assign update_address = level_valid10 && level_new10 ?
      {level_instrument10, level_side10, level_rank10[TickBits-2-:WordBits]} : search_address;
  assign update_bit = level_valid10 && level_new10 ? level_rank10[GroupBits+:BitBits] : rank[GroupBits+:BitBits];
  assign search_address = {at, rank[TickBits-2-:WordBits]};
  assign read_address = updates ? update_address : search_address;
  assign word = just_written ? written : bitmap_read;
  always_comb begin
    word_next = word;
    word_next[update_bit1] = update_sets1;
    if (!update1) word_next = '0;
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
    {update_address1, update_bit1, update_sets1} <= {update_address, update_bit, level_valid10 && level_new10};
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
    SCAN,
    PROBE,
    RETURN,
    JUDGE,
    APPEND,
    SETTLE
  } state_e;
  state_e state;
  rank_t low_ticks[Instruments];
  rank_t first, last, probing, found_rank;
  logic touched, found, whole, ended, past;
  logic [3:0] outstanding, settle;
  word_t masked;
  logic [BitBits-1:0] first_bit;
  logic any_bit, result10;

  assign first = at[0] == SIDE_SELL ? low_ticks[at[LineBits-1:1]] : ~(low_ticks[at[LineBits-1:1]] + rank_t'(WindowTicks - 1));
  assign active = state != FIND;
  assign result10 = level_valid10 && level_kind10 == OP_PROBE;

  always_comb begin
    masked = word & ({1 << BitBits{1'b1}} << rank[GroupBits+:BitBits]);
    any_bit = |masked;
    first_bit = '0;
    for (int b = (1 << BitBits) - 1; b >= 0; b--) if (masked[b]) first_bit = BitBits'(b);
    past = rank_t'(last - probing) > rank_t'(WindowTicks + 1);
    ended = rank_t'(last - rank) > rank_t'(WindowTicks + 1);  // after the last rank of the window's worse end
  end

  assign drops = state == JUDGE && !found && whole && !touched && !(mine6 && passed6) && !(level_valid10 && level_new10);
  assign search_reads = state == READ && !updates;

  always_ff @(posedge clk) begin
    if (window_write) low_ticks[window_instrument] <= low_tick;
    if (mine6 && passed6) touched <= 1'b1;
    outstanding <= outstanding + 4'(state == PROBE && op_taken) - 4'(result10);
    if (result10 && level10.found && !found) begin
      found <= 1'b1;
      found_rank <= level_rank10;
      append <= '{found: 1'b1, complete: 1'b0, orders: level10.orders, shares: level10.shares};
    end

    case (state)
      FIND:
      if (line_valid6 && incomplete6 && !line6[LOW].live) begin
        at <= line_number6;
        state <= START;
      end else if (short_lines[at]) state <= START;
      else at <= at + 1'b1;
      START: begin
        touched <= mine6 && passed6;
        rank <= has_tail[at] ? tails[at] + 1'b1 : first;
        last <= first + rank_t'(WindowTicks);
        found <= 1'b0;
        append <= '0;
        state <= short_lines[at] && !cleaning ? READ : FIND;
      end
      READ:
      if (touched) state <= START;
      else if (ended) begin
        append <= '{found: 1'b0, complete: 1'b1, orders: '0, shares: '0};
        found_rank <= last;
        state <= APPEND;
      end else if (search_reads) state <= SCAN;
      SCAN:
      if (any_bit) begin
        if (first_bit != rank[GroupBits+:BitBits]) rank[GroupBits+BitBits-1:0] <= {first_bit, {GroupBits{1'b0}}};
        probing <= {rank[TickBits-1:GroupBits+BitBits], first_bit, first_bit == rank[GroupBits+:BitBits] ? rank[GroupBits-1:0] : '0};
        whole <= first_bit != rank[GroupBits+:BitBits] || rank[GroupBits-1:0] == '0;
        state <= PROBE;
      end else begin
        rank  <= {rank[TickBits-1:GroupBits+BitBits] + 1'b1, {GroupBits + BitBits{1'b0}}};
        state <= READ;
      end
      PROBE:
      if (found || touched || past) begin
        state <= RETURN;
        if (past) whole <= 1'b0;
      end else if (op_taken) begin
        probing <= probing + 1'b1;
        if (probing == last && !(&probing[GroupBits-1:0])) whole <= 1'b0;
        if (&probing[GroupBits-1:0] || probing == last) state <= RETURN;
      end
      RETURN: if (outstanding == '0) state <= JUDGE;
      JUDGE:
      if (touched) state <= START;
      else if (found) state <= APPEND;
      else if (!whole || drops || (mine6 && passed6)) begin
        rank  <= {rank[TickBits-1:GroupBits] + 1'b1, {GroupBits{1'b0}}};
        state <= READ;
      end
      APPEND:
      if (touched) state <= START;
      else if (op_taken) begin
        settle <= '0;
        state  <= SETTLE;
      end
      default: begin
        settle <= settle + 4'd1;
        if (settle == 4'(PipeCycles)) state <= short_lines[at] ? START : FIND;
      end
    endcase
    if (rst) begin
      state <= FIND;
      at <= '0;
      outstanding <= '0;
      has_tail <= '0;
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
    op.rank = state == APPEND ? found_rank : probing;
    op_valid = (state == PROBE && !found && !touched && !past && outstanding != '1) || (state == APPEND && !touched);
  end
  assign append_stands4 = !touched && !(mine6 && passed6);

  logic unused;
  assign unused = &{1'b0, level10.complete};
endmodule

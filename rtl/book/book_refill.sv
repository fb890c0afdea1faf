// Looks up the next levels of a line of best levels that has lost some, and appends them; or, where no line is short, reads the best of a side out.
//
//   order enters ── bitmap: a bit for 8 ranks of a line
//                   │
//   line is short ─ word after the last level ─ first bit ─ its 8 ranks probed ─ those found appended ─┐
//                   ├───────────── none: next word ─┘  └─ none: bit cleared ─┤                         │
//                   └────────────────────────────────────────────────────────┴─── line still short ────┘
//
// Appends are operations of the pipeline, in the background; probes go to the level table alone, between operations, and do not see those that are on
// their way. What an event does to a level of the 8 ranks that are probed is taken from the level table as a probe's result is, and counts more than
// that; an append that is on its way then does not stand, and comes again. The search begins anew if an order enters after the line before those
// ranks, a level is pushed out of the line, or what is appended finds no room. A bit is not cleared when its level goes, only when all its ranks prove
// empty.
//
// A read (`walk`) is the same search, from the window's better end on, or from the end of the side's line: what it finds leaves instead of being appended. It begins anew whenever an
// operation is about a level that it has passed, so that what it gives was true at one moment; and it waits when a line runs short, which is filled
// up first.
//
// Latency (counted from the states, no event in the way): 35 cycles from a short line to the first of the next 8 ranks' levels, 2 for each further
// one; a read 6 for each 128 ranks of the window, and about 40 for each group of 8 ranks in which there are levels. Throughput: a line at a time. Parameters: K, levels of a line; LOW: a line is filled up when no
// more are left. Overflow: a line that is empty meanwhile has no best price: its instrument is not tradable.
module book_refill
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 8,
    parameter int LOW = K > 5 ? 5 : K - 1
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

    input logic        level_valid11,  // a level after its operation,
    input logic        level_probe11,  // which was OP_PROBE
    input instrument_t level_instrument11,
    input side_e       level_side11,
    input rank_t       level_rank11,
    input logic        level_live11,
    input sums_t       level11,
    output logic        probe_valid,
    output instrument_t probe_instrument,
    output side_e       probe_side,
    output rank_t       probe_rank,
    input  logic        probe_taken,

    output logic    op_valid,
    output op_t     op,
    input  logic    op_taken,
    input  logic    append_comes4,   // OP_APPEND is in cycle 4 of the pipeline
    output logic    append_stands4,  // and nothing has made it wrong meanwhile

    book_walk_if.snk walk
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
  logic any_short, runs_short6;
  logic live_tail6, before_tail6;
  rank_t tail6, from_tail6;
  logic active, mine6;
  logic walks;  // the search reads a side out;
  logic disturbs;  // which has to begin anew, or to wait
  rank_t tails[Lines];
  typedef logic [WalkBits:0] count_t;
  count_t counts[Lines];  // levels in them
  count_t count6;
  logic [Lines-1:0] has_tail;
  assign line_number6 = {line_instrument6, line_side6};
  always_comb begin
    tail6 = '0;
    count6 = '0;
    for (int k = 0; k < K; k++) begin
      if (line6[k].live) tail6 = line6[k].rank;
      if (line6[k].live) count6 = count_t'(k + 1);
    end
    live_tail6 = line6[0].live;
  end
  // A line without levels keeps its last end: what is left is after it, until an operation is about a level before it or at it.
  assign from_tail6 = rank6 + ~tails[line_number6];  // less 1: at it is before
  assign before_tail6 = from_tail6[TickBits-1];
  assign mine6 = line_valid6 && line_number6 == at;
  assign runs_short6 = line_valid6 && incomplete6 && !line6[LOW].live;

  always_ff @(posedge clk) begin
    if (line_valid6) begin
      if (live_tail6) tails[line_number6] <= tail6;
      counts[line_number6] <= count6;
      has_tail[line_number6] <= live_tail6 || (has_tail[line_number6] && !(after6 && before_tail6));
      short_lines[line_number6] <= incomplete6 && !line6[active&&mine6?K-1 : LOW].live;
    end
    any_short <= |short_lines;
    if (rst) {short_lines, has_tail} <= '0;
  end

  // ---- the bitmap

  (* no_rw_check, ram_style = "block" *) word_t bitmap[1<<Address];
  // A word is written 2 cycles after it was read; what was written meanwhile is taken from registers.
  word_t bitmap_read, read2, word2, written3, written4, word_next;
  logic bitmap_write, updates, update1, update2, update_sets1, update_sets2;
  logic same1, same_last2, same_before2;  // its address is that of what was written: in the cycle of the read, or the next
  word_t update_mask1, update_mask2, scanned;
  logic [Address-1:0] read_address, read_address1, read_address2, write_address, update_address, search_address;
  logic [BitBits-1:0] update_bit;
  logic drops, cleaning_all, search_reads;
  logic [Address-1:0] clean_address;
  rank_t rank;

  assign updates = enters6 || drops;
  assign update_address = enters6 ? {instrument6, side6, rank6[TickBits-2-:WordBits]} : search_address;
  assign update_bit = enters6 ? rank6[GroupBits+:BitBits] : rank[GroupBits+:BitBits];
  assign search_address = {at, rank[TickBits-2-:WordBits]};
  assign read_address = updates ? update_address : search_address;
  assign word2 = same_last2 ? written3 : same_before2 ? written4 : read2;
  assign word_next = update_sets2 ? word2 | update_mask2 : word2 & ~update_mask2;  // of what is cleaned, nothing
  assign bitmap_write = update2 || cleaning;
  assign write_address = update2 ? read_address2 : clean_address;

  always_ff @(posedge clk) begin
    if (bitmap_write) bitmap[write_address] <= word_next;
    bitmap_read <= bitmap[read_address];
  end

  always_ff @(posedge clk) begin
    read2 <= bitmap_read;
    same1 <= bitmap_write && write_address == read_address;
    same_before2 <= same1;
    same_last2 <= bitmap_write && write_address == read_address1;
    {written3, written4} <= {word_next, written3};
    {update1, update2} <= {updates, update1};
    {read_address1, read_address2} <= {read_address, read_address1};
    {update_sets1, update_sets2} <= {updates && enters6, update_sets1};
    update_mask1 <= updates ? word_t'(1) << update_bit : '1;
    update_mask2 <= update_mask1;
    if (cleaning && !update2) begin
      clean_address <= clean_address + 1'b1;
      if (&clean_address[WordBits:0] && (!cleaning_all || &clean_address)) {cleaning, cleaning_all} <= '0;
    end
    if (cleans || cleans_all) begin
      cleaning <= 1'b1;
      cleaning_all <= cleans_all;
      clean_address <= cleans_all ? '0 : {clean_instrument, {WordBits + 1{1'b0}}};
    end
    if (rst) {update1, update2, cleaning, cleaning_all, same1, same_last2, same_before2} <= '0;
  end

  // ---- the search

  typedef enum logic [4:0] {
    FIND,
    START,
    BEGIN,
    READ,
    WORD,
    WORD_REGISTER,
    SCAN,
    TAKE,
    CHECK,
    PROBE,
    RETURN,
    JUDGE,
    PICK,
    APPEND,
    RESUME,
    SETTLE,
    GIVE,
    FINISH
  } state_e;
  state_e state;
  rank_t low_ticks[Instruments];
  // Up to the frontier the search has looked, or looks now: to the end of the word, or, while it probes, to the last rank that was. It is compared
  // a cycle early: in the cycle in which it moves on, an order that enters takes the bitmap's port, and the search waits.
  rank_t first, last, tail_start, first_start, probing, frontier, next_word, next_group, before_frontier5, to_last, from_probing;
  logic within6, tail_known;
  logic probes;  // what was probed is not in the line yet
  logic begins, begins1, begins2, just_begun;  // a search, up to 2 cycles before: where it looks is not compared yet
  logic offers, touched, touches, whole, ended, past;
  logic [GroupBits:0] outstanding;  // operations on their way
  logic [1:0] settle;  // cycles since the last append was in cycle 4
  logic [BitBits-1:0] first_bit, scanned_bit;
  logic any_bit, scanned_any, scanned_here;

  // The levels of the group of ranks that is probed, by the rank's last bits: as the probes found them, and as events have changed them since.
  localparam int Group = 1 << GroupBits;
  localparam int LevelCycles = 7;  // from the best levels to `todo` after what the level table says
  typedef logic [GroupBits-1:0] in_group_t;
  sums_t group_sums[Group];
  logic [Group-1:0] probed, live, gone, todo;  // gone: into the line, or given; todo: as they were a cycle ago, without the one that goes
  logic [Group-1:0] fresh;  // known from an event
  logic [TickBits-1:GroupBits] probing_group;
  in_group_t group_from, pick, news_at;
  logic group_open;  // it is being probed, or its levels are on their way into the line
  logic in_group6, stirs6;  // an event is about one of its levels
  logic [2:0] stirred;  // cycles until the level table has said what that did
  logic stale;  // an append that is on its way may be from before that
  logic news, news_live, probe_news, resumed, pick_any, last_pick, complete;
  sums_t news_sums;
  sums_t next_sums;
  rank_t next_rank;
  assign next_rank = {probing_group, pick};
  assign next_sums = group_sums[pick];

  assign first = at[0] == SIDE_SELL ? low_ticks[at[LineBits-1:1]] : ~(low_ticks[at[LineBits-1:1]] + rank_t'(WindowTicks - 1));
  assign active = state != FIND && !walks;

  // ---- what a read gives

  logic [WalkBits:0] given;
  assign walk.level_valid = state == GIVE && !touched && pick_any;
  assign walk.place = given[WalkBits-1:0];
  assign walk.tick = at[0] == SIDE_BUY ? ~next_rank : next_rank;
  assign walk.level = next_sums;
  assign walk.done = state == FINISH && !touched;
  assign walk.count = given;

  // ---- where the search is

  function automatic in_group_t first_of(input logic [Group-1:0] bits);
    first_of = '0;
    for (int i = Group - 1; i >= 0; i--) if (bits[i]) first_of = in_group_t'(i);
  endfunction


  always_comb begin
    any_bit = |scanned;
    first_bit = '0;
    for (int b = (1 << BitBits) - 1; b >= 0; b--) if (scanned[b]) first_bit = BitBits'(b);
    to_last = last - rank;
    ended = to_last[TickBits-1];  // after the last rank of the window's worse end
    from_probing = last - probing;
    next_word = {rank[TickBits-1:GroupBits+BitBits] + 1'b1, {GroupBits + BitBits{1'b0}}};
    next_group = {rank[TickBits-1:GroupBits] + 1'b1, {GroupBits{1'b0}}};
    before_frontier5 = frontier - outcome5.rank;
    begins = state == START && outstanding == '0;
    // Where nothing was probed, only an order that enters is news: the bit of any other is set.
    touches = mine6 && (pushed6 || (after6 && (within6 || just_begun) && (probes || enters6) && !(group_open && in_group6)));
    stirs6 = mine6 && group_open && in_group6;
    disturbs = walks && ((mine6 && (within6 || just_begun)) || runs_short6 || cleaning || !walk.valid);
  end

  // What comes in this very cycle matters only if it is an order that enters.
  assign drops = state == JUDGE && todo == '0 && whole && !touched && stirred == '0 && !enters6;
  assign search_reads = state == READ && !updates;

  always_ff @(posedge clk) begin
    if (window_write) low_ticks[window_instrument] <= low_tick;
    // The frontier can be the rest of a word and another one beyond the window, and so more than half of all ranks away.
    within6 <= !before_frontier5[TickBits-1] || before_frontier5[TickBits-2:BitBits+GroupBits+2] == '0;
    todo <= state inside {START, READ} ? '0 : live & probed & ~gone & ~(state inside {APPEND, GIVE} ? Group'(1) << pick : '0);
    resumed <= state == RESUME;  // what is to do is known a cycle later
    {begins1, begins2} <= {begins, begins1};
    just_begun <= begins || begins1 || begins2;
    settle <= state == SETTLE && outstanding == '0 ? settle + 2'd1 : '0;
    if (touches || disturbs) touched <= 1'b1;
    outstanding <= outstanding + (GroupBits + 1)'(offers || probe_taken) - (GroupBits + 1)'(probe_news) -
        (GroupBits + 1)'(append_comes4);
    in_group6 <= outcome5.rank[TickBits-1:GroupBits] == probing_group && outcome5.rank[GroupBits-1:0] >= group_from &&
        outcome5.kind inside {OP_ADD, OP_REDUCE, OP_DELETE, OP_RETURN};
    stirred <= stirs6 ? 3'(LevelCycles) : stirred == '0 ? '0 : stirred - 3'd1;

    stale <= stirs6 || (stale && !(outstanding == '0 && stirred == '0));

    // A rank that has not been probed yet will be: what is kept of it until then is not looked at.
    probe_news <= level_valid11 && level_probe11;
    news <= level_valid11 && {level_instrument11, level_side11} == at && level_rank11[TickBits-1:GroupBits] == probing_group;
    {news_at, news_live, news_sums} <= {level_rank11[GroupBits-1:0], level_live11, level11};
    if (news && !(probe_news && fresh[news_at])) begin
      group_sums[news_at] <= news_sums;
      live[news_at] <= news_live;
    end
    if (news && !probe_news) fresh[news_at] <= 1'b1;

    case (state)
      FIND:
      if (runs_short6) begin
        at <= line_number6;
        walks <= 1'b0;
        state <= START;
      end else if (short_lines[at]) begin
        walks <= 1'b0;
        state <= START;
      end else if (walk.valid && !any_short && at == {walk.instrument, walk.side}) begin
        walks <= 1'b1;
        state <= START;
      end else at <= at + 1'b1;
      // Not before an append that is on its way has been judged by what `touched` says now.
      START:
      if (outstanding == '0) begin
        touched <= disturbs || (mine6 && (pushed6 || (after6 && enters6)));
        tail_known <= has_tail[at] && (!walks || walk.after_line);
        {tail_start, first_start} <= {tails[at] + 1'b1, first};
        state <= (walks ? !touched : short_lines[at]) && !cleaning ? BEGIN : FIND;
        given <= walks && walk.after_line ? counts[at] : '0;
      end
      BEGIN: begin
        rank <= tail_known ? tail_start : first_start;
        last <= first_start + (walks ? rank_t'(WindowTicks - 1) : rank_t'(WindowTicks));  // what is beyond the window is no level
        state <= READ;
      end
      READ: begin
        frontier <= {rank[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        complete <= ended;
        if (touched) state <= START;
        else if (ended) state <= walks ? FINISH : PICK;
        else if (search_reads) state <= WORD;
      end
      WORD: state <= WORD_REGISTER;
      WORD_REGISTER: begin
        scanned <= word2 & ({1 << BitBits{1'b1}} << rank[GroupBits+:BitBits]);
        state <= SCAN;
      end
      SCAN: begin
        scanned_any <= any_bit;
        scanned_bit <= first_bit;
        scanned_here <= first_bit == rank[GroupBits+:BitBits];
        state <= TAKE;
      end
      TAKE:
      if (scanned_any) begin
        if (!scanned_here) rank[GroupBits+BitBits-1:0] <= {scanned_bit, {GroupBits{1'b0}}};
        probing <= {rank[TickBits-1:GroupBits+BitBits], scanned_bit, scanned_here ? rank[GroupBits-1:0] : '0};
        // A cycle before it is open: what comes is compared with it a cycle early.
        {probing_group, group_from} <= {rank[TickBits-1:GroupBits+BitBits], scanned_bit, scanned_here ? rank[GroupBits-1:0] : '0};
        whole <= !scanned_here || rank[GroupBits-1:0] == '0;
        state <= CHECK;
      end else begin
        rank <= next_word;
        frontier <= {next_word[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        state <= READ;
      end
      CHECK: begin
        frontier <= probing - 1'b1;
        past <= from_probing[TickBits-1];
        group_open <= 1'b1;
        fresh <= '0;
        state <= PROBE;
      end
      PROBE:
      if (touched || past) begin
        state <= RETURN;
        if (past) whole <= 1'b0;
      end else if (probe_taken) begin
        frontier <= probing;
        probed[probing[GroupBits-1:0]] <= 1'b1;
        probing <= probing + 1'b1;
        past <= probing == last;
        if (&probing[GroupBits-1:0]) state <= RETURN;
      end
      RETURN: if (outstanding == '0 && stirred == '0) state <= JUDGE;
      JUDGE:
      if (touched) state <= START;
      else if (stirred != '0) state <= RETURN;
      else if (todo != '0) state <= PICK;
      else if (drops || (!whole && !enters6)) begin
        group_open <= 1'b0;
        rank <= next_group;
        frontier <= {next_group[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
        state <= READ;
      end
      PICK:
      if (!resumed) begin
        pick_any <= todo != '0;
        last_pick <= (todo & (todo - 1'b1)) == '0;
        pick <= first_of(todo);
        if (touched) state <= START;
        else if (stirred != '0) state <= RESUME;
        else if (todo == '0 && !complete) state <= SETTLE;
        else state <= walks ? GIVE : APPEND;
      end
      APPEND:
      if (touched) state <= START;
      else if (stirred != '0) state <= RESUME;
      else if (offers) begin
        if (pick_any) gone[pick] <= 1'b1;
        state <= !pick_any || (last_pick && !complete) ? SETTLE : PICK;
      end
      // Of what was on its way to the line, some did not stand: the line's end says which.
      RESUME:
      if (touched) state <= START;
      else if (outstanding == '0 && stirred == '0) begin
        gone <= tails[at][TickBits-1:GroupBits] == probing_group ? ~({Group{1'b1}} << tails[at][GroupBits-1:0] << 1) : '0;
        state <= has_tail[at] ? PICK : START;
      end
      GIVE:
      if (touched) state <= START;
      else begin
        gone[pick] <= 1'b1;
        given <= given + 1'b1;
        state <= &given[WalkBits-1:0] ? FINISH : last_pick ? SETTLE : PICK;
      end
      FINISH: state <= touched ? START : FIND;
      default: begin
        if (touched) state <= START;
        else if (stirred != '0) state <= RESUME;
        else if (settle == '1 && !enters6) begin
          group_open <= 1'b0;
          rank <= next_group;
          frontier <= {next_group[TickBits-1:GroupBits+BitBits], {GroupBits + BitBits{1'b1}}};
          state <= (walks || short_lines[at]) && !ended ? READ : FIND;
        end
      end
    endcase
    if (state == START || state == READ) begin
      {probed, gone} <= '0;
      group_open <= 1'b0;
    end
    if (probe_taken) probes <= 1'b1;
    else if (state == START || state == READ) probes <= 1'b0;
    if (rst) begin
      state <= FIND;
      {at, walks, outstanding, probed, gone, group_open, stirred, stale, probe_news, news} <= '0;
    end
  end

  // An append is offered from registers; one that is offered counts as on its way.
  line_number_t offered_line;
  rank_t offered_rank;
  sums_t offered_sums;
  logic offered_done;
  assign offers = !op_valid && !touched && state == APPEND && stirred == '0;
  assign probe_valid = state == PROBE && !touched && !past;
  assign probe_instrument = at[LineBits-1:1];
  assign probe_side = side_e'(at[0]);
  assign probe_rank = probing;
  always_ff @(posedge clk) begin
    if (offers) begin
      offered_line <= at;
      offered_rank <= next_rank;
      offered_sums <= next_sums;
      offered_done <= !pick_any;
    end
    op_valid <= offers || (op_valid && !op_taken);
    if (rst) op_valid <= 1'b0;
  end
  always_comb begin
    op = '0;
    op.kind = OP_APPEND;
    op.restore = 1'b1;
    op.named = 1'b1;
    op.ranked = 1'b1;
    op.instrument = offered_line[LineBits-1:1];
    op.side = side_e'(offered_line[0]);
    op.rank = offered_rank;
    op.shares = offered_sums.shares;
    op.price = price_t'(offered_sums.orders);
    op.below = !offered_done;
    op.above = offered_done;
  end
  assign append_stands4 = !touched && !touches && !stirs6 && !stale;
endmodule

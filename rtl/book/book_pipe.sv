// The order book's pipeline: operations in, the best levels out 6 cycles later; every operation is applied as it comes.
//
//   cycle 0      1, 2            3             4                    5               6                     10         11
//   id's sets ─ order table ─ tags, way ─┬─ order ─ decided ─┬─ order written    best levels          level table   level
//   price ───── book_ticks ──────────────┘    └─ best_levels ┴─ line compared ─ line as it is now      └──────────────┘
//
// Operations come at least 2 cycles apart; the linked add of a replacement comes after its delete with nothing between, 2 cycles after it, or 4
// if the event does not name its instrument: its price needs the window of the order's instrument.
// A level that does not fit (`level_fault11`) is found after the order was booked: the order stays, the level's quantity is wrong.
//
// Latency: 5 cycles to `outcome5`, 6 to the best levels, 11 to the level. Throughput: an operation in 2 cycles.
// Parameters: WAYS, SETS_LOG2, STASH and ORDERS: of the order table, and how many orders may be in it; LEVEL_WAYS, LEVEL_SETS_LOG2: of the
// levels; K: levels of a line. A full table is a fault of the instrument.
module book_pipe
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
    localparam int PlaceBits = $clog2(WAYS + STASH)
) (
    input logic clk,
    input logic rst,

    // cycle 0
    input logic                           op_valid,
    input op_t                            op,
    /* verilator lint_off UNUSEDSIGNAL */
    input op_t                            held,      // op, if it is none of an event that goes at once: those have no rank
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [WAYS-1:0][SETS_LOG2-1:0] op_sets,   // of op.id
    input logic                           sweep_all,
    output logic                          append_comes4,   // OP_APPEND is in cycle 4
    input logic                           append_stands4,  // and nothing has made it wrong meanwhile

    input logic        window_write,
    input instrument_t window_instrument,
    input window_t     window,

    input logic [Instruments-1:0] rebuilding,
    input logic                   log_full,    // cycle 4 of an operation: those before it are counted
    input logic                   log_filled,  // the same, without the verdict that comes in this cycle
    input logic                   log_almost,  // there is room for one more

    output logic     no_orders,       // in the table
    output logic     stash_waits,     // an order of this id waits for OP_MOVE
    output id_t      stash_key,
    output logic     outcome_valid5,
    output outcome_t outcome5,
    output logic [PlaceBits-1:0] place5,  // of its order in the table

    output logic              line_valid5,
    output instrument_t       line_instrument5,
    output side_e             line_side5,
    output price_t            price_soon5,       // of the best level in the next cycle
    output price_t            other_price5,
    output logic              line_valid6,
    output logic              line_reads6,  // of OP_READ
    output logic              add_refused4,  // if the operation in cycle 4 is an add: it may not be booked
    output instrument_t       line_instrument6,
    output side_e             line_side6,
    output level_t    [K-1:0] line6,
    output logic              incomplete6,
    output logic              pushed6,
    output logic              after6,
    output logic              best_changed6,
    output level_t            other6,
    output logic              other_incomplete6,
    output logic              known6,       // the best levels of both sides, or that there are none

    input  logic        probe_valid,       // a level is looked up, between operations
    input  instrument_t probe_instrument,
    input  side_e       probe_side,
    input  rank_t       probe_rank,
    output logic        probe_taken,       // its result is level11, 6 cycles later
    output logic        level_valid11,
    output op_kind_e    level_kind11,
    output instrument_t level_instrument11,
    output side_e       level_side11,
    output rank_t       level_rank11,
    output logic        level_live11,   // it has orders, after the operation
    output sums_t     level11,        // its orders and quantity
    output logic        level_fault11,  // it did not fit:
    output book_cause_e level_cause11
);
  localparam int Record = $bits(order_record_t);
  logic will_write_unused;
  localparam int CountBits = $clog2(ORDERS + 1);
  localparam int SweptBits = $clog2(WAYS + STASH + 1);

  // ---- cycles 0 to 3: the order, and the rank of its price

  logic valid1, valid2, valid3, valid4;
  /* verilator lint_off UNUSEDSIGNAL */
  op_t op1, op2, op3, op4;
  /* verilator lint_on UNUSEDSIGNAL */
  logic table_hit4, table_full4, write4, write_live4;
  /* verilator lint_off UNUSEDSIGNAL */
  order_record_t join3, early3, record4, written4;
  /* verilator lint_on UNUSEDSIGNAL */
  instrument_t price_instrument0;
  logic [WAYS+STASH-1:0] ways4;
  rank_t rank3;
  logic outside4, better4, off_tick4;

  function automatic logic by_id(input op_kind_e kind);
    return kind inside {OP_REDUCE, OP_DELETE, OP_RETURN};
  endfunction

  // Its outcome counts: an event's, not one of the book's own searches.
  function automatic logic of_feed(input op_kind_e kind);
    return kind inside {OP_ADD, OP_REDUCE, OP_DELETE, OP_RETURN, OP_TRADE, OP_UNSUPPORTED, OP_CLEAR};
  endfunction

  // Of the delete before a linked add.
  instrument_t last_instrument5;
  side_e last_side5, side3;
  logic last_done5, joins2, joins3, links3, own_side3;
  instrument_t own_instrument3;
  logic [WAYS+STASH-1:0] place_given3;  // an order that comes back stands where it stood: so there is room for all

  assign joins2 = !by_id(op2.kind) && op2.kind != OP_MOVE;
  assign side3 = op3.link ? last_side5 : op3.side;
  assign price_instrument0 = op.link && !op.named ? record4.instrument : op.instrument;

  book_ticks ticks (
      .clk,
      .write(window_write),
      .write_instrument(window_instrument),
      .write_window(window),
      .instrument0(price_instrument0),
      .price0(op.price),
      .below0(op.below),
      .above0(op.above),
      .ranked0(op.ranked),
      .given_rank0(held.rank),
      .given_side0(held.side),
      .side3,
      .rank3,
      .outside4,
      .better4,
      .off_tick4
  );

  always_comb begin
    join3 = '0;
    // The line of best levels is read with these two: of a linked add they come from the delete before it.
    join3.instrument = own_instrument3 | (links3 ? last_instrument5 : '0);
    join3.side = side_e'(own_side3 | (links3 & last_side5));
    if (joins3) begin
      join3.rank = rank3;
      join3.shares = op3.shares[SharesBits-1:0];
    end
  end

  skewed_table #(
      .KEY(IdBits),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS),
      .PAYLOAD(Record),
      .FIELD(InstrumentBits),
      .STASH(STASH)
  ) orders (
      .clk,
      .rst,
      .in_valid(op_valid && (op.kind == OP_ADD || by_id(op.kind) || op.kind == OP_SWEEP || op.kind == OP_MOVE)),
      .in_key(op.id),
      .in_sets(op_sets),
      .in_enters(!by_id(op.kind) && op.kind != OP_MOVE),
      .in_move(op.kind == OP_MOVE),
      .in_probe(1'b0),
      .in_sweep(op.kind == OP_SWEEP),
      .sweep_all,
      .sweep_field(op2.instrument),
      .join_payload(join3),
      .place_given(place_given3),
      .early_payload(early3),
      .out_hit(table_hit4),
      .out_full(table_full4),
      .out_payload(record4),
      .out_way(ways4),
      .write(write4),
      .write_live(write_live4),
      .write_payload(written4),
      .will_write(will_write_unused),
      .stash_waits,
      .stash_key
  );

  // The price of a level that may enter a line: the event's, or of the given rank.
  price_t ranked_price3, price4;
  logic ranked_known_unused;
  book_price ranked_price (
      .clk,
      .write(window_write),
      .write_instrument(window_instrument),
      .write_window(window),
      .instrument(held.instrument),
      .side(held.side),
      .rank(held.rank),
      .given_valid(1'b0),
      .given_wide(1'b0),
      .given('0),
      .price(ranked_price3),
      .known(ranked_known_unused)
  );
  always_ff @(posedge clk) price4 <= op3.ranked ? ranked_price3 : op3.price;

  // Sides with orders, as far as is known: one whose best levels are being looked up counts as one with orders. The operation before, 2 cycles
  // earlier, is where its line is.
  logic [1:0] occupied[Instruments], occupied3, occupied_reg, occupied4;
  logic empties4, occupied6;
  assign occupied6 = line6[0].live || incomplete6;
  always_comb begin
    occupied3 = occupied[op3.instrument];
    if (line_valid6 && line_instrument6 == op3.instrument) occupied3[line_side6] = occupied6;
    occupied4 = occupied_reg;
    if (line_valid6 && line_instrument6 == op4.instrument) occupied4[line_side6] = occupied6;
  end
  always_ff @(posedge clk) begin
    occupied_reg <= occupied3;
    if (line_valid6) occupied[line_instrument6][line_side6] <= occupied6;
    if (rst) for (int i = 0; i < Instruments; i++) occupied[i] <= '0;
  end

  level_shares_t shares4;
  shares_t delta4;
  logic less4, adds4, cuts4, reduces4, deletes4, missed_named4, excused4, logged4, known_instrument4, counts4, applies4;
  // Of what is known before the order: a linked add that the delete before it lets through; it cannot be, as far as what is named says; it needs
  // two places of the log; it shows no level.
  logic follows4, barred4, needs_two4, shows_none4;
  logic named_rebuilding3, excused3;
  assign named_rebuilding3 = rebuilding[op3.named ? op3.instrument : last_instrument5];
  assign excused3 = op3.restore || op3.undo || op3.kind == OP_TRADE;

  always_ff @(posedge clk) begin
    {valid1, valid2, valid3, valid4} <= {op_valid, valid1, valid2, valid3};
    {op1, op2, op3, op4} <= {op, op1, op2, op3};
    joins3 <= joins2;
    links3 <= joins2 && op2.link;
    own_instrument3 <= joins2 && !op2.link ? op2.instrument : '0;
    for (int i = 0; i < WAYS + STASH; i++) place_given3[i] <= op2.undo && op2.kind == OP_ADD && op2.price[PlaceBits-1:0] == PlaceBits'(i);
    own_side3 <= joins2 && !op2.link && op2.side;
    // Of the instrument that the event or the delete before it names: an order's is looked at in cycle 4.
    missed_named4 <= named_rebuilding3;
    excused4 <= excused3;
    logged4 <= !op3.undo && !op3.restore && !op3.link;
    known_instrument4 <= op3.named || op3.link;
    counts4 <= valid3 && of_feed(op3.kind);
    applies4 <= valid3 && of_feed(op3.kind) && (!op3.link || last_done5);
    follows4 <= valid3 && of_feed(op3.kind) && op3.link && last_done5;
    barred4 <= op3.refused || (named_rebuilding3 && !excused3);
    // A level that enters may be followed by the drop of another; one that was deleted before it is followed by none.
    needs_two4 <= op3.replace || (op3.level && op3.kind == OP_ADD && !last_done5);
    shows_none4 <= op3.kind == OP_TRADE || (valid3 && op3.kind == OP_READ);
    deletes4 <= op3.kind == OP_DELETE;
    empties4 <= op3.kind == OP_CLEAR;
    case (op3.kind)
      OP_REDUCE: delta4 <= ~op3.shares[SharesBits-1:0];
      OP_RETURN: delta4 <= op3.shares[SharesBits-1:0];
      default: delta4 <= '0;
    endcase
    adds4 <= op3.kind == OP_ADD;
    cuts4 <= by_id(op3.kind);
    reduces4 <= op3.kind == OP_REDUCE;
    less4 <= op3.kind == OP_REDUCE || op3.kind == OP_DELETE;
    case (op3.kind)
      OP_DELETE: shares4 <= level_shares_t'(early3.shares);
      OP_TRADE: shares4 <= '0;
      default: shares4 <= op3.shares;
    endcase
    if (rst) {valid1, valid2, valid3, valid4, counts4, applies4, follows4} <= '0;
  end

  // ---- cycle 4: may it be

  logic [CountBits-1:0] orders_live;
  logic [SweptBits-1:0] swept6;
  logic [WAYS+STASH-1:0] ways5;
  logic sweeps5, entered5, left5;
  logic orders_full, found4, ours4, not_ours4, missed4, over4, enough4, sum_unused4, gone4, done4, fault4;
  instrument_t instrument4;
  logic add_fault4, early_fault4, log_fault4, half4, quiet4;
  book_cause_e cause4, add_cause4;

  always_comb begin
    instrument4 = op4.named ? op4.instrument : op4.link ? last_instrument5 : record4.instrument;
    found4 = table_hit4 && !op4.absent;
    ours4 = found4 && (!op4.named || record4.instrument == op4.instrument);
    not_ours4 = cuts4 && !ours4 && !op4.named;
    missed4 = (known_instrument4 ? missed_named4 : rebuilding[record4.instrument]) && !excused4;
    written4 = record4;
    // One chain of carries: the lowest bit makes the one that a difference needs.
    {enough4, written4.shares, sum_unused4} = {1'b0, record4.shares, 1'b1} + {1'b0, delta4, reduces4};
    over4 = reduces4 && (op4.too_large || !enough4);
    // Not `==`: yosys would take it from the subtraction, after its carries.
    gone4 = deletes4 || (reduces4 && !(|(op4.shares[SharesBits-1:0] ^ record4.shares)));

    // Whether there is a fault, beside each other; which, one after the other.
    add_fault4 = found4 || off_tick4 || better4 || (op4.level && outside4) || ((table_full4 || orders_full) && !op4.undo);
    if (found4) add_cause4 = CAUSE_DUPLICATE_ID;
    else if (off_tick4) add_cause4 = CAUSE_OFF_TICK;
    else if (better4 || (op4.level && outside4)) add_cause4 = CAUSE_OUTSIDE_WINDOW;
    else add_cause4 = CAUSE_ORDERS_FULL;

    log_fault4 = logged4 && !empties4 && (log_full || (needs_two4 && log_almost));
    early_fault4 = op4.refused || (empties4 && |occupied4) || log_fault4 || (adds4 && add_fault4) || (cuts4 && !ours4);
    if (op4.refused) cause4 = op4.cause;
    else if (empties4) cause4 = CAUSE_UNSUPPORTED;
    else if (log_fault4) cause4 = CAUSE_LOG_FULL;
    else cause4 = adds4 ? add_cause4 : !ours4 ? CAUSE_UNKNOWN_ID : CAUSE_TOO_MUCH;
    // What an order has left is compared last: it takes longest.
    fault4 = early_fault4 || over4;
    // A level's delete before its add faults as that does; and one that is not there need not leave.
    quiet4 = op4.level && cuts4 && (op4.replace || !ours4);
    done4 = applies4 && !early_fault4 && !missed4 && !over4 && !empties4;
    // Of a replacement, only the delete could be done. It is an add, and not logged.
    half4 = follows4 && (barred4 || add_fault4);

    // Without the order's own faults, which are known before.
    add_refused4 = add_fault4 || log_filled || missed_named4;

    write4 = done4 && (adds4 || cuts4);
    write_live4 = adds4 || !gone4;
  end

  always_ff @(posedge clk) begin
    if (valid4 && (adds4 || cuts4)) begin
      last_instrument5 <= record4.instrument;
      last_side5 <= record4.side;
      last_done5 <= done4;
    end
    {sweeps5, ways5} <= {valid4 && op4.kind == OP_SWEEP && !sweep_all, ways4};
    swept6 <= sweeps5 ? SweptBits'($countones(ways5)) : '0;
    entered5 <= write4 && adds4;
    left5 <= write4 && gone4 && cuts4;
    if (entered5) orders_live <= orders_live + 1'b1;
    else if (left5) orders_live <= orders_live - 1'b1;
    else orders_live <= orders_live - CountBits'(swept6);
    no_orders <= orders_live == '0;
    orders_full <= (orders_live >= CountBits'(ORDERS) && !left5) || (orders_live == CountBits'(ORDERS - 1) && entered5);

    outcome_valid5 <= counts4;
    outcome5 <= '{
        kind: op4.kind,
        undo: op4.undo,
        restore: op4.restore,
        done: done4,
        fault: applies4 && fault4 && !not_ours4 && !missed4 && !quiet4,
        cause: cause4,
        missed: applies4 && missed4 && !not_ours4,
        not_ours: applies4 && not_ours4,
        half: half4,
        replace: op4.replace,
        execute: op4.execute,
        direct: op4.direct,
        drop: op4.drop,
        after_gap: op4.after_gap,
        trade_number: op4.trade_number,
        left: gone4,
        instrument: instrument4,
        side: record4.side,
        rank: record4.rank,
        shares: shares4[SharesBits-1:0],
        traded: op4.shares,
        own_price: op4.price,
        own_wide: op4.below || op4.above,
        id: op4.id
    };
    if (rst) begin
      outcome_valid5 <= 1'b0;
      orders_live <= '0;
      {sweeps5, swept6} <= '0;
      {entered5, left5} <= '0;
      orders_full <= 1'b0;
    end
  end

  always_comb begin
    place5 = '0;
    for (int i = 0; i < WAYS + STASH; i++) if (ways5[i]) place5 |= PlaceBits'(i);
  end

  // ---- the best levels

  logic append4, clears4, reads4, reads5;
  assign clears4 = valid4 && op4.kind == OP_SWEEP;
  assign reads4 = valid4 && op4.kind == OP_READ;
  always_ff @(posedge clk) {reads5, line_reads6} <= {reads4, reads5};
  assign append_comes4 = valid4 && op4.kind == OP_APPEND;
  assign append4 = append_comes4 && append_stands4;

  best_levels #(
      .K(K)
  ) best (
      .clk,
      .rst,
      .instrument3(early3.instrument),
      .side3(early3.side),
      .valid4(done4 || append4 || clears4 || half4 || reads4),
      .acts4(!half4 && !shows_none4),
      .instrument4(record4.instrument),
      .side4(record4.side),
      .rank4(record4.rank),
      .price4,
      .enters4(adds4),
      .leaves4(cuts4 && gone4),
      .appends4(op4.kind == OP_APPEND),
      .found4(op4.below),
      .clears4(clears4),
      .outside4,
      .shares4,
      .less4,
      .orders4(op4.price[OrdersBits-1:0]),
      .complete4(op4.above),
      .valid5(line_valid5),
      .instrument5(line_instrument5),
      .side5(line_side5),
      .price_soon5,
      .other_price5,
      .valid6(line_valid6),
      .instrument6(line_instrument6),
      .side6(line_side6),
      .line6,
      .incomplete6,
      .pushed6,
      .after6,
      .best_changed6,
      .other6,
      .other_incomplete6,
      .known6
  );

  // ---- the level

  logic level_valid5, level_leaves5;
  op_kind_e level_kind5;
  instrument_t level_instrument5;
  side_e level_side5;
  rank_t level_rank5;
  level_shares_t level_shares5;

  always_ff @(posedge clk) begin
    level_valid5 <= write4 || (valid4 && (op4.kind == OP_SWEEP || append4));
    level_kind5 <= op4.kind;
    level_leaves5 <= cuts4 && gone4;
    {level_instrument5, level_side5, level_rank5} <= {record4.instrument, record4.side, record4.rank};
    level_shares5 <= (shares4 ^ {LevelSharesBits{less4}}) + LevelSharesBits'(less4);
    if (rst) level_valid5 <= 1'b0;
  end

  level_table #(
      .WAYS(LEVEL_WAYS),
      .SETS_LOG2(LEVEL_SETS_LOG2)
  ) levels (
      .clk,
      .rst,
      .in_valid(level_valid5),
      .in_kind(level_kind5),
      .in_leaves(level_leaves5),
      .in_instrument(level_instrument5),
      .in_side(level_side5),
      .in_rank(level_rank5),
      .in_shares(level_shares5),
      .sweep_set(outcome5.own_price[LEVEL_SETS_LOG2-1:0]),
      .sweep_all,
      .probe_valid,
      .probe_instrument,
      .probe_side,
      .probe_rank,
      .probe_taken,
      .out_valid(level_valid11),
      .out_kind(level_kind11),
      .out_instrument(level_instrument11),
      .out_side(level_side11),
      .out_rank(level_rank11),
      .out_live(level_live11),
      .out_level(level11),
      .out_fault(level_fault11),
      .out_cause(level_cause11)
  );
endmodule

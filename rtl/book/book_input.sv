// Events to operations of the book's pipeline, one in 2 cycles, and the verdict on their frame after the last of them.
//
//   event ─┬─────────────────────────────────────┬─ op   in the cycle of its event, if nothing waits
//          └─ FIFO ─ head ─┐                     │
//   undo ──────┬─ inserted ──┴─ held, its id hashed┘
//   background ┘
//
// The id of an event is given a cycle ahead of it, so that its hash is in a register. An event that cannot go at once waits in the FIFO, with its
// verdict. A replacement, or a change in place, becomes a delete and a linked add (of the same id, then), and nothing comes between the two: it
// stays in `head` until both are gone.
// A price level becomes the delete of the order that it is in the tables, and, if it still has a quantity, an add of that order. If its side has too
// many levels then (book_depth), the delete of the worst follows. It stays in `head` until that is known, and nothing comes between.
// Operations in the background (refill, the host's) go where no event waits, or after 16 cycles; an event that meets one, or follows another at
// once, is late by up to 4 cycles.
//
// A verdict leaves when the last operation of its frame has changed the best levels; after a bad one nothing goes but `undo`, until `undoing`
// falls. With `one_by_one` nothing of the next frame goes either, until a few cycles after the verdict `frame_taken` is high.
//
// Latency: event to op none, of a price level 4 cycles; verdict at least 1 cycle, and not before cycle 6 of its frame's last operation.
// Throughput: an operation in 2 cycles; a price level in 12 cycles, 13 if another is dropped, 2 if it goes. Parameters: WAYS, SETS_LOG2 of the order
// table; DEPTH of the FIFO; LEVELS: price levels are taken, and ids of orders have a bit less. Overflow: an event that finds no room is lost:
// `overflow` pulses, and no instrument is tradable any more. DEPTH / 8 of the words are kept for verdicts.
module book_input
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int WAYS = 8,
    parameter int SETS_LOG2 = 11,
    parameter int DEPTH = 128,
    parameter bit LEVELS = 1'b0
) (
    input logic clk,
    input logic rst,

    event_if.snk events,
    input id_t   early_id,  // order_id of event 0 of the next cycle
    input logic  direct_trades,  // trades are taken from their events: `op.direct`
    input logic  after_gap, // messages before the frame whose events come are missing

    input logic [Instruments-1:0] by_level,  // the feed gives levels of these instruments
    input logic                   too_many,  // 7 cycles after the add of a level: another has to go, which has
    input price_t                 worst,     // this price

    input  logic undo_valid,
    input  op_t  undo_op,
    output logic undo_taken,
    input  logic undoing,

    input  logic one_by_one,   // frames wait for each other:
    input  logic frame_taken,  // strategies are done with the last one

    input  logic                 between_frames,  // nothing was on its way a cycle ago
    input  logic                 background_valid,
    input  logic                 background_may,    // it may be one that goes between two frames alone
    input  logic                 background_first,  // it goes between two frames alone
    input  op_t                  background_op,
    output logic                 background_taken,  // it is op in a later cycle, the next at the earliest

    input logic move_valid,  // an order waits for OP_MOVE
    input id_t  move_id,

    output logic                           op_valid,
    output op_t                            op,
    output op_t                            held,   // the operation, if it is none of an event that goes at once
    output logic [WAYS-1:0][SETS_LOG2-1:0] op_sets,
    output logic                           verdict_valid,
    output logic                           verdict_good,
    output logic                           verdict_kept,   // both
    output logic                           last_of_good,   // the operation of a frame 3 cycles ago was its last, and its verdict is good
    output logic                           quiet,          // nothing is on the way to the pipeline or in its first 6 cycles
    output logic                           between,        // the same, but for a frame that waits until the one before is taken
    output logic                           overflow        // pulse
);
  localparam int Reserve = DEPTH / 8;
  localparam int PipeCycles = 6;  // to the best levels
  localparam int TakenCycles = 6;  // from a verdict until strategies say that they are not done with its frame, and more
  localparam int OrderIdBits = LEVELS ? IdBits - 1 : IdBits;

  // What waits: an event, a verdict, or both.
  typedef struct packed {
    logic          has_event;
    op_kind_e      kind;
    logic          replace;
    logic          execute;
    logic          direct;
    logic          after_gap;
    logic [TradeNumberWidth-1:0] trade_number;
    logic          named;
    instrument_t   instrument;
    side_e         side;
    id_t           id;
    id_t           new_id;
    logic          absent;
    level_shares_t shares;
    logic          too_large;
    logic          refused;
    book_cause_e   cause;
    price_t        price;
    logic          below;
    logic          above;
    logic          has_verdict;
    logic          good;
  } word_t;

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic is_level(input word_t word);
    return LEVELS && word.kind == OP_LEVEL;
  endfunction

  function automatic op_t first_of(input word_t word);
    /* verilator lint_on UNUSEDSIGNAL */
    first_of = '0;
    first_of.kind = !is_level(word) ? word.kind : word.refused ? OP_UNSUPPORTED : OP_DELETE;
    first_of.level = is_level(word);
    first_of.replace = word.replace;
    first_of.execute = word.execute;
    first_of.direct = word.direct;
    first_of.after_gap = word.after_gap;
    first_of.trade_number = word.trade_number;
    first_of.named = word.named;
    first_of.instrument = word.instrument;
    first_of.side = word.side;
    first_of.id = word.id;
    first_of.absent = word.absent;
    first_of.shares = word.shares;
    first_of.too_large = word.too_large;
    first_of.refused = word.refused;
    first_of.cause = word.cause;
    first_of.price = word.price;
    first_of.below = word.below;
    first_of.above = word.above;
  endfunction

  function automatic op_t second_of(input word_t word);
    second_of = first_of(word);
    second_of.kind = OP_ADD;
    second_of.replace = 1'b0;
    second_of.link = !is_level(word);
    second_of.id = word.new_id;
    second_of.absent = is_level(word) && word.absent;
    second_of.refused = 1'b0;
  endfunction

  // ---- the event

  /* verilator lint_off UNUSEDSIGNAL */
  event_t event_data;
  /* verilator lint_on UNUSEDSIGNAL */
  word_t event_word;
  logic [TradeNumberWidth-1:0] trade_number;
  logic wanted, in_table, enters, modify, large_quantity, zero, large_id, is_by_level;

  assign event_data = events.data[0];
  always_ff @(posedge clk) begin
    if (events.valid[0] && is_numbered(event_data.kind)) trade_number <= trade_number + 1'b1;
    if (rst) trade_number <= '0;
  end

  assign in_table = event_data.instrument < 8'(Instruments);

  always_comb begin
    modify = event_data.kind == KIND_MODIFY;
    enters = event_data.kind inside {KIND_ADD, KIND_REPLACE, KIND_MODIFY};
    zero = event_data.quantity == '0;
    large_quantity = |event_data.quantity[QuantityWidth-1:SharesBits];
    large_id = event_data.kind == KIND_REPLACE ? |event_data.new_order_id[63:OrderIdBits] : |event_data.order_id[63:OrderIdBits];
    is_by_level = LEVELS && by_level[event_data.instrument[InstrumentBits-1:0]];
    case (event_data.kind)
      KIND_ADD, KIND_TRADE, KIND_CLEAR, KIND_LEVEL: wanted = event_data.known && in_table;
      // Of an order, whose instrument it may not name. If it names one, and that is none of ours, it costs no operation.
      KIND_EXECUTE, KIND_REDUCE, KIND_DELETE, KIND_REPLACE, KIND_MODIFY: wanted = event_data.known ? in_table : !event_data.has_symbol;
      default: wanted = 1'b0;
    endcase
    if (event_data.source != EVENT_FEED) wanted = 1'b0;

    event_word = '0;
    event_word.has_event = events.valid[0] && wanted;
    case (event_data.kind)
      KIND_ADD: event_word.kind = OP_ADD;
      KIND_EXECUTE, KIND_REDUCE: event_word.kind = OP_REDUCE;
      KIND_DELETE, KIND_REPLACE, KIND_MODIFY: event_word.kind = OP_DELETE;
      KIND_TRADE: event_word.kind = OP_TRADE;
      KIND_CLEAR: event_word.kind = OP_CLEAR;
      KIND_LEVEL: event_word.kind = LEVELS ? OP_LEVEL : OP_UNSUPPORTED;
      default: event_word.kind = OP_UNSUPPORTED;
    endcase
    event_word.replace = event_data.kind inside {KIND_REPLACE, KIND_MODIFY};
    event_word.execute = event_data.kind == KIND_EXECUTE && !event_data.non_printable;
    event_word.direct = event_data.kind == KIND_TRADE && direct_trades;
    event_word.after_gap = after_gap;
    event_word.trade_number = trade_number;
    event_word.named = event_data.known;
    event_word.instrument = event_data.instrument[InstrumentBits-1:0];
    event_word.side = event_data.side;
    event_word.id = event_data.order_id[IdBits-1:0];
    event_word.new_id = modify ? event_data.order_id[IdBits-1:0] : event_data.new_order_id[IdBits-1:0];
    event_word.absent = event_data.kind != KIND_ADD && |event_data.order_id[63:OrderIdBits];
    event_word.shares = |event_data.quantity[QuantityWidth-1:LevelSharesBits] ? '1 : event_data.quantity[LevelSharesBits-1:0];
    event_word.too_large = large_quantity;
    event_word.price = event_data.price[PriceBits-1:0];
    event_word.below = event_data.price[PriceWidth-1];
    event_word.above = !event_data.price[PriceWidth-1] && |event_data.price[PriceWidth-2:PriceBits];
    // Its id has no room for such a price, and it cannot be there.
    if (is_level(event_word)) event_word.absent = event_word.below || event_word.above;

    event_word.refused = 1'b1;
    if (event_word.kind == OP_UNSUPPORTED || (modify && event_data.price == '0)) event_word.cause = CAUSE_UNSUPPORTED;
    else if (is_by_level ? event_data.kind == KIND_ADD : is_level(event_word)) event_word.cause = CAUSE_UNSUPPORTED;
    else if (is_level(event_word) && large_quantity) event_word.cause = CAUSE_QUANTITY_TOO_LARGE;
    else if (is_level(event_word)) begin
      event_word.refused = 1'b0;
      event_word.replace = !zero;
    end else if (zero && !(event_data.kind inside {KIND_DELETE, KIND_TRADE, KIND_CLEAR})) event_word.cause = CAUSE_QUANTITY_ZERO;
    else if (enters && large_quantity) event_word.cause = CAUSE_QUANTITY_TOO_LARGE;
    else if (enters && large_id) event_word.cause = CAUSE_ID_TOO_LONG;
    else begin
      event_word.cause = CAUSE_REPLACES_ITSELF;  // which takes longest to find out, so it changes no more than `refused`
      event_word.refused = event_data.kind == KIND_REPLACE && event_data.order_id == event_data.new_order_id;
    end
    event_word.has_verdict = events.verdict_valid;
    event_word.good = events.verdict_good;
  end

  // ---- what waits, and what goes

  logic fifo_write, fifo_full, fifo_overflow, fifo_empty, crowded;
  logic [$clog2(DEPTH):0] fifo_count;
  word_t fifo_word_next, fifo_word, fifo_head, head;
  op_t inserted;  // the next of undo or of the background
  logic head_valid, inserted_valid, inserted_undo, waiting;
  logic enters_first, inserted_first;  // before any event
  logic head_half;  // of a replacement in `head`, the delete is gone
  logic head_judged, head_drops;  // of a level, its add is gone: it is found out whether another has to go; which goes
  logic judged, head_ends, rests, never_direct;
  logic urgent;  // it has waited for long
  logic [3:0] patience;
  logic held_valid, held_front, second_valid;  // `front`: of a frame
  logic held_far;  // its price needs the window of the order before it
  op_t from_head, from_behind, next;
  logic [2:0] since;  // cycles since the last operation went, at most 7
  logic [2:0] since_front;  // since the last one of a frame
  logic next_is_head, next_is_inserted, next_is_move;
  logic moving;  // the last operation is one
  logic front_goes, spaced, spaced_far;  // 2 cycles, 4 cycles since the last operation
  logic pending_valid, pending_good, pending_ready, verdict_blocks, blocked, held_goes, direct, free;
  logic [2:0] pending_left;
  logic verdict_after;  // the pending verdict came with the last operation of a frame, or after it
  logic load_second, load_inserted, load_head, load_move, head_may, event_waits, verdict_waits, verdict_direct, busy_front;
  logic closed, stays_closed;  // to the next frame
  logic [2:0] since_verdict;  // cycles, from the last one's on, at most TakenCycles

  fifo #(
      .WIDTH($bits(word_t)),
      .DEPTH(DEPTH)
  ) fifo (
      .clk,
      .rst,
      .write(fifo_write),
      .write_data(fifo_word),
      .full(fifo_full),
      .overflow(fifo_overflow),
      .read(!fifo_empty && !head_valid),
      .read_data(fifo_head),
      .empty(fifo_empty),
      .count(fifo_count)
  );

  // What the host restores enters between two frames: within one it could take the place to which an order comes back, or have its id. And what
  // is read between two frames is read before the next begins.
  logic may_enter;
  assign enters_first = background_valid && background_first && between_frames && !undoing && !inserted_valid;
  // Known earlier than `enters_first`, and true at least whenever that is: an event does not go directly then, it waits.
  assign may_enter = background_may && between_frames && !undoing && !inserted_valid;

  always_comb begin
    verdict_blocks = pending_valid && !(pending_ready && pending_good);
    blocked = undoing || verdict_blocks;
    held_goes = held_valid && (held_far ? spaced_far : spaced);
    second_valid = head_valid && head_half;
    waiting = head_valid || !fifo_empty || fifo_write;
    never_direct = is_level(event_word) || rests;
    direct = event_word.has_event && !never_direct && !closed && !waiting && !held_valid && !second_valid && spaced && !blocked &&
        !may_enter && !inserted_first;
    free = !held_valid || (held_far ? spaced_far : spaced);

    next_is_head = head_valid && (head_half ? !head_judged : !undoing && !urgent && !closed);
    next_is_inserted = inserted_valid && (undoing || (!verdict_blocks && (inserted_first || closed || waiting || !events.valid[0])));
    next_is_move = move_valid && since == '1 && !inserted_valid && !blocked && !waiting && !events.valid[0];

    load_second = free && second_valid && !head_judged;
    // Seven cycles after the add: `since_front` goes no further.
    judged = head_judged && !held_valid && since_front == 3'd7;
    load_inserted = free && !second_valid && inserted_valid &&
        (inserted_undo || undoing || (!blocked && (inserted_first || closed || (waiting ? urgent : !events.valid[0]))));
    head_may = head_valid && !head_half && !urgent && !closed && !blocked && !(head.has_verdict && pending_valid);
    load_head = free && head_may;
    head_ends = (load_second && (!is_level(head) || head_drops)) || (judged && !too_many) ||
        (load_head && !(head.has_event && head.replace));
    // Alone in the pipeline (skewed_table), so only where nothing has come for long.
    load_move = next_is_move && !held_valid && !second_valid;
    undo_taken = undo_valid && !inserted_valid;
    background_taken = enters_first || (!undoing && background_valid && !inserted_valid && !background_first);

    event_waits = event_word.has_event && !direct;
    busy_front = waiting || (held_valid && held_front) || second_valid || pending_valid || undoing;
    // Then nothing but an operation in the background keeps an event from going directly.
    verdict_direct = events.verdict_valid && !busy_front && !closed &&
        (!event_word.has_event || (!never_direct && !held_valid && spaced && !may_enter && !inserted_first));
    verdict_waits = events.verdict_valid && !verdict_direct;
    crowded = fifo_count >= ($clog2(DEPTH) + 1)'(DEPTH - Reserve);
    fifo_word_next = event_word;
    fifo_word_next.has_event = event_waits && !crowded;
    fifo_word_next.has_verdict = verdict_waits;
    if (is_level(event_word)) begin
      fifo_word_next.id = level_id(event_word.instrument, event_word.side, event_word.price);
      fifo_word_next.new_id = fifo_word_next.id;
    end

    op = held_valid ? held : first_of(event_word);
    op_valid = held_goes || direct;
    front_goes = direct || (held_goes && held_front);
    from_head = head_half ? second_of(head) : first_of(head);
    if (head_drops) {from_head.kind, from_head.drop} = {OP_DELETE, 1'b1};
    from_behind = inserted;
    if (!inserted_valid) begin
      from_behind.kind = OP_MOVE;
      from_behind.named = 1'b0;
      from_behind.id = move_id;
    end
    next = next_is_head ? from_head : from_behind;
  end

  // Hashed beside each other, not after the choice: which operation comes next is known late.
  // The sets of an id that is not held after all do no harm, as long as no event can go directly in the next cycle: then they are the early one's.
  logic [2:0][WAYS-1:0][SETS_LOG2-1:0] hashed;
  logic [WAYS-1:0][SETS_LOG2-1:0] next_sets;
  id_t [2:0] ids;
  assign ids = {early_id, from_behind.id, head_half ? head.new_id : head.id};
  for (genvar i = 0; i < 3; i++) begin : gen_hash
    skewed_hash #(
        .KEY(IdBits),
        .SETS_LOG2(SETS_LOG2),
        .WAYS(WAYS)
    ) hash (
        .key(ids[i]),
        .sets(hashed[i])
    );
  end
  assign next_sets = next_is_head ? hashed[0] : next_is_inserted || next_is_move ? hashed[1] : hashed[2];

  // What leaves in the next cycle: both lead far.
  logic verdict_leaves, verdict_stays, left_none, good_follows, verdict_follows;
  always_comb begin
    verdict_stays = pending_valid && !verdict_valid && !(load_head && head.has_verdict);
    left_none = pending_ready && pending_valid ? pending_left <= 3'd1 : !front_goes && since_front >= 3'(PipeCycles - 1);
    verdict_leaves = left_none && (verdict_direct ? !(direct && event_word.replace) :
        verdict_stays && (pending_ready || !((held_valid && held_front) || second_valid)));
    verdict_follows = verdict_direct || (verdict_after && (verdict_stays || (load_head && head.has_verdict)));
    good_follows = verdict_direct ? events.verdict_good : load_head && head.has_verdict ? head.good : pending_good;
  end

  always_ff @(posedge clk) begin
    // A replacement that goes directly waits here for its second half.
    if (!head_valid) head <= fifo_empty ? event_word : fifo_head;
    if (head_valid) begin
      head_valid <= !head_ends;
      if (judged && too_many) head.new_id <= level_id(head.instrument, head.side, worst);
      if (load_head) head_half <= head.has_event && head.replace;
    end else begin
      head_valid <= !fifo_empty || (direct && event_word.replace);
      head_half <= direct && event_word.replace;
    end
    head_judged <= (head_judged && !judged) || (load_second && is_level(head) && !head_drops);
    head_drops <= (head_drops && !load_second) || (judged && too_many);
    rests <= judged && !too_many;  // the hash is not that of an early id
    fifo_write <= fifo_word_next.has_event || fifo_word_next.has_verdict;
    fifo_word <= fifo_word_next;
    if (undo_taken || background_taken) begin
      inserted <= undoing ? undo_op : background_op;
      inserted_undo <= undoing;
      inserted_valid <= 1'b1;
    end else if (load_inserted) inserted_valid <= 1'b0;
    patience <= !inserted_valid ? '0 : &patience ? patience : patience + 4'd1;
    urgent <= enters_first || (inserted_valid && !load_inserted && (inserted_first || &patience));
    inserted_first <= enters_first || (inserted_first && !load_inserted);

    if (free) op_sets <= next_sets;
    if (free) held <= next;
    if (free) held_far <= next_is_head && head_half && !head.named;
    if (free) held_front <= load_second || load_head;
    if (free) held_valid <= load_second || (load_head && head.has_event) || load_inserted || load_move;

    spaced <= !op_valid && (!moving || since == '1);
    spaced_far <= !op_valid && since >= 3'd3 && (!moving || since == '1);
    if (op_valid) moving <= held_valid && held.kind == OP_MOVE;
    since <= op_valid ? 3'd1 : &since ? since : since + 3'd1;

    since_front <= front_goes ? 3'd1 : &since_front ? since_front : since_front + 3'd1;

    // ---- the verdict

    pending_valid <= verdict_direct || (load_head && head.has_verdict) || (pending_valid && !verdict_valid);
    if (verdict_direct || (load_head && head.has_verdict)) begin
      pending_good <= verdict_direct ? events.verdict_good : head.good;
      pending_ready <= verdict_direct && !(direct && event_word.replace);
    end else if (!verdict_valid && !(held_valid && held_front) && !second_valid) pending_ready <= 1'b1;
    // A verdict that waited in the FIFO is not looked at: it may be older than the operation that goes last.
    if (verdict_direct) verdict_after <= 1'b1;
    else if (front_goes) verdict_after <= 1'b0;
    if (!pending_ready || !pending_valid) begin
      pending_left <= front_goes ? 3'(PipeCycles - 1) : since_front >= 3'(PipeCycles - 1) ? '0 : 3'(PipeCycles - 1) - since_front;
    end else if (pending_left != '0) pending_left <= pending_left - 3'd1;

    verdict_valid <= verdict_leaves;
    verdict_kept <= verdict_leaves && good_follows;
    last_of_good <= good_follows && verdict_follows && !front_goes && since_front == 3'd2;
    overflow <= fifo_overflow || (event_waits && crowded);
    if (rst) begin
      {verdict_valid, verdict_kept, last_of_good} <= '0;
      held_valid <= 1'b0;
      head_valid <= 1'b0;
      {head_judged, head_drops, rests} <= '0;
      fifo_write <= 1'b0;
      spaced <= 1'b1;
      inserted_valid <= 1'b0;
      urgent <= 1'b0;
      inserted_first <= 1'b0;
      moving <= 1'b0;
      pending_valid <= 1'b0;
      pending_ready <= 1'b0;
      verdict_after <= 1'b0;
      overflow <= 1'b0;
      since <= '1;
      spaced_far <= 1'b1;
      since_front <= '1;
    end
  end

  // ---- frames one by one

  assign stays_closed = closed && !(since_verdict == 3'(TakenCycles) && frame_taken && !undoing);
  always_ff @(posedge clk) begin
    closed <= (one_by_one && (verdict_direct || (load_head && head.has_verdict))) || stays_closed;
    if (verdict_direct || load_head) since_verdict <= '0;
    else if (verdict_valid || (since_verdict != '0 && since_verdict != 3'(TakenCycles))) since_verdict <= since_verdict + 1'b1;
    if (rst) {closed, since_verdict} <= '0;
  end

  assign verdict_good = pending_good;
  logic empty;
  assign empty = !held_valid && !second_valid && !pending_valid && !undoing && !inserted_valid && since == '1;
  assign quiet = empty && !waiting && !events.valid[0] && !events.verdict_valid;
  assign between = quiet || (empty && stays_closed);

  logic unused;
  assign unused = &{1'b0, fifo_full, by_level, worst};

  assert property (@(posedge clk) disable iff (rst) !(op_valid && since < 3'd2));
  assert property (@(posedge clk) disable iff (rst) !enters_first || may_enter);
  assert property (@(posedge clk) disable iff (rst) !background_valid || background_first == (background_op.kind inside {OP_ADD, OP_READ}));
  assert property (@(posedge clk) disable iff (rst) !judged || (second_valid && is_level(head) && free));
  assert property (@(posedge clk) disable iff (rst) moving || (spaced == (since >= 3'd2) && spaced_far == (since >= 3'd4)));
  assert property (@(posedge clk) disable iff (rst) !(undo_taken && !undoing));
  assert property (@(posedge clk) disable iff (rst) verdict_valid == (pending_valid && pending_ready && pending_left == '0));
  assert property (@(posedge clk) disable iff (rst) verdict_kept == (verdict_valid && verdict_good));
  assert property (@(posedge clk) disable iff (rst) last_of_good ==
      (pending_valid && pending_good && verdict_after && since_front == 3'd3));
  assert property (@(posedge clk) disable iff (rst) !(verdict_valid && since_front < 3'(PipeCycles)) || pending_good);
endmodule

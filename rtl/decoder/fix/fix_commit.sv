// Lets entries out as events once their message and all its segments have proved good.
//
//   beat ─┬─ message good? ─ go on, or go back to where it began
//         └─ entry ─ memory ─ event
//   numbers ──┘       └ committed up to here: good messages of good segments
//
// An entry is written when it is complete, before it is known whether its message and its segments are good. `write` is where the next goes, `start`
// the end of the last good message, `committed` the end of the last good message in good segments: up to there entries leave. `saved` is
// the state after the last good segment; a bad segment restores it. W=64: an entry that is complete in the beat of its last number waits a
// cycle for that number.
//
// Latency: beat to event 2 cycles, if that beat ends the message and the segment. 1 cycle from `ended_good` if the beats before have passed.
// Throughput: a beat a cycle; an event in two cycles, at W = 8 in three, as the sink is ready.
// Parameters: W; EVENTS, room for entries, a power of two.
// Overflow: a message for whose entries there is no room is dropped and counted.
module fix_commit
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int EVENTS = 64
) (
    input logic clk,
    input logic rst,
    input logic restart,

    input logic         valid,
    input logic         last,
    input logic         err,
    input fix_beat_t    beat,
    input logic         numbers_good,  // those in the beat
    input logic         sum_good,
    input logic         length_good,
    input logic         entries_good,  // or the message has none
    input logic         repeated,      // the message that ends is sent again
    input sequence_t    number,        // MsgSeqNum of the message
    input fix_numbers_t numbers,     // of the entry; W=64: if `of_closed`, those of the entry that the beat before closed
    input logic         drained,     // all bytes of the segment that ended last have passed, or pass now
    input logic         ended_good,  // pulse: a segment ended, and is good

    output logic of_closed,
    output logic taken,        // the message that ends is good and not sent again, prices or none
    output logic begins_anew,  // MsgSeqNum restarts after this message

    committed_event_if.src              events,
    output logic                        event_wide,       // the price does not fit into NarrowPrice bits; W=8: never (fix_prices)
    output logic   [     FixCauses-1:0] cause              // pulses, by fix_cause_e
);
  localparam int Address = $clog2(EVENTS);
  localparam int Price = W == 8 ? NarrowPrice : NumberBits;  // fix_prices gives no wider one
  typedef logic [Address:0] pointer_t;

  typedef struct packed {
    logic wide;
    logic [Price-1:0] price;
    logic [InstrumentBits-1:0] instrument;
    event_kind_e kind;  // here, for there is room in the price's block RAMs
  } price_t;

  typedef struct packed {
    side_e side;
    logic type_x;
    logic last;
  } about_t;

  typedef struct packed {
    price_t price;
    logic [NumberBits-1:0] quantity;
    sequence_t sequence_number;
    about_t about;
  } entry_t;

  // What a bad segment takes back.
  typedef struct packed {
    logic bad_number;
    logic overflow;
    logic first;           // no message has ended since the last good segment
    logic blocked;         // no room for entries, see below
    pointer_t write;       // after the last entry
    pointer_t start;       // after the last good message
  } state_t;

  state_t state, next, saved;
  pointer_t committed, read, next_read;
  pointer_t next_in_turn;  // read + 1, in flip-flops: to add first and then compare takes too long
  logic push, pushed, full, no_room, last_room, holds, jump, ends_good;
  logic [FixCauses-1:0] found;
  fix_cause_e outcome;

  // At W = 8 an entry never follows another within three cycles, nor the end of a message: then it is known long before; room
  // that comes in the cycle before comes too late.
  logic was_full;
  assign full = W == 8 ? was_full : no_room || (last_room && pushed) || state.blocked;

  // ---- a message's end ---------------------------------------------------------------------------------

  // A message that ends badly gives its room back: the next entries are written over its own. But entries that came in earlier, good segments must stay
  // until this segment has proved good, for if it is bad, the message is open again. Then the next entries are written after them, and the
  // reader jumps over them once the segment has proved good. There is room for one such jump: while the reader has not reached it yet, a second
  // one finds no room, and neither do the other entries of its segment (`blocked`).
  pointer_t jump_from, jump_to;
  logic jumped, jump_proven, at_jump;

  always_comb begin
    next = state;
    found = '0;
    jump = 1'b0;

    if (!numbers_good) next.bad_number = 1'b1;
    push = valid && beat.push && !full;
    if (beat.push) begin
      if (full) next.overflow = 1'b1;
      else next.write = state.write + 1'b1;
    end
    ends_good = beat.finish && !beat.malformed && entries_good && length_good && sum_good && !next.bad_number && !next.overflow &&
        !repeated;
    next.blocked = state.blocked || ((beat.finish || beat.truncated) && !ends_good && state.first && holds && jump_proven);
    if (beat.unknown) found[FIX_UNKNOWN_INSTRUMENT] = 1'b1;

    if (beat.malformed || !entries_good) outcome = FIX_MALFORMED;
    else if (!length_good) outcome = FIX_BAD_LENGTH;
    else if (!sum_good) outcome = FIX_BAD_CHECKSUM;
    else if (next.bad_number) outcome = FIX_BAD_NUMBER;
    else if (next.overflow) outcome = FIX_OVERFLOW;
    else if (beat.prices) outcome = repeated ? FIX_REPEATED : FIX_PRICES;
    else outcome = FIX_OTHER;
    taken = valid && beat.finish && beat.prices && ends_good;
    begins_anew = valid && beat.finish && beat.begins_anew && ends_good;

    if (beat.finish) found[outcome] = 1'b1;
    if (beat.truncated) found[FIX_TRUNCATED] = 1'b1;
    if (beat.skipped) found[FIX_SKIPPED] = 1'b1;
    if (beat.finish || beat.truncated) begin
      next.bad_number = 1'b0;
      next.overflow = 1'b0;
      next.first = 1'b0;
      if (ends_good) next.start = next.write;
      else begin
        next.write = state.start;
        if (state.first && holds && !jump_proven) begin
          jump = valid;
          next.write = saved.write;
          next.start = saved.write;
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, beat, numbers};

  // ---- entries -----------------------------------------------------------------------------------------

  // A memory for each member: synthesis removes a memory that is not read, but no part of one.
  (* no_rw_check *) price_t prices[EVENTS];
  (* no_rw_check *) logic [NumberBits-1:0] quantities[EVENTS];
  (* no_rw_check *) sequence_t sequences[EVENTS];
  (* no_rw_check *) about_t abouts[EVENTS];
  entry_t read_entry, from_memory;  // at W = 8 there is a register of the block RAM between them
  entry_t entry, stored;
  entry_t late_entry;  // the entry waits for its numbers
  logic late, late_reg, store;
  logic write_was_read;  // chosen in the cycle before: where the next is read now
  pointer_t late_place, place;
  event_t event_data;
  logic event_valid;
  logic pending, commits, takes_back, place_is_read, event_taken;

  assign late = W > 8 && ((beat.price && beat.price_first) || (beat.quantity && beat.quantity_first));
  assign store = (push && !late) || late_reg;
  assign place = late_reg ? late_place : state.write;
  always_comb begin
    entry.price = '{wide: numbers.wide, price: Price'(numbers.price), instrument: beat.instrument, kind: beat.kind};
    entry.quantity = numbers.quantity;
    entry.sequence_number = number;
    entry.about = '{side: beat.side, type_x: beat.type_x, last: beat.finish};
    stored = late_reg ? late_entry : entry;
    {stored.price.wide, stored.price.price, stored.quantity} = {numbers.wide, Price'(numbers.price), numbers.quantity};
    if (stored.price.kind == KIND_TRADE) stored.price.kind = trade_kind(numbers.price_zero, numbers.quantity_zero);
  end
  assign of_closed = late_reg;

  if (W == 8) begin : gen_slow
    always_ff @(posedge clk) from_memory <= read_entry;
  end else begin : gen_fast
    assign from_memory = read_entry;
  end

  assign event_taken = event_valid && events.ready;
  assign takes_back = valid && last && err;
  assign commits = (W > 8 && valid && last && !err) || ((pending || ended_good) && drained && !takes_back);
  assign at_jump = jump_proven && read == jump_from;
  assign next_read = at_jump ? jump_to : event_taken ? next_in_turn : read;
  assign place_is_read = late_reg ? write_was_read : state.write == read;

  // The next entry waits in `head` before it is committed, so that the comparison starts from registers.
  // The memory is slow: the alternatives to its output are chosen first. `keep` is for what stop_compare waits for; the rest may be removed.
  (* keep *) price_t price_beside;
  entry_t beside_memory;
  entry_t newest, head;  // newest: what was written to the place that is read, until the memory gives it
  logic front_is_newest, takes_stored, waiting, commits_head, comes_late;
  logic newest_is_read, newest_was_read, moves, moved;  // the place that is read is another one in the next cycle; it is since this one
  // `head` is committed in this cycle: its message ended before, or ends well now.
  assign commits_head = state.start != read || (valid && ends_good && (state.write != read || push));
  assign waiting = read != committed || (commits && !jumped && commits_head);
  assign comes_late = push && late && state.write == read;
  // Where nothing is stored, an entry that is not pushed does no harm. Where the write pointer went back in the beat before, nothing is pushed yet.
  assign takes_stored = write_was_read && (late_reg || !pushed);
  assign price_beside = takes_stored ? stored.price : newest.price;
  always_comb begin
    beside_memory = takes_stored ? stored : newest;
    beside_memory.price = price_beside;
  end
  assign newest_is_read = store && (at_jump ? place == jump_to : event_taken ? place == next_in_turn : place_is_read);
  assign moves = at_jump || event_taken;
  always_ff @(posedge clk) begin
    if (W > 8 || store) newest <= stored;
    newest_was_read <= newest_is_read;
    front_is_newest <= newest_is_read || (W == 8 && newest_was_read && !moves);
    moved <= W == 8 && moves;
    head <= !takes_stored && !front_is_newest ? from_memory : beside_memory;
    event_valid <= event_valid ? !events.ready : waiting && !at_jump && !moved && !comes_late;
    if (rst) begin
      {front_is_newest, newest_was_read, moved} <= '0;
      event_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(event_valid && (at_jump || read == committed)));

  always_ff @(posedge clk) begin
    late_reg <= push && late;
    late_place <= state.write;
    write_was_read <= state.write == next_read;
    late_entry <= entry;
    if (store) begin
      prices[place[Address-1:0]] <= stored.price;
      quantities[place[Address-1:0]] <= stored.quantity;
      sequences[place[Address-1:0]] <= stored.sequence_number;
      abouts[place[Address-1:0]] <= stored.about;
    end
    read_entry.price <= prices[next_read[Address-1:0]];
    read_entry.quantity <= quantities[next_read[Address-1:0]];
    read_entry.sequence_number <= sequences[next_read[Address-1:0]];
    read_entry.about <= abouts[next_read[Address-1:0]];
    read <= next_read;
    next_in_turn <= at_jump ? jump_to + 1'b1 : event_taken ? next_in_turn + 1'b1 : next_in_turn;
    // As it was in the beat before, which may have taken the last place.
    no_room <= pointer_t'(state.write - read) == pointer_t'(EVENTS);
    last_room <= pointer_t'(state.write - read) == pointer_t'(EVENTS - 1);
    pushed <= push;
    was_full <= no_room || state.blocked;
    holds <= saved.write != saved.start;

    if (valid) begin
      state <= last && err ? saved : next;
      if (last && !err) begin
        saved <= next;
        {state.first, state.blocked} <= 2'b10;
        {saved.first, saved.blocked} <= 2'b10;
      end
    end
    if (jump) jumped <= 1'b1;
    if (!jumped && !jump_proven) {jump_from, jump_to} <= {saved.start, saved.write};
    if (at_jump) jump_proven <= 1'b0;
    if (commits) {jumped, jump_proven} <= {1'b0, (jump_proven && !at_jump) || jumped || jump};
    if (takes_back) jumped <= 1'b0;

    pending <= (ended_good || pending) && !commits;
    if (commits) committed <= valid ? next.start : state.start;

    if (rst || restart) begin
      state <= '0;
      state.first <= 1'b1;
      state.write <= committed;
      state.start <= committed;
      saved <= '0;
      saved.first <= 1'b1;
      saved.write <= committed;
      saved.start <= committed;
      committed <= committed;
      pending <= 1'b0;
      jumped <= 1'b0;
      late_reg <= 1'b0;
    end
    if (rst) begin
      {state.write, state.start, saved.write, saved.start} <= '0;
      committed <= '0;
      read <= '0;
      next_in_turn <= pointer_t'(1);
      jump_proven <= 1'b0;
    end
  end

  fix_causes causes (
      .clk,
      .rst,
      .valid(valid && !takes_back),
      .found,
      .good(valid && last && !err),
      .bad(takes_back || restart),
      .pulse(cause)
  );

  always_comb begin
    event_data = '0;
    event_data.kind = head.price.kind;
    event_data.source = EVENT_SESSION;
    event_data.known = 1'b1;
    event_data.instrument = head.price.instrument;
    event_data.message_type = head.about.type_x ? "X" : "W";
    event_data.side = head.about.side;
    event_data.price = PriceWidth'($signed(head.price.price));
    event_data.quantity = QuantityWidth'(head.quantity);
    event_data.sequence_number = 64'(binary_of(head.sequence_number));
    event_data.last = head.about.last;
  end
  assign events.valid = event_valid;
  assign events.data  = event_data;
  assign event_wide = W > 8 && head.price.wide;

  assert property (@(posedge clk) disable iff (rst) !(late_reg && push && !late && beat.finish && outcome == FIX_PRICES));
  assert property (@(posedge clk) disable iff (rst) next_in_turn == pointer_t'(read + 1'b1));
  assert property (@(posedge clk) disable iff (rst) pointer_t'(state.write - read) <= pointer_t'(EVENTS));
  assert property (@(posedge clk) disable iff (rst) !(W == 8 && valid && beat.push) ||
      was_full || !(no_room || (last_room && pushed) || state.blocked));
endmodule

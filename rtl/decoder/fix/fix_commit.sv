// Puts entries and their numbers together, and lets them out as events once their message and all its segments have proved good.
//
//   beat ─┬─ message good? ─ keep, or go back to where it began
//         └─ entry ─ memory ─ event
//   numbers ──┘       └ committed up to here: good messages of good segments
//
// A number comes a cycle behind its beat. An entry that is complete in the beat of its own last number waits for it.
//
// Latency: beat to event 1 cycle, if that beat ends the message and the segment, 2 if it also has a number; 1 cycle from `ended_good` if the
// beats before have passed. Throughput: a beat and an event a cycle; entries are at least two beats apart. Parameter: EVENTS, entries kept, a power of
// two. Overflow: a message for whose entries there is no room is dropped and counted.
module fix_commit
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter int EVENTS = 64
) (
    input logic clk,
    input logic rst,
    input logic restart,

    input logic                       valid,
    input logic                       last,
    input logic                       err,
    input fix_beat_t                  beat,
    input logic                       price_good,
    input logic                       quantity_good,
    // A cycle later.
    input logic                       price_negative,
    input logic      [          53:0] price_magnitude,
    input logic      [          53:0] quantity_magnitude,
    input logic sum_good,
    input logic length_good,
    input logic entries_good,
    input logic                       drained,            // all bytes of the segment whose end was told last have passed, or do now
    input logic                       ended_good,         // pulse: a segment ended, and is good

    output logic                                       event_valid,
    output event_t                                     event_data,
    output logic          [InstrumentBits-1:0]         event_instrument,
    output logic          [     FixCauses-1:0][31:0]   count
);
  localparam int Address = $clog2(EVENTS);
  localparam int TallyBits = 10;
  typedef logic [Address:0] pointer_t;

  typedef struct packed {
    logic [63:0] price;
    logic [63:0] quantity;
    event_kind_e kind;
    side_e side;
    logic type_x;
    logic last;
    logic [InstrumentBits-1:0] instrument;
  } entry_t;

  // What a bad segment takes back.
  typedef struct packed {
    logic bad_number;
    logic overflow;
    pointer_t write;       // behind the last entry
    pointer_t start;       // behind the last good message
  } state_t;

  state_t state, next, saved;
  pointer_t committed, read, next_read;
  logic push, full;
  logic [FixCauses-1:0] found;
  fix_cause_e outcome;

  assign full = state.write - read == pointer_t'(EVENTS);

  // ---- a message's end ---------------------------------------------------------------------------------

  always_comb begin
    next = state;
    found = '0;

    if ((beat.price && !price_good) || (beat.quantity && !quantity_good)) next.bad_number = 1'b1;
    push = valid && beat.push && !full;
    if (beat.push) begin
      if (full) next.overflow = 1'b1;
      else next.write = state.write + 1'b1;
    end
    if (beat.unknown) found[FIX_UNKNOWN_INSTRUMENT] = 1'b1;

    if (beat.malformed || (beat.prices && !entries_good)) outcome = FIX_MALFORMED;
    else if (!length_good) outcome = FIX_BAD_LENGTH;
    else if (!sum_good) outcome = FIX_BAD_CHECKSUM;
    else if (next.bad_number) outcome = FIX_BAD_NUMBER;
    else if (next.overflow) outcome = FIX_OVERFLOW;
    else outcome = beat.prices ? FIX_PRICES : FIX_OTHER;

    if (beat.finish) found[outcome] = 1'b1;
    if (beat.truncated) found[FIX_TRUNCATED] = 1'b1;
    if (beat.skipped) found[FIX_SKIPPED] = 1'b1;
    if (beat.finish || beat.truncated) begin
      next.bad_number = 1'b0;
      next.overflow = 1'b0;
      if (!beat.truncated && (outcome == FIX_PRICES || outcome == FIX_OTHER)) next.start = next.write;
      else next.write = state.start;
    end
  end

  logic unused;
  assign unused = &{1'b0, beat};

  // ---- numbers: of the beat before -----------------------------------------------------------------------

  typedef struct packed {
    logic [63:0] price;
    logic [63:0] quantity;
  } numbers_t;

  // Of the entry that was open before that beat, and of the one that is open behind it.
  numbers_t open_reg, closed, open, saved_numbers;
  logic had_price, had_price_first, had_quantity, had_quantity_first, had_clear, had_good_end, had_err;

  always_comb begin
    closed = open_reg;
    if (had_price && had_price_first) closed.price = price_negative ? -{10'd0, price_magnitude} : {10'd0, price_magnitude};
    if (had_quantity && had_quantity_first) closed.quantity = {10'd0, quantity_magnitude};
    open = had_clear ? '0 : closed;
    if (had_price && !had_price_first) open.price = price_negative ? -{10'd0, price_magnitude} : {10'd0, price_magnitude};
    if (had_quantity && !had_quantity_first) open.quantity = {10'd0, quantity_magnitude};
  end

  always_ff @(posedge clk) begin
    {had_price_first, had_quantity_first} <= {beat.price_first, beat.quantity_first};
    {had_price, had_quantity, had_clear} <= {beat.price, beat.quantity, beat.clear} & {3{valid && !(last && err)}};
    had_good_end <= valid && last && !err;
    had_err <= valid && last && err;
    open_reg <= had_err ? saved_numbers : open;
    if (had_good_end) saved_numbers <= open;
  end

  // ---- entries -----------------------------------------------------------------------------------------

  (* no_rw_check *) logic [$bits(entry_t)-1:0] memory[EVENTS];  // what is written where it is being read is in `newest`
  logic [$bits(entry_t)-1:0] from_memory;
  entry_t entry, late_entry, stored, newest, front;
  logic late, late_reg, store;
  pointer_t late_place, place;
  logic front_is_newest, pending, tally_told, commits, drop_tally;

  assign late = (beat.price && beat.price_first) || (beat.quantity && beat.quantity_first);
  assign store = (push && !late) || late_reg;
  assign place = late_reg ? late_place : state.write;
  always_comb begin
    entry = '{
        price: open.price,
        quantity: open.quantity,
        kind: beat.kind,
        side: beat.side,
        type_x: beat.type_x,
        last: beat.finish,
        instrument: beat.instrument
    };
    stored = entry;
    if (late_reg) begin
      stored = late_entry;
      {stored.price, stored.quantity} = closed;
    end
  end

  assign commits = (valid && last && !err) || ((pending || ended_good) && drained && !drop_tally);
  assign drop_tally = valid && last && err;
  assign event_valid = read != committed && !(late_reg && read == late_place);
  assign next_read = event_valid ? read + 1'b1 : read;
  assign front = front_is_newest ? newest : from_memory;

  logic [FixCauses-1:0][TallyBits-1:0] tally;

  always_ff @(posedge clk) begin
    late_reg <= push && late;
    late_place <= state.write;
    late_entry <= entry;
    if (store) memory[place[Address-1:0]] <= stored;
    from_memory <= memory[next_read[Address-1:0]];
    if (store) newest <= stored;
    front_is_newest <= store && place == next_read;
    read <= next_read;

    if (valid) begin
      state <= last && err ? saved : next;
      if (last && !err) saved <= next;
    end
    tally_told <= commits;
    pending <= (ended_good || pending) && !commits;
    if (commits) committed <= valid ? next.start : state.start;

    for (int i = 0; i < FixCauses; i++) begin
      tally[i] <= drop_tally ? '0 : (tally_told ? '0 : tally[i]) + TallyBits'(valid && found[i]);
      if (tally_told) count[i] <= count[i] + 32'(tally[i]);
    end
    if (rst || restart) begin
      state <= '0;
      state.write <= committed;
      state.start <= committed;
      saved <= '0;
      saved.write <= committed;
      saved.start <= committed;
      committed <= committed;
      pending <= 1'b0;
      late_reg <= 1'b0;
      tally_told <= 1'b0;
      tally <= '0;
      count <= count;
    end
    if (rst) begin
      state <= '0;
      saved <= '0;
      committed <= '0;
      read <= '0;
      front_is_newest <= 1'b0;
      count <= '0;
    end
  end

  always_comb begin
    event_data = '0;
    event_data.kind = front.kind;
    event_data.message_type = front.type_x ? "X" : "W";
    event_data.side = front.side;
    event_data.price = front.price;
    event_data.quantity = front.quantity;
    event_data.last = front.last;
  end
  assign event_instrument = front.instrument;

  assert property (@(posedge clk) disable iff (rst) !(late_reg && push && !late && beat.finish && outcome == FIX_PRICES));
  assert property (@(posedge clk) disable iff (rst) pointer_t'(state.write - read) <= pointer_t'(EVENTS));
endmodule

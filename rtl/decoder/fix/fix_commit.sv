// Puts entries and their numbers together, and lets them out as events once their message and all its segments have proved good.
//
//   beat, numbers ─ entry ─ memory ─ event
//                     │       └ committed up to here: good messages of good segments
//                     └ message good? ─ keep, or go back to where it began
//
// Latency: beat to event 1 cycle, if that beat ends the message and the segment; 1 cycle from `ended_good` if the beats before have passed.
// Throughput: a beat and an event a cycle. Parameter: EVENTS, entries kept, a power of two. Overflow: a message for whose
// entries there is no room is dropped and counted.
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
    input logic                       price_negative,
    input logic      [          53:0] price_magnitude,
    input logic                       quantity_good,
    input logic                       quantity_negative,
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
    logic [63:0] price;
    logic [63:0] quantity;
    logic bad_number;
    logic overflow;
    pointer_t write;       // behind the last entry
    pointer_t start;       // behind the last good message
  } state_t;

  state_t state, next, saved;
  pointer_t committed, read, next_read;
  entry_t entry;
  logic push, full;
  logic [63:0] price_now, quantity_now;
  logic [FixCauses-1:0] found;
  fix_cause_e outcome;

  assign price_now = price_negative ? -{10'd0, price_magnitude} : {10'd0, price_magnitude};
  assign quantity_now = {10'd0, quantity_magnitude};
  assign full = state.write - read == pointer_t'(EVENTS);

  // ---- a message's end ---------------------------------------------------------------------------------

  always_comb begin
    next = state;
    found = '0;

    if (beat.price && (!price_good)) next.bad_number = 1'b1;
    if (beat.quantity && (!quantity_good || quantity_negative)) next.bad_number = 1'b1;
    if (beat.price && beat.price_first) next.price = price_now;
    if (beat.quantity && beat.quantity_first) next.quantity = quantity_now;
    entry = '{
        price: next.price,
        quantity: next.quantity,
        kind: beat.kind,
        side: beat.side,
        type_x: beat.type_x,
        last: beat.finish,
        instrument: beat.instrument
    };
    push = valid && beat.push && !full;
    if (beat.push) begin
      if (full) next.overflow = 1'b1;
      else next.write = state.write + 1'b1;
    end
    if (beat.unknown) found[FIX_UNKNOWN_INSTRUMENT] = 1'b1;
    if (beat.clear) begin
      next.price = '0;
      next.quantity = '0;
    end
    if (beat.price && !beat.price_first) next.price = price_now;
    if (beat.quantity && !beat.quantity_first) next.quantity = quantity_now;

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

  // ---- entries -----------------------------------------------------------------------------------------

  (* no_rw_check *) logic [$bits(entry_t)-1:0] memory[EVENTS];  // what is written where it is being read is in `newest`
  logic [$bits(entry_t)-1:0] from_memory;
  entry_t newest, front;
  logic front_is_newest, pending, tally_told, commits, drop_tally;

  assign commits = (valid && last && !err) || ((pending || ended_good) && drained && !drop_tally);
  assign drop_tally = valid && last && err;
  assign event_valid = read != committed;
  assign next_read = event_valid ? read + 1'b1 : read;
  assign front = front_is_newest ? newest : from_memory;

  logic [FixCauses-1:0][TallyBits-1:0] tally;

  always_ff @(posedge clk) begin
    if (push) memory[state.write[Address-1:0]] <= entry;
    from_memory <= memory[next_read[Address-1:0]];
    if (push) newest <= entry;
    front_is_newest <= push && state.write == next_read;
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

  assert property (@(posedge clk) disable iff (rst) pointer_t'(state.write - read) <= pointer_t'(EVENTS));
endmodule

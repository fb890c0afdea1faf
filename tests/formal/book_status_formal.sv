// Proofs of book_status, for any length of time, for one instrument, any, and any causes, verdicts and requests of the host:
// - after a reset, and from a clear on, the instrument is not tradable until the host has rebuilt it, or, where that failed, a day begins;
// - from a fault, lost events, another session or a level that did not fit on it is not tradable until it is rebuilt, a day begins, or, of a
//   fault, its frame turns out to be bad; not even then if the cause stays whatever the verdict. A fault of a good frame outlasts later bad ones,
//   and that a day begins does not take a fault of the open frame back;
// - a bad frame leaves it as it was before the frame, but for what stays;
// - without a cause it stays tradable, and after a rebuild it is; the cause that is told is the one that made it untradable.
//
// Only ports are looked at.
module book_status_formal
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,
    input instrument_t any_instrument,

    input logic        fault,
    input instrument_t instrument,
    input book_cause_e cause,
    input logic        restored,
    input logic        level_fault,
    input instrument_t level_instrument,
    input book_cause_e level_cause,
    input logic        gap,
    input logic        new_session,
    input logic        day_begins,
    input logic        kept,
    input logic        undone,
    input logic        clear,
    input logic        rebuilt,
    input instrument_t host_instrument,
    input logic        watch
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  instrument_t mine;
  always_ff @(posedge clk) if (rst) mine <= any_instrument;

  logic [Instruments-1:0] rebuilding, untradable;
  book_cause_e causes[Instruments];

  book_status dut (
      .clk,
      .rst,
      .fault,
      .instrument,
      .cause,
      .restored,
      .level_fault,
      .level_instrument,
      .level_cause,
      .gap,
      .new_session,
      .day_begins,
      .kept,
      .undone,
      .clear,
      .rebuilt,
      .host_instrument,
      .rebuilding,
      .untradable,
      .causes
  );

  // What the book guarantees: a verdict is good or bad; when a frame has been taken back, nothing is on its way; the host rebuilds between
  // frames, with no operation in the pipeline; a session begins the day or is another one.
  logic open;  // a fault of a frame whose verdict has not come
  always_comb begin
    assume (!(kept && undone));
    assume (!(undone && (fault || level_fault)));
    assume (!(clear && rebuilt));
    assume (!(clear || rebuilt) || !(open || kept || undone || fault || level_fault));
    assume (!(day_begins && (gap || new_session)));
    // An event of an instrument that is being rebuilt is missed, and no fault.
    assume (!(fault && !restored && rebuilding[instrument]) || cause == CAUSE_LOG_FULL);
  end

  logic tradable, faults, stays, level_faults, lasting, clears, rebuilds, day_counts;
  logic fault_open;  // the open frame had a fault of this instrument
  assign tradable = !rebuilding[mine] && !untradable[mine];
  assign faults = fault && instrument == mine;
  assign stays = restored || cause == CAUSE_LOG_FULL;
  assign level_faults = level_fault && level_instrument == mine;
  assign lasting = (faults && stays) || level_faults || gap || new_session;
  assign clears = clear && host_instrument == mine;
  assign rebuilds = rebuilt && host_instrument == mine;
  assign day_counts = day_begins && !fault_open && !faults && !level_faults;

  // One cause, any, is watched: from then on the instrument is `stuck`, until it may be tradable again.
  logic stuck, passing;  // passing: it is taken back if its frame is bad
  logic as_was;  // tradable at the begin of the open frame, with what stays since
  always_ff @(posedge clk) begin
    open <= (fault && !restored) || (open && !kept && !undone);
    fault_open <= (faults && !restored) || (fault_open && !kept && !undone);

    if (kept) passing <= 1'b0;
    if ((passing && undone) || day_counts || (rebuilds && !gap && !new_session)) stuck <= 1'b0;
    if (watch && (lasting || faults) && !(day_counts && !gap && !new_session)) {stuck, passing} <= {1'b1, !lasting};

    if (kept) as_was <= tradable;
    if (day_counts) as_was <= !rebuilding[mine];
    if (rebuilds) as_was <= 1'b1;
    if (clears || (lasting && !day_counts)) as_was <= 1'b0;
    if (rst) {open, fault_open, stuck, passing, as_was} <= '0;
  end

  logic after_reset, was_tradable, was_caused, was_rebuilt, was_undone, was_as_was, was_fault;
  book_cause_e told;
  always_ff @(posedge clk) begin
    after_reset <= rst;
    was_tradable <= tradable;
    was_caused <= faults || lasting || clears || undone;
    was_rebuilt <= rebuilds && !gap && !new_session;
    was_undone <= undone && !lasting && !day_begins;
    was_as_was <= as_was;
    was_fault <= faults && !day_counts && !clears && !rebuilds;
    told <= cause;
  end

  logic built, stuck_long, back;  // it may be tradable; a cause outlasted a bad frame; it is tradable again
  always_ff @(posedge clk) begin
    built <= !rst && (built || rebuilds || (day_counts && !rebuilding[mine])) && !clears;
    stuck_long <= !rst && ((stuck_long && stuck) || (stuck && undone));
    back <= !rst && (back || (stuck_long && rebuilds));
  end

  always_comb begin
    if (!rst) begin
      if (!built) assert (!tradable);
      if (stuck) assert (!tradable);
      if (was_undone && !after_reset) assert (tradable == was_as_was);
      if (was_tradable && !was_caused && !after_reset) assert (tradable);
      if (was_rebuilt && !after_reset) assert (tradable);
      if (was_tradable && was_fault && !after_reset) assert (causes[mine] == told);

      cover (stuck_long && !tradable);
      cover (back && tradable);
      cover (was_undone && tradable && stuck == 1'b0 && !was_tradable);
      cover (tradable && day_begins && fault_open == 1'b0);
      cover (stuck && fault_open && day_begins && built);
    end
  end
endmodule

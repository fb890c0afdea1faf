// The host's requests: windows, and the rebuild of an instrument's book (book_host_if).
//
//   reset ─ every set swept ─┐
//   CLEAR ─ between frames: the instrument's entries swept, set by set
//   RESTORE ─ an add in the background; a reduction, a delete
//   TRADABLE ─ between frames, if no event was missed that is not in the snapshot
//
// Latency: WINDOW 1 cycle, RESTORE as the pipeline is free, TRADABLE as soon as no operation is in the pipeline, CLEAR 3 cycles a set and more
// where events come. Throughput: a request at a time. Parameters: SETS_LOG2, LEVEL_SETS_LOG2 of the tables. A request that cannot be done
// is refused (`done` low), and changes nothing.
module book_host
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int SETS_LOG2 = 11,
    parameter int LEVEL_SETS_LOG2 = 10
) (
    input logic clk,
    input logic rst,

    book_host_if.snk host,

    output logic background_valid,
    output op_t  background_op,
    output logic background_sweeps,  // it is OP_SWEEP,
    output logic background_adds,    // or OP_ADD: from registers of their own
    input  logic background_taken,
    output logic sweep_all,
    output logic cleans,            // pulse: what is known of the levels of `instrument` is forgotten
    output logic cleans_all,        // pulse: of all instruments
    input  logic           cleaning,          // that takes its time

    output logic        window_write,
    output instrument_t instrument,
    output window_t     window,
    output logic        clear,
    output logic        rebuilt,

    input logic                    between_frames,  // and no operation in the first 6 cycles of the pipeline
    input logic [Instruments-1:0]  rebuilding,
    input logic                    missed,          // an event of `missed_instrument` was not booked; or of nobody knows which (`unknown`)
    input instrument_t             missed_instrument,
    input logic                    unknown,
    input logic [SequenceBits-1:0] sequence_next,   // after the last event that came
    input logic [SequenceBits-1:0] next,            // the same; in a new session its first, until one has come
    input logic                    gap,             // events before gap_next are missing
    input logic [SequenceBits-1:0] gap_next,
    input logic                    new_session      // numbers begin anew: events before gap_next are missing, if there is a gap too
);
  localparam int SweepBits = SETS_LOG2 > LEVEL_SETS_LOG2 ? SETS_LOG2 : LEVEL_SETS_LOG2;
  localparam int PipeCycles = 12;

  if (SETS_LOG2 < InstrumentBits + 1) begin : gen_check
    $fatal(
        1, "book_host: SETS_LOG2 is %0d; a sweep needs a set for each line of best levels, so at least %0d", SETS_LOG2, InstrumentBits + 1
    );
  end

  typedef enum logic [2:0] {
    IDLE,
    SWEEP,
    DRAIN,
    ADD,
    ANSWER
  } state_e;
  state_e state;
  logic [SweepBits-1:0] set;
  logic [3:0] rest;
  logic starting, may_clear, may_trade;
  logic [2:0] asked;  // so many cycles ago, too
  logic [1:0] gaps;  // the same: not compared yet

  // By instrument: the number after that of the last event that was not booked.
  logic [SequenceBits-1:0] missed_next[Instruments];
  logic [Instruments-1:0] has_missed;
  logic [SequenceBits-1:0] unknown_next, gap_reaches, instrument_next;
  logic reaches_instrument, reaches_unknown, reaches_gap;
  // Nothing comes in the cycles before it is asked for (between_frames).
  always_ff @(posedge clk) begin
    instrument_next <= has_missed[host.instrument] ? missed_next[host.instrument] : '0;
    reaches_instrument <= host.next >= instrument_next;
    reaches_unknown <= host.next >= unknown_next;
    reaches_gap <= host.next >= gap_reaches;
    asked <= {asked[1:0], host.valid && !host.ready};
    gaps <= {gaps[0], gap};
  end

  assign instrument = host.instrument;
  assign window = host.window;
  assign may_clear = host.valid && !host.ready && state == IDLE && host.request == HOST_CLEAR && between_frames;
  assign may_trade = host.valid && !host.ready && state == IDLE && host.request == HOST_TRADABLE && between_frames && rest == '1 &&
      &asked && !gap && !(|gaps);

  always_ff @(posedge clk) begin
    // What came before the book was cleared is not in it either. Between two frames nothing is missed.
    if (missed || clear) begin
      missed_next[clear ? host.instrument : missed_instrument] <= clear ? next : sequence_next;
      has_missed[clear ? host.instrument : missed_instrument] <= 1'b1;
    end
    if (rst || new_session) unknown_next <= '0;
    else if (unknown) unknown_next <= sequence_next;
    if (rst) gap_reaches <= '0;
    else if (gap) gap_reaches <= gap_next;
    else if (new_session) gap_reaches <= '0;

    host.ready <= 1'b0;
    host.done <= 1'b0;
    {window_write, clear, rebuilt, cleans, cleans_all} <= '0;
    rest <= background_taken ? '0 : rest == '1 ? rest : rest + 4'd1;

    case (state)
      IDLE:
      if (starting) begin
        state <= SWEEP;
        cleans_all <= 1'b1;
      end else if (host.valid && !host.ready) begin
        case (host.request)
          HOST_WINDOW: begin
            host.ready <= 1'b1;
            host.done <= rebuilding[host.instrument];
            window_write <= rebuilding[host.instrument];
          end
          HOST_CLEAR:
          if (may_clear) begin
            clear <= 1'b1;
            cleans <= 1'b1;
            state <= SWEEP;
          end
          HOST_RESTORE:
          if (rebuilding[host.instrument]) state <= ADD;
          else host.ready <= 1'b1;
          default:
          if (may_trade) begin
            host.ready <= 1'b1;
            if (rebuilding[host.instrument] && reaches_instrument && reaches_unknown && reaches_gap) begin
              host.done <= 1'b1;
              rebuilt <= 1'b1;
            end
          end
        endcase
      end
      SWEEP:
      if (background_taken) begin
        set <= set + 1'b1;
        if (set == '1) state <= DRAIN;
      end
      ADD:
      if (background_taken) state <= ANSWER;
      DRAIN:
      if (rest >= 4'(PipeCycles) && !cleaning) begin
        state <= starting ? IDLE : ANSWER;
        starting <= 1'b0;
      end
      default: begin
        host.ready <= 1'b1;
        host.done <= 1'b1;
        state <= IDLE;
      end
    endcase

    if (new_session) has_missed <= '0;
    if (rst) begin
      state <= IDLE;
      starting <= 1'b1;
      set <= '0;
      rest <= '0;
      has_missed <= '0;
      {window_write, clear, rebuilt, cleans, cleans_all} <= '0;
    end
  end

  // An operation is offered from registers, as it goes through wide multiplexers.
  op_t next_op;
  assign sweep_all = starting;
  always_ff @(posedge clk) begin
    if (!background_valid) begin
      background_op <= next_op;
      background_sweeps <= next_op.kind == OP_SWEEP;
      background_adds <= next_op.kind == OP_ADD;
    end
    background_valid <= background_valid ? !background_taken : state == SWEEP || state == ADD;
    if (rst) background_valid <= 1'b0;
  end
  always_comb begin
    next_op = '0;
    next_op.restore = 1'b1;
    next_op.named = 1'b1;
    next_op.instrument = starting ? set[InstrumentBits:1] : host.instrument;
    if (state == SWEEP) begin
      next_op.kind = OP_SWEEP;
      next_op.side = side_e'(set[0]);
      next_op.ranked = 1'b1;
      next_op.price[SweepBits-1:0] = set;
      next_op.id[SETS_LOG2-1:0] = set[SETS_LOG2-1:0];  // whose hash is the set in every way (skewed_hash)
    end else begin
      case (host.restore)
        RESTORE_REDUCE: next_op.kind = OP_REDUCE;
        RESTORE_DELETE: next_op.kind = OP_DELETE;
        default: next_op.kind = OP_ADD;
      endcase
      next_op.side = host.side;
      next_op.id = host.id;
      next_op.shares = level_shares_t'(host.shares);
      next_op.price = host.price;
      next_op.refused = host.shares == '0 && host.restore != RESTORE_DELETE;
    end
  end
endmodule

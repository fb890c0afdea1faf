// Whether the book of each instrument can be relied on, and why not: the first cause since it was.
//
// A fault of a bad frame is taken back with it; but not a full log, a level that did not fit, lost events: those make the book only more careful.
// The begin of a day comes with the verdict on its first frame, after the events of that frame: a fault of the frame stays.
//
// Latency: 1 cycle. Throughput: all inputs in each cycle. Nothing overflows.
module book_status
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        fault,       // by an event
    input instrument_t instrument,
    input book_cause_e cause,
    input logic        restored,    // by an order that the host restored

    input logic        level_fault,
    input instrument_t level_instrument,
    input book_cause_e level_cause,

    input logic gap,          // events were lost, of any instrument
    input logic new_session,  // and orders of the old one may be there
    input logic day_begins,   // a session from its first message, and no order is there

    input logic kept,    // the frame was good
    input logic undone,  // it was bad

    input logic        clear,         // a rebuild begins, or
    input logic        rebuilt,       // ends
    input instrument_t host_instrument,

    output logic        [Instruments-1:0] rebuilding,
    output logic        [Instruments-1:0] untradable,
    output book_cause_e                   causes     [Instruments]
);
  logic [Instruments-1:0] saved;
  book_cause_e saved_causes[Instruments];

  for (genvar i = 0; i < Instruments; i++) begin : gen_instrument
    logic faults, stays, level_faults, any, lasting;
    logic recent;  // the open frame had a fault
    book_cause_e why, lasting_why;
    assign faults = fault && instrument == instrument_t'(i);
    assign stays = restored || cause == CAUSE_LOG_FULL;
    assign level_faults = level_fault && level_instrument == instrument_t'(i);
    assign any = faults || level_faults || gap || new_session;
    assign why = faults ? cause : lasting_why;
    // What stays, whatever the verdict.
    assign lasting = (faults && stays) || level_faults || ((gap || new_session) && !rebuilding[i]);
    assign lasting_why = faults && stays ? cause : level_faults ? level_cause : gap ? CAUSE_GAP : CAUSE_NEW_SESSION;

    always_ff @(posedge clk) begin
      if (undone) begin
        untradable[i] <= saved[i] || lasting;
        causes[i] <= saved[i] ? saved_causes[i] : lasting_why;
      end else if (any && !untradable[i] && !(rebuilding[i] && !faults && !level_faults)) begin
        untradable[i] <= 1'b1;
        causes[i] <= why;
        rebuilding[i] <= 1'b0;
      end
      if (kept) begin
        saved[i] <= untradable[i];
        saved_causes[i] <= causes[i];
      end
      if (lasting && !(kept ? untradable[i] : saved[i])) begin
        saved[i] <= 1'b1;
        saved_causes[i] <= lasting_why;
      end
      recent <= (faults && !restored) || (recent && !kept && !undone);
      if (day_begins && !recent && !faults && !level_faults) begin
        untradable[i] <= 1'b0;
        saved[i] <= 1'b0;
      end
      if ((clear || rebuilt) && host_instrument == instrument_t'(i)) begin
        rebuilding[i] <= clear;
        // Events that are lost in this cycle are after the rebuild.
        untradable[i] <= rebuilt && (gap || new_session);
        saved[i] <= rebuilt && (gap || new_session);
      end
      if (rst) begin
        rebuilding[i] <= 1'b1;
        untradable[i] <= 1'b0;
        saved[i] <= 1'b0;
        recent <= 1'b0;
      end
    end
  end

  assert property (@(posedge clk) disable iff (rst) (rebuilding & untradable) == '0);
  // An event of an instrument that is being rebuilt is missed, and no fault: else a bad frame could end the rebuild.
  assert property (@(posedge clk) disable iff (rst) !(fault && !restored && rebuilding[instrument]) || cause == CAUSE_LOG_FULL);
endmodule

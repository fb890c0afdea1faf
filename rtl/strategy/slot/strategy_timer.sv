// Puts the timer of a strategy between its events: it is due each time that an interval of the feed's time has gone by.
//
//   event and its time ─┐
//   nothing waits ──────┴─ due? ─┬─ yes: timer, at the time when it was due
//                                └─ no: the event
//
// Its first time is an interval after the first message of the session, or the first after the strategy was loaded. A time that went by
// between two messages is due at the second one, before what that message gives. Twin: crates/strategy, events::Timer; but for intervals
// beyond its limit, which all run here.
//
// Latency: an event passes 3 cycles after it is there, later if the timer is due; without a timer at once. Throughput: an event in 4
// cycles. No parameters. Overflow: none, events wait.
module strategy_timer
  import tickwire_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        enabled,   // the strategy has a timer
    input day_time_t   every,
    input logic        restart,   // pulse: a strategy was loaded
    input logic  [1:0] started,   // for each of two sessions: it has had a message,
    input day_time_t [1:0] start, // the first at this time

    input  logic          in_valid,   // an event, at this time; stays until it is taken
    input  session_time_t in_time,
    input  logic          idle,       // no event is on its way; the latest time of good frames is
    input  session_time_t idle_time,  // this time

    output logic      pass,    // the event may be taken
    output logic      due,     // the timer is to run, at
    output day_time_t now,     // this time
    input  logic      taken    // the event, or the timer
);
  typedef enum logic [1:0] {
    LOOK,
    COMPARE,
    DECIDE,
    GIVE
  } state_e;

  state_e state;
  logic armed, session, of_event, is_due;
  session_time_t looked;
  day_time_t next;

  assign pass = !enabled || (state == GIVE && of_event);
  assign due = enabled && state == GIVE && !of_event;
  assign now = next;

  always_ff @(posedge clk) begin
    unique case (state)
      LOOK: begin
        looked <= in_valid ? in_time : idle_time;
        of_event <= in_valid;
        if (enabled && (in_valid || idle)) state <= COMPARE;
      end
      COMPARE: begin
        is_due <= armed && looked.session == session && looked.time_ns >= next;
        state <= DECIDE;
        // Another session: its time begins anew.
        if ((!armed || looked.session != session) && started[looked.session]) begin
          {armed, session} <= {1'b1, looked.session};
          next <= start[looked.session] + every;
          state <= COMPARE;
        end
      end
      DECIDE: begin
        if (is_due) of_event <= 1'b0;
        state <= is_due || of_event ? GIVE : LOOK;
      end
      default:
      if (taken) begin
        if (!of_event) next <= next + every;
        state <= LOOK;
      end
    endcase
    if (restart) armed <= 1'b0;
    if (rst || !enabled) begin
      armed <= 1'b0;
      state <= LOOK;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(enabled && taken) || state == GIVE);
endmodule

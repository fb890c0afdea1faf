// What the path of market data tells the host's side.
package feed_pkg;
  import tickwire_pkg::*;

  localparam int Sequence = arbiter_pkg::MoldUdp64.sequence_bits;

  typedef struct packed {
    // The payload on its way to the decoder, and whether it came through the arbiter.
    logic                           payload_end;
    logic                           arbitrated;
    // The decoder; what has no width of its own here is a number of messages.
    logic                           mold_cause_valid;
    mold_cause_e                    mold_cause;        // with it
    logic                           new_session;
    logic                           gap;
    logic                           trade_overflow;
    logic [63:0]                    lost;              // since the session began
    logic                           commit;            // a good packet: the next three with it
    logic [15:0]                    messages;
    logic [15:0]                    unknown_type;
    logic [15:0]                    bad_length;
    logic [63:0]                    first_sequence;    // of the packet
    // Filter, statistics, report
    logic                           count_valid;       // the next three with it
    logic [15:0]                    filter_hit;
    logic [15:0]                    filter_miss;
    logic [15:0]                    time_backwards;
    logic                           heartbeat;
    logic                           report_sent;
    logic                           report_missed;
    // The arbiter and feed_select; gaps by output: 0 is low latency
    arbiter_pkg::arbiter_event_t    arbiter_events;
    logic                           overflow;
    logic [1:0]                     line_gap;
    logic [1:0][Sequence-1:0]       line_gap_from;
    logic [1:0][Sequence-1:0]       line_gap_to;
  } feed_told_t;

endpackage

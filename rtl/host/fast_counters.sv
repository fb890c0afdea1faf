// What FAST feeds did not take, by cause, and how far each is behind the wire: for the feed that the host has asked to be shown.
//
//   status of feed 0 ─┬─ errors, faults ─┐
//   status of feed 1 ─┤                  ├─ cause_counters ─┬─ answer
//   ...               └─ how far behind ─── last, most ─────┘
//
// Slots (fast_counters_pkg): below 32 the engine's errors (fast_error_e), from 32 on the faults of the table of events (fault_e), from 48 on how far it is behind.
//
// Latency: an answer within 14 cycles. Throughput: an error and a fault of each feed in nine cycles, in which no feed ends two packets. Parameter: FEEDS, 1 to 4.
// Overflow: counters wrap at 2^32.
module fast_counters
  import tickwire_pkg::*, fast_counters_pkg::*;
#(
    parameter int FEEDS = 1
) (
    input logic clk,
    input logic rst,

    /* verilator lint_off UNUSEDSIGNAL */  // counted elsewhere
    input feed_status_t [FEEDS-1:0] feed_status,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [1:0] shown,  // one that there is not: the first

    input  logic        request,  // a pulse, after the last one's answer
    input  logic [$clog2(Slots)-1:0] slot,
    output logic        answer,   // a pulse
    output logic [31:0] count
);
  localparam int Sources = 2 * FEEDS;
  localparam int Index = FEEDS == 1 ? 1 : $clog2(FEEDS);

  logic [Index-1:0] feed;
  assign feed = int'(shown) < FEEDS ? Index'(shown) : '0;

  logic [Sources-1:0] valid;
  logic [Sources-1:0][4:0] cause;
  logic [FEEDS-1:0][LagBits-1:0] lag_last, lag_most;
  logic [FEEDS-1:0][WaitingBits-1:0] waiting, waiting_most;

  always_ff @(posedge clk) begin
    for (int i = 0; i < FEEDS; i++) begin
      valid[2*i] <= feed_status[i].fast.error_valid && !rst;
      cause[2*i] <= feed_status[i].fast.error;
      valid[2*i+1] <= feed_status[i].fast.fault_valid && !rst;
      cause[2*i+1] <= 5'(feed_status[i].fast.fault);
      if (feed_status[i].fast.lag_valid) lag_last[i] <= feed_status[i].fast.lag;
      if (lag_last[i] > lag_most[i]) lag_most[i] <= lag_last[i];
      waiting[i] <= feed_status[i].fast.waiting;
      if (waiting[i] > waiting_most[i]) waiting_most[i] <= waiting[i];
      if (feed_status[i].fast.restarted || rst) begin
        lag_last[i] <= '0;
        lag_most[i] <= '0;
        waiting_most[i] <= '0;
      end
    end
  end

  // ---- the host asks

  logic behind, counted;
  logic [31:0] counted_count, behind_count;

  always_ff @(posedge clk) begin
    behind <= request && slot >= COUNT_FAST_LAG_LAST && !rst;
    case (slot)
      COUNT_FAST_LAG_LAST: behind_count <= 32'(lag_last[feed]);
      COUNT_FAST_LAG_MOST: behind_count <= 32'(lag_most[feed]);
      COUNT_FAST_WAITING_MOST: behind_count <= 32'(waiting_most[feed]);
      default: behind_count <= '0;
    endcase
  end

  cause_counters #(
      .SOURCES(Sources),
      .CAUSES(32)
  ) counters (
      .clk,
      .rst,
      .valid,
      .cause,
      .request(request && slot < COUNT_FAST_LAG_LAST),
      .request_source($clog2(Sources)'({feed, slot[5]})),
      .request_cause(slot[4:0]),
      .answer(counted),
      .answer_count(counted_count)
  );

  assign answer = behind || counted;
  assign count  = behind ? behind_count : counted_count;
endmodule

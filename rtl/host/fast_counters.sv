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
  import tickwire_pkg::*, fast_counters_pkg::*, fast_pkg::*, fast_events_pkg::*;
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

  // The register map has a slot at each code's number.
  localparam bit Errors = COUNT_FAST_D2 == 6'(FAST_D2) && COUNT_FAST_D4 == 6'(FAST_D4) && COUNT_FAST_D5 == 6'(FAST_D5) &&
      COUNT_FAST_D6 == 6'(FAST_D6) && COUNT_FAST_D7 == 6'(FAST_D7) && COUNT_FAST_D9 == 6'(FAST_D9) && COUNT_FAST_R1 == 6'(FAST_R1) &&
      COUNT_FAST_R4 == 6'(FAST_R4) && COUNT_FAST_R6 == 6'(FAST_R6) && COUNT_FAST_R7 == 6'(FAST_R7) && COUNT_FAST_R8 == 6'(FAST_R8) &&
      COUNT_FAST_R9 == 6'(FAST_R9) && COUNT_FAST_TRUNCATED == 6'(FAST_TRUNCATED) && COUNT_FAST_BROKEN_OFF == 6'(FAST_OVERFLOW) &&
      COUNT_FAST_TOO_LONG == 6'(FAST_TOO_LONG) && COUNT_FAST_TOO_DEEP == 6'(FAST_TOO_DEEP);
  localparam bit Faults = COUNT_FAST_UNKNOWN_ACTION == 6'd32 + 6'(FAULT_UNKNOWN_ACTION) &&
      COUNT_FAST_UNKNOWN_ENTRY_TYPE == 6'd32 + 6'(FAULT_UNKNOWN_ENTRY_TYPE) && COUNT_FAST_UNKNOWN_SIDE == 6'd32 + 6'(FAULT_UNKNOWN_SIDE) &&
      COUNT_FAST_NO_ACTION == 6'd32 + 6'(FAULT_NO_ACTION) && COUNT_FAST_NO_SIDE == 6'd32 + 6'(FAULT_NO_SIDE) &&
      COUNT_FAST_NO_SYMBOL == 6'd32 + 6'(FAULT_NO_SYMBOL) && COUNT_FAST_NO_ORDER_ID == 6'd32 + 6'(FAULT_NO_ORDER_ID) &&
      COUNT_FAST_NO_PRICE == 6'd32 + 6'(FAULT_NO_PRICE) && COUNT_FAST_NO_QUANTITY == 6'd32 + 6'(FAULT_NO_QUANTITY) &&
      COUNT_FAST_BAD_SYMBOL == 6'd32 + 6'(FAULT_SYMBOL) && COUNT_FAST_BAD_ORDER_ID == 6'd32 + 6'(FAULT_ORDER_ID) &&
      COUNT_FAST_PRICE_OFF_SCALE == 6'd32 + 6'(FAULT_PRICE_SCALE) && COUNT_FAST_QUANTITY_OFF_SCALE == 6'd32 + 6'(FAULT_QUANTITY_SCALE) &&
      COUNT_FAST_BAD_TIME == 6'd32 + 6'(FAULT_TIME) && COUNT_FAST_BAD_NUMBER == 6'd32 + 6'(FAULT_NUMBER) &&
      COUNT_FAST_FIELDS_OVERFLOW == 6'd32 + 6'(FAULT_OVERFLOW);
  if (!Errors || !Faults) begin : gen_check
    $fatal(1, "fast_counters: rtl/host/registers.rdl and the codes of fast_pkg and fast_events_pkg do not agree");
  end
endmodule

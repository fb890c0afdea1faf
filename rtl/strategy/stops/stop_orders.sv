// Stop orders: each armed slot is compared with every price, and asks for its order when its trigger is reached.
//
//   event ─ stop_compare ─ match ─ stop_select ─ intent
//               │                      │
//   write ─ stop_table ── left ────────┘
//
// A slot holds what it waits for; its order stands in the order store, under the slot's number. One that fires is no longer armed: it fires once, until
// it is set again, which is refused while risk has not taken its order. What fires before the host's change or cancel takes effect leaves
// unchanged, and the operation is refused and answered with STOP_FIRING or STOP_FIRED. The rules: docs/reference/rules.md.
//
// Latency: event to intent 2 cycles, with REGISTERED 3, and 1 more for each group that is compared before the slot's, if nothing waits. Throughput: an event in
// SLOTS / GROUP cycles; an intent every 5 cycles. Parameters: SLOTS; GROUP, REGISTERED: see stop_compare; INSTRUMENTS. Overflow: none: events wait (`event_ready`), intents wait. An
// instrument that is not there must not come here (order_store refuses it; asserted).
module stop_orders
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int GROUP = SLOTS / 4,
    parameter bit REGISTERED = 1'b0,
    parameter int INSTRUMENTS = 16,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    // Prices after their frame's verdict.
    input  logic                              event_valid,
    output logic                              event_ready,
    input  logic        [InstrumentWidth-1:0] event_instrument,
    input  logic signed [ LastPriceWidth-1:0] event_price,

    input  logic                       write_valid,
    output logic                       write_ready,
    input  stop_operation_e            write_operation,
    input  logic            [Slot-1:0] write_slot,
    input  stop_watch_t                write_watch,
    output logic                       answer_valid,
    output stop_answer_t               answer,

    intent_if.src intent,

    output logic [Slot:0] armed_count  // and firing
);
  localparam int Index = $clog2(INSTRUMENTS);
  localparam int Group = $clog2(SLOTS / GROUP);

  logic pause, active, comparing, left, left_ready;
  logic [Group-1:0] group, match_group;
  logic [GROUP-1:0] armed, match;
  stop_four_t [(GROUP+3)/4-1:0] match_fours;
  logic [Index-1:0] match_instrument;
  logic [Slot-1:0] left_slot;
  stop_watch_t [GROUP-1:0] watch;

  stop_table #(
      .SLOTS(SLOTS),
      .GROUP(GROUP),
      .SETTLE(REGISTERED ? 5 : 4)
  ) stop_table (
      .clk,
      .rst,
      .write_valid,
      .write_ready,
      .write_operation,
      .write_slot,
      .write_watch,
      .answer_valid,
      .answer,
      .active,
      .pause,
      .group,
      .watch,
      .armed,
      .match,
      .match_group,
      .left,
      .left_ready,
      .left_slot,
      .armed_count
  );

  stop_compare #(
      .SLOTS(SLOTS),
      .GROUP(GROUP),
      .REGISTERED(REGISTERED),
      .INSTRUMENTS(INSTRUMENTS)
  ) stop_compare (
      .clk,
      .rst,
      .event_valid,
      .event_ready,
      .event_instrument,
      .event_price,
      .pause,
      .active,
      .group,
      .watch,
      .armed,
      .comparing,
      .match,
      .match_fours,
      .match_group,
      .match_instrument
  );

  stop_select #(
      .SLOTS(SLOTS),
      .GROUP(GROUP),
      .INSTRUMENTS(INSTRUMENTS)
  ) stop_select (
      .clk,
      .rst,
      .comparing,
      .match,
      .match_fours,
      .match_group,
      .match_instrument,
      .intent,
      .left,
      .left_ready,
      .left_slot
  );

  assert property (@(posedge clk) disable iff (rst) !pause || !(event_valid && event_ready));
  assert property (@(posedge clk) disable iff (rst) !write_valid || int'(write_watch.instrument) < INSTRUMENTS);
endmodule

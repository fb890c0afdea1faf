// Proves of stop_orders, up to a depth in cycles, for any slot, with any operations of the host, events and pauses of risk:
// - an intent is given only for a slot that was armed, and whose trigger an event reached since, once for each arming;
// - it is of the instrument that the host wrote last, and got the answer that it is done;
// - a change or cancel is done exactly if the slot has not fired; a slot is not armed again before its intent was taken.
//
// The model follows one slot, by what can be seen outside: accepted operations, answers, events, intents that are taken.
module stop_orders_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 8,
    parameter int GROUP = SLOTS,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic            clk,
    input logic [Slot-1:0] any_slot,
    input logic            event_valid,
    input logic            event_instrument,
    input logic [     1:0] event_price,
    input logic            write_valid,
    input logic [     1:0] write_operation,
    input logic [Slot-1:0] write_slot,
    input logic            write_sell,
    input logic            write_instrument,
    input logic [     1:0] write_trigger,
    input logic            intent_ready
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [Slot-1:0] slot;
  always_ff @(posedge clk) if (rst) slot <= any_slot;

  logic event_ready, write_ready, answer_valid;
  stop_answer_t answer;
  stop_watch_t watch;
  logic [Slot:0] armed_count;
  intent_if intent ();
  assign intent.ready = intent_ready;
  assign watch = '{
          side: side_e'(write_sell),
          instrument: InstrumentWidth'(write_instrument),
          trigger: OrderPriceWidth'(write_trigger)
      };

  stop_orders #(
      .SLOTS(SLOTS),
      .GROUP(GROUP),
      .INSTRUMENTS(2)
  ) dut (
      .clk,
      .rst,
      .event_valid,
      .event_ready,
      .event_instrument(InstrumentWidth'(event_instrument)),
      .event_price(LastPriceWidth'(event_price)),
      .write_valid,
      .write_ready,
      .write_operation(stop_operation_e'(write_operation)),
      .write_slot,
      .write_watch(watch),
      .answer_valid,
      .answer,
      .intent(intent.src),
      .armed_count
  );

  always_comb begin
    assume (write_operation != 2'd3);
    assume (!(rst && (event_valid || write_valid)));
  end

  // ---- the model -------------------------------------------------------------------------------------

  stop_state_e state, settled;
  stop_watch_t held, asked, current;
  stop_operation_e operation;
  logic ours, reached, taken, answered, soon;

  assign answered = answer_valid && ours;
  assign taken = intent.valid && intent.ready && intent.handle == HandleWidth'(slot);
  // An answer is of the cycle before: it comes before this cycle's event.
  assign settled = !(answered && answer.done) ? state : operation == STOP_CANCEL ? STOP_EMPTY : STOP_ARMED;
  assign current = answered && answer.done ? asked : held;
  assign reached = event_valid && event_ready && current.instrument == InstrumentWidth'(event_instrument) &&
      (current.side == SIDE_SELL ? OrderPriceWidth'(event_price) <= current.trigger : OrderPriceWidth'(event_price) >= current.trigger);

  always_ff @(posedge clk) begin
    if (write_valid && write_ready) begin
      ours <= write_slot == slot;
      operation <= stop_operation_e'(write_operation);
      asked <= watch;
    end
    held  <= current;
    soon  <= intent.soon || rst;
    state <= settled;
    if (settled == STOP_ARMED && reached) state <= STOP_FIRING;
    if (taken) state <= STOP_FIRED;
    if (rst) begin
      state <= STOP_EMPTY;
      ours  <= 1'b0;
    end
  end

  logic [1:0] left;
  always_ff @(posedge clk) begin
    if (rst) left <= '0;
    else if (taken) left <= left + 1'b1;
    if (!rst) begin
      if (taken) assert (settled == STOP_FIRING);
      if (taken) assert (intent.instrument == current.instrument);
      if (intent.valid) assert (soon);
      if (answered) begin
        assert (answer.previous == state || (answer.previous == STOP_FIRING && state == STOP_FIRED));
        if (operation == STOP_SET)
          assert (answer.done == (answer.previous == STOP_EMPTY || answer.previous == STOP_FIRED));
          else assert (answer.done == (state == STOP_ARMED));
      end
      cover (left == 2'd1);
      cover (left == 2'd2);
      cover (answered && !answer.done && operation == STOP_CANCEL && state == STOP_FIRING);
    end
  end

  logic unused;
  assign unused = &{1'b0, armed_count};
endmodule

// Proves of stop_orders, up to a depth in cycles, for any slot, with any operations of the host, events and pauses of risk:
// - an order leaves only for a slot that was armed, and whose trigger an event reached since, once for each arming;
// - it carries what the host wrote last, and was told is done;
// - a change or cancel is done exactly if the slot has not fired; a slot is not armed again before its order left;
// - an order of the host leaves once, as it was written, behind its answer, and changes no slot.
//
// The model follows one slot, by what can be seen outside: accepted operations, answers, events, requests that are taken.
module stop_orders_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 8,
    parameter int AT_ONCE = SLOTS,
    parameter int EVENTS = 2,
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
    input logic [     1:0] write_kind,
    input logic            write_sell,
    input logic            write_instrument,
    input logic [     1:0] write_trigger,
    input logic [     3:0] write_client_id,
    input logic            request_ready
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [Slot-1:0] slot;
  always_ff @(posedge clk) if (rst) slot <= any_slot;

  logic write_ready, answer_valid, request_valid;
  stop_answer_t answer;
  stop_t stop;
  order_request_t request;
  logic [Slot-1:0] request_slot;
  logic next_valid;
  logic [InstrumentWidth-1:0] next_instrument;
  logic send_waits;
  logic [Slot:0] armed_count;

  always_comb begin
    stop = '0;
    stop.kind = write_operation == STOP_SEND ? order_kind_e'(write_kind) : ORDER_NEW;
    stop.side = side_e'(write_sell);
    stop.order_type = TYPE_LIMIT;
    stop.instrument = InstrumentWidth'(write_instrument);
    stop.trigger = OrderPriceWidth'(write_trigger);
    stop.client_id = 32'(write_client_id);
  end

  stop_orders #(
      .SLOTS(SLOTS),
      .AT_ONCE(AT_ONCE),
      .INSTRUMENTS(2),
      .EVENTS(EVENTS)
  ) dut (
      .clk,
      .rst,
      .event_valid,
      .event_instrument(InstrumentWidth'(event_instrument)),
      .event_price(LastPriceWidth'(event_price)),
      .write_valid,
      .write_ready,
      .write_operation(stop_operation_e'(write_operation)),
      .write_slot,
      .write_stop(stop),
      .answer_valid,
      .answer,
      .request_valid,
      .request_ready,
      .request,
      .request_slot,
      .next_valid,
      .next_instrument,
      .send_waits,
      .armed_count
  );

  logic [3:0] event_lately;
  always_ff @(posedge clk) event_lately <= rst ? '0 : {event_lately[2:0], event_valid};
  always_comb begin
    assume (write_operation != STOP_SEND || !write_valid || (write_slot == '0 && !send_waits));
    assume (write_kind != 2'd3);
    assume (!(rst && (event_valid || write_valid)));
    // In groups, events come no faster than they are compared.
    assume (AT_ONCE == SLOTS || !event_valid || event_lately == '0);
  end

  // ---- the model -------------------------------------------------------------------------------------

  stop_state_e state, settled;
  stop_t held, asked, current;
  stop_operation_e operation;
  logic ours, reached, taken, answered;

  assign answered = answer_valid && ours;
  assign taken = request_valid && request_ready && request_slot == slot && !request.by_host;
  // An answer tells of the cycle before: it comes before this cycle's event.
  assign settled = !(answered && answer.done) ? state : operation == STOP_CANCEL ? STOP_EMPTY : STOP_ARMED;
  assign current = answered && answer.done ? asked : held;
  assign reached = event_valid && current.instrument == InstrumentWidth'(event_instrument) &&
      (current.side == SIDE_SELL ? OrderPriceWidth'(event_price) <= current.trigger : OrderPriceWidth'(event_price) >= current.trigger);

  always_ff @(posedge clk) begin
    if (write_valid && write_ready) begin
      ours <= write_slot == slot && write_operation != STOP_SEND;
      operation <= stop_operation_e'(write_operation);
      asked <= stop;
    end
    held  <= current;
    state <= settled;
    if (settled == STOP_ARMED && reached) state <= STOP_FIRING;
    if (taken) state <= STOP_FIRED;
    if (rst) begin
      state <= STOP_EMPTY;
      ours  <= 1'b0;
    end
  end

  // The host's order: accepted, answered, left.
  logic send_asked, send_due, sent;
  stop_t send;
  assign sent = request_valid && request_ready && request.by_host;
  always_ff @(posedge clk) begin
    if (answer_valid) send_asked <= 1'b0;
    if (write_valid && write_ready && write_operation == STOP_SEND) begin
      send_asked <= 1'b1;
      send <= stop;
    end
    send_due <= (send_due && !sent) || (answer_valid && send_asked);
    if (rst) {send_asked, send_due} <= '0;
  end

  logic [1:0] left;
  always_ff @(posedge clk) begin
    if (rst) left <= '0;
    else if (taken) left <= left + 1'b1;
    if (!rst) begin
      if (taken) assert (settled == STOP_FIRING);
      if (taken) assert (request.order.client_id == current.client_id && request.order.side == current.side);
      if (taken) assert (request.order.instrument == current.instrument);
      assert (send_waits == (send_due || (answer_valid && send_asked)));
      assert (!(answer_valid && send_asked) || answer.done);
      if (request_valid) assert (request.by_host || request.order.kind == ORDER_NEW);
      if (sent) assert (send_waits);
      if (sent) assert (request.order.client_id == send.client_id && request.order.side == send.side && request.order.kind == send.kind);
      if (sent) assert (request.order.instrument == send.instrument);
      cover (sent && left == 2'd1);
      if (answered) begin
        assert (answer.previous == state || (answer.previous == STOP_FIRING && state == STOP_FIRED));
        if (operation == STOP_SET)
          assert (answer.done == (answer.previous == STOP_EMPTY || answer.previous == STOP_FIRED));
          else assert (answer.done == (state == STOP_ARMED));
      end
      cover (left == 2'd2);
      cover (answered && !answer.done && operation == STOP_CANCEL && state == STOP_FIRING);
    end
  end
endmodule

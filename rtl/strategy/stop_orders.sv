// Stop orders: each armed slot is compared with every last price, and leaves as one order request when its trigger is reached.
//
//   event ─ stop_match ─ fired ─┬──────────────── lowest slot ─ record RAM ─ request
//                               └─ queue ─ draining ┘     (while slots of an earlier event still leave)
//   write ─ notional ─ a pause between events ─ slot and record, whole ─ answer
//
// A sell fires when the last price is at or below its trigger, a buy when it is at or above. Those that fire on one event leave lowest slot
// first, and before those of the next event. A fired slot is no longer armed, in the very next cycle: it fires once, until STOP_SET arms it
// again, which is refused while its order has not left. An operation of the host takes effect between two events, in one cycle: an event is
// compared with the slot as it was before, or as it is after. What fires before the host's STOP_CHANGE or STOP_CANCEL takes effect leaves
// unchanged, and the operation is refused and answered with STOP_FIRING or STOP_FIRED.
//
// Latency: event to request 1 cycle and those of stop_match (1 with all slots at once), if nothing waits. Throughput: that of stop_match; a
// request a cycle. An operation takes 35 cycles and waits for a pause of three cycles. Parameters: SLOTS, 8 to 256, a power of two; AT_ONCE and
// EVENTS: see stop_match. Overflow: none: an entry of the queue holds at least one slot that is firing, and a slot cannot be armed
// again before it left; so the queue has room for all.
module stop_orders
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int AT_ONCE = SLOTS,
    parameter int EVENTS = 64,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    // Committed last prices only.
    input logic                              event_valid,
    input logic        [InstrumentWidth-1:0] event_instrument,
    input logic signed [     PriceWidth-1:0] event_price,

    input  logic                       write_valid,
    output logic                       write_ready,
    input  stop_operation_e            write_operation,
    input  logic            [Slot-1:0] write_slot,
    input  stop_t                      write_stop,
    output logic                       answer_valid,
    output stop_answer_t               answer,

    output logic                           request_valid,
    input  logic                           request_ready,
    output order_request_t                 request,
    output logic           [     Slot-1:0] request_slot,
    // Of the request there will be in the next cycle, if there is one: risk looks up its limits meanwhile.
    output logic [InstrumentWidth-1:0] next_instrument,

    output logic [Slot:0] armed_count
);
  localparam int Groups = SLOTS / 8;
  localparam int Pair = SLOTS + InstrumentWidth;

  if (SLOTS < 8 || SLOTS > 256 || SLOTS % 8 != 0 || SLOTS != 1 << Slot) begin : gen_slots
    $fatal(1, "stop_orders: SLOTS is %0d; it must be a power of two from 8 to 256", SLOTS);
  end

  // ---- the host's operation ----------------------------------------------------------------------

  typedef enum logic [1:0] {
    IDLE,
    MULTIPLY,  // the notional of the new order
    COMMIT     // in the next pause between events
  } state_e;

  state_e state;
  stop_operation_e operation;
  logic [Slot-1:0] slot;
  logic [SLOTS-1:0] slot_hot;
  stop_t stop;
  logic [NotionalWidth-1:0] stop_notional;
  logic start, multiplied, multiplying;
  logic [2:1] event_before;
  logic event_now;
  logic quiet, commit, allowed, arms;
  stop_state_e slot_state;

  logic [SLOTS-1:0] armed, firing, fired;

  assign write_ready = state == IDLE;
  assign start = state == IDLE && write_valid;

  notional notional_of_order (
      .clk,
      .rst,
      .start,
      .price(write_stop.order_type == TYPE_MARKET ? write_stop.trigger : write_stop.price),
      .quantity(write_stop.quantity),
      .busy(multiplying),
      .done(multiplied),
      .product(stop_notional)
  );

  // Slots are told in the cycle behind the last of `event_now`, and disarmed in the next. Without it in this and the last two cycles, nothing
  // is on its way and slot_state is what it was a cycle ago.
  assign quiet   = !event_now && event_before == '0;
  assign allowed = operation == STOP_SET ? slot_state == STOP_EMPTY || slot_state == STOP_FIRED : slot_state == STOP_ARMED;
  assign commit  = state == COMMIT && quiet;
  assign arms    = operation != STOP_CANCEL;

  always_ff @(posedge clk) begin
    event_before <= {event_before[1], event_now};
    slot_state <= armed[slot] ? STOP_ARMED : firing[slot] ? STOP_FIRING : fired[slot] ? STOP_FIRED : STOP_EMPTY;
    answer_valid <= commit;
    answer <= '{done: allowed, previous: slot_state};
    unique case (state)
      IDLE: if (write_valid) state <= MULTIPLY;
      MULTIPLY: if (multiplied) state <= COMMIT;
      COMMIT: if (quiet) state <= IDLE;
      default: state <= IDLE;
    endcase
    if (start) begin
      operation <= write_operation;
      slot <= write_slot;
      stop <= write_stop;
    end
    for (int i = 0; i < SLOTS; i++) slot_hot[i] <= slot == Slot'(i);
    if (rst) begin
      state <= IDLE;
      event_before <= '1;
      answer_valid <= 1'b0;
    end
  end

  // ---- compare -------------------------------------------------------------------------------------

  logic [SLOTS-1:0] match;  // reached by an event, and armed: for one cycle
  logic [InstrumentWidth-1:0] match_instrument;
  logic match_valid, taken;

  stop_match #(
      .SLOTS(SLOTS),
      .AT_ONCE(AT_ONCE),
      .EVENTS(EVENTS)
  ) stop_match (
      .clk,
      .rst,
      .event_valid,
      .event_instrument,
      .event_price,
      .armed,
      .write(commit && allowed),
      .write_slot(slot),
      .write_hot(slot_hot),
      .write_side(stop.side),
      .write_instrument(stop.instrument),
      .write_trigger(stop.trigger),
      .event_now,
      .match_valid,
      .match_instrument,
      .match
  );

  always_ff @(posedge clk) begin
    for (int i = 0; i < SLOTS; i++) begin
      if (match[i]) begin
        armed[i]  <= 1'b0;
        firing[i] <= 1'b1;
        fired[i]  <= 1'b1;
      end
      if (taken && request_slot == Slot'(i)) firing[i] <= 1'b0;
      if (commit && allowed && slot_hot[i]) begin
        armed[i] <= arms;
        fired[i] <= 1'b0;
      end
    end
    if (rst) begin
      armed  <= '0;
      firing <= '0;
      fired  <= '0;
    end
  end

  // ---- which leaves --------------------------------------------------------------------------------

  logic busy;  // slots of an earlier event still leave: what fires now waits its turn
  logic late_any;
  logic [SLOTS-1:0] draining, current, late, remaining, first_hot;
  logic [InstrumentWidth-1:0] draining_instrument, current_instrument, request_instrument, late_instrument;
  logic [Slot-1:0] first;
  logic any, advance;
  logic queue_empty, queue_read, queue_full, queue_overflow;
  logic [Pair-1:0] queue_front;
  logic [Slot:0] queue_count;

  logic unused;
  assign unused = &{1'b0, queue_full, queue_count};

  assign current = busy ? draining : match;
  assign current_instrument = busy ? draining_instrument : match_instrument;
  assign advance = !request_valid || request_ready;
  assign taken = request_valid && request_ready;
  assign next_instrument = advance ? current_instrument : request_instrument;
  assign queue_read = busy && !any && !queue_empty;

  // Lowest of each group of eight, and lowest group: two small steps instead of a chain.
  logic [Groups-1:0] group_any;
  logic [Groups-1:0][2:0] group_first;
  logic [Groups-1:0] lowest_group;
  always_comb begin
    for (int g = 0; g < Groups; g++) begin
      group_any[g]   = |current[8*g+:8];
      group_first[g] = '0;
      for (int i = 7; i >= 0; i--) if (current[8*g+i]) group_first[g] = 3'(i);
    end
    any = |group_any;
    lowest_group = group_any & -group_any;
    first = '0;
    for (int g = 0; g < Groups; g++) if (lowest_group[g]) first |= Slot'(8 * g) | Slot'(group_first[g]);
    for (int g = 0; g < Groups; g++) begin
      for (int i = 0; i < 8; i++) first_hot[8*g+i] = lowest_group[g] && group_first[g] == 3'(i);
    end
    remaining = current & ~(advance ? first_hot : '0);
  end

  fifo #(
      .WIDTH(Pair),
      .DEPTH(SLOTS)
  ) queue (
      .clk,
      .rst,
      .write(late_any),
      .write_data({late, late_instrument}),
      .full(queue_full),
      .overflow(queue_overflow),
      .read(queue_read),
      .read_data(queue_front),
      .empty(queue_empty),
      .count(queue_count)
  );

  always_ff @(posedge clk) begin
    late <= match;
    late_instrument <= match_instrument;
    late_any <= busy && |match && !rst;
    draining <= remaining;
    draining_instrument <= current_instrument;
    if (queue_read) {draining, draining_instrument} <= queue_front;
    busy <= any || (busy && (!queue_empty || late_any || match_valid));
    if (advance) begin
      request_valid <= any;
      request_slot <= first;
      request_instrument <= current_instrument;
    end
    if (rst) begin
      busy <= 1'b0;
      draining <= '0;
      request_valid <= 1'b0;
    end
  end

  // ---- the records ---------------------------------------------------------------------------------

  typedef struct packed {
    order_type_e                   order_type;
    side_e                         side;
    logic [PriceWidth-1:0]         price;
    logic [OrderQuantityWidth-1:0] quantity;
    logic [31:0]                   client_id;
    logic [NotionalWidth-1:0]      notional;
  } record_t;

  // Never read and written at once: a slot is written while it is not firing.
  (* no_rw_check, ram_style = "block" *)logic [$bits(record_t)-1:0] records[SLOTS];
  logic [$bits(record_t)-1:0] read_record;
  record_t record;
  assign record = read_record;

  always_ff @(posedge clk) begin
    if (advance) read_record <= records[first];
    if (commit && allowed) records[slot] <= {stop.order_type, stop.side, stop.price, stop.quantity, stop.client_id, stop_notional};
  end

  always_comb begin
    request = '0;
    request.order.kind = ORDER_NEW;
    request.order.order_type = record.order_type;
    request.order.side = record.side;
    request.order.instrument = request_instrument;
    request.order.price = record.price;
    request.order.quantity = record.quantity;
    request.order.client_id = record.client_id;
    request.notional = record.notional;
  end

  // ---- how many are armed --------------------------------------------------------------------------

  logic [Slot:0] counted;
  logic [Slot-1:0] scan;
  // A slot a cycle is enough for a status register.
  always_ff @(posedge clk) begin
    scan <= scan + 1'b1;
    counted <= scan == '0 ? (Slot + 1)'(armed[0]) : counted + (Slot + 1)'(armed[scan]);
    if (scan == '0) armed_count <= counted;
    if (rst) begin
      scan <= '0;
      counted <= '0;
      armed_count <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !queue_overflow);
  assert property (@(posedge clk) disable iff (rst) (armed & firing) == '0);
  assert property (@(posedge clk) disable iff (rst) !taken || firing[request_slot]);
  assert property (@(posedge clk) disable iff (rst) !(start && multiplying));
endmodule

// Stop orders: each armed slot is compared with every last price, and leaves as one order request when its trigger is reached.
//
//   event ─ stop_match ─ fired ─┬──────── lowest slot ────────┬─ record RAM ─ register ─ request
//                               └─ queue ─ draining ─ lowest ─┘     (while slots fired earlier still leave)
//   write ─ notional ─ a pause between events ─ slot and record, whole ─ answer
//                                            └ STOP_SEND: a record of its own, read while nothing fires ─ request by the host
//
// A sell fires when the last price is at or below its trigger, a buy when it is at or above. Those that fire on one event leave lowest slot
// first, and before those of the next event. A fired slot is no longer armed: it fires once, until STOP_SET arms it again, which is refused
// while its order has not left. An operation of the host takes effect between two events, in one cycle: an event is compared with the slot
// as it was before, or as it is after. What fires before the host's STOP_CHANGE or STOP_CANCEL takes effect leaves unchanged, and the
// operation is refused and answered with STOP_FIRING or STOP_FIRED.
//
// An order of the host (STOP_SEND) leaves without a trigger. It is answered when it is kept, and waits (`send_waits`) until no stop fires and
// risk is ready: it stands at `request` for one cycle, and for one more whenever it was not taken, so that no stop ever waits for it to be.
//
// Latency: event to request 2 cycles and those of stop_match (1 with all slots at once, in groups 2 and the group's number), if nothing waits.
// Throughput: that of stop_match; a request every 4 cycles, up to two more for each event or group that fired meanwhile: risk takes no more.
// An operation takes 38 cycles and waits for a pause of three, in groups five.
// Parameters: SLOTS, 8 to 256, a power of two; AT_ONCE, 8 to 64, EVENTS, INSTRUMENTS: see stop_match.
// Overflow: none: an entry of the queue holds at least one slot that is firing, and a slot cannot be armed again before it left; so the queue
// has room for all. An instrument that is not there must not come here (order_text refuses it; asserted).
module stop_orders
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int AT_ONCE = SLOTS,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    // Committed last prices only.
    input logic                              event_valid,
    input logic        [InstrumentWidth-1:0] event_instrument,
    input logic signed [ LastPriceWidth-1:0] event_price,

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
    // There may be a request in the next two cycles; the instrument of the one in the next: risk looks up its limits meanwhile.
    output logic                       next_valid,
    output logic [InstrumentWidth-1:0] next_instrument,

    output logic          send_waits,  // an order of the host (given with slot 0) has not left; no other may be given
    output logic [Slot:0] armed_count
);
  localparam int Index = $clog2(INSTRUMENTS);
  localparam int Groups = SLOTS / AT_ONCE;
  localparam int Group = Groups > 1 ? $clog2(Groups) : 1;
  localparam int Lane = $clog2(AT_ONCE);
  localparam int Octets = AT_ONCE / 8;

  if (SLOTS < 8 || SLOTS > 256 || SLOTS != 1 << Slot) begin : gen_slots
    $fatal(1, "stop_orders: SLOTS is %0d; it must be a power of two from 8 to 256", SLOTS);
  end
  if (AT_ONCE < 8 || AT_ONCE > SLOTS || AT_ONCE > 64 || AT_ONCE != 1 << $clog2(AT_ONCE)) begin : gen_at_once
    $fatal(1, "stop_orders: AT_ONCE is %0d; it must be a power of two from 8 to 64 and at most SLOTS", AT_ONCE);
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
  stop_t stop;
  logic [NotionalWidth-1:0] stop_notional;
  logic start, start_reg, multiplied, multiplying;
  logic signed [OrderPriceWidth-1:0] price;  // that the notional is of: a stop's market order has none but its trigger
  logic [2:1] event_before;
  logic event_now;
  logic quiet, commit, allowed, write;
  logic ripe, ripens, due;  // ripe: it is due if no event came in the cycle before. due: it takes effect if none comes in this
  stop_state_e slot_state, judged, previous;

  assign write_ready = state == IDLE;
  assign start = state == IDLE && write_valid;

  notional notional_of_order (
      .clk,
      .rst,
      .start(start_reg),
      .price(price),
      .quantity(stop.quantity),
      .busy(multiplying),
      .done(multiplied),
      .product(stop_notional)
  );

  // Slots are told two cycles behind the last of `event_now`, as what fires on it leaves them. Without it in this and the last two cycles,
  // nothing is on its way and that still holds; in groups, two more cycles must be quiet. What waited or was being compared would have been there
  // in the cycle before: in this cycle an event can only have come. An order may have left meanwhile.
  assign due = ripe && !event_before[1];
  assign commit = due && !event_valid;
  assign write = commit && allowed;

  function automatic logic allows(input stop_operation_e asked, input stop_state_e is);
    return asked == STOP_SEND || (asked == STOP_SET ? is == STOP_EMPTY || is == STOP_FIRED : is == STOP_ARMED);
  endfunction
  assign ripens = state == COMMIT && (AT_ONCE == SLOTS ? !event_before[1] : quiet) && !ripe && !rst;  // for one cycle
  if (AT_ONCE == SLOTS) begin : g_judged_at_once
    assign judged = slot_state;
  end else begin : g_judged_later
    always_ff @(posedge clk) judged <= slot_state;
  end

  always_ff @(posedge clk) begin
    ripe <= ripens;
    previous <= judged;
    allowed <= allows(operation, judged);
    event_before <= {event_before[1], event_now};
    quiet <= !event_now && event_before == '0;
    start_reg <= start && !rst;  // many hear of it
    answer_valid <= commit;
    answer <= '{done: allowed, previous: previous};
    unique case (state)
      IDLE: if (write_valid) state <= MULTIPLY;
      MULTIPLY: if (multiplied) state <= COMMIT;
      COMMIT: if (commit) state <= IDLE;
      default: state <= IDLE;
    endcase
    if (start) begin
      operation <= write_operation;
      slot <= write_slot;
      stop <= write_stop;
      price <= write_stop.order_type == TYPE_MARKET && write_operation != STOP_SEND ? write_stop.trigger : write_stop.price;
    end
    if (rst) begin
      state <= IDLE;
      event_before <= '1;
      quiet <= 1'b0;
      answer_valid <= 1'b0;
    end
  end

  // ---- compare -------------------------------------------------------------------------------------

  typedef struct packed {
    logic [AT_ONCE-1:0] slots;
    logic [Group-1:0]   group;
    logic [Index-1:0]   instrument;
  } fired_t;

  fired_t match;  // reached by an event, and armed: for one cycle
  logic match_valid, taken, left, left_ready;
  logic [Slot-1:0] state_slot, scan;

  stop_match #(
      .SLOTS(SLOTS),
      .AT_ONCE(AT_ONCE),
      .INSTRUMENTS(INSTRUMENTS),
      .EVENTS(EVENTS)
  ) stop_match (
      .clk,
      .rst,
      .event_valid,
      .event_instrument(event_instrument[Index-1:0]),
      .event_price,
      .write_next(ripens && allows(operation, judged) && operation != STOP_SEND),
      .write_near(due),
      .write_state(operation == STOP_CANCEL ? STOP_EMPTY : STOP_ARMED),
      .write_slot(slot),
      .write_side(stop.side),
      .write_instrument(stop.instrument[Index-1:0]),
      .write_trigger(stop.trigger),
      .left,
      .left_ready,
      .left_slot(request_slot),
      .state_slot,
      .state_of(slot_state),
      .event_now,
      .match_valid,
      .match_group(match.group),
      .match_instrument(match.instrument),
      .match(match.slots)
  );

  // ---- which leaves --------------------------------------------------------------------------------

  logic busy;  // slots fired earlier still leave: what fires now waits its turn
  logic late_any;
  fired_t draining, late, queue_front;
  logic [Lane-1:0] draining_lowest;
  logic draining_some, lowest_valid;  // lowest_valid: these two are of what is in `draining` now
  logic [Index-1:0] request_instrument;
  logic [Slot-1:0] first;
  logic any, advance, reading;
  logic stop_shown, stop_next;  // the request is a stop's, in the next cycle
  logic calm, was_calm, rested;  // no stop is on its way, was in the last cycle
  logic send_near, send_turn, send_read, send_shown;  // the host's order will be read, is read, comes from block RAM, is the request
  logic sends;  // it will be the request: no stop came between
  logic turn_may_begin, of_host;
  logic [Index-1:0] send_instrument;
  logic queue_empty, queue_read, queue_full, queue_overflow;
  logic [Slot:0] queue_count;

  logic unused;
  assign unused = &{1'b0, queue_full, queue_count, event_instrument[InstrumentWidth-1:Index]};

  assign taken = stop_shown && request_ready;
  // From registers all: risk's answer is far. That it left is put down before the next is shown.
  assign advance = !reading && !stop_shown && !left;
  assign queue_read = lowest_valid && !draining_some && !queue_empty;

  // The lowest of each eight, and the lowest eight: two small steps, written out, instead of chains. 0 if there is none.
  function automatic logic [2:0] lowest_of_eight(input logic [7:0] s);
    logic low, pair;
    low  = |s[3:0];
    pair = |s[1:0];
    return {
      !low && s[7:4] != '0,
      low ? !pair : s[5:4] == '0 && s[7:6] != '0,
      low ? (pair ? !s[0] : !s[2]) : s[5:4] != '0 ? !s[4] : s[7:6] == 2'b10
    };
  endfunction

  function automatic logic [Lane-1:0] lowest(input logic [AT_ONCE-1:0] slots);
    logic [7:0] some;
    logic [7:0][2:0] bits;
    logic [2:0] octet, bits_of_lowest;
    some = '0;
    bits = '0;
    for (int o = 0; o < Octets; o++) begin
      some[o] = |slots[8*o+:8];
      bits[o] = lowest_of_eight(slots[8*o+:8]);
    end
    octet = lowest_of_eight(some);
    bits_of_lowest = bits[octet];
    return Lane'({octet, bits_of_lowest});
  endfunction

  always_comb begin
    any = busy ? lowest_valid && draining_some : |match.slots;
    first = Slot'(busy ? draining_lowest : lowest(match.slots));
    if (Groups > 1) first |= Slot'(Slot'(busy ? draining.group : match.group) << Lane);
  end

  fifo #(
      .WIDTH($bits(fired_t)),
      .DEPTH(SLOTS)
  ) queue (
      .clk,
      .rst,
      .write(late_any),
      .write_data(late),
      .full(queue_full),
      .overflow(queue_overflow),
      .read(queue_read),
      .read_data(queue_front),
      .empty(queue_empty),
      .count(queue_count)
  );

  typedef struct packed {
    order_kind_e                   kind;
    order_type_e                   order_type;
    side_e                         side;
    logic [OrderPriceWidth-1:0]    price;
    logic [OrderQuantityWidth-1:0] quantity;
    logic [31:0]                   client_id;
    logic [NotionalWidth-1:0]      notional;
  } record_t;

  record_t read_record;
  (* keep, outside_memory *) record_t record;  // a flip-flop is faster than the register in the block RAM: risk has no time to spare

  assign next_instrument = InstrumentWidth'(request_instrument);
  assign stop_next = (stop_shown && !taken) || reading;

  always_ff @(posedge clk) begin
    late <= match;
    late_any <= busy && |match.slots && !rst;
    // What is being read has its slot in request_slot, and leaves `draining` then.
    for (int i = 0; i < AT_ONCE; i++) if (reading && request_slot[Lane-1:0] == Lane'(i)) draining.slots[i] <= 1'b0;
    if (queue_read) draining <= queue_front;
    if (!busy) draining <= match;
    lowest_valid <= busy && !reading && !queue_read && !rst;
    draining_lowest <= lowest(draining.slots);
    draining_some <= |draining.slots;
    busy <= busy ? !lowest_valid || draining_some || !queue_empty || late_any || match_valid : |match.slots;
    left <= taken || (left && !left_ready);
    reading <= advance && any && !rst;
    // Block RAM gives the record to a register before it is held against anything, and risk is told of what may come from one.
    next_valid <= event_now || match_valid || busy || reading || request_valid || send_near;
    send_read <= send_turn && !rst;
    if (reading || send_read) record <= read_record;
    if (advance) request_slot <= first;
    if (advance || turn_may_begin) request_instrument <= of_host ? send_instrument : busy ? draining.instrument : match.instrument;
    stop_shown <= stop_next;
    request_valid <= stop_next || sends;
    if (rst) begin
      busy <= 1'b0;
      request_valid <= 1'b0;
      stop_shown <= 1'b0;
      left <= 1'b0;
    end
  end

  // ---- the host's order ------------------------------------------------------------------------------

  // It is announced for two cycles before it is shown. An event takes its turn away until the cycle in which it is read (in groups, the one before);
  // the stops of a later one find the request free again.
  // None becomes busy behind three quiet cycles: what was so in the last is enough.
  assign sends = send_read && !any;
  assign turn_may_begin = was_calm && send_near && !send_turn;  // unless an event comes, which is known late
  assign of_host = turn_may_begin || send_turn || (send_read && match.slots == '0);  // while it is read none is busy
  assign was_calm = quiet && rested && !request_valid;
  assign calm = was_calm && !event_now;
  always_ff @(posedge clk) begin
    rested <= !busy && !reading && !request_valid && !left;
    send_near <= calm && (send_near ? !send_turn : send_waits);
    send_turn <= turn_may_begin && !event_now;
    send_shown <= sends;
    if (send_shown && request_ready) send_waits <= 1'b0;
    if (commit && operation == STOP_SEND) begin
      send_waits <= 1'b1;
      send_instrument <= stop.instrument[Index-1:0];
    end
    if (rst) {send_waits, send_near, send_turn, send_shown} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !send_turn || (advance && !any && first == '0));
  assert property (@(posedge clk) disable iff (rst) !send_read || (advance && !busy));
  assert property (@(posedge clk) disable iff (rst) !(state == COMMIT && operation == STOP_SEND && (send_waits || slot != '0)));

  // ---- the records ---------------------------------------------------------------------------------

  // The slots' and, above them, the host's. Never read and written at once: a slot is written while it is not firing.
  (* no_rw_check, ram_style = "block" *) logic [$bits(record_t)-1:0] records[2*SLOTS];
  always_ff @(posedge clk) begin
    if (advance) read_record <= records[{send_turn, first}];
    if (write)
      records[{
        operation==STOP_SEND, slot
      }] <= {
        stop.kind, stop.order_type, stop.side, stop.price, stop.quantity, stop.client_id, stop_notional
      };
  end

  always_comb begin
    request = '0;
    request.order.kind = record.kind;
    request.order.order_type = record.order_type;
    request.order.side = record.side;
    request.order.instrument = InstrumentWidth'(request_instrument);
    request.order.price = record.price;
    request.order.quantity = record.quantity;
    request.order.client_id = record.client_id;
    request.notional = record.notional;
    request.by_host = send_shown;
  end

  // ---- how many are armed --------------------------------------------------------------------------

  logic [Slot:0] counted;
  logic [1:0] looked;  // at the slot of `scan`, in this cycle and the last: no operation needs its own
  logic scanned;
  // A slot every third cycle is enough for a status register; the first one begins the count anew.
  assign state_slot = state == IDLE ? scan : slot;
  assign scanned = looked == 2'b11 && state == IDLE;
  always_ff @(posedge clk) begin
    looked <= scanned || state != IDLE ? '0 : {looked[0], 1'b1};
    if (scanned) begin
      scan <= scan + 1'b1;
      counted <= (scan == '0 ? '0 : counted) + (Slot + 1)'(slot_state == STOP_ARMED);
      if (scan == '0) armed_count <= counted;
    end
    if (rst) begin
      scan <= '0;
      looked <= '0;
      counted <= '0;
      armed_count <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !queue_overflow);
  assert property (@(posedge clk) disable iff (rst) !commit || !event_now);
  assert property (@(posedge clk) disable iff (rst) !event_valid || int'(event_instrument) < INSTRUMENTS);
  assert property (@(posedge clk) disable iff (rst) !write_valid || int'(write_stop.instrument) < INSTRUMENTS);
  assert property (@(posedge clk) disable iff (rst) !(start_reg && multiplying));
endmodule

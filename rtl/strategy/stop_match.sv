// Holds what each stop waits for and how far it is, and says which armed stops an event reaches: all slots at once, or group after group
// where there is less room than time.
//
//   AT_ONCE = SLOTS   event ─ compare all ─ match
//   fewer             event ─┬──────────────────┬─ a group a cycle: distributed RAM ─ register ─ compare ─ match of that group
//                            └─ FIFO ─ register ┘
//
// A sell's trigger is reached at or below it, a buy's at or above. What is matched fires from the next cycle on; groups come lowest first.
//
// Latency: 1 cycle; in groups, 2 and the group's number, for one that finds none before it. Throughput: an event a cycle; in groups, one in SLOTS / AT_ONCE + 1 cycles.
// Parameters: SLOTS; AT_ONCE, slots compared in a cycle; INSTRUMENTS, a power of two; EVENTS that wait, a power of two.
// Overflow: none at once. In groups, EVENTS are as many as decoder_fix commits together (asserted), and entries come more slowly than that.
module stop_match
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int AT_ONCE = SLOTS,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64,
    localparam int Slot = $clog2(SLOTS),
    localparam int Index = $clog2(INSTRUMENTS),
    localparam int Groups = SLOTS / AT_ONCE,
    localparam int Group = Groups > 1 ? $clog2(Groups) : 1
) (
    input logic clk,
    input logic rst,

    input logic                             event_valid,
    input logic        [         Index-1:0] event_instrument,
    input logic signed [LastPriceWidth-1:0] event_price,

    // In the cycle behind write_next it is written, with write_near and without an event in that cycle. None is on its way then.
    input  logic                                   write_next,
    input  logic                                   write_near,     // from registers
    input  stop_state_e                            write_state,    // armed or empty
    input  logic               [         Slot-1:0] write_slot,     // steady since the cycle before
    input  side_e                                  write_side,
    input  logic               [        Index-1:0] write_instrument,
    input  logic signed        [OrderPriceWidth-1:0] write_trigger,
    input  logic                                   left,           // the order of this slot
    output logic                                   left_ready,
    input  logic               [         Slot-1:0] left_slot,      // steady since the cycle before
    input  logic               [         Slot-1:0] state_slot,
    output stop_state_e                            state_of,       // of the slot a cycle ago; at once, as `match` was to leave it

    output logic               event_now,         // one comes or is being compared
    output logic               match_valid,       // one has been compared with a group
    output logic [  Group-1:0] match_group,       // with it
    output logic [  Index-1:0] match_instrument,
    output logic [AT_ONCE-1:0] match
);
  typedef struct packed {
    side_e                             side;
    logic [Index-1:0]                  instrument;
    logic signed [OrderPriceWidth-1:0] trigger;
  } watch_t;

  // A bit behind the price decides when it equals the trigger: a sell's trigger is then above it, a buy's is not. The sign is complemented, for
  // an unsigned comparison is one chain of carries, and a signed one two.
  function automatic logic reaches(input logic [Index-1:0] instrument, input logic signed [LastPriceWidth-1:0] price, input watch_t watch);
    logic below;
    below = {!price[LastPriceWidth-1], price[LastPriceWidth-2:0], 1'b0} <
        {!watch.trigger[OrderPriceWidth-1], {(LastPriceWidth - OrderPriceWidth) {watch.trigger[OrderPriceWidth-1]}},
         watch.trigger[OrderPriceWidth-2:0], watch.side == SIDE_SELL};
    return instrument == watch.instrument && below == (watch.side == SIDE_SELL);
  endfunction

  if (AT_ONCE == SLOTS) begin : g_at_once
    watch_t watches[SLOTS];
    logic [SLOTS-1:0] armed, firing, fired, write_hot;

    logic unused;
    assign unused = write_near;
    assign event_now = event_valid;
    assign left_ready = 1'b1;
    assign match_group = '0;

    always_ff @(posedge clk) begin
      match_valid <= event_valid && !rst;
      match_instrument <= event_instrument;
      state_of <= match[state_slot] || firing[state_slot] ? STOP_FIRING :
          armed[state_slot] ? STOP_ARMED : fired[state_slot] ? STOP_FIRED : STOP_EMPTY;
      for (int i = 0; i < SLOTS; i++) begin
        match[i] <= event_valid && armed[i] && !match[i] && reaches(event_instrument, event_price, watches[i]);
        write_hot[i] <= write_next && write_slot == Slot'(i);
        if (match[i]) begin
          armed[i]  <= 1'b0;
          firing[i] <= 1'b1;
          fired[i]  <= 1'b1;
        end
        if (left && left_slot == Slot'(i)) firing[i] <= 1'b0;
        if (write_hot[i] && write_near && !event_valid) begin
          watches[i] <= '{side: write_side, instrument: write_instrument, trigger: write_trigger};
          armed[i]   <= write_state == STOP_ARMED;
          fired[i]   <= 1'b0;
        end
      end
      if (rst) {match, armed, firing, fired, write_hot} <= '0;
    end

    assert property (@(posedge clk) disable iff (rst) (armed & firing) == '0);
    assert property (@(posedge clk) disable iff (rst) !left || firing[left_slot]);
  end else begin : g_groups
    localparam int Lane = $clog2(AT_ONCE);

    typedef enum logic [1:0] {
      CLEAR,    // behind rst: all are empty
      IDLE,
      COMPARE,
      LAST      // the last group is compared
    } state_e;

    state_e state;
    logic [Group-1:0] group, compared;  // being read, being compared
    logic comparing;
    logic [AT_ONCE-1:0] reached;
    watch_t [AT_ONCE-1:0] watch;
    logic [AT_ONCE-1:0][1:0] told;  // of the group of the slot that is asked for
    logic [Lane-1:0] told_lane;
    logic [Group-1:0] put_group;
    logic [1:0] put_state;
    logic [AT_ONCE-1:0] write_hot, left_hot;
    logic clearing, left_put;
    logic empty, full_unused, overflow, at_once, begins;
    logic fetch, fetched;  // the FIFO's memory is slow: a register takes the next event before it is chosen
    logic resting;  // IDLE, and no event is fetched: in a flip-flop, for many ask
    logic [$clog2(EVENTS):0] count_unused;
    logic [Index-1:0] instrument, oldest_instrument, fetched_instrument;
    logic signed [LastPriceWidth-1:0] price, oldest_price, fetched_price;

    assign at_once = resting && empty;  // an event is compared without waiting
    assign begins = state == IDLE && (fetched || (event_valid && empty));
    assign fetch = !empty && !fetched;

    fifo #(
        .WIDTH(Index + LastPriceWidth),
        .DEPTH(EVENTS)
    ) events (
        .clk,
        .rst,
        .write(event_valid && !at_once),
        .write_data({event_instrument, event_price}),
        .full(full_unused),
        .overflow,
        .read(fetch),
        .read_data({oldest_instrument, oldest_price}),
        .empty,
        .count(count_unused)
    );

    assign event_now = event_valid || !empty || !resting;

    // One is written at a time: what fires, what the host sets, what left.
    assign left_ready = match == '0 && !write_near && !clearing;
    assign left_put   = left && left_ready;
    always_comb begin
      put_group = left_slot[Slot-1:Lane];
      put_state = STOP_FIRED;
      if (match != '0) begin
        put_group = match_group;
        put_state = STOP_FIRING;
      end
      if (write_near) begin
        put_group = write_slot[Slot-1:Lane];
        put_state = write_state;
      end
      if (clearing) begin
        put_group = group;
        put_state = STOP_EMPTY;
      end
    end

    // The states twice, for there are two who read them.
    for (genvar i = 0; i < AT_ONCE; i++) begin : g_lane
      (* ram_style = "distributed" *)
      logic [$bits(watch_t)-1:0] watches[Groups];
      (* ram_style = "distributed" *)
      logic [1:0] states[Groups], states_told[Groups];
      logic [1:0] is;
      logic written, put;

      assign written = write_hot[i] && write_near && !event_valid;
      assign put = match[i] || written || (left_put && left_hot[i]) || clearing;

      always_ff @(posedge clk) begin
        watch[i] <= watches[group];
        is <= states[group];
        told[i] <= states_told[state_slot[Slot-1:Lane]];
        if (written) watches[write_slot[Slot-1:Lane]] <= {write_side, write_instrument, write_trigger};
        if (put) begin
          states[put_group] <= put_state;
          states_told[put_group] <= put_state;
        end
      end
      assign reached[i] = is == STOP_ARMED && reaches(instrument, price, watch[i]);
    end

    assign state_of = stop_state_e'(told[told_lane]);

    always_ff @(posedge clk) begin
      for (int i = 0; i < AT_ONCE; i++) begin
        write_hot[i] <= write_next && write_slot[Lane-1:0] == Lane'(i) && !rst;
        left_hot[i]  <= left_slot[Lane-1:0] == Lane'(i);
      end
      clearing  <= rst || (state == CLEAR && group != '1);
      told_lane <= state_slot[Lane-1:0];
      fetched <= fetch || (fetched && state != IDLE);
      resting <= !fetch && !begins && (state == IDLE || (!fetched && (state == LAST || (state == CLEAR && group == '1))));
      if (!fetched) {fetched_instrument, fetched_price} <= {oldest_instrument, oldest_price};
      comparing <= state == COMPARE || begins;
      compared <= group;
      match_valid <= comparing;
      match_group <= compared;
      match_instrument <= instrument;
      match <= comparing ? reached : '0;
      unique case (state)
        CLEAR: begin
          group <= group + 1'b1;
          if (group == '1) state <= IDLE;
        end
        IDLE: begin
          {instrument, price} <= fetched ? {fetched_instrument, fetched_price} : {event_instrument, event_price};
          if (begins) begin
            group <= group + 1'b1;
            state <= COMPARE;
          end
        end
        COMPARE: begin
          group <= group + 1'b1;
          if (group == '1) state <= LAST;
        end
        default: state <= IDLE;
      endcase
      if (rst) begin
        state <= CLEAR;
        group <= '0;
        fetched <= 1'b0;
        resting <= 1'b0;
        comparing <= 1'b0;
        match_valid <= 1'b0;
        match <= '0;
      end
    end

    assert property (@(posedge clk) disable iff (rst) !overflow);
    assert property (@(posedge clk) disable iff (rst) resting == (state == IDLE && !fetched));
    assert property (@(posedge clk) disable iff (rst) !write_near || match == '0);
    assert property (@(posedge clk) disable iff (rst) clearing == (state == CLEAR));
  end
endmodule

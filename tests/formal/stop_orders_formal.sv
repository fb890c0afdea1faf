// Proofs of stop_orders, up to a depth in cycles: for any operations of the host, events and pauses of risk, of any two slots:
// - an order is asked for only by a slot that is armed and whose trigger an event reached since, once for each arming, with its instrument;
// - one that was reached is asked for: while any slot fires, an order is asked for within six cycles, and orders leave in the order of their
//   events, those of one event in the order of their distance from the instrument's quarter (see docs/reference/rules.md);
// - an operation takes effect between two events: a change or cancel is done exactly if the slot has not fired; a slot is not armed again before
//   its order left.
//
// Only ports are looked at: accepted operations, answers, events, intents that are taken.
module stop_orders_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 8,
    parameter int GROUP = 2,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic                             clk,
    input logic [1:0][            Slot-1:0] any_slot,
    input logic                             event_valid,
    input logic                             event_instrument,
    input logic signed [LastPriceWidth-1:0] event_price,
    input logic                             write_valid,
    input stop_operation_e                  write_operation,
    input logic        [          Slot-1:0] write_slot,
    input logic                             write_sell,
    input logic                             write_instrument,
    input logic signed [OrderPriceWidth-1:0] write_trigger,
    input logic                             intent_ready
);
  localparam int Groups = SLOTS / GROUP;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [1:0][Slot-1:0] slot;
  always_ff @(posedge clk) if (rst) slot <= any_slot;

  logic event_ready, write_ready, answer_valid;
  stop_answer_t answer;
  stop_watch_t write_watch;
  logic [Slot:0] armed_count;
  intent_if intent ();
  assign intent.ready = intent_ready;
  assign write_watch = '{side: side_e'(write_sell), instrument: InstrumentWidth'(write_instrument), trigger: write_trigger};

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
      .event_price,
      .write_valid,
      .write_ready,
      .write_operation,
      .write_slot,
      .write_watch,
      .answer_valid,
      .answer,
      .intent(intent.src),
      .armed_count
  );

  always_comb begin
    assume (slot[0] != slot[1] || rst);
    assume (write_operation != stop_operation_e'(2'd3));
    assume (!(rst && (event_valid || write_valid)));
  end

  // ---- the model: the same for each of the two slots ----------------------------------------------------

  logic event_taken, intent_taken;
  assign event_taken = event_valid && event_ready;
  assign intent_taken = intent.valid && intent.ready;

  stop_operation_e operation;  // accepted last
  logic [Slot-1:0] operation_slot;
  stop_watch_t operation_watch;
  logic [4:0] events;  // so far
  always_ff @(posedge clk) begin
    if (write_valid && write_ready) begin
      operation <= write_operation;
      operation_slot <= write_slot;
      operation_watch <= write_watch;
    end
    events <= rst ? '0 : events + 5'(event_taken);
  end

  stop_state_e [1:0] state, settled;
  stop_watch_t [1:0] held, current;
  logic [1:0] answered, reached, asked, taken;
  logic [1:0][4:0] fired_at;
  logic [1:0][Slot-1:0] turn;  // its place among those that an event of its instrument fires
  logic [1:0][1:0] left;
  stop_state_e state_before[2];  // in the cycle in which the operation took effect
  for (genvar i = 0; i < 2; i++) begin : g_slot
    assign answered[i] = answer_valid && operation_slot == slot[i];
    assign turn[i] = slot[i] ^ Slot'(32'(held[i].instrument[1:0]) * SLOTS / 4);
    assign asked[i] = intent.valid && intent.handle == HandleWidth'(slot[i]);
    assign taken[i] = asked[i] && intent.ready;
    // An answer is of the cycle before: it comes before this cycle's event.
    assign settled[i] = !(answered[i] && answer.done) ? state[i] : operation == STOP_CANCEL ? STOP_EMPTY : STOP_ARMED;
    assign current[i] = answered[i] && answer.done ? operation_watch : held[i];
    assign reached[i] = event_taken && current[i].instrument == InstrumentWidth'(event_instrument) &&
        (current[i].side == SIDE_SELL ? event_price <= current[i].trigger : event_price >= current[i].trigger);
    always_ff @(posedge clk) begin
      held[i]  <= current[i];
      state[i] <= settled[i];
      if (settled[i] == STOP_ARMED && reached[i]) begin
        state[i] <= STOP_FIRING;
        fired_at[i] <= events;
      end
      if (taken[i]) begin
        state[i] <= STOP_FIRED;
        left[i]  <= left[i] + 2'(left[i] != 2'd3);
      end
      if (rst) begin
        state[i] <= STOP_EMPTY;
        left[i]  <= '0;
      end
    end
  end

  logic [3:0] idle_for;  // cycles in which the first slot fired and no order was asked for
  logic soon_before;
  always_ff @(posedge clk) begin
    idle_for <= rst || intent.valid || state[0] != STOP_FIRING ? '0 : idle_for + 4'(!(&idle_for));
    soon_before <= intent.soon;
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      for (int i = 0; i < 2; i++) begin
        if (asked[i]) assert (state[i] == STOP_FIRING && intent.instrument == held[i].instrument);
        if (answered[i]) begin
          assert (answer.previous == state[i] || (answer.previous == STOP_FIRING && state[i] == STOP_FIRED));
          if (operation == STOP_SET)
            assert (answer.done == (answer.previous == STOP_EMPTY || answer.previous == STOP_FIRED));
            else assert (answer.done == (state[i] == STOP_ARMED));
        end
      end
      if (intent.valid) assert (soon_before && intent.handle < HandleWidth'(SLOTS));
      // The second does not go before the first, if the first fired earlier, or at the same event and is lower.
      if (taken[1] && state[0] == STOP_FIRING) begin
        assert (fired_at[0] > fired_at[1] || (fired_at[0] == fired_at[1] && turn[0] > turn[1]));
      end
      assert (idle_for <= 4'(5 + Groups));

      cover (left[0] == 2'd2);
      cover (taken[1] && state[0] == STOP_FIRING && fired_at[0] == fired_at[1] && slot[0] > slot[1]);
      cover (taken[1] && state[0] == STOP_FIRING && fired_at[0] == fired_at[1] && slot[0] < slot[1]);
      cover (taken[1] && state[0] == STOP_FIRING && fired_at[0] > fired_at[1] && slot[0] < slot[1]);
      cover (answered[0] && !answer.done && operation == STOP_CANCEL && state[0] == STOP_FIRING);
      cover (answered[0] && answer.done && operation == STOP_CHANGE && event_taken);
      cover (answered[0] && !answer.done && operation == STOP_SET && answer.previous == STOP_FIRING);
    end
  end

  logic unused;
  assign unused = &{1'b0, armed_count, intent_taken};
endmodule

// Says which armed stops an event reaches: all slots at once, or group after group where there is less room than time.
//
//   AT_ONCE = SLOTS   event ─ compare all ─ match
//   fewer             event ─ FIFO ─ a group a cycle: distributed RAM ─ register ─ compare ─ collected ─ match
//
// A sell's trigger is reached at or below it, a buy's at or above. `match` tells for one cycle, of all slots, what one event reached.
//
// Latency: 1 cycle; in groups, SLOTS / AT_ONCE + 1. Throughput: an event a cycle; in groups, one in SLOTS / AT_ONCE + 2 cycles.
// Parameters: SLOTS; AT_ONCE, slots compared in a cycle; EVENTS that wait, a power of two.
// Overflow: none at once. In groups, EVENTS are as many as decoder_fix commits together (asserted), and entries come more slowly than that.
module stop_match
  import tickwire_pkg::*;
  import order_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int AT_ONCE = SLOTS,
    parameter int EVENTS = 64,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input logic                              event_valid,
    input logic        [InstrumentWidth-1:0] event_instrument,
    input logic signed [     PriceWidth-1:0] event_price,

    input logic        [          SLOTS-1:0] armed,
    input logic                              write,
    input logic        [           Slot-1:0] write_slot,
    input logic        [          SLOTS-1:0] write_hot,         // the same, a bit a slot
    input side_e                             write_side,
    input logic        [InstrumentWidth-1:0] write_instrument,
    input logic signed [     PriceWidth-1:0] write_trigger,

    output logic                       event_now,         // one comes or is being compared; low in the cycle of its match
    output logic                       match_valid,
    output logic [InstrumentWidth-1:0] match_instrument,  // with it
    output logic [          SLOTS-1:0] match
);
  localparam int Groups = SLOTS / AT_ONCE;

  typedef struct packed {
    side_e                        side;
    logic [InstrumentWidth-1:0]   instrument;
    logic signed [PriceWidth-1:0] trigger;
  } watch_t;

  // A bit behind the price decides when it equals the trigger: a sell's trigger is then above it, a buy's is not.
  function automatic logic reaches(input logic [InstrumentWidth-1:0] instrument, input logic signed [PriceWidth-1:0] price,
                                   input watch_t watch);
    logic below;
    below = $signed({price, 1'b0}) < $signed({watch.trigger, watch.side == SIDE_SELL});
    return instrument == watch.instrument && below == (watch.side == SIDE_SELL);
  endfunction

  if (AT_ONCE == SLOTS) begin : g_at_once
    watch_t watches[SLOTS];
    logic unused;

    assign unused = &{1'b0, write_slot};
    assign event_now = event_valid;

    always_ff @(posedge clk) begin
      match_valid <= event_valid && !rst;
      match_instrument <= event_instrument;
      for (int i = 0; i < SLOTS; i++) begin
        match[i] <= event_valid && armed[i] && !match[i] && reaches(event_instrument, event_price, watches[i]);
        if (write && write_hot[i]) watches[i] <= '{side: write_side, instrument: write_instrument, trigger: write_trigger};
      end
      if (rst) match <= '0;
    end
  end else begin : g_groups
    localparam int Group = $clog2(Groups);
    localparam int Lane = $clog2(AT_ONCE);
    localparam int Event = InstrumentWidth + PriceWidth;

    typedef enum logic [1:0] {
      IDLE,
      COMPARE,
      LAST,     // the last group is compared
      MATCHED
    } state_e;

    state_e state;
    logic [Group-1:0] group, compared;  // being read, being compared
    logic comparing;
    logic [SLOTS-1:0] collected;
    logic [AT_ONCE-1:0] reached;
    watch_t [AT_ONCE-1:0] watch;
    logic empty, full_unused, overflow;
    logic [$clog2(EVENTS):0] count_unused;
    logic [InstrumentWidth-1:0] instrument;
    logic signed [PriceWidth-1:0] price;
    logic hot_unused;

    assign hot_unused = &{1'b0, write_hot};

    fifo #(
        .WIDTH(Event),
        .DEPTH(EVENTS)
    ) events (
        .clk,
        .rst,
        .write(event_valid),
        .write_data({event_instrument, event_price}),
        .full(full_unused),
        .overflow,
        .read(state == LAST),
        .read_data({instrument, price}),
        .empty,
        .count(count_unused)
    );

    for (genvar i = 0; i < AT_ONCE; i++) begin : g_lane
      (* ram_style = "distributed" *)
      logic [$bits(watch_t)-1:0] watches[Groups];
      always_ff @(posedge clk) begin
        watch[i] <= watches[group];
        if (write && write_slot[Lane-1:0] == Lane'(i)) watches[write_slot[Slot-1:Lane]] <= {write_side, write_instrument, write_trigger};
      end
      assign reached[i] = armed[{compared, Lane'(i)}] && reaches(instrument, price, watch[i]);
    end

    assign event_now = event_valid || !empty;

    always_ff @(posedge clk) begin
      comparing <= state == COMPARE || (state == IDLE && event_now);
      compared <= group;
      match_valid <= 1'b0;
      match <= '0;
      unique case (state)
        IDLE:
        if (event_now) begin
          group <= Group'(1);
          state <= COMPARE;
        end
        COMPARE: begin
          group <= group + 1'b1;
          if (group == '1) state <= LAST;
        end
        LAST: begin
          match_valid <= 1'b1;
          match_instrument <= instrument;
          match <= collected;
          match[SLOTS-1-:AT_ONCE] <= reached;
          group <= '0;
          state <= MATCHED;
        end
        default: state <= IDLE;  // what it fired is not armed any more when the next is compared
      endcase
      if (comparing) collected[{compared, Lane'(0)}+:AT_ONCE] <= reached;
      if (rst) begin
        state <= IDLE;
        group <= '0;
        comparing <= 1'b0;
        match_valid <= 1'b0;
        match <= '0;
      end
    end

    assert property (@(posedge clk) disable iff (rst) !overflow);
  end
endmodule

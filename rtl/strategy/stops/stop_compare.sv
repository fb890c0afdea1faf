// Compares each price with the stops, a group of slots a cycle.
//
//   event ─ register ─┬─ compare ─ (register) ─ match
//   group ─ stop_table ┘
//
// The slots are in four quarters, and every instrument has one that is compared first: that of its number modulo 4. So a stop in its instrument's
// quarter fires as if there were no others. A sell's trigger is reached at or below it, a buy's at or above.
//
// Latency: event to match of a group 2 cycles, with REGISTERED 3, and 1 more for each group before it. Throughput: an event in SLOTS / GROUP cycles: `event_ready`
// says when. Parameters: SLOTS; GROUP, slots compared in a cycle, a quarter of them or fewer; REGISTERED, 1: the
// halves of a comparison are put together a cycle later, for a slower part; INSTRUMENTS. Overflow: none, events wait.
module stop_compare
  import tickwire_pkg::*;
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int GROUP = SLOTS / 4,
    parameter bit REGISTERED = 1'b0,
    parameter int INSTRUMENTS = 16,
    localparam int Group = $clog2(SLOTS / GROUP),
    localparam int Fours = (GROUP + 3) / 4,
    localparam int Index = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    input  logic                             event_valid,
    output logic                             event_ready,
    input  logic        [InstrumentWidth-1:0] event_instrument,
    input  logic signed [LastPriceWidth-1:0] event_price,
    input  logic                             pause,  // no event may begin
    output logic                             active, // one begins, or a group is read for one

    output logic        [Group-1:0] group,      // read in this cycle
    input  stop_watch_t [GROUP-1:0] watch,      // of the group read in the last cycle
    input  logic        [GROUP-1:0] armed,

    output logic             comparing,         // there may be a match in the next cycle
    output logic [GROUP-1:0] match,             // reached, and armed: for one cycle
    output stop_four_t [Fours-1:0] match_fours,  // the same by fours: few flip-flops lead to the order store
    output logic [Group-1:0] match_group,
    output logic [Index-1:0] match_instrument
);
  // A slot's state follows its match in the third or fourth cycle after it was read: the next event of its instrument reads it later than that.
  if (REGISTERED && SLOTS / GROUP < 8) begin : gen_registered
    $fatal(1, "stop_compare: with REGISTERED, GROUP is at most SLOTS / 8");
  end
  if (GROUP < 2 || GROUP > 64 || GROUP != 1 << $clog2(GROUP) || GROUP * 4 > SLOTS) begin : gen_group
    $fatal(1, "stop_compare: GROUP is %0d; it must be a power of two from 2 to 64, and at most SLOTS / 4", GROUP);
  end

  logic begins, resting;  // resting: no group is left to be read
  logic [Group-1:0] step, compared;
  logic [1:0] quarter;
  logic [Index-1:0] instrument;
  // For each four slots flip-flops of their own: the slots lie far from each other.
  (* keep *) logic [Fours-1:0][LastPriceWidth-1:0] prices;

  assign event_ready = resting && !pause;
  assign begins = event_valid && event_ready;
  assign active = begins || !resting;
  // From the first of the instrument's quarter on.
  assign quarter = 2'(resting ? event_instrument[Index-1:0] : instrument);
  assign group = step ^ (Group'(quarter) << (Group - 2));

  // A bit below the price decides when it equals the trigger: a sell's trigger is then above it, a buy's is not. The sign is complemented, for
  // an unsigned comparison is one chain of carries, and a signed one two. In halves, for one chain takes most of a cycle; whether the high halves are
  // the same would take longer still, so both ways are compared, the second by the carry of a sum, which no tool makes one comparison of with the first.
  typedef struct packed {
    logic high_below;
    logic high_above;
    logic low_below;
    logic sell;
  } halves_t;

  function automatic halves_t compare(input logic signed [LastPriceWidth-1:0] last, input side_e side,
                                      input logic signed [OrderPriceWidth-1:0] trigger);
    localparam int Half = (LastPriceWidth + 1) / 2;
    localparam int High = LastPriceWidth + 1 - Half;
    logic [LastPriceWidth:0] from, to;
    /* verilator lint_off UNUSEDSIGNAL */  // only the carry
    logic [High:0] above;
    /* verilator lint_on UNUSEDSIGNAL */
    from = {!last[LastPriceWidth-1], last[LastPriceWidth-2:0], 1'b0};
    to = {
      !trigger[OrderPriceWidth-1],
      {(LastPriceWidth - OrderPriceWidth) {trigger[OrderPriceWidth-1]}},
      trigger[OrderPriceWidth-2:0],
      side == SIDE_SELL
    };
    above = {1'b0, from[LastPriceWidth:Half]} + {1'b0, ~to[LastPriceWidth:Half]};
    return
    '{
        high_below: from[LastPriceWidth:Half] < to[LastPriceWidth:Half],
        high_above: above[High],
        low_below: from[Half-1:0] < to[Half-1:0],
        sell: side == SIDE_SELL
    }
    ;
  endfunction

  function automatic logic reaches(input halves_t halves);
    return (halves.high_below || (!halves.high_above && halves.low_below)) == halves.sell;
  endfunction

  halves_t [GROUP-1:0] halves, halves_now;
  logic [GROUP-1:0] match_next, candidates, candidates_now;  // candidates: armed, and of the instrument
  logic reading;  // a group was read in the last cycle
  logic [Group-1:0] compared_now;
  logic [Index-1:0] instrument_now;

  always_comb begin
    for (int i = 0; i < GROUP; i++) begin
      candidates_now[i] = reading && armed[i] && watch[i].instrument[Index-1:0] == instrument;
      halves_now[i] = compare($signed(prices[i/4]), watch[i].side, watch[i].trigger);
      match_next[i] = candidates[i] && reaches(halves[i]);
    end
  end

  if (REGISTERED) begin : gen_stage
    always_ff @(posedge clk) begin
      {halves, candidates, compared_now, instrument_now} <= {halves_now, candidates_now, compared, instrument};
      comparing <= reading;
      if (rst) {candidates, comparing} <= '0;
    end
  end else begin : gen_no_stage
    assign {halves, candidates, compared_now, instrument_now, comparing} = {halves_now, candidates_now, compared, instrument, reading};
  end

  always_ff @(posedge clk) begin
    if (resting) {instrument, prices} <= {event_instrument[Index-1:0], {Fours{event_price}}};
    if (active) step <= step + 1'b1;
    resting <= !begins && (resting || step == '1);
    reading <= active;
    compared <= active ? group : '0;  // so that intent.handle is 0 when nothing is compared: see intent_if
    match_group <= compared_now;
    match_instrument <= instrument_now;
    match <= match_next;
    for (int f = 0; f < Fours; f++) begin
      match_fours[f] <= '{some: 4'(match_next >> 4 * f) != '0, lowest: lowest_of_four(4'(match_next >> 4 * f))};
    end
    if (rst) begin
      step <= '0;
      resting <= 1'b1;
      reading <= 1'b0;
      match <= '0;
      match_fours <= '0;
    end
  end

  logic unused;
  always_comb begin
    unused = &{1'b0, event_instrument};
    for (int i = 0; i < GROUP; i++) unused &= &watch[i].instrument;
  end

  assert property (@(posedge clk) disable iff (rst) !event_valid || int'(event_instrument) < INSTRUMENTS);
  assert property (@(posedge clk) disable iff (rst) resting == (step == '0));
endmodule

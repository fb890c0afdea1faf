// All levels of an instrument by number of orders, in block RAM, and the next ones for the registers that have the best (price_levels): found ahead.
//
//   entry ─ l1 from the window's begin ─ l3 on its tick? ─ l4 place ─ (RAM) ─ l6 forwarded ─ l7 one more or less ─ l8 written
//   search ──────────────────────────────────────────────────┘                     └─ words with orders, two ─ a level a cycle ─ queue ─ append
//
// A word has four ticks. Words are read from where a side's registers end, one in every cycle in which no entry needs the port, and the levels in them stand in
// the side's queue before they are wanted: an append needs no search. The search serves one side until its queue is full, then the other; first one whose queue is empty
// and whose registers have room. An entry that the registers missed, and that belongs where the search has been, throws that side's queue away; it begins
// anew after the last level that the registers have. All others are read when the search comes to them.
//
// Orders beyond the worse end of the window are counted, and nothing more is known of them: while there are some, no side is said to have no more levels.
//
// Latency: none for a level that was found ahead. After a change among those the next one is offered after 23 cycles or more, an empty stretch costs a cycle for four ticks; after
// a rebuild by the host each side is read from the better end of the window, up to 2,048 cycles. Throughput: an entry a cycle; levels found: one a cycle where words are full, at most
// a word in each cycle without an entry. So a packet that takes levels from the best on finds the registers' K, the 9 of the queue, and those that are read
// meanwhile. Parameters: LEVELS, bits of a number of levels in the registers; COUNT, bits of a number of orders. Overflow: a full queue stops the search.
// A price before the better end of the window, or that is no multiple of the tick, a delete that finds no order, and more orders of a level than can be counted pulse `fault`.
module price_ladder
  import book_pkg::*;
  import price_tick_pkg::*;
#(
    parameter int LEVELS = 4,
    parameter int COUNT = 9
) (
    input logic clk,
    input logic rst,
    input logic clear,  // no order is there; nothing may come while `clearing`
    output logic clearing,
    input logic search,  // sides may get levels
    input window_t window,  // set while nothing is here

    input logic entry,  // an order enters or leaves
    input logic adds,
    input logic sells,
    input price_t price,
    input tick_t tick,  // of the price, if it is on one
    output logic beyond1,  // of the entry of the cycle before: its price is beyond the worse end of the window

    // Of both sides: bids, asks (price_levels).
    input logic [1:0] wants,
    input logic [1:0] begins,
    input tick_t [1:0] edges,  // as ranks: a tick, of bids complemented
    input logic [1:0][LEVELS-1:0] held,  // levels in the registers
    input logic [1:0] empty,
    input logic [1:0] missed,
    input logic [1:0] lost,  // what they took they have not appended

    output logic [1:0] append_valid,
    output logic [1:0] append_none,
    output tick_t [1:0] append_rank,
    output logic [1:0][COUNT-1:0] append_count,
    input logic [1:0] append_taken,

    output logic still,  // no entry has come for as long as one takes here
    output logic fault
);
  localparam int TicksLog2 = WindowBits;
  localparam int Word = TicksLog2 + 1 - 2;  // address of a word: side, place
  localparam int Still = 15;  // cycles from an entry in the registers until it is written here, and more
  localparam int BeyondBits = 16;
  typedef logic [TicksLog2-1:0] place_t;
  typedef logic [4*COUNT-1:0] word_t;

  if (TicksLog2 != TickBits - 1) begin : gen_check
    $fatal(1, "price_ladder has %0d bits for the ticks of a window, which has %0d", TicksLog2, TickBits - 1);
  end

  localparam int QueueLog2 = 3;  // levels of a side that are found ahead
  typedef logic [TicksLog2-3:0] place_word_t;
  typedef logic [QueueLog2:0] queued_t;

  typedef enum logic [1:0] {
    IDLE,
    ASK,
    WAIT,
    SCAN
  } state_e;
  state_e state;

  // ---- l1 to l4: whether the price is that of its tick. A rank is a place: the better of two has the lower place, on either side. An edge's comes where no entry does.

  logic side;  // that is searched
  logic edge_asks;
  logic [PriceBits:0] away;
  logic [4:1] valid, converts, adds_in, sells_in;
  logic [3:1] better, beyond;  // the price is beyond an end of the window
  price_t away1, away2;
  tick_t tick1;
  logic [TicksLog2+SizeBits-1:0] back2;  // what the tick comes to
  logic off_tick3, fault_reg;
  place_t place1, place2, place3, place4;

  assign away = {1'b0, price} - {1'b0, window.low_price};
  assign beyond1 = beyond[1];
  assign fault = fault_reg || off_tick3;  // before the entry's prices are shown

  logic beyond_more, beyond_less, over5;
  logic [1:0][BeyondBits-1:0] beyond_orders;
  logic [1:0] none_beyond;
  always_ff @(posedge clk) begin
    valid <= {valid[3] && !better[3] && !beyond[3] && !off_tick3, valid[2:1], entry};
    converts <= {converts[3:1], !entry && edge_asks};
    adds_in <= {adds_in[3:1], adds};
    sells_in <= {sells_in[3:1], entry ? sells : side};
    {away1, away2} <= {away[PriceBits-1:0], away1};
    tick1 <= tick;
    better[1] <= sells ? away[PriceBits] : price >= window.end_price;
    beyond[1] <= sells ? price >= window.end_price : away[PriceBits];
    {better[3:2], beyond[3:2]} <= {better[2:1], beyond[2:1]};
    back2 <= (TicksLog2 + SizeBits)'(tick1) * (TicksLog2 + SizeBits)'(window.size);
    off_tick3 <= valid[2] && !better[2] && !beyond[2] && price_t'(back2) != away2;
    place1 <= !entry ? edges[side] : sells ? tick : ~tick;
    {place2, place3, place4} <= {place1, place2, place3};

    // Beyond the worse end.
    beyond_more <= valid[1] && beyond[1] && adds_in[1];
    beyond_less <= valid[1] && beyond[1] && !adds_in[1];
    over5 <= 1'b0;
    for (int s = 0; s < 2; s++) begin
      if (sells_in[2] == 1'(s)) begin
        if (beyond_more && !(&beyond_orders[s])) beyond_orders[s] <= beyond_orders[s] + 1'b1;
        if (beyond_less && !none_beyond[s]) beyond_orders[s] <= beyond_orders[s] - 1'b1;
        if ((beyond_more && &beyond_orders[s]) || (beyond_less && none_beyond[s])) over5 <= 1'b1;
      end
    end
    if (rst || clear) begin
      valid <= '0;
      {beyond_more, beyond_less, off_tick3} <= '0;
      beyond_orders <= '0;
    end
    if (state == IDLE) converts <= '0;
  end
  for (genvar s = 0; s < 2; s++) begin : gen_beyond
    assign none_beyond[s] = beyond_orders[s] == '0;
  end

  // ---- the search

  logic [3:0] quiet;  // cycles since an entry
  logic [1:0] all_held;  // the registers have all levels of their side
  logic [1:0] wanted;  // `wants`, `empty`, a cycle late; of the asks
  logic asks_emptied;
  logic [1:0] missed3, held_off;
  logic missed4;
  logic [1:0][TicksLog2:0] live_levels;

  // Of each side: whether the search is where the registers and the queue end; if so, where it goes on; the last word that it read, and whether that was the window's last.
  logic [1:0] follows, ended, conflict4, starts_anew, urgent, searched;
  place_word_t [1:0] resume_at, reached;
  logic [1:0][3:0] resume_ticks;  // of that word
  logic picked, leaves, drained;  // a cycle late
  logic [1:0] exhausted;  // likewise: the side has no more levels than the registers

  // The words that are read, and the one whose levels are handed out.
  place_word_t scan;
  logic first, last_probe, probe4, probe5, probe6, probe7, hit8, first5, first6, first7, first8, collides;
  logic again, again_first;  // a word found no place: it is read again
  place_word_t at5, at6, at7, at8, at9, at10, again_at;
  logic [3:0] hits7, hits8;  // ticks of a word with orders
  logic [3:0] first_ticks, left9, left10, rest10;  // ticks of the next word, and of that one, with orders that are not handed out yet
  word_t held8, held9, held10;
  logic hands_out, moves_on;
  logic [1:0] lane10;

  // A level on its way to the queue; the queue.
  logic out1, out_side1;
  place_t out_place1;
  logic [COUNT-1:0] orders1;
  queued_t [1:0] queued, written, taken;  // queued: also those on their way
  logic [1:0] has_room, opens, loads, offers, has_none, hands_to;

  assign edge_asks = state == ASK;
  assign still = quiet == 4'(Still);

  always_comb begin
    for (int s = 0; s < 2; s++) begin
      hands_to[s] = hands_out && side == 1'(s);
      // An entry that the registers missed, where the search has been.
      conflict4[s] = valid[4] && missed4 && sells_in[4] == 1'(s) && follows[s] && place4[TicksLog2-1:2] <= reached[s];
      urgent[s] = wanted[s] && queued[s] == '0 && !offers[s] && !(follows[s] && ended[s]);
      searched[s] = follows[s] && (ended[s] || !has_room[s]);
      opens[s] = has_room[s] && !starts_anew[s];
      loads[s] = (!offers[s] || append_taken[s]) && taken[s] != written[s];
      // Until it is known where an entry that was missed belongs, nothing is appended.
      append_valid[s] = (offers[s] || has_none[s]) && !held_off[s];
      append_none[s] = !offers[s];
    end
  end

  assign probe4 = state == SCAN && !valid[4] && !last_probe && has_room[side];
  assign hands_out = left10 != '0 && opens[side] && !leaves;  // there are none but in SCAN
  assign lane10 = left10[0] ? 2'd0 : left10[1] ? 2'd1 : left10[2] ? 2'd2 : 2'd3;
  assign rest10 = hands_out ? left10 & (left10 - 1'b1) : left10;
  assign moves_on = rest10 == '0;
  assign collides = hit8 && !again && left9 != '0 && !moves_on;

  // ---- l4 to l8: the RAM

  (* no_rw_check, ram_style = "block" *) word_t ram[1<<Word];
  word_t read5, read6, before6, before7, after7, word8, word9, word10;
  logic [10:5] writes;
  logic [7:5] adds_at;
  logic [8:5] sells_at;
  logic [10:5][Word-1:0] address;
  logic [7:5][1:0] lane;
  logic [3:0] same6;  // the word of an entry before: so many stages ahead
  logic [Word-1:0] address4, sweep;
  logic [COUNT-1:0] old7, new7;
  logic over7, empty_before7, empty_after7, birth8, death8;


  assign address4 = valid[4] ? {sells_in[4], place4[TicksLog2-1:2]} : {side, scan};

  always_comb begin
    old7 = before7[COUNT*lane[7]+:COUNT];
    new7 = old7 + {{COUNT - 1{!adds_at[7]}}, 1'b1};
    after7 = before7;
    after7[COUNT*lane[7]+:COUNT] = new7;
    empty_before7 = old7 == '0;
    empty_after7 = !adds_at[7] && old7 == COUNT'(1);
    over7 = adds_at[7] ? &old7 : empty_before7;
    before6 = read6;
    if (same6[3]) before6 = word10;
    if (same6[2]) before6 = word9;
    if (same6[1]) before6 = word8;
    if (same6[0]) before6 = after7;
    for (int i = 0; i < 4; i++) hits7[i] = before7[COUNT*i+:COUNT] != '0 && (!first7 || first_ticks[i]);
  end

  always_ff @(posedge clk) begin
    read5 <= ram[address4];
    read6 <= read5;
    if (writes[8] || clearing) ram[clearing?sweep : address[8]] <= clearing ? '0 : word8;
    // What cannot be done changes nothing.
    writes <= {writes[9:8], writes[7] && !over7, writes[6:5], valid[4]};
    adds_at <= {adds_at[6:5], adds_in[4]};
    sells_at <= {sells_at[7:5], sells_in[4]};
    address <= {address[9:5], address4};
    lane <= {lane[6:5], place4[1:0]};
    for (int i = 0; i < 4; i++) same6[i] <= writes[6+i] && address[6+i] == address[5];
    before7 <= before6;
    {word8, word9, word10} <= {after7, word8, word9};
    {birth8, death8} <= {writes[7] && adds_at[7] && empty_before7, writes[7] && empty_after7};
    for (int s = 0; s < 2; s++) begin
      if (sells_at[8] == 1'(s)) live_levels[s] <= live_levels[s] + (TicksLog2 + 1)'(birth8) - (TicksLog2 + 1)'(death8);
    end
    fault_reg <= (writes[7] && over7) || over5 || (valid[1] && better[1]);
    sweep <= clearing ? sweep + 1'b1 : '0;
    clearing <= clear || (clearing && sweep != '1);
    if (rst || clear) begin
      {writes, birth8, death8, fault_reg} <= '0;
      live_levels <= '0;
    end
    if (rst) clearing <= 1'b1;
  end

  // ---- words are read, and the levels in them handed out, one in a cycle

  always_ff @(posedge clk) begin
    {missed3, missed4} <= {missed, missed3 != '0};
    held_off <= missed | missed3 | conflict4 | lost | {2{clear}};
    starts_anew <= conflict4 | lost | {2{clear || !search}};
    {probe5, probe6, probe7} <= {probe4, probe5, probe6};
    hit8 <= probe7 && hits7 != '0;
    hits8 <= hits7;
    {again, again_at, again_first} <= {collides && state == SCAN, at8, first8};
    {at5, at6, at7, at8} <= {scan, at5, at6, at7};
    {first5, first6, first7, first8} <= {first, first5, first6, first7};
    held8 <= before7;
    // The side that needs levels most.
    picked <= urgent == 2'b11 ? asks_emptied : urgent != '0 ? urgent[1] : searched[0];
    leaves <= state == SCAN && !leaves && ((urgent[!side] && !urgent[side]) || (searched[side] && !searched[!side]));
    drained <= state == SCAN && last_probe && {probe5, probe6, probe7, hit8} == '0 && left9 == '0 && left10 == '0;
    for (int s = 0; s < 2; s++) begin
      all_held[s] <= live_levels[s] == (TicksLog2 + 1)'(held[s]) && none_beyond[s];
      exhausted[s] <= all_held[s] && still && queued[s] == '0 && !offers[s];
    end
    {wanted, asks_emptied} <= {wants, empty[1]};
    quiet <= entry ? '0 : still ? quiet : quiet + 1'b1;

    // In time: it is not read before the cycle after this one.
    if (out1) begin
      resume_at[out_side1] <= out_place1[TicksLog2-1:2];
      resume_ticks[out_side1] <= 4'b1110 << out_place1[1:0];
    end
    case (state)
      IDLE: begin
        side <= picked;
        if (!(&searched) && search && !clearing) state <= follows[picked] ? SCAN : ASK;
        scan <= resume_at[picked];
        first_ticks <= resume_ticks[picked];
        first <= 1'b1;
        last_probe <= ended[picked];
      end
      ASK:
      if (starts_anew[side] || missed[side]) state <= IDLE;
      else if (all_held[side] && still) begin
        {follows[side], ended[side]} <= '1;
        reached[side] <= '1;
        state <= IDLE;
      end else if (!entry) state <= WAIT;
      WAIT:
      // An entry that was missed meanwhile may have moved the edge.
      if (starts_anew[side] || missed[side])
        state <= IDLE;
      else if (converts[4]) begin
        follows[side] <= 1'b1;
        ended[side] <= 1'b0;
        resume_at[side] <= begins[side] ? '0 : place4[TicksLog2-1:2];
        reached[side] <= begins[side] ? '0 : place4[TicksLog2-1:2];
        resume_ticks[side] <= begins[side] ? '1 : 4'b1110 << place4[1:0];
        state <= IDLE;
      end
      default: begin
        if (probe4) begin
          reached[side] <= scan;
          scan <= scan + 1'b1;
          first <= 1'b0;
          last_probe <= &scan;
        end
        left10 <= rest10;
        if (moves_on) begin
          {left10, at10, held10} <= {left9, at9, held9};
          left9 <= '0;
        end
        if (hit8 && !collides && !again) {left9, at9, held9} <= {hits8, at8, held8};
        if (again) begin
          {scan, first, last_probe} <= {again_at, again_first, 1'b0};
          {probe5, probe6, probe7, hit8} <= '0;
        end
        if (drained || exhausted[side]) begin
          ended[side] <= 1'b1;
          reached[side] <= '1;
        end
        if (leaves || starts_anew[side] || !follows[side] || drained || ended[side]) state <= IDLE;
      end
    endcase
    if (state != SCAN || leaves || starts_anew[side] || ended[side]) begin
      {probe5, probe6, probe7, hit8, again} <= '0;
      {left9, left10} <= '0;
    end
    for (int s = 0; s < 2; s++) if (starts_anew[s]) follows[s] <= 1'b0;
    if (rst || clear) begin
      state <= IDLE;
      follows <= '0;
      quiet <= '0;
    end
  end

  // ---- a queue for each side, whose first level is offered to the registers

  always_ff @(posedge clk) begin
    out_place1 <= {at10, lane10};
    orders1 <= held10[COUNT*lane10+:COUNT];
    out_side1 <= side;
    out1 <= hands_out && !rst;
  end

  for (genvar s = 0; s < 2; s++) begin : gen_queue
    logic [COUNT+TicksLog2-1:0] queue[1<<QueueLog2];

    always_ff @(posedge clk) begin
      if (out1 && out_side1 == 1'(s)) queue[written[s][QueueLog2-1:0]] <= {out_place1, orders1};
      if (loads[s]) {append_rank[s], append_count[s]} <= queue[taken[s][QueueLog2-1:0]];
      offers[s] <= loads[s] || (offers[s] && !append_taken[s]);
      has_none[s] <= queued[s] == '0 && !offers[s] && follows[s] && ended[s] && none_beyond[s];
      queued[s] <= queued[s] + queued_t'(hands_to[s]) - queued_t'(loads[s]);
      // One that is taken in this cycle does not count.
      has_room[s] <= queued[s] < queued_t'((1 << QueueLog2) - 1) || (queued[s] == queued_t'((1 << QueueLog2) - 1) && !hands_to[s]);
      written[s] <= written[s] + queued_t'(out1 && out_side1 == 1'(s));
      taken[s] <= taken[s] + queued_t'(loads[s]);
      if (starts_anew[s] || rst) begin
        {queued[s], written[s], taken[s]} <= '0;
        {offers[s], has_none[s]} <= '0;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, window, empty[0]};

  assert property (@(posedge clk) disable iff (rst) !(out1 && state == IDLE));
  assert property (@(posedge clk) disable iff (rst) !hands_out || (follows[side] && state == SCAN));
  assert property (@(posedge clk) disable iff (rst) queued[0] <= queued_t'(1 << QueueLog2) && queued[1] <= queued_t'(1 << QueueLog2));
  for (genvar s = 0; s < 2; s++) begin : gen_offered
    assert property (@(posedge clk) disable iff (rst) !has_none[s] || starts_anew[s] || !offers[s]);
    assert property (@(posedge clk) disable iff (rst) starts_anew[s] || written[s] - taken[s] <= queued[s]);
  end
endmodule

// All levels of an instrument by number of orders, in block RAM: those that the registers of the best ones (price_levels) do not hold, and the next of them
// where those have room.
//
//   entry ─ l1 from the window's begin ─ l2, l3 by tick ─ l4 place ─ (RAM) ─ l6 forwarded ─ l7 one more or less ─ l8 written
//   scan ──────────────────────────────────────────────────┘                     └─ the first level after the edge ─ price ─ append
//
// A word has four ticks. Where a side wants a level its edge's place is worked out, and words are read from there on, one in every cycle in which no entry
// needs the port. An entry that the side missed, and that comes to a word that has been read, begins the search anew; the others are read when it comes to
// them. Nothing of it is on the path of a best price that the registers have.
//
// Orders beyond the worse end of the window are counted, and nothing more is known of them: while there are some, no side is said to have no more levels.
//
// Latency: none that counts; a search takes 14 cycles, the next one 9, and one for four ticks. Throughput: an entry a cycle. Parameters: LEVELS, bits of a
// number of levels in the registers; COUNT, bits of a number of orders.
// A price before the better end of the window, or that is no multiple of the tick, a delete that finds no order, and more orders of a level than can be counted pulse `fault`.
module price_ladder
  import book_pkg::*;
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

    // Of both sides: bids, asks (price_levels).
    input logic [1:0] wants,
    input logic [1:0] begins,
    input price_t [1:0] edges,  // as ranks
    input logic [1:0][LEVELS-1:0] held,  // levels in the registers
    input logic [1:0] empty,
    input logic [1:0] missed,

    output logic [1:0] append_valid,
    output logic append_none,
    output price_t append_rank,
    output logic [COUNT-1:0] append_count,
    input logic [1:0] append_taken,

    output logic still,  // no entry has come for as long as one takes here
    output logic fault
);
  localparam int TicksLog2 = 13;
  localparam int Word = TicksLog2 + 1 - 2;  // address of a word: side, place
  localparam int Still = 15;  // cycles from an entry in the registers until it is written here, and more
  localparam int BeyondBits = 16;
  typedef logic [TicksLog2-1:0] place_t;
  typedef logic [4*COUNT-1:0] word_t;

  if (TicksLog2 != TickBits - 1) begin : gen_check
    $fatal(1, "price_ladder has %0d bits for the ticks of a window, which has %0d", TicksLog2, TickBits - 1);
  end

  typedef enum logic [2:0] {
    IDLE,
    ASK,
    WAIT,
    SCAN,
    FOUND,
    PRICED,
    APPEND
  } state_e;
  state_e state;

  // ---- l1 to l4: where a price is. The better of two has the lower place, on either side. An edge's is worked out where no entry comes.

  logic side;  // that is searched
  logic edge_asks;
  price_t price0;
  logic [PriceBits:0] away;
  logic [4:1] valid, converts, adds_in, sells_in;
  logic [3:1] better;  // the price is beyond an end of the window
  logic [4:1] beyond;
  price_t away1, away2, away3, away4;
  logic rest2, rest3, rest4;
  place_t shifted2, product3, place4;
  logic [TicksLog2+SizeBits-1:0] back4;  // what a multiple of the tick comes to again

  assign price0 = entry ? price : side ? edges[1] : ~edges[0];
  assign away = {1'b0, price0} - {1'b0, window.low_price};

  logic beyond_more, beyond_less, over5;
  logic [1:0][BeyondBits-1:0] beyond_orders;
  logic [1:0] none_beyond;
  always_ff @(posedge clk) begin
    valid <= {valid[3] && !better[3] && !beyond[3], valid[2:1], entry};
    converts <= {converts[3:1], !entry && edge_asks};
    adds_in <= {adds_in[3:1], adds};
    sells_in <= {sells_in[3:1], entry ? sells : side};
    away1 <= away[PriceBits-1:0];
    better[1] <= (entry ? sells : side) ? away[PriceBits] : price0 >= window.end_price;
    beyond[1] <= (entry ? sells : side) ? price0 >= window.end_price : away[PriceBits];
    {better[3:2], beyond[4:2]} <= {better[2:1], beyond[3:1]};
    shifted2 <= place_t'(away1 >> window.shift);
    rest2 <= |(away1 & ~({PriceBits{1'b1}} << window.shift));
    {away2, away3, away4} <= {away1, away2, away3};
    {rest3, rest4} <= {rest2, rest3};
    product3 <= shifted2 * window.inverse[TicksLog2-1:0];
    place4 <= sells_in[3] ? product3 : ~product3;
    back4 <= (TicksLog2 + SizeBits)'(product3) * (TicksLog2 + SizeBits)'(window.size);

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
      {beyond_more, beyond_less} <= '0;
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
  logic [TicksLog2-2:0] scan;  // the word that is read next, and a bit more
  logic [1:0] first_lane;
  logic missed3, missed4, conflict, unwanted, reads, from_begin;
  logic [1:0] wanted, emptied;  // `wants`, `empty`, a cycle late: a side takes a level only where it wants one
  logic [TicksLog2-3:0] reached;
  logic first, probe4, probe5, probe6, probe7, probe8, abort, last_probe;
  logic [TicksLog2-3:0] at5, at6, at7, at8;
  logic first5, first6, first7;
  place_t found_place;
  logic [COUNT-1:0] found_count;
  logic hit8;
  logic [1:0] lane8;
  logic [COUNT-1:0] count8;
  logic [1:0][TicksLog2:0] live_levels;
  logic [TicksLog2+SizeBits-1:0] offset;
  logic [TicksLog2:0] scan_from, found_next;
  place_t found_tick;

  assign edge_asks = state == ASK;
  assign still = quiet == 4'(Still);
  // `reached`: the last word that was read, or has the level that was found.
  assign conflict = valid[4] && missed4 && sells_in[4] == side && reads && place4[TicksLog2-1:2] <= reached;
  assign abort  = conflict || unwanted || clear || !search;
  assign probe4 = state == SCAN && !valid[4] && !last_probe;
  assign scan_from = from_begin ? '0 : {1'b0, place4} + 1'b1;
  assign found_tick = side ? found_place : ~found_place;
  assign found_next = {1'b0, found_place} + 1'b1;

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
  logic over7, off_tick5, empty_before7, empty_after7, birth8, death8;
  logic [3:0] hits7;

  assign address4 = valid[4] ? {sells_in[4], place4[TicksLog2-1:2]} : {side, scan[TicksLog2-3:0]};

  always_comb begin
    old7 = before7[COUNT*lane[7]+:COUNT];
    new7 = old7 + {{COUNT - 1{!adds_at[7]}}, 1'b1};
    after7 = before7;
    after7[COUNT*lane[7]+:COUNT] = new7;
    empty_before7 = old7 == '0;
    empty_after7 = !adds_at[7] && old7 == COUNT'(1);
    over7 = adds_at[7] ? &old7 : empty_before7;
    for (int i = 0; i < 4; i++) hits7[i] = before7[COUNT*i+:COUNT] != '0 && !(first7 && 2'(i) < first_lane);
    before6 = read6;
    if (same6[3]) before6 = word10;
    if (same6[2]) before6 = word9;
    if (same6[1]) before6 = word8;
    if (same6[0]) before6 = after7;
  end

  always_ff @(posedge clk) begin
    read5 <= ram[address4];
    read6 <= read5;
    if (writes[8] || clearing) ram[clearing?sweep : address[8]] <= clearing ? '0 : word8;
    // What cannot be done changes nothing.
    writes <= {writes[9:8], writes[7] && !over7, writes[6], writes[5] && !off_tick5, valid[4]};
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
    off_tick5 <= valid[4] && (rest4 || price_t'(back4) != away4);
    fault <= (writes[7] && over7) || off_tick5 || over5 || (valid[1] && better[1]);
    sweep <= clearing ? sweep + 1'b1 : '0;
    clearing <= clear || (clearing && sweep != '1);
    if (rst || clear) begin
      {writes, birth8, death8, off_tick5, fault} <= '0;
      live_levels <= '0;
    end
    if (rst) clearing <= 1'b1;
  end

  // ---- the search goes on

  always_ff @(posedge clk) begin
    {missed3, missed4} <= {missed != '0, missed3};
    {probe5, probe6, probe7, probe8} <= {probe4, probe5, probe6, probe7};
    {at5, at6, at7, at8} <= {scan[TicksLog2-3:0], at5, at6, at7};
    {first5, first6, first7} <= {first, first5, first6};
    hit8 <= probe7 && hits7 != '0;
    lane8 <= hits7[0] ? 2'd0 : hits7[1] ? 2'd1 : hits7[2] ? 2'd2 : 2'd3;
    count8 <= before7[3*COUNT+:COUNT];
    for (int i = 2; i >= 0; i--) if (hits7[i]) count8 <= before7[COUNT*i+:COUNT];
    for (int s = 0; s < 2; s++) all_held[s] <= live_levels[s] == (TicksLog2 + 1)'(held[s]) && none_beyond[s];
    {wanted, emptied} <= {wants, empty};
    unwanted <= !wants[side];
    quiet <= entry ? '0 : still ? quiet : quiet + 1'b1;
    offset <= (TicksLog2 + SizeBits)'(found_tick) * (TicksLog2 + SizeBits)'(window.size);
    append_rank <= side ? window.low_price + price_t'(offset) : ~(window.low_price + price_t'(offset));
    append_count <= found_count;

    case (state)
      IDLE: begin
        side <= wanted[1] && (emptied[1] || !wanted[0] || !emptied[0]);
        append_none <= 1'b0;
        reads <= 1'b0;
        if (wanted != '0 && search && !clearing) state <= ASK;
      end
      ASK:
      if (abort) state <= IDLE;
      else if (all_held[side] && still) begin
        append_none <= 1'b1;
        state <= APPEND;
      end else if (!entry) state <= WAIT;
      WAIT: begin
        from_begin <= begins[side];
        scan <= {1'b0, scan_from[TicksLog2-1:2]};
        first_lane <= scan_from[1:0];
        first <= 1'b1;
        last_probe <= scan_from[TicksLog2] || (beyond[4] && !from_begin);
        if (abort) state <= IDLE;
        else if (converts[4]) state <= SCAN;
      end
      SCAN: begin
        if (probe4) begin
          reads <= 1'b1;
          reached <= scan[TicksLog2-3:0];
          scan <= scan + 1'b1;
          first <= 1'b0;
          last_probe <= &scan[TicksLog2-3:0];
        end
        found_place <= {at8, lane8};
        found_count <= count8;
        if (abort) state <= IDLE;
        else if (hit8) begin
          state   <= FOUND;
          reached <= at8;
        end else if (last_probe && !probe5 && !probe6 && !probe7 && !probe8) begin
          append_none <= none_beyond[side];
          state <= none_beyond[side] ? APPEND : IDLE;
        end
      end
      FOUND: state <= abort ? IDLE : PRICED;
      PRICED: state <= abort ? IDLE : APPEND;
      default:
      if (abort || (append_taken[side] && append_none)) state <= IDLE;
      else if (append_taken[side]) begin  // and the next one, if it is wanted
        scan <= {1'b0, found_next[TicksLog2-1:2]};
        first_lane <= found_next[1:0];
        first <= 1'b1;
        reads <= 1'b0;
        last_probe <= found_next[TicksLog2];
        state <= SCAN;
      end
    endcase
    if (state != SCAN || abort) {probe5, probe6, probe7, probe8, hit8} <= '0;
    if (rst || clear) begin
      state <= IDLE;
      quiet <= '0;
    end
  end

  always_comb begin
    append_valid = '0;
    append_valid[side] = state == APPEND && !abort && !missed[side] && !missed3;
  end

  logic unused;
  assign unused = &{1'b0, window};
endmodule

// The best price 2 cycles after the event, where an add improves it: the price of the event itself, compared with the best one before.
//
//   cycle 0        1              2
//   add ─── best price ─ better ─ out            best levels ─ best price, 7 cycles after its operation
//
// That is known only if no operation of the instrument is on its way: none in the 7 cycles before, of it or of nobody knows whose. Otherwise
// the pipeline tells the best price in cycle 6, as it does in any case; and where the side had none. What only the pipeline can see (the id is a live order's, the
// tables are full, the price is no multiple of the tick or outside of the window) `fault` tells in cycle 4, and the pipeline in cycle 6.
// `alone`: no trade is in its frame. What a trade causes, a stop order or another last price, comes first then, as with any other change.
//
// Latency: 2 cycles. Throughput: an operation in 2 cycles. Nothing overflows.
module book_improving
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic                   op_valid,   // cycle 0
    /* verilator lint_off UNUSEDSIGNAL */
    input op_t                    op,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [Instruments-1:0] tradable,
    input logic                   verdict_valid,  // 6 cycles after the last operation of a frame, or later
    input logic                   add_refused4,

    input logic        line_valid6,
    input instrument_t line_instrument6,
    input side_e       line_side6,
    /* verilator lint_off UNUSEDSIGNAL */
    input level_t      best6,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic        improving,   // cycle 2
    output instrument_t instrument,
    output side_e       side,
    output price_t      price,
    output shares_t     shares,      // of one order
    output logic        alone,
    output logic        fault        // cycle 4
);
  localparam int Away = 7;  // cycles from an operation to the best price here

  // ---- the best prices

  typedef struct packed {
    logic   known;  // there is one, within the window
    price_t price;
  } top_t;

  (* ram_style = "distributed" *) top_t bids[Instruments];
  (* ram_style = "distributed" *) top_t asks[Instruments];
  initial begin
    for (int i = 0; i < Instruments; i++) begin
      bids[i] = '0;
      asks[i] = '0;
    end
  end
  top_t top6;
  assign top6 = '{best6.live && !best6.outside, best6.price};

  always_ff @(posedge clk) begin
    if (line_valid6 && line_side6 == SIDE_BUY) bids[line_instrument6] <= top6;
    if (line_valid6 && line_side6 == SIDE_SELL) asks[line_instrument6] <= top6;
  end

  // ---- trades

  // Until the verdict on the frame, or on the next one where that may have begun.
  // It is looked at in cycle 2 of an add, which comes 2 cycles after a trade, or more.
  logic [Away:1] traded;  // the first is a trade, not counted yet
  logic trade_waits;
  assign alone = !trade_waits;

  always_ff @(posedge clk) begin
    traded <= {traded[Away-1:1], op_valid && (op.kind == OP_TRADE || op.execute)};
    if (traded[1]) trade_waits <= 1'b1;
    else if (verdict_valid && traded == '0) trade_waits <= 1'b0;
    if (rst) {traded, trade_waits} <= '0;
  end

  // ---- the add

  typedef struct packed {
    logic        valid;
    logic        named;
    instrument_t instrument;
  } way_t;
  way_t [Away+1:1] on_way;  // the first is the add itself
  logic changes, alone1, candidate1, better1, tradable1;
  top_t bid1, ask1, top1;
  instrument_t instrument1;
  side_e side1;
  price_t price1;
  shares_t shares1;
  logic untradable4;
  instrument_t instrument3;

  always_comb begin
    changes = op_valid && !(op.kind inside {OP_PROBE, OP_TRADE, OP_UNSUPPORTED, OP_CLEAR});
    alone1 = 1'b1;
    for (int i = 2; i <= Away + 1; i++) if (on_way[i].valid && (!on_way[i].named || on_way[i].instrument == instrument1)) alone1 = 1'b0;
    top1 = side1 == SIDE_BUY ? bid1 : ask1;
    better1 = side1 == SIDE_BUY ? price1 > top1.price : price1 < top1.price;
  end

  always_ff @(posedge clk) begin
    on_way <= {on_way[Away:1], way_t'{changes, op.named && !op.link, op.instrument}};
    bid1 <= bids[op.instrument];
    ask1 <= asks[op.instrument];
    candidate1 <= op_valid && op.kind == OP_ADD && op.named && !op.link && !op.undo && !op.restore && !op.refused && !op.below &&
        !op.above && !op.after_gap;
    {instrument1, side1, price1, shares1} <= {op.instrument, op.side, op.price, op.shares[SharesBits-1:0]};
    tradable1 <= tradable[op.instrument];
    improving <= candidate1 && alone1 && tradable1 && top1.known && better1;
    {instrument, side, price, shares} <= {instrument1, side1, price1, shares1};
    instrument3 <= instrument;
    untradable4 <= !tradable[instrument3];
    if (rst) begin
      on_way <= '0;
      candidate1 <= 1'b0;
      improving <= 1'b0;
    end
  end

  assign fault = add_refused4 || untradable4;
endmodule

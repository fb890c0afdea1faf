// Every level of every instrument: how many orders it has and their quantity, by instrument, side and rank.
//
//   cycle 0       1               5          6
//   key, sets ─ skewed_table ─ new sums ─ out
//
// A probe looks a level up and changes nothing: it goes between two operations, where no level is written, and does not see those that are on their
// way. A sweep takes an instrument's levels out of one set of all ways.
//
// Latency: 6 cycles. Throughput: an operation in 2 cycles. Parameters: WAYS, SETS_LOG2. Overflow: a level that finds no room is not kept, sums
// that are too large lose their upper bits: `fault` with its cause, the instrument must be rebuilt. What takes such an operation back restores
// what was there before it.
module level_table
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int WAYS = 4,
    parameter int SETS_LOG2 = 10
) (
    input logic clk,
    input logic rst,

    input logic                 in_valid,
    input op_kind_e             in_kind,
    input logic                 in_leaves,    // an order less
    input instrument_t          in_instrument,
    input side_e                in_side,
    input rank_t                in_rank,
    input level_shares_t        in_shares,    // more; less: its negative
    input logic [SETS_LOG2-1:0] sweep_set,    // in_instrument's; steady, as the next
    input logic                 sweep_all,

    input  logic        probe_valid,
    input  instrument_t probe_instrument,
    input  side_e       probe_side,
    input  rank_t       probe_rank,
    output logic        probe_taken,

    output logic        out_valid,
    output op_kind_e    out_kind,
    output instrument_t out_instrument,
    output side_e       out_side,
    output rank_t       out_rank,
    output logic        out_live,        // it has orders, after the operation
    output sums_t       out_level,
    output logic        out_fault,
    output book_cause_e out_cause
);
  localparam int Key = InstrumentBits + 1 + TickBits;
  localparam int Payload = OrdersBits + LevelSharesBits;

  typedef struct packed {
    logic          valid;
    op_kind_e      kind;
    logic          leaves;
    instrument_t   instrument;
    side_e         side;
    rank_t         rank;
    level_shares_t shares;
  } step_t;

  step_t step0, step1, step2, step3, step4;
  /* verilator lint_off UNUSEDSIGNAL */
  step_t step5;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WAYS-1:0][SETS_LOG2-1:0] sets, sets1;
  logic [Key-1:0] key, key1;
  logic will_write, probe1, sweep1;
  logic [WAYS-1:0] way_unused;
  logic stash_unused;
  logic [Key-1:0] stash_key_unused;
  logic [Payload-1:0] early_unused;
  logic hit5, full5, enters5, changes5, write5, live5, carry5, plain5;
  sums_t found5, before5, after5;
  orders_t more5;  // added to the level's orders,
  orders_t none_from5;  // which makes 0 of this number

  assign probe_taken = probe_valid && !in_valid && !will_write;
  always_comb begin
    step0 = '{in_valid, in_kind, in_leaves, in_instrument, in_side, in_rank, in_shares};
    if (!in_valid) begin
      {step0.valid, step0.kind} = {probe_taken, OP_PROBE};
      {step0.instrument, step0.side, step0.rank} = {probe_instrument, probe_side, probe_rank};
    end
    key = {step0.instrument, step0.side, step0.rank};
    if (in_valid && in_kind == OP_SWEEP) key = Key'(sweep_set);  // its own set in every way
  end

  skewed_hash #(
      .KEY(Key),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) hash (
      .key,
      .sets
  );

  // The memories are far apart: a register before their addresses.
  always_ff @(posedge clk) begin
    {key1, sets1} <= {key, sets};
    {probe1, sweep1} <= {!in_valid, in_valid && in_kind == OP_SWEEP};
  end

  skewed_table #(
      .KEY(Key),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS),
      .PAYLOAD(Payload),
      .FIELD(InstrumentBits),
      .FIELD_AT(Payload + Key - SETS_LOG2 - InstrumentBits)
  ) levels (
      .clk,
      .rst,
      .in_valid(step1.valid),
      .in_key(key1),
      .in_sets(sets1),
      .in_enters(1'b0),
      .in_move(1'b0),
      .in_probe(probe1),
      .in_sweep(sweep1),
      .sweep_all,
      .sweep_field(step3.instrument),
      .join_payload('0),
      .place_given('0),
      .early_payload(early_unused),
      .out_hit(hit5),
      .out_full(full5),
      .out_payload(found5),
      .out_way(way_unused),
      .write(write5),
      .write_live(live5),
      .write_payload(after5),
      .will_write,
      .stash_waits(stash_unused),
      .stash_key(stash_key_unused)
  );

  always_ff @(posedge clk) begin
    {step1, step2, step3, step4, step5} <= {step0, step1, step2, step3, step4};
    enters5 <= step4.kind == OP_ADD;
    more5 <= step4.kind == OP_ADD ? OrdersBits'(1) : step4.leaves ? '1 : '0;
    none_from5 <= step4.kind == OP_ADD ? '1 : OrdersBits'(step4.leaves);
    changes5 <= step4.kind inside {OP_ADD, OP_REDUCE, OP_DELETE, OP_RETURN};
    if (rst) begin
      {step1.valid, step2.valid, step3.valid, step4.valid, step5.valid} <= '0;
    end
  end

  always_comb begin
    before5 = hit5 ? found5 : '0;
    {carry5, after5.shares} = {1'b0, before5.shares} + {1'b0, step5.shares};
    after5.orders = before5.orders + more5;
    plain5 = |(before5.orders ^ none_from5);  // after5.orders is not 0
    live5 = enters5 || plain5;
    write5 = changes5 && (hit5 || (enters5 && !full5));
  end

  always_ff @(posedge clk) begin
    out_valid <= step5.valid;
    {out_kind, out_instrument, out_side, out_rank} <= {step5.kind, step5.instrument, step5.side, step5.rank};
    out_live <= changes5 ? live5 && write5 : hit5;
    out_level <= changes5 ? after5 : before5;
    out_fault <= step5.valid && enters5 && ((!hit5 && full5) || (hit5 && (!plain5 || carry5)));
    out_cause <= hit5 ? CAUSE_LEVEL_OVERFLOW : CAUSE_LEVELS_FULL;
    if (rst) {out_valid, out_fault} <= '0;
  end
endmodule

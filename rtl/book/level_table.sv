// Every level of every instrument: how many orders it has and their quantity, by instrument, side and rank.
//
//   cycle 0     4                    5
//   key ─ skewed_table ─ new sums ─ out
//
// A probe looks a level up and changes nothing: it goes between two operations, where no level is written, and does not see those that are on their
// way. A sweep takes an instrument's levels out of one set of all ways.
//
// Latency: 5 cycles. Throughput: an operation in 2 cycles. Parameters: WAYS, SETS_LOG2. Overflow: a level that finds no room is not kept, sums
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

  step_t step0, step1, step2, step3;
  /* verilator lint_off UNUSEDSIGNAL */
  step_t step4;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WAYS-1:0][SETS_LOG2-1:0] sets, probe_sets;
  logic [Key-1:0] key, probe_key;
  logic writing;
  logic [WAYS-1:0] way_unused;
  logic stash_unused;
  logic [Key-1:0] stash_key_unused;
  logic [Payload-1:0] early_unused;
  logic hit4, full4, enters4, changes4, write4, live4, carry4, plain4;
  sums_t found4, before4, after4;
  orders_t more4;  // added to the level's orders,
  orders_t none_from4;  // which makes 0 of this number

  assign probe_taken = probe_valid && !in_valid && !writing;
  always_comb begin
    step0 = '{in_valid, in_kind, in_leaves, in_instrument, in_side, in_rank, in_shares};
    if (!in_valid) begin
      {step0.valid, step0.kind} = {probe_taken, OP_PROBE};
      {step0.instrument, step0.side, step0.rank} = {probe_instrument, probe_side, probe_rank};
    end
  end

  skewed_hash #(
      .KEY(Key),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) hash (
      .key,
      .sets
  );
  assign probe_key = {probe_instrument, probe_side, probe_rank};
  skewed_hash #(
      .KEY(Key),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) probe_hash (
      .key(probe_key),
      .sets(probe_sets)
  );
  assign key = in_kind == OP_SWEEP ? Key'(sweep_set) : {in_instrument, in_side, in_rank};  // its own set in every way

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
      .in_valid(step0.valid),
      .in_key(in_valid ? key : probe_key),
      .in_sets(in_valid ? sets : probe_sets),
      .in_enters(1'b0),
      .in_move(1'b0),
      .in_probe(!in_valid),
      .in_sweep(in_valid && in_kind == OP_SWEEP),
      .sweep_all,
      .sweep_field(step2.instrument),
      .join_payload('0),
      .place_given('0),
      .early_payload(early_unused),
      .out_hit(hit4),
      .out_full(full4),
      .out_payload(found4),
      .out_way(way_unused),
      .write(write4),
      .write_live(live4),
      .write_payload(after4),
      .writing,
      .stash_waits(stash_unused),
      .stash_key(stash_key_unused)
  );

  always_ff @(posedge clk) begin
    {step1, step2, step3, step4} <= {step0, step1, step2, step3};
    enters4 <= step3.kind == OP_ADD;
    more4 <= step3.kind == OP_ADD ? OrdersBits'(1) : step3.leaves ? '1 : '0;
    none_from4 <= step3.kind == OP_ADD ? '1 : OrdersBits'(step3.leaves);
    changes4 <= step3.kind inside {OP_ADD, OP_REDUCE, OP_DELETE, OP_RETURN};
    if (rst) begin
      step1.valid <= 1'b0;
      step2.valid <= 1'b0;
      step3.valid <= 1'b0;
      step4.valid <= 1'b0;
    end
  end

  always_comb begin
    before4 = hit4 ? found4 : '0;
    {carry4, after4.shares} = {1'b0, before4.shares} + {1'b0, step4.shares};
    after4.orders = before4.orders + more4;
    plain4 = |(before4.orders ^ none_from4);  // after4.orders is not 0
    live4 = enters4 || plain4;
    write4 = changes4 && (hit4 || (enters4 && !full4));
  end

  always_ff @(posedge clk) begin
    out_valid <= step4.valid;
    {out_kind, out_instrument, out_side, out_rank} <= {step4.kind, step4.instrument, step4.side, step4.rank};
    out_live <= changes4 ? live4 && write4 : hit4;
    out_level <= changes4 ? after4 : before4;
    out_fault <= step4.valid && enters4 && ((!hit4 && full4) || (hit4 && (!plain4 || carry4)));
    out_cause <= hit4 ? CAUSE_LEVEL_OVERFLOW : CAUSE_LEVELS_FULL;
    if (rst) {out_valid, out_fault} <= '0;
  end
endmodule

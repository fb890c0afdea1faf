// skewed_table after skewed_hash: the key of an operation comes a cycle ahead of it, what to write 4 cycles after it.
module book_table_tb #(
    parameter int KEY = 12,
    parameter int SETS_LOG2 = 3,
    parameter int WAYS = 4,
    parameter int PAYLOAD = 8,
    parameter int FIELD = 2,
    parameter int STASH = 0
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [      KEY-1:0] early_key,
    input  logic                 valid,
    input  logic                 enters,
    input  logic                 sweep,
    input  logic [SETS_LOG2-1:0] sweep_set,
    input  logic                 sweep_all,
    input  logic [    FIELD-1:0] sweep_field,
    input  logic [  PAYLOAD-1:0] join_payload,   // with `valid`; it is needed 3 cycles later
    input  logic                 write,
    input  logic                 write_live,
    input  logic [  PAYLOAD-1:0] write_payload,
    output logic                 hit,
    output logic                 full,
    output logic [  PAYLOAD-1:0] payload,
    output logic [WAYS+STASH-1:0] way,
    input  logic                  move,
    output logic                  stash_waits,
    output logic [       KEY-1:0] stash_key
);
  logic [KEY-1:0] key;
  logic [WAYS-1:0][SETS_LOG2-1:0] hashed, sets;
  logic [PAYLOAD-1:0] join1, join2, join3, early_payload;

  skewed_hash #(
      .KEY(KEY),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) hash (
      .key(early_key),
      .sets(hashed)
  );
  always_ff @(posedge clk) begin
    key  <= early_key;
    sets <= hashed;
    {join1, join2, join3} <= {join_payload, join1, join2};
  end

  logic will_write_unused;
  skewed_table #(
      .KEY(KEY),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS),
      .PAYLOAD(PAYLOAD),
      .FIELD(FIELD),
      .STASH(STASH)
  ) dut (
      .clk,
      .rst,
      .in_valid(valid),
      .in_key(key),
      .in_sets(sweep ? {WAYS{sweep_set}} : sets),
      .in_enters(enters),
      .in_move(move),
      .in_probe(1'b0),
      .in_sweep(sweep),
      .sweep_all,
      .sweep_field,
      .join_payload(join3),
      .place_given('0),
      .early_payload,
      .out_hit(hit),
      .out_full(full),
      .out_payload(payload),
      .out_way(way),
      .write,
      .write_live,
      .write_payload,
      .will_write(will_write_unused),
      .stash_waits,
      .stash_key
  );
  // What comes early is what comes.
  logic [PAYLOAD-1:0] was_early;
  always_ff @(posedge clk) was_early <= early_payload;
  assert property (@(posedge clk) disable iff (rst) was_early == payload);
endmodule

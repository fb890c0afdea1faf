// Proves for skewed_table at a tiny size, for any operations 2 cycles apart or more: a key is found exactly if it was stored and not taken out
// since, with what was stored last; whatever is still on its way, and also in the stash.
//
// One key, any, is watched; `present` and `value` follow the ports only. Moves and sweeps are left out.
module book_table_formal #(
    parameter int KEY = 3,
    parameter int SETS_LOG2 = 1,
    parameter int WAYS = 2,
    parameter int PAYLOAD = 2,
    parameter int STASH = 1
) (
    input logic               clk,
    input logic [    KEY-1:0] early_key,
    input logic               wants,
    input logic               stores,
    input logic               removes,
    input logic [PAYLOAD-1:0] data,
    input logic [    KEY-1:0] watch
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [KEY-1:0] watched;
  always_ff @(posedge clk) if (rst) watched <= watch;

  logic will_write_unused;
  logic [KEY-1:0] key, stash_key;
  logic [WAYS-1:0][SETS_LOG2-1:0] hashed, sets;
  logic valid, hit, full, write, stash_waits;
  logic [PAYLOAD-1:0] payload, early;
  logic [WAYS+STASH-1:0] way;

  skewed_hash #(
      .KEY(KEY),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS)
  ) hash (
      .key(early_key),
      .sets(hashed)
  );

  // The operation in cycles 0 to 4.
  logic [4:0] on_way, to_store, to_remove;
  logic [4:0][PAYLOAD-1:0] to_write;
  logic [4:0][KEY-1:0] keys;
  assign valid = wants && !rst && !on_way[1];
  assign on_way[0] = valid;
  assign to_store[0] = stores;
  assign to_remove[0] = removes && !stores;
  assign to_write[0] = data;
  assign keys[0] = key;

  always_ff @(posedge clk) begin
    key  <= early_key;
    sets <= hashed;
    on_way[4:1] <= rst ? '0 : on_way[3:0];
    to_store[4:1] <= to_store[3:0];
    to_remove[4:1] <= to_remove[3:0];
    to_write[4:1] <= to_write[3:0];
    keys[4:1] <= keys[3:0];
  end
  assign write = (to_store[4] && (hit || !full)) || (to_remove[4] && hit);

  skewed_table #(
      .KEY(KEY),
      .SETS_LOG2(SETS_LOG2),
      .WAYS(WAYS),
      .PAYLOAD(PAYLOAD),
      .FIELD(1),
      .STASH(STASH)
  ) dut (
      .clk,
      .rst,
      .in_valid(valid),
      .in_key(key),
      .in_sets(sets),
      .in_enters(1'b0),
      .in_move(1'b0),
      .in_probe(1'b0),
      .in_sweep(1'b0),
      .sweep_all(1'b0),
      .sweep_field(1'b0),
      .join_payload('0),
      .place_given('0),
      .early_payload(early),
      .out_hit(hit),
      .out_full(full),
      .out_payload(payload),
      .out_way(way),
      .write,
      .write_live(to_store[4]),
      .write_payload(to_write[4]),
      .will_write(will_write_unused),
      .stash_waits,
      .stash_key
  );

  logic present, watching;
  logic [PAYLOAD-1:0] value;
  assign watching = on_way[4] && keys[4] == watched;
  always_ff @(posedge clk) begin
    if (watching && write) begin
      present <= to_store[4];
      value   <= to_write[4];
    end
    if (rst) present <= 1'b0;
  end

  // Memories begin empty, as on an FPGA, and so do its flip-flops.
  always_comb if (rst) assume (!dut.write5);

  always_comb begin
    if (!rst && watching) begin
      assert (hit == present);
      if (present) assert (payload == value);
    end
  end

  // The interesting states are reached.
  logic was_last, was_before;
  always_ff @(posedge clk) {was_last, was_before} <= {dut.from5, dut.from7};
  always_comb begin
    if (!rst && watching) begin
      cover (hit && was_last);
      cover (hit && was_before);
      cover (hit && !was_last && !was_before && !way[WAYS+STASH-1]);
      cover (hit && way[WAYS+STASH-1]);
      cover (!hit && full);
      cover (!hit && was_last == 1'b0 && present == 1'b0 && to_store[4] && stash_waits);
    end
  end
endmodule

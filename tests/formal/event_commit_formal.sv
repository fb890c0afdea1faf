// Proves for event_commit, for any writes, verdicts, readiness and resets:
//
//   - words leave in order and unchanged, once each; none before its good verdict, and none that a bad verdict took back;
//   - a committed word is out 1 cycle after its verdict, or 2 after the word before it was taken, whichever is later;
//   - a word is lost exactly when it finds DEPTH words there, and `overflow` says so in the next cycle.
//
// `committed_number` and `read_number` count the committed words and those that left, modulo 2 * DEPTH; `pending` is the number of words
// without a verdict. All three follow the ports only. One accepted word, any, is watched: it must leave when its number does, and be what
// was written.
module event_commit_formal #(
    parameter int WIDTH = 4,
    parameter int DEPTH = 4
) (
    input logic             clk,
    input logic             reset_again,
    input logic             write,
    input logic [WIDTH-1:0] write_data,
    input logic             verdict_valid,
    input logic             verdict_good,
    input logic             out_ready,
    input logic             watch
);
  localparam int Bits = $clog2(DEPTH) + 1;

  logic out_valid, overflow;
  logic [WIDTH-1:0] out_data;

  logic first = 1'b1;
  logic rst;
  always_ff @(posedge clk) first <= 1'b0;
  assign rst = first || reset_again;

  event_commit #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .write,
      .write_data,
      .verdict_valid,
      .verdict_good,
      .out_valid,
      .out_ready,
      .out_data,
      .overflow
  );

  logic [Bits-1:0] committed_number, read_number, pending;
  logic [Bits-1:0] committed_held;
  logic [Bits:0] held;  // a bit more: induction begins with any sum
  logic accepted, lost, was_lost, good, bad, taken, due;

  assign committed_held = committed_number - read_number;
  assign held = (Bits + 1)'(committed_held) + (Bits + 1)'(pending);
  assign accepted = write && held != (Bits + 1)'(DEPTH);
  assign lost = write && held == (Bits + 1)'(DEPTH);
  assign good = verdict_valid && verdict_good;
  assign bad = verdict_valid && !verdict_good;
  assign taken = out_valid && out_ready;

  always_ff @(posedge clk) begin
    was_lost <= lost;
    if (good) committed_number <= committed_number + pending + Bits'(accepted);
    pending <= verdict_valid ? '0 : pending + Bits'(accepted);
    read_number <= read_number + Bits'(taken);
    // A word is committed, and none leaves now: one is out in the next cycle.
    due <= !taken && (committed_held != '0 || (good && (pending != '0 || accepted)));
    if (rst) begin
      was_lost <= 1'b0;
      committed_number <= '0;
      pending <= '0;
      read_number <= '0;
      due <= 1'b0;
    end
  end

  logic watching;
  logic [WIDTH-1:0] watched;
  logic [Bits-1:0] watched_number, before_watched;
  logic watched_committed;

  assign before_watched = watched_number - read_number;
  assign watched_committed = before_watched < committed_held;

  always_ff @(posedge clk) begin
    if (accepted && watch && !watching && !bad) begin
      watching <= 1'b1;
      watched <= write_data;
      watched_number <= committed_number + pending;
    end else if ((taken && before_watched == '0) || (bad && !watched_committed)) watching <= 1'b0;
    if (rst) watching <= 1'b0;
  end

  always_comb begin
    if (!rst) begin
      // What a user sees.
      assert (held <= (Bits + 1)'(DEPTH));
      assert (overflow == was_lost);
      assert (out_valid == due);  // in time: nothing that is committed is lost
      if (out_valid) assert (committed_held != '0);  // nothing else leaves
      if (watching) assert ((Bits + 1)'(before_watched) < held);  // it is still to come
      if (watching && out_valid && before_watched == '0) assert (watched_committed && out_data == watched);  // unchanged, and in its turn

      // What makes it inductive.
      assert (dut.committed == committed_number);
      assert (dut.read == read_number);
      assert (dut.written == committed_number + pending);
      assert (dut.full == (held == (Bits + 1)'(DEPTH)));
      if (watching) assert (dut.memory[watched_number[Bits-2:0]] == watched);
      if (held != '0 && !dut.newest_is_head) assert (dut.from_memory == dut.memory[read_number[Bits-2:0]]);
      if (held != '0 && dut.newest_is_head) assert (dut.newest == dut.memory[read_number[Bits-2:0]]);
      if (out_valid) assert (out_data == dut.memory[read_number[Bits-2:0]]);
    end
  end

  // Where the word in `out_data` comes from, and what happened since the reset.
  logic from_newest, from_write, was_overflow, was_bad;
  always_ff @(posedge clk) begin
    from_write  <= dut.written_is_head;
    from_newest <= !dut.written_is_head && dut.newest_is_head;
    if (lost) was_overflow <= 1'b1;
    if (bad && pending != '0) was_bad <= 1'b1;
    if (rst) begin
      was_overflow <= 1'b0;
      was_bad <= 1'b0;
    end
  end

  // The interesting states are reached.
  always_comb begin
    if (!rst) begin
      cover (held == (Bits + 1)'(DEPTH) && committed_held != '0 && pending != '0 && taken);
      cover (lost && taken);
      cover (lost && bad && pending == Bits'(DEPTH));
      cover (bad && pending != '0 && committed_held != '0 && watching && watched_committed);  // it stays
      cover (bad && pending != '0 && watching && !watched_committed);  // it is taken back
      cover (bad && pending != '0 && accepted);
      cover (good && accepted && pending != '0);
      cover (good && accepted && held == '0);
      cover (taken && from_write && watching && before_watched == '0);
      cover (taken && from_newest && watching && before_watched == '0);
      cover (taken && !from_write && !from_newest && watching && before_watched == '0);
      cover (was_overflow && was_bad && watching && taken && read_number == Bits'(DEPTH + 1) && before_watched == '0);
    end
  end
endmodule

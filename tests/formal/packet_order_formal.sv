// Proves for packet_order, up to a depth in cycles: the packets are in a row, each number after the one before it, or the same with more messages (so none
// is there twice); a packet that is popped because it is ready is at or past what is expected, or contains it; none vanishes: a packet that came is refused, popped or still there.
//
// As high_reliability does, packets come at most every second cycle, into slots that are free, and `expected` only moves on to the popped
// packet's next number.
module packet_order_formal
  import arbiter_pkg::*;
#(
    parameter int S = 6,
    parameter int SLOTS = 4,
    localparam int SlotBits = $clog2(SLOTS)
) (
    input logic                clk,
    input logic                in_valid,
    input logic [SlotBits-1:0] in_slot,
    input logic [       S-1:0] in_number,
    input logic [         7:0] in_count,
    input logic                in_end,
    input logic                forced,
    input logic                time_counts,
    input logic [        31:0] time_window,
    input logic                wants
);
  localparam int Messages = 3;  // of a packet at most, so that the small numbers of the proof do not wrap
  // A number that was near when it came, or before what was expected by less than its messages, may fall behind by one packet that left: at most this span.
  localparam logic [S-1:0] Behind = S'((1 << NearBits) + 2 * Messages);
  localparam logic [S-1:0] Ahead = S'(1 << NearBits);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [S-1:0] expected, first_number;
  logic any_old, session_end;
  logic inserted, refused, pop, first_ready, first_stale, empty, leaves;
  logic [SlotBits-1:0] settled_slot, first_slot;
  logic [S-1:0] first_next;
  logic first_expected;
  logic [CountBits+3:0] messages;

  assign leaves = wants && first_ready;
  assign pop = leaves || first_stale;

  packet_order #(
      .S(S),
      .SLOTS(SLOTS)
  ) dut (
      .clk,
      .rst,
      .known(1'b1),
      .expected,
      .expected_changes(leaves),
      .accepted(expected),
      .restart(1'b0),
      .restarting(1'b0),
      .any_old,
      .time_window,
      .forced,
      .time_counts,
      .in_valid,
      .in_slot,
      .in_number,
      .coming_number(in_number),
      .in_count(CountBits'(in_count)),
      .in_end,
      .inserted,
      .refused,
      .session_end,
      .settled_slot,
      .pop,
      .first_ready,
      .first_stale,
      .first_slot,
      .first_number,
      .first_next,
      .first_expected,
      .empty,
      .messages
  );

  always_ff @(posedge clk) begin
    if (rst) expected <= '0;
    else if (leaves) expected <= first_next;
  end

  // ---- what comes -----------------------------------------------------------------------------------

  logic [SLOTS-1:0] held;  // came, and neither refused nor popped
  logic came;
  always_ff @(posedge clk) begin
    came <= in_valid && !rst;
    if (in_valid) held[in_slot] <= 1'b1;
    if (dut.left_reg) held[first_slot] <= 1'b0;
    if (refused) held[settled_slot] <= 1'b0;
    if (rst) held <= '0;
  end
  always_comb begin
    assume (!(in_valid && (rst || came || held[in_slot])));
    assume (in_end == (in_valid && in_count == '0));
    assume (in_count <= 8'(Messages));
  end

  // ---- what holds -----------------------------------------------------------------------------------

  function automatic logic in_span(input logic [S-1:0] number);
    return S'(number - expected + Behind) < Behind + Ahead;
  endfunction

  function automatic logic near_or_contains(input logic [S-1:0] number, input logic [CountBits-1:0] count);
    return S'(number - expected) < Ahead || S'(expected - number) < S'(count);
  endfunction

  logic [SLOTS-1:0] precedes, same, in_order;
  logic [S-1:0] arrival_number;
  assign arrival_number = dut.numbers[dut.arrival_slot];

  always_comb begin
    in_order = '0;
    for (int i = 0; i < SLOTS; i++) begin
      logic [S-1:0] difference;
      difference = arrival_number - dut.numbers[i];
      precedes[i] = !difference[S-1];
      same[i] = difference == '0 && dut.arrival_count <= dut.counts[i];
      if (dut.order[i].valid) in_order[dut.order[i].slot] = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      assert (dut.arrival_valid == came);
      // A packet that has left, and whose place an arrival took, is still listed for a cycle.
      assert ((in_order | (dut.left_reg && !dut.leaving_reg ? SLOTS'(1) << first_slot : '0)) == dut.listed);
      assert (dut.old == '0 && (dut.displaced & held) == '0);
      assert (dut.unsettled == 3'b000 || dut.unsettled == 3'b001 || dut.unsettled == 3'b011 || dut.unsettled == 3'b111);
      assert (!dut.arrival_end || came);
      assert (held == (dut.listed | (came ? SLOTS'(1) << dut.arrival_slot : '0)));
      if (came) begin
        assert (!dut.listed[dut.arrival_slot]);
        for (int i = 0; i < SLOTS; i++) begin
          assert (!dut.arrival_keepable || dut.behind[i] == (!dut.order[i].valid || !precedes[dut.order[i].slot]));
        end
        assert (!dut.arrival_keepable || (dut.same_reg & dut.listed) == (same & dut.listed));
        assert (!dut.arrival_keepable || in_span(arrival_number));
        assert (dut.arrival_count == dut.counts[dut.arrival_slot]);
      end
      for (int i = 0; i < SLOTS; i++) begin
        if (dut.listed[i]) assert (in_span(dut.numbers[i]));
        if (held[i]) assert (dut.counts[i] <= CountBits'(Messages));
        if (held[i]) assert (dut.number_memory[i] == dut.numbers[i]);
      end
      for (int i = 1; i < SLOTS; i++) begin
        if (dut.order[i].valid) begin
          assert (dut.order[i-1].valid);
          assert (S'(dut.numbers[dut.order[i].slot] - dut.numbers[dut.order[i-1].slot]) < Behind + Ahead);
          assert (dut.numbers[dut.order[i].slot] != dut.numbers[dut.order[i-1].slot] ||
                  dut.counts[dut.order[i].slot] > dut.counts[dut.order[i-1].slot]);
          for (int j = 0; j < i; j++) assert (dut.order[i].slot != dut.order[j].slot);
        end
      end
      // What is known of the first, once it is settled.
      if (!dut.unsettled[1]) begin
        assert (dut.first.valid == dut.order[0].valid);
        if (dut.first.valid) begin
          assert (dut.first.slot == dut.order[0].slot);
          assert (dut.first.number == dut.numbers[dut.first.slot] && dut.first.count == dut.counts[dut.first.slot]);
        end
      end
      if (dut.unsettled == '0) begin
        if (dut.first.valid) begin
          assert (dut.first_near_reg == (S'(first_number - expected) < Ahead));
          assert (first_expected == (first_number == expected || S'(expected - first_number) < S'(dut.first.count)));
          assert (dut.first_stale_reg == !near_or_contains(first_number, dut.first.count));
        end
      end
      if (leaves) assert (near_or_contains(first_number, dut.first.count));
      // What is known of the first two, also while one leaves.
      assert (!dut.leaving_reg || dut.left_reg);
      assert (!dut.left_reg || dut.unsettled[1]);
      assert (!dut.left_reg || (dut.first.valid && held[first_slot] && !(came && dut.arrival_slot == first_slot)));
      if (dut.leaving_reg) begin
        assert (dut.order[0].valid && dut.order[0].slot == first_slot);
        assert (!dut.second.valid || dut.second.slot != first_slot);
        if (!dut.unsettled[2]) begin
          assert (dut.second.valid == dut.order[1].valid);
          assert (!dut.second.valid || dut.second.slot == dut.order[1].slot);
        end
      end
      if (dut.left_reg && !dut.leaving_reg) assert (!in_order[first_slot]);
      if (dut.first.valid) begin
        assert (dut.listed[first_slot]);
        assert (dut.first.number == dut.numbers[first_slot] && dut.first.count == dut.counts[first_slot]);
      end
      if (dut.second.valid) begin
        assert (dut.listed[dut.second.slot]);
        assert (dut.second.number == dut.numbers[dut.second.slot] && dut.second.count == dut.counts[dut.second.slot]);
      end
      if (dut.unsettled == '0 && dut.first.valid) assert (first_next == S'(first_number + S'(dut.first.count)));
      if (came && dut.arrival_keepable && !dut.left_reg) assert (near_or_contains(arrival_number, dut.arrival_count));
      cover (&dut.listed);
      cover (leaves && S'(first_number - expected - 1'b1) < Ahead);
      cover (leaves && S'(expected - first_number - 1'b1) < S'(Messages));
      cover (dut.order[1].valid && dut.numbers[dut.order[0].slot] == dut.numbers[dut.order[1].slot]);
      cover (first_stale);
    end
  end
endmodule

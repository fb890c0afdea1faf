// Proves of kept_list, by induction: the packets are in a row, each number behind the one before it (so none is there twice); a packet that is
// popped because it is ready is at or past what is expected; none vanishes: packets in are refused, popped or still there.
//
// As high_reliability does, packets come at most every second cycle, no more of them than there is room for, and `expected` only moves on to
// the popped packet's next number.
module kept_list_formal
  import arbiter_pkg::*;
#(
    parameter int S = 24,
    parameter int PACKETS = 4
) (
    input logic                 clk,
    input logic                 in_valid,
    input logic [        S-1:0] in_number,
    input logic [          7:0] in_count,
    input logic [          3:0] in_record,
    input logic                 forced,
    input logic                 time_counts,
    input logic [         31:0] time_window,
    input logic                 wants
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic [S-1:0] expected, head_number, head_next;
  logic inserted, refused, pop, head_ready, head_stale, empty;
  logic [3:0] settled_record, head_record;
  logic [CountBits+3:0] messages;

  assign pop = (wants && head_ready) || head_stale;

  kept_list #(
      .S(S),
      .PACKETS(PACKETS),
      .RECORD(4)
  ) dut (
      .clk,
      .rst,
      .known(1'b1),
      .expected,
      .expected_changes(pop && head_ready),
      .time_window,
      .forced,
      .time_counts,
      .in_valid,
      .in_number,
      .in_count(CountBits'(in_count)),
      .in_record,
      .inserted,
      .refused,
      .settled_record,
      .pop,
      .head_ready,
      .head_stale,
      .head_number,
      .head_next,
      .head_record,
      .empty,
      .messages
  );

  always_ff @(posedge clk) begin
    if (rst) expected <= '0;
    else if (pop && head_ready) expected <= head_next;
  end

  // ---- what comes -----------------------------------------------------------------------------------

  logic [$clog2(PACKETS+2)-1:0] held, listed;
  logic came;
  always_ff @(posedge clk) begin
    came <= in_valid && !rst;
    held <= rst ? '0 : held + ($clog2(PACKETS + 2))'(in_valid) - ($clog2(PACKETS + 2))'(pop) - ($clog2(PACKETS + 2))'(refused);
  end
  always_ff @(posedge clk) begin
    assume (!(in_valid && (rst || came || held >= ($clog2(PACKETS + 2))'(PACKETS))));
    assume (in_count != '0);
  end

  // ---- what holds -----------------------------------------------------------------------------------

  always_comb begin
    listed = ($clog2(PACKETS + 2))'(dut.arrival.valid);
    for (int i = 0; i < PACKETS; i++) listed += ($clog2(PACKETS + 2))'(dut.entries[i].valid);
  end

  // A number that was near when it came may fall behind by one packet that left: at most this span.
  localparam logic [S-1:0] Behind = S'((1 << NearBits) + 256);
  localparam logic [S-1:0] Ahead = S'(1 << NearBits);

  function automatic logic in_span(input logic [S-1:0] number);
    return S'(number - expected + Behind) < Behind + Ahead;
  endfunction

  logic [PACKETS-1:0] precedes, same;
  always_comb begin
    for (int i = 0; i < PACKETS; i++) begin
      logic [S-1:0] difference;
      difference = dut.arrival.number - dut.entries[i].number;
      precedes[i] = dut.entries[i].valid && !difference[S-1];
      same[i] = dut.entries[i].valid && difference == '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      assert (listed == held);
      assert (dut.arrival.valid == came);
      if (dut.arrival.valid) begin
        assert (dut.precedes_reg == precedes);
        assert (dut.same_reg == same);
        assert (!dut.arrival_keep || in_span(dut.arrival.number));
        assert (dut.arrival.next == dut.arrival.number + S'(dut.arrival.count));
        assert (dut.arrival.count <= 16'hFF);
      end
      for (int i = 0; i < PACKETS; i++) begin
        if (dut.entries[i].valid) begin
          assert (in_span(dut.entries[i].number));
          assert (dut.entries[i].next == dut.entries[i].number + S'(dut.entries[i].count));
          assert (dut.entries[i].count <= 16'hFF);
        end
      end
      for (int i = 1; i < PACKETS; i++) begin
        if (dut.entries[i].valid) begin
          assert (dut.entries[i-1].valid);
          assert (S'(dut.entries[i].number - dut.entries[i-1].number - 1'b1) < Behind + Ahead);
        end
      end
      if (!dut.head_changed) begin
        assert (dut.head_near_reg == (S'(dut.entries[0].number - expected) < Ahead) || !dut.entries[0].valid);
      end
      if (pop && head_ready) assert (S'(head_number - expected) < Ahead);
      cover (dut.entries[PACKETS-1].valid);
      cover (pop && head_ready && head_number != expected);
      cover (pop && head_stale);
    end
  end
endmodule

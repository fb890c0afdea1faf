// The packets that are kept, lowest number first, and whether the first may leave.
//
//   in ─ compare with all, with expected ─ insert ─┐
//                                entries, sorted ──┴─ head ─ compare with expected ─ head_ready
//
// Latency: in_valid to its place 2 cycles; a change of head or of `expected` to head_ready 2 cycles. Throughput: a packet every 2 cycles in, one
// every 2 cycles out. Parameters: S; PACKETS; RECORD, bits that go with a packet. Overflow: none, no more packets come than there are slots
// (asserted).
module kept_list
  import arbiter_pkg::*;
#(
    parameter int S = 64,
    parameter int PACKETS = 8,
    parameter int RECORD = 32
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 known,
    input  logic [        S-1:0] expected,
    input  logic                 expected_changes,  // with the next cycle
    input  logic [         31:0] time_window,
    input  logic                 forced,        // the head leaves even over a gap; besides, as soon as a packet has waited for the time window
    input  logic                 time_counts,   // whether it does
    input  logic                 in_valid,
    input  logic [        S-1:0] in_number,
    input  logic [CountBits-1:0] in_count,
    input  logic [   RECORD-1:0] in_record,
    output logic                 inserted,      // the packet that came in the cycle before
    output logic                 refused,       // or it is not kept
    output logic [   RECORD-1:0] settled_record,// whose it is
    input  logic                 pop,           // only with head_ready or head_stale
    output logic                 head_ready,
    output logic                 head_stale,    // its number has fallen behind
    output logic [        S-1:0] head_number,
    output logic [        S-1:0] head_next,
    output logic [   RECORD-1:0] head_record,
    output logic                 empty,
    output logic [CountBits+3:0] messages       // in all that is kept
);
  typedef struct packed {
    logic                 valid;
    logic                 expired;
    logic [31:0]          deadline;
    logic [S-1:0]         number;
    logic [S-1:0]         next;
    logic [CountBits-1:0] count;
    logic [RECORD-1:0]    record;
  } entry_t;

  logic [31:0] now;
  entry_t [PACKETS-1:0] entries, aged;
  entry_t arrival, fresh;
  logic arrival_keep, insert;
  logic [PACKETS-1:0] precedes, same, precedes_reg, same_reg;  // of each entry: its number is below the arrival's; is it

  assign empty = !entries[0].valid && !arrival.valid && !in_valid;

  // ---- the packet that comes ------------------------------------------------------------------------

  logic near;
  number_near #(.S(S)) at_or_past (.number(in_number), .base(expected), .near);

  always_comb begin
    for (int i = 0; i < PACKETS; i++) begin
      logic [S-1:0] ahead;  // of this entry
      ahead = in_number - entries[i].number;
      precedes[i] = entries[i].valid && !ahead[S-1];
      same[i] = entries[i].valid && in_number == entries[i].number;
    end
  end

  // If the first leaves while the arrival is compared, what was found is shifted with the entries.
  assign insert   = arrival.valid && arrival_keep && same_reg == '0;
  assign inserted = insert;
  assign refused  = arrival.valid && !insert;
  assign settled_record = arrival.record;

  always_ff @(posedge clk) begin
    now <= now + 1'b1;
    arrival <= '{
        valid: in_valid,
        expired: time_window == '0,
        deadline: now + time_window,
        number: in_number,
        next: in_number + S'(in_count),
        count: in_count,
        record: in_record
    };
    arrival_keep <= !known || near;
    precedes_reg <= pop ? precedes >> 1 : precedes;
    same_reg <= pop ? same >> 1 : same;
    if (rst) begin
      now <= '0;
      arrival.valid <= 1'b0;
    end
  end

  // ---- the list -----------------------------------------------------------------------------------

  always_comb begin
    for (int i = 0; i < PACKETS; i++) begin
      aged[i] = entries[i];
      aged[i].expired = entries[i].expired || now == entries[i].deadline;
    end
    fresh = arrival;
    fresh.expired = arrival.expired || now == arrival.deadline;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < PACKETS; i++) begin
      entries[i] <= aged[i];
      if (pop) begin
        if (i + 1 < PACKETS) entries[i] <= aged[i+1];
        else entries[i].valid <= 1'b0;
      end else if (insert && !precedes_reg[i]) entries[i] <= i == 0 || precedes_reg[i-1] ? fresh : aged[i-1];
    end
    if (rst) for (int i = 0; i < PACKETS; i++) entries[i].valid <= 1'b0;
  end

  // ---- the first ------------------------------------------------------------------------------------

  logic head_near, head_equal_reg, head_near_reg, head_changed, any_expired, forced_reg;

  number_near #(.S(S)) is_head_near (.number(entries[0].number), .base(expected), .near(head_near));

  assign head_number = entries[0].number;
  assign head_next = entries[0].next;
  assign head_record = entries[0].record;
  assign head_ready = entries[0].valid && !head_changed && !arrival.valid && (head_equal_reg || (head_near_reg && forced_reg));
  assign head_stale = entries[0].valid && !head_changed && !arrival.valid && !head_near_reg;

  always_ff @(posedge clk) begin
    head_equal_reg <= known && entries[0].number == expected;
    head_near_reg <= !known || head_near;
    forced_reg <= forced || (time_counts && any_expired);
    // What was found is of the cycle before.
    head_changed <= pop || (insert && !precedes_reg[0]) || expected_changes;
    messages <= messages + (insert ? (CountBits + 4)'(arrival.count) : '0) - (pop ? (CountBits + 4)'(entries[0].count) : '0);
    if (rst) begin
      messages <= '0;
      head_changed <= 1'b1;
    end
  end

  always_comb begin
    any_expired = 1'b0;
    for (int i = 0; i < PACKETS; i++) any_expired |= entries[i].valid && entries[i].expired;
  end

  assert property (@(posedge clk) disable iff (rst) !pop || head_ready || head_stale);
  assert property (@(posedge clk) disable iff (rst) !insert || !entries[PACKETS-1].valid);
  assert property (@(posedge clk) disable iff (rst) !in_valid || !arrival.valid);
  for (genvar i = 1; i < PACKETS; i++) begin : gen_sorted
    assert property (@(posedge clk) disable iff (rst) !entries[i].valid || entries[i-1].valid);
  end
endmodule

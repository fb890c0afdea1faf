// The stored packets in order, lowest number first, and whether the first may leave.
//
//   in ─ compare with every packet, with expected ─ insert ─ order ─ first, second ─ compare with expected ─ first_ready
//        numbers, counts, deadlines: by slot                  (slots, lowest number first)
//
// After a restart, the packets from before are old: they stay first, are forced out, and only then new ones may leave.
//
// Latency: in_valid to its place 2 cycles, to first_ready 2 more; a change of `expected` to first_ready 2 cycles. Throughput: a packet every
// 2 cycles in, one every 3 cycles out, both at once. Parameters: S; SLOTS; COUNT, bits of a packet's count, 0: each has one message; PIPELINED,
// comparisons of complete numbers begin a cycle earlier, with coming_number. Overflow: none, a slot holds one packet.
module packet_order
  import arbiter_pkg::*;
#(
    parameter int S = 64,
    parameter int SLOTS = 8,
    parameter int COUNT = CountBits,
    parameter bit PIPELINED = 1'b0,
    localparam int SlotBits = $clog2(SLOTS)
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 known,
    /* verilator lint_off UNUSEDSIGNAL */  // the low bits are enough
    input  logic [        S-1:0] expected,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic                 expected_changes,  // with the next cycle
    input  logic [        S-1:0] accepted,          // messages from here on are kept: what is expected, or will be when nothing is old
    input  logic                 restart,           // everything here is old; what came since the restart before loses its place
    input  logic                 restarting,        // from the cycle after until `expected` is the new session's
    output logic                 any_old,
    input  logic [         31:0] time_window,
    input  logic                 forced,            // the first leaves even over a gap
    input  logic                 time_counts,       // and so it does while one has waited for the time window
    input  logic                 in_valid,
    input  logic [ SlotBits-1:0] in_slot,
    input  logic [        S-1:0] in_number,
    /* verilator lint_off UNUSEDSIGNAL */  // only with PIPELINED
    input  logic [        S-1:0] coming_number,     // what in_number is in the next cycle
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [CountBits-1:0] in_count,
    input  logic                 in_end,            // it ends the session: kept only if something before it is missing
    output logic                 inserted,          // the packet that came in the cycle before
    output logic                 refused,           // otherwise it is not kept
    output logic                 session_end,       // it ends the session, kept or not
    output logic [ SlotBits-1:0] settled_slot,      // the line it came from
    input  logic                 pop,               // only with first_ready or first_stale
    output logic                 first_ready,
    output logic                 first_stale,       // all its messages are known
    output logic [ SlotBits-1:0] first_slot,
    output logic [        S-1:0] first_number,
    output logic [        S-1:0] first_next,        // the number after it
    output logic                 first_expected,    // with first_ready: nothing before it is missing
    output logic                 empty,
    output logic [CountBits+3:0] messages           // in all kept packets; without the popped one two cycles later
);
  typedef struct packed {
    logic                valid;
    logic [SlotBits-1:0] slot;
  } place_t;

  typedef struct packed {
    logic                valid;
    logic [SlotBits-1:0] slot;
    logic [S-1:0]        number;
    logic [CountBits-1:0] count;
  } packet_t;

  logic [31:0] now;
  logic [SLOTS-1:0] listed, expired, old, displaced;
  // A session's kept packets were near when they came, and `expected` has not gone far since: the low bits decide which number comes first.
  localparam int Near = S < NearBits + 3 ? S : NearBits + 3;
  logic [SLOTS-1:0][S-1:0] numbers;
  (* no_rw_check *) logic [S-1:0] number_memory[SLOTS];  // the same, to read one entry
  logic [SLOTS-1:0][31:0] deadlines;
  (* no_rw_check *) logic [CountBits-1:0] counts[SLOTS];
  place_t [SLOTS-1:0] order;
  logic left_reg;  // the first left in the cycle before,
  logic leaving_reg;  // and is still first in the order
  logic [CountBits-1:0] left_count_reg;
  packet_t first, second;

  // ---- the packet that comes ------------------------------------------------------------------------

  logic arrival_valid, arrival_keepable, arrival_near, arrival_end;
  logic [SlotBits-1:0] arrival_slot;
  logic [CountBits-1:0] arrival_count;
  logic [SLOTS-1:0] precedes, same;  // of each slot: its number is not above the arrival's; the same, with as many messages, and it stays
  logic [SLOTS-1:0] earlier, same_reg;  // earlier: the slot's packet precedes the arrival, or is old
  logic [SLOTS-1:0] behind;  // of each place in the order: the arrival comes before it
  place_t [SLOTS-1:0] order_then;  // as it is in the arrival's next cycle: one arrival does not follow another
  logic [2:0] near, ends_here;  // if all bits are set: its number is near at or past `accepted`, it is that
  within_t contained;

  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) at_or_past (
      .clk,
      .number(PIPELINED ? coming_number : in_number),
      .base(accepted),
      .near
  );
  number_equal #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) at (
      .clk,
      .number(PIPELINED ? coming_number : in_number),
      .other(accepted),
      .equal(ends_here)
  );

  logic [SLOTS-1:0] more;  // of each slot: the arrival has more messages
  if (COUNT == 0) begin : gen_one_message
    assign contained = '0;
    assign more = '0;
  end else begin : gen_count
    number_within #(
        .S(S),
        .PIPELINED(PIPELINED)
    ) contains (
        .clk,
        .expected(accepted),
        .number(PIPELINED ? coming_number : in_number),
        .count(in_count),
        .none(1'b0),
        .contained(contained)
    );
    logic [SLOTS-1:0][COUNT-1:0] all_counts;  // the same as `counts`, all at once
    always_ff @(posedge clk) if (in_valid) all_counts[in_slot] <= in_count[COUNT-1:0];
    always_comb for (int i = 0; i < SLOTS; i++) more[i] = in_count[COUNT-1:0] > all_counts[i];
  end

  always_comb begin
    for (int i = 0; i < SLOTS; i++) begin
      logic [Near-1:0] ahead;
      ahead = in_number[Near-1:0] - numbers[i][Near-1:0];
      precedes[i] = !ahead[Near-1];
      // Not by `ahead`: see first_same.
      same[i] = (in_number[Near-1:0] ^ numbers[i][Near-1:0]) == '0 && !more[i] && listed[i] && !old[i] &&
          !(left_reg && first.slot == SlotBits'(i));
    end
    earlier = precedes | (restart ? listed : old);
    order_then = leaving_reg ? order >> $bits(place_t) : order;
  end

  assign inserted = arrival_keepable && same_reg == '0;
  assign refused = arrival_valid && !inserted;
  assign session_end = arrival_end && arrival_near;
  assign settled_slot = arrival_slot;

  always_ff @(posedge clk) begin
    now <= now + 1'b1;
    arrival_valid <= in_valid && !rst;
    arrival_near <= known && near == '1;
    arrival_end <= in_end && !rst;
    arrival_keepable <= in_valid && !rst && known && (near == '1 || is_within(contained)) && !(in_end && ends_here == '1);
    arrival_slot <= in_slot;
    arrival_count <= in_count;
    for (int i = 0; i < SLOTS; i++) behind[i] <= !order_then[i].valid || !earlier[order_then[i].slot];
    same_reg <= same;
    for (int i = 0; i < SLOTS; i++) if (now == deadlines[i]) expired[i] <= 1'b1;
    if (in_valid) begin
      numbers[in_slot] <= in_number;
      number_memory[in_slot] <= in_number;
      counts[in_slot] <= in_count;
      deadlines[in_slot] <= now + time_window;
      expired[in_slot] <= time_window == '0;
    end
    if (rst) now <= '0;
  end

  // ---- the order ----------------------------------------------------------------------------------

  place_t [SLOTS-1:0] order_inserted;  // with the arrival, if that is inserted; then the first may leave
  logic [SLOTS-1:0] listed_inserted;

  always_comb begin
    for (int i = 0; i < SLOTS; i++) begin
      if (!inserted || !behind[i]) order_inserted[i] = order[i];
      else if (i == 0 || !behind[(i+SLOTS-1)%SLOTS]) order_inserted[i] = '{valid: 1'b1, slot: arrival_slot};
      else order_inserted[i] = order[(i+SLOTS-1)%SLOTS];
    end
    listed_inserted = listed;
    if (inserted) listed_inserted[arrival_slot] = 1'b1;
  end

  always_ff @(posedge clk) begin
    // An arrival that comes before the one that leaves takes its place.
    if (inserted && behind[0] && (pop || leaving_reg)) order <= {order[SLOTS-1:1], order_inserted[0]};
    else order <= leaving_reg ? order_inserted >> $bits(place_t) : order_inserted;
    leaving_reg <= pop && !(inserted && behind[0]) && !rst;
    listed <= listed_inserted;
    if (restart) old <= listed_inserted;
    if (restart && restarting) displaced <= displaced | (listed_inserted & ~old);
    if (in_valid) displaced[in_slot] <= 1'b0;
    if (left_reg) listed[first.slot] <= 1'b0;
    if (left_reg) old[first.slot] <= 1'b0;
    left_reg <= pop && !rst;
    left_count_reg <= first.count;
    messages <= messages + (inserted ? (CountBits + 4)'(arrival_count) : '0) - (left_reg ? (CountBits + 4)'(left_count_reg) : '0);
    if (rst) begin
      order <= '0;
      listed <= '0;
      old <= '0;
      left_reg <= 1'b0;
      messages <= '0;
    end
  end

  assign any_old = old != '0;
  assign empty = !order[0].valid && !inserted && !in_valid;

  // ---- the first ------------------------------------------------------------------------------------
  // The second is read as well, so that it is there when the first leaves.

  logic first_near, first_same, first_reached, first_reached_reg, first_near_reg, first_stale_reg, forced_reg;
  /* verilator lint_off UNUSEDSIGNAL */  // the high bits are enough where each packet has one message
  logic [Near-1:0] first_ahead;  // its number, of what is expected
  /* verilator lint_on UNUSEDSIGNAL */
  logic [2:0] unsettled;  // what is known about the first is out of date for so many cycles (as many ones from the right)
  logic settled;

  assign first_ahead = first.number[Near-1:0] - expected[Near-1:0];
  assign first_near = first_ahead[Near-1:NearBits] == '0;
  // Not `==`, which would be made of the difference's sums: too late.
  assign first_same = (first.number[Near-1:0] ^ expected[Near-1:0]) == '0;

  // Reached: it contains what is expected.
  if (COUNT == 0) begin : gen_equal
    assign first_reached = first_same;
  end else begin : gen_contains
    logic [Near-1:0] number, count, minus, sum;
    logic [Near-1:1] carry;
    /* verilator lint_off UNUSEDSIGNAL */  // only whether it is negative
    logic [Near-1:0] last_ahead;  // its last message's number, of what is expected
    /* verilator lint_on UNUSEDSIGNAL */
    assign number = first.number[Near-1:0];
    assign count = Near'(first.count);
    assign minus = ~expected[Near-1:0];  // 1 less than its negative, as the last message's number is 1 less than the next
    assign sum = number ^ count ^ minus;
    assign carry = (number[Near-2:0] & count[Near-2:0]) | ((number[Near-2:0] | count[Near-2:0]) & minus[Near-2:0]);
    assign last_ahead = sum + {carry, 1'b0};
    assign first_reached = first_same || (first_ahead[Near-1] && !last_ahead[Near-1]);
  end

  assign first_slot = first.slot;
  assign first_number = first.number;
  assign first_expected = first_reached_reg;
  assign settled = !unsettled[0];
  assign first_ready = settled && (first_reached_reg || (first_near_reg && forced_reg));
  assign first_stale = settled && first_stale_reg;

  always_ff @(posedge clk) begin
    second <= '{valid: order[1].valid, slot: order[1].slot, number: number_memory[order[1].slot], count: counts[order[1].slot]};
    if (leaving_reg) first <= second;
    else first <= '{valid: order[0].valid, slot: order[0].slot, number: number_memory[order[0].slot], count: counts[order[0].slot]};
    first_reached_reg <= first.valid && first_reached && !displaced[first.slot];
    first_near_reg <= first.valid && first_near && !displaced[first.slot];
    first_stale_reg <= first.valid && !((first_near || first_reached) && !displaced[first.slot]);
    forced_reg <= forced || any_old || (time_counts && (expired & listed) != '0);
    first_next <= first.number + S'(first.count);
    // New packets wait until `expected` belongs to their session. After the first two, an arrival changes neither.
    if (restarting && !any_old) unsettled <= 3'b111;
    else if (inserted && pop && behind[1]) unsettled <= 3'b111;
    else if (pop || (inserted && (behind[0] || (leaving_reg && behind[1])))) unsettled <= {1'b0, 2'b11};
    else unsettled <= {1'b0, unsettled[2], unsettled[1] || expected_changes};
    if (rst) begin
      first.valid <= 1'b0;
      second.valid <= 1'b0;
      unsettled <= '0;
      {first_reached_reg, first_near_reg, first_stale_reg} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !pop || first_ready || first_stale);
  assert property (@(posedge clk) disable iff (rst) !pop || (order[0].valid && order[0].slot == first.slot));
  assert property (@(posedge clk) disable iff (rst) !in_valid || !listed[in_slot]);
  assert property (@(posedge clk) disable iff (rst) !in_valid || !arrival_valid);
  assert property (@(posedge clk) disable iff (rst) (unsettled & (unsettled + 1'b1)) == '0);
endmodule

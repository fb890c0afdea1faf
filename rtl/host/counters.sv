// Counters, 32 bits each, in one RAM: a scanner visits one slot a cycle, and a host's read waits until it comes by.
//
//   pulse, amount ─ low part of each count ─ mux ─ register ─ mux ─ register ─┬─ + ─ register ─ answer
//                   (flip-flops)                                              │       │
//                                            RAM of high parts ── registers ──┘       │
//                                                    └────────────────────────────────┘
//
// The low parts run free. The RAM keeps each count's high part and, as of the last visit, the top bit of its low part: where that
// bit was 1 and now is 0, the low part went past its end and the high part counts on. What is written is the count as of the visit,
// exact; a slot comes back only after a round of 64 cycles, so nothing is read while it is in the pipeline.
//
// Latency: `answer` 4 to 67 cycles after `request`, with every pulse up to that of the request's cycle. Throughput: a pulse of
// each kind a cycle, for ever; one request at a time. The RAM is distributed (block RAM's output is too late for a part of speed 6).
// Parameters: SLOTS; AMOUNTS, counts that add an amount of AMOUNT_BITS for each pulse; AMOUNT_SLOT, their slots; all others add 1.
// Overflow: counts wrap at 2^32. A low part holds twice what a round can add, so it never goes past its end unseen.
module counters #(
    parameter int SLOTS = 64,
    parameter int AMOUNTS = 1,
    parameter int AMOUNT_BITS = 16,
    parameter logic [AMOUNTS-1:0][$clog2(SLOTS)-1:0] AMOUNT_SLOT = '0
) (
    input logic clk,
    input logic rst,

    input logic [  SLOTS-1:0]                  pulse,   // by slot; one that never pulses costs nothing and reads 0
    input logic [AMOUNTS-1:0][AMOUNT_BITS-1:0] amount,  // as in AMOUNT_SLOT, with that slot's pulse

    input  logic                     request,      // a pulse
    input  logic [$clog2(SLOTS)-1:0] request_slot,
    output logic                     answer,       // a pulse
    output logic [             31:0] answer_count
);
  localparam int Index = $clog2(SLOTS);
  localparam int PulseLow = Index + 1;  // bits that count a round twice over
  localparam int AmountLow = AMOUNT_BITS + Index + 1;
  localparam int Group = 8;

  // AMOUNTS for a slot that adds 1.
  function automatic int amount_of(input int slot);
    amount_of = AMOUNTS;
    for (int i = 0; i < AMOUNTS; i++) if (int'(AMOUNT_SLOT[i]) == slot) amount_of = i;
  endfunction

  // ---- low parts -------------------------------------------------------------------------------------------

  logic [AmountLow-1:0] low[SLOTS];
  logic [SLOTS-1:0] adds_amount;

  for (genvar slot = 0; slot < SLOTS; slot++) begin : g_low
    localparam int From = amount_of(slot);
    if (From < AMOUNTS) begin : g_amount
      logic [AmountLow-1:0] count;
      always_ff @(posedge clk) begin
        if (rst) count <= '0;
        else if (pulse[slot]) count <= count + AmountLow'(amount[From]);
      end
      assign low[slot] = count;
      assign adds_amount[slot] = 1'b1;
    end else begin : g_pulse
      logic [PulseLow-1:0] count;
      always_ff @(posedge clk) begin
        if (rst) count <= '0;
        else if (pulse[slot]) count <= count + 1'b1;
      end
      assign low[slot] = AmountLow'(count);
      assign adds_amount[slot] = 1'b0;
    end
  end

  // ---- the scanner -------------------------------------------------------------------------------------------

  logic [Index-1:0] visit, picked, joined, written;  // the slot in each stage
  logic [Group-1:0] visit_member;  // visit[2:0], a bit each: half the logic of a multiplexer, and of the fan-out
  logic visit_wanted, picked_wanted, joined_wanted;  // by the host
  logic first_round, waiting;
  logic [Index-1:0] waiting_slot;

  assign visit_wanted = waiting && visit == waiting_slot;

  always_ff @(posedge clk) begin
    visit <= visit + 1'b1;
    visit_member <= {visit_member[Group-2:0], visit_member[Group-1]};
    picked  <= visit;
    joined  <= picked;
    written <= joined;
    if (&visit) first_round <= 1'b0;

    if (visit_wanted) waiting <= 1'b0;
    if (request) begin
      waiting <= 1'b1;
      waiting_slot <= request_slot;
    end
    picked_wanted <= visit_wanted;
    joined_wanted <= picked_wanted;
    answer <= joined_wanted;

    if (rst) begin
      visit <= '0;
      visit_member <= Group'(1);
      first_round <= 1'b1;
      waiting <= 1'b0;
      picked_wanted <= 1'b0;
      joined_wanted <= 1'b0;
      answer <= 1'b0;
    end
  end

  // The RAM: high part and top bit of the low part, for either kind in its own place.
  (* no_rw_check, ram_style = "distributed" *) logic [31:PulseLow-1] memory[SLOTS];
  logic [31:PulseLow-1] picked_old, joined_old;
  logic [AmountLow-1:0] visit_low[SLOTS/Group], picked_low[SLOTS/Group], joined_low;
  logic joined_adds;
  logic [31:0] count;

  always_comb begin
    for (int i = 0; i < SLOTS / Group; i++) begin
      visit_low[i] = '0;
      for (int j = 0; j < Group; j++) if (visit_member[j]) visit_low[i] |= low[Group*i+j];
    end
  end

  always_ff @(posedge clk) begin
    picked_old <= first_round ? '0 : memory[visit];  // no reset for the RAM: the first round takes no heed of it
    picked_low <= visit_low;

    joined_old  <= picked_old;
    joined_low  <= picked_low[picked[Index-1:3]];
    joined_adds <= adds_amount[picked];

    memory[written] <= count[31:PulseLow-1];
  end

  // One adder for both: the high part begins at AmountLow for some, at PulseLow for the others, whose low part has zeros from there on.
  logic went_past;
  logic [31:PulseLow] high, carry;
  assign went_past = joined_adds ? joined_old[AmountLow-1] && !joined_low[AmountLow-1] : joined_old[PulseLow-1] && !joined_low[PulseLow-1];
  always_comb begin
    high = joined_old[31:PulseLow];
    if (joined_adds) high[AmountLow-1:PulseLow] = joined_low[AmountLow-1:PulseLow];
    carry = '0;
    carry[PulseLow] = went_past && !joined_adds;
    carry[AmountLow] = went_past && joined_adds;
  end

  always_ff @(posedge clk) count <= {high + carry, joined_low[PulseLow-1:0]};

  assign answer_count = count;

  // Before the first reset there may be no member.
  assert property (@(posedge clk) disable iff (rst) visit_member == '0 || visit_member == Group'(1) << visit[2:0]);
  assert property (@(posedge clk) disable iff (rst) !request || !(waiting || picked_wanted || joined_wanted || answer));

endmodule

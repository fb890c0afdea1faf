// Counters, 32 bits each, in one RAM: a scanner visits one slot a cycle, and a host's read waits until it comes by.
//
//   pulse, amount ─ low part of each count ─ mux ─ register ─ mux ─ register ─ number ─┬─ + ─ register ─ answer
//                   (flip-flops)                                                      │       │
//                                                    RAM of high parts ── registers ──┘       │
//                                                            └────────────────────────────────┘
//
// The low parts run freely; those that count by 1 run through the states of a shift register (`following`), which costs two LUTs
// where an adder costs nine, and one table for all turns a state into a number. The RAM holds each count's high part and, from the
// last visit, the top bit of its low part: where that bit was 1 and now is 0, the low part wrapped and the high part goes up by 1.
// What is written is the exact count at the visit; a slot comes back only after a round of SLOTS cycles, so nothing is read while it is in the
// pipeline.
//
// Latency: `answer` 5 to SLOTS + 4 cycles after `request`, with every pulse up to that of the request's cycle. Throughput: a pulse of
// each kind a cycle, without limit; one request at a time.
// Parameters: SLOTS, 8 to 64, a power of two; AMOUNTS, counts that add an amount of AMOUNT_BITS for each pulse; AMOUNT_SLOT, their slots; all others add 1.
// Overflow: counts wrap at 2^32. A low part holds twice what a round can add, so it never wraps unnoticed.
module counters #(
    parameter int SLOTS = 64,
    parameter int AMOUNTS = 1,
    parameter int AMOUNT_BITS = 16,
    localparam int MostAmounts = AMOUNTS == 0 ? 1 : AMOUNTS,
    parameter logic [MostAmounts-1:0][5:0] AMOUNT_SLOT = '0
) (
    input logic clk,
    input logic rst,

    input logic [SLOTS-1:0] pulse,  // by slot; one that never pulses costs nothing and reads 0
    input logic [MostAmounts-1:0][AMOUNT_BITS-1:0] amount,  // as in AMOUNT_SLOT, with that slot's pulse

    input  logic                     request,       // a pulse
    input  logic [$clog2(SLOTS)-1:0] request_slot,
    output logic                     answer,        // a pulse
    output logic [             31:0] answer_count
);
  localparam int Index = $clog2(SLOTS);
  localparam int PulseLow = Index + 1;  // bits that count two rounds
  localparam int AmountLow = AMOUNT_BITS + Index + 1;
  localparam int Group = 8;
  localparam int Tap = PulseLow == 5 ? 2 : PulseLow - 2;  // of the shift register, beside its top bit

  if (SLOTS < 8 || SLOTS > 64 || SLOTS != 1 << Index) begin : gen_check
    $fatal(1, "counters: %0d slots; they must be 8, 16, 32 or 64", SLOTS);
  end

  if (AMOUNTS == 0) begin : gen_no_amounts
    logic unused;
    assign unused = &{1'b0, amount};
  end

  // AMOUNTS for a slot that adds 1.
  function automatic int amount_of(input int slot);
    amount_of = AMOUNTS;
    for (int each = 0; each < AMOUNTS; each++) if (int'(AMOUNT_SLOT[each]) == slot) amount_of = each;
  endfunction

  // ---- the states of a low part that counts by 1 -------------------------------------------------------------
  // A feedback shift register (x^7 + x^6 + 1 of 64 slots; of 32, 16 and 8 slots x^6 + x^5 + 1, x^5 + x^3 + 1, x^4 + x^3 + 1) with the state of zeros put
  // in: all states, and 0 is the first.

  function automatic logic [PulseLow-1:0] following(input logic [PulseLow-1:0] state);
    following = {state[PulseLow-2:0], state[PulseLow-1] ^ state[Tap] ^ (state[PulseLow-2:0] == '0)};
  endfunction

  function automatic logic [PulseLow-1:0][2**PulseLow-1:0] numbers();
    logic [PulseLow-1:0] state;
    state = '0;
    for (int each = 0; each < 2 ** PulseLow; each++) begin
      for (int bit_index = 0; bit_index < PulseLow; bit_index++) numbers[bit_index][state] = 1'(each >> bit_index);
      state = following(state);
    end
  endfunction

  localparam logic [PulseLow-1:0][2**PulseLow-1:0] NumberOf = numbers();  // bit by bit, of each state

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
        else if (pulse[slot]) count <= following(count);
      end
      assign low[slot] = AmountLow'(count);
      assign adds_amount[slot] = 1'b0;
    end
  end

  // ---- the scanner -------------------------------------------------------------------------------------------

  logic [Index-1:0] visit, picked, joined, numbered, written;  // the slot in each stage
  logic [Group-1:0] visit_member;  // visit[2:0], a bit each: half the logic of a multiplexer, and of the fan-out
  logic visit_wanted, picked_wanted, joined_wanted, numbered_wanted;  // by the host
  logic first_round, picked_first, joined_first, waiting;
  logic [Index-1:0] waiting_slot;

  assign visit_wanted = waiting && visit == waiting_slot;

  always_ff @(posedge clk) begin
    visit <= visit + 1'b1;
    visit_member <= {visit_member[Group-2:0], visit_member[Group-1]};
    picked  <= visit;
    joined  <= picked;
    numbered <= joined;
    written <= numbered;
    picked_first <= first_round;
    joined_first <= picked_first;
    if (&visit) first_round <= 1'b0;

    if (visit_wanted) waiting <= 1'b0;
    if (request) begin
      waiting <= 1'b1;
      waiting_slot <= request_slot;
    end
    picked_wanted <= visit_wanted;
    joined_wanted <= picked_wanted;
    numbered_wanted <= joined_wanted;
    answer <= numbered_wanted;

    if (rst) begin
      visit <= '0;
      visit_member <= Group'(1);
      first_round <= 1'b1;
      waiting <= 1'b0;
      picked_wanted <= 1'b0;
      joined_wanted <= 1'b0;
      numbered_wanted <= 1'b0;
      answer <= 1'b0;
    end
  end

  // The RAM: high part and top bit of the low part, for either kind in its own place.
  (* no_rw_check, ram_style = "block" *) logic [31:PulseLow-1] memory[SLOTS];
  logic [31:PulseLow-1] picked_old, joined_old, numbered_old;  // joined_old: the RAM's own output register
  logic [AmountLow-1:0] visit_low[SLOTS/Group], picked_low[SLOTS/Group], joined_low, numbered_low;
  logic [PulseLow-1:0] number;  // the number of the state joined_low
  logic picked_adds, joined_adds, numbered_adds;
  logic [31:0] count;

  always_comb begin
    for (int i = 0; i < SLOTS / Group; i++) begin
      visit_low[i] = '0;
      for (int j = 0; j < Group; j++) if (visit_member[j]) visit_low[i] |= low[Group*i+j];
    end
  end

  always_ff @(posedge clk) begin
    picked_old <= memory[visit];
    picked_low <= visit_low;
    picked_adds <= adds_amount[visit];

    joined_old  <= picked_old;
    joined_low  <= picked_low[int'(picked) >> 3];
    joined_adds <= picked_adds;

    numbered_old <= joined_first ? '0 : joined_old;  // no reset for the RAM: the first round ignores what it holds
    numbered_low <= joined_adds ? joined_low : AmountLow'(number);
    numbered_adds <= joined_adds;

    memory[written] <= count[31:PulseLow-1];
  end

  // By shifts: from an index yosys would make a ROM, and move the register from its address to its output.
  always_comb for (int i = 0; i < PulseLow; i++) number[i] = 1'(NumberOf[i] >> joined_low[PulseLow-1:0]);

  // One adder for both: the high part begins at AmountLow for some, at PulseLow for the others, whose low part has zeros from there on.
  logic went_past;
  logic [31:PulseLow] high, carry;
  assign went_past = numbered_adds ? numbered_old[AmountLow-1] && !numbered_low[AmountLow-1]
      : numbered_old[PulseLow-1] && !numbered_low[PulseLow-1];
  always_comb begin
    high = numbered_old[31:PulseLow];
    if (numbered_adds) high[AmountLow-1:PulseLow] = numbered_low[AmountLow-1:PulseLow];
    carry = '0;
    carry[PulseLow] = went_past && !numbered_adds;
    carry[AmountLow] = went_past && numbered_adds;
  end

  always_ff @(posedge clk) count <= {high + carry, numbered_low[PulseLow-1:0]};

  assign answer_count = count;

  // Before the first reset the state may be none of them.
  assert property (@(posedge clk) disable iff (rst) visit_member == '0 || visit_member == Group'(1) << visit[2:0]);
  assert property (@(posedge clk) disable iff (rst) !request || !(waiting || picked_wanted || joined_wanted || numbered_wanted || answer));

endmodule

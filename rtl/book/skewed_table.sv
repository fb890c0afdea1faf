// A hash table with several ways, each with its own hash, for read-modify-write: operations at least 2 cycles apart, on any keys.
//
//   cycle 0       1              2                3                      4                   5
//   sets ─ block RAM ─ its output register ─ tags compared ─ way chosen, last two ─ payload, hit, way ─ what to
//   key                                                      results forwarded      the user decides    write
//
// The sets come from skewed_hash, in registers, a cycle after the key was known. In cycle 4 the user says what to write: to the way that hit, or
// to the free one that is offered. What is written in cycle 5 is not in the memory yet for the next two operations: they take it, and
// whether the way is free, from registers.
// A sweep takes out all entries with one value of FIELD bits at FIELD_AT of the stored word, in one set of all ways; or all entries.
//
// Latency: 4 cycles. Throughput: an operation in 2 cycles. Parameters: KEY, SETS_LOG2, WAYS; PAYLOAD, bits; FIELD, FIELD_AT: for a sweep;
// EARLY, bits of the payload that are told sooner. The stored word is {live, key[KEY-1:SETS_LOG2], payload}. Full: `full` with a key that is not there: all its ways are taken.
module skewed_table #(
    parameter int KEY = 48,
    parameter int SETS_LOG2 = 11,
    parameter int WAYS = 8,
    parameter int PAYLOAD = 43,
    parameter int FIELD = 4,
    parameter int FIELD_AT = PAYLOAD - FIELD,
    parameter int EARLY = 1
) (
    input logic clk,
    input logic rst,

    input logic                           in_valid,     // cycle 0
    input logic [KEY-1:0]                 in_key,
    input logic [WAYS-1:0][SETS_LOG2-1:0] in_sets,
    input logic                           in_enters,    // the payload of an entry that is there already is not wanted
    input logic                           in_sweep,
    input logic                           sweep_all,    // steady while sweeps are in the pipeline
    input logic [FIELD-1:0]               sweep_field,  // the same

    input  logic [PAYLOAD-1:0] join_payload,   // cycle 3: joined into the payload found
    output logic [PAYLOAD-1:0] early_payload,  // cycle 3: the payload
    output logic [  EARLY-1:0] early_bits,     // cycle 3, sooner: the payload's upper bits; anything if there is no hit
    output logic               out_hit,        // cycle 4
    output logic               out_full,
    output logic [PAYLOAD-1:0] out_payload,
    output logic [   WAYS-1:0] out_way,        // the way that hit, or a free one
    input  logic               write,          // cycle 4
    input  logic               write_live,     // 0: the entry leaves
    input  logic [PAYLOAD-1:0] write_payload
);
  localparam int S = SETS_LOG2;
  localparam int Tag = KEY - S;
  localparam int Word = 1 + Tag + PAYLOAD;

  logic valid1, valid2, valid3, valid4;
  logic sweep1, sweep2, sweep3, sweep4;
  logic enters1, enters2, enters3;
  logic [KEY-1:0] key1, key2, key3, key4;
  logic [WAYS-1:0][S-1:0] sets1, sets2, sets3, sets4;

  // The last two results: the first is being written now.
  logic write5, wrote5, wrote7, live5, live7, sweep5, sweep7;
  logic [KEY-1:0] key5, key7;
  logic [WAYS-1:0][S-1:0] sets5, sets7;
  logic [WAYS-1:0] way5, way7;
  logic [PAYLOAD-1:0] payload5, payload7;

  logic [WAYS-1:0] hit3, give3, live3, mine3;
  logic [WAYS-1:0][PAYLOAD-1:0] data3;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    (* no_rw_check, ram_style = "block" *) logic [Word-1:0] memory[1<<S];
    logic [Word-1:0] read1, read2;
    initial for (int i = 0; i < 1 << S; i++) memory[i] = '0;
    always_ff @(posedge clk) begin
      if (write5 && way5[w]) memory[sets5[w]] <= {live5, key5[KEY-1:S], payload5};
      read1 <= memory[in_sets[w]];
    end
    always_ff @(posedge clk) begin
      read2 <= read1;
      hit3[w] <= read2[Word-1:PAYLOAD] == {1'b1, key2[KEY-1:S]};
      give3[w] <= read2[Word-1:PAYLOAD] == {1'b1, key2[KEY-1:S]} && !enters2;
      live3[w] <= read2[Word-1];
      mine3[w] <= sweep_all || (read2[Word-1] && read2[FIELD_AT+:FIELD] == sweep_field);
      data3[w] <= read2[PAYLOAD-1:0];
    end
  end

  // ---- cycle 3: which way, with the results that the memory did not have

  logic [WAYS-1:0] same_set5, same_set7, newer5, newer7, hit, give, live, free;
  logic same_key5, same_key7, from5, from7, give5, give7, any;
  logic [PAYLOAD-1:0] found;

  always_comb begin
    newer5 = way5 & same_set5 & {WAYS{wrote5}};
    newer7 = way7 & same_set7 & {WAYS{wrote7}};
    hit = hit3 & ~newer5 & ~newer7;
    give = give3 & ~newer5 & ~newer7;
    from5 = same_key5 && wrote5 && live5;
    from7 = same_key7 && wrote7 && live7 && !(same_key5 && wrote5);
    live = (live3 & ~newer5 & ~newer7) | (newer7 & ~newer5 & {WAYS{live7}}) | (newer5 & {WAYS{live5}});
    for (int w = 0; w < WAYS; w++) free[w] = !live[w] && &(live | ({WAYS{1'b1}} << w));  // no carries
    give5 = from5 && !enters3;
    give7 = from7 && !enters3;
    found = ({PAYLOAD{give5}} & payload5) | ({PAYLOAD{give7}} & payload7);
    for (int w = 0; w < WAYS; w++) found |= {PAYLOAD{give[w]}} & data3[w];
  end

  // Without `newer`: what is stale in the memory has the key that was looked for only if that is among the last results.
  logic recent;
  logic [EARLY-1:0] stored_bits, recent_bits;
  assign recent = (same_key5 && wrote5) || (same_key7 && wrote7);
  assign recent_bits = ({EARLY{give5}} & payload5[PAYLOAD-1-:EARLY]) | ({EARLY{give7}} & payload7[PAYLOAD-1-:EARLY]);
  always_comb begin
    stored_bits = '0;
    for (int w = 0; w < WAYS; w++) stored_bits |= {EARLY{give3[w]}} & data3[w][PAYLOAD-1-:EARLY];
  end
  assign early_bits = (stored_bits & {EARLY{!recent}}) | recent_bits | join_payload[PAYLOAD-1-:EARLY];

  assign any = |hit || from5 || from7;
  assign early_payload = found | join_payload;

  always_ff @(posedge clk) begin
    valid1 <= in_valid;
    valid2 <= valid1;
    valid3 <= valid2;
    valid4 <= valid3;
    {key1, sets1, sweep1, enters1} <= {in_key, in_sets, in_sweep, in_enters};
    {key2, sets2, sweep2, enters2} <= {key1, sets1, sweep1, enters1};
    {key3, sets3, sweep3, enters3} <= {key2, sets2, sweep2, enters2};
    {key4, sets4, sweep4} <= {key3, sets3, sweep3};

    // Compared with what will be the last two results when this operation is in cycle 3.
    same_key5 <= valid4 ? key2 == key4 && !sweep4 : key2 == key5 && !sweep5;
    same_key7 <= valid4 ? key2 == key5 && !sweep5 : key2 == key7 && !sweep7;
    for (int w = 0; w < WAYS; w++) begin
      same_set5[w] <= sets2[w] == (valid4 ? sets4[w] : sets5[w]);
      same_set7[w] <= sets2[w] == (valid4 ? sets5[w] : sets7[w]);
    end

    out_hit <= any;
    out_full <= &live;
    out_payload <= early_payload;
    out_way <= sweep3 ? mine3 : any ? hit | (newer5 & {WAYS{from5}}) | (newer7 & {WAYS{from7}}) : free;

    write5 <= valid4 && (write || sweep4);
    if (valid4) begin
      {wrote5, live5, sweep5, key5, sets5, way5, payload5} <=
          {write || sweep4, write_live && !sweep4, sweep4, key4, sets4, out_way, write_payload};
      {wrote7, live7, sweep7, key7, sets7, way7, payload7} <= {wrote5, live5, sweep5, key5, sets5, way5, payload5};
    end
    if (rst) begin
      {valid1, valid2, valid3, valid4, write5} <= '0;
      {wrote5, wrote7} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(in_valid && valid1));  // 2 cycles apart
  assert property (@(posedge clk) disable iff (rst) !(valid3 && !sweep3) || $onehot0({hit, from5, from7}));  // a key is in one place
  assert property (@(posedge clk) disable iff (rst) !(valid4 && !sweep4 && write) || out_hit || !out_full);
  assert property (@(posedge clk) disable iff (rst) !(valid3 && any && !sweep3) || early_bits == early_payload[PAYLOAD-1-:EARLY]);
endmodule

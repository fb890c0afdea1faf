// A hash table with several ways, each with its own hash, for read-modify-write: operations at least 2 cycles apart, on any keys; and probes between
// them, which look a key up in the memories as they are.
//
//   cycle 0       1              2                3                       4                   5
//   sets ─ block RAM ─ its output register ─ tags compared ─ payload chosen, last ─ payload, hit, way ─ what to
//   key ────────────── stash compared                        two results forwarded   the user decides    write
//
// The sets come from skewed_hash, in registers, a cycle after the key was known. In cycle 4 the user says what to write: to the way that hit, or
// to the free one that is offered. What is written in cycle 5 is not in the memory yet for the next two operations: they take it, and
// whether the way is free, from registers.
// An entry whose ways are all taken goes to the stash, STASH registers beside the ways. A move of its key puts it into a way that has become free,
// or takes an entry out of way 0 or 1 by turns, puts it there, and that one into the stash: which has other ways, of which one is free sooner
// or later. Nothing else may be in the pipeline then: a move comes 7 cycles after any operation, and the next 8 after it.
//
// A sweep takes out all entries with one value of FIELD bits at FIELD_AT of the stored word, in one set of all ways; or all entries.
//
// Latency: 4 cycles. Throughput: an operation in 2 cycles. Parameters: KEY, SETS_LOG2, WAYS; PAYLOAD, bits; FIELD, FIELD_AT: for a sweep;
// STASH. The stored word is {live, key[KEY-1:SETS_LOG2], payload}. Full: `full` with a key that is not there: all its ways and the stash are
// taken.
module skewed_table #(
    parameter int KEY = 48,
    parameter int SETS_LOG2 = 11,
    parameter int WAYS = 8,
    parameter int PAYLOAD = 43,
    parameter int FIELD = 4,
    parameter int FIELD_AT = PAYLOAD - FIELD,
    parameter int STASH = 0,
    localparam int Places = WAYS + STASH
) (
    input logic clk,
    input logic rst,

    input logic                           in_valid,     // cycle 0
    input logic [KEY-1:0]                 in_key,
    input logic [WAYS-1:0][SETS_LOG2-1:0] in_sets,
    input logic                           in_enters,    // its payload is join_payload, not that of an entry that is there already
    input logic                           in_move,
    input logic                           in_probe,     // between operations, and not in the cycle after `will_write`
    input logic                           in_sweep,
    input logic                           sweep_all,    // steady while sweeps are in the pipeline
    input logic [FIELD-1:0]               sweep_field,  // the same

    input  logic [PAYLOAD-1:0] join_payload,   // cycle 3: the payload of what enters; else 0
    input  logic [ Places-1:0] place_given,    // cycle 3: of what enters, the free place where it is to be; 0: any
    output logic [PAYLOAD-1:0] early_payload,  // cycle 3: the payload; anything if there is no hit
    output logic               out_hit,        // cycle 4
    output logic               out_full,
    output logic [PAYLOAD-1:0] out_payload,
    output logic [ Places-1:0] out_way,        // the way that hit, or a free one; then the stash
    input  logic               write,          // cycle 4
    input  logic               write_live,     // 0: the entry leaves
    input  logic [PAYLOAD-1:0] write_payload,
    output logic               will_write,     // an operation is in cycle 4: it may write the memories in the next
    output logic               stash_waits,    // there is an entry to move, of this key
    output logic [    KEY-1:0] stash_key
);
  localparam int S = SETS_LOG2;
  localparam int Tag = KEY - S;
  localparam int Word = 1 + Tag + PAYLOAD;

  logic valid1, valid2, valid3, valid4;
  logic sweep1, sweep2, sweep3, sweep4;
  logic enters1, enters2, move1, move2, move3, move4;
  logic probe1, probe2, probe3, probe4;
  logic [KEY-1:0] key1, key2, key3, key4;
  /* verilator lint_off UNUSEDSIGNAL */  // its lower bits: the stash alone
  logic [KEY-1:0] key5;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WAYS-1:0][S-1:0] sets1, sets2, sets3, sets4, sets5;

  // The last two operations before the one in cycle 2. They are at least 2 cycles ahead, so in its cycle 3 their results are the last two.
  logic last_sweep, before_sweep;
  logic [KEY-1:0] last_key, before_key;
  logic [WAYS-1:0][S-1:0] last_sets, before_sets;

  // Their results: the first is being written now.
  logic write5, wrote5, wrote7, live5, live7;
  logic kept5, kept7;  // written and live
  logic [Places-1:0] way5, way7;
  logic [PAYLOAD-1:0] payload5, payload7;

  logic [Places-1:0] hit3, live3, mine3, same_set5, same_set7;
  logic [WAYS-1:0] give3;
  logic [WAYS-1:0][PAYLOAD-1:0] data3;
  logic [PAYLOAD-1:0] stash_data3;
  /* verilator lint_off UNUSEDSIGNAL */  // what only the stash needs
  logic [WAYS-1:0][Tag-1:0] tag3;

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
      tag3[w] <= read2[PAYLOAD+:Tag];
      same_set5[w] <= sets2[w] == last_sets[w] && !probe2;
      same_set7[w] <= sets2[w] == before_sets[w] && !probe2;
    end
  end

  // ---- the stash

  logic kicks4, kicks5, turn;  // out of way `turn`
  logic [Places-1:0] drops4, drops5;
  logic [PAYLOAD-1:0] victim4, victim5;
  logic [KEY-1:0] victim_key4, victim_key5;
  /* verilator lint_on UNUSEDSIGNAL */

  if (STASH > 0) begin : gen_stash
    localparam int Index = STASH > 1 ? $clog2(STASH) : 1;
    logic [STASH-1:0] stash_live, writes, hit1, hit2;
    logic [STASH-1:0][KEY-1:0] keys;
    logic [STASH-1:0][FIELD-1:0] fields;
    logic gives2;
    logic [Index-1:0] written, hit_at1, hit_at2, waiting;
    logic [KEY-1:0] stash_in_key;
    logic [PAYLOAD-1:0] stash_in;
    // As memories their words need no multiplexers.
    (* ram_style = "distributed" *) logic [KEY-1:0] key_memory[1<<Index];
    (* ram_style = "distributed" *) logic [PAYLOAD-1:0] payloads[1<<Index];

    // It is compared a cycle before the memories' words are, and lacks the last two results as they do.
    always_comb begin
      {written, hit_at1, waiting} = '0;
      for (int i = 0; i < STASH; i++) begin
        writes[i] = (write5 && way5[WAYS+i]) || drops5[WAYS+i];
        hit1[i] = stash_live[i] && keys[i] == key1;
        if (way5[WAYS+i] || drops5[WAYS+i]) written |= Index'(i);
        if (hit1[i]) hit_at1 |= Index'(i);
      end
      for (int i = STASH - 1; i >= 0; i--) if (stash_live[i]) waiting = Index'(i);
      {stash_in_key, stash_in} = |drops5 ? {victim_key5, victim5} : {key5, payload5};
    end
    always_ff @(posedge clk) begin
      if (|writes) key_memory[written] <= stash_in_key;
      if (|writes) payloads[written] <= stash_in;
      for (int i = 0; i < STASH; i++) begin
        if (writes[i]) {stash_live[i], keys[i], fields[i]} <= {|drops5 ? kicks5 : live5, stash_in_key, stash_in[PAYLOAD-1-:FIELD]};
        mine3[WAYS+i] <= sweep_all || (stash_live[i] && fields[i] == sweep_field);
      end
      hit2 <= hit1;
      hit_at2 <= hit_at1;
      gives2 <= |hit1 && !enters1;
      hit3[Places-1:WAYS] <= hit2;
      live3[Places-1:WAYS] <= stash_live;
      stash_data3 <= gives2 ? payloads[hit_at2] : '0;
      if (rst) stash_live <= '0;
    end
    assign same_set5[Places-1:WAYS] = '1;
    assign same_set7[Places-1:WAYS] = '1;
    // A cycle late: a move comes 7 cycles after any operation.
    always_ff @(posedge clk) begin
      stash_key <= key_memory[waiting];
      stash_waits <= |stash_live && !rst;
    end

    // The key of the entry that is kicked: its tag, and its set in the way where it is.
    logic [Tag-1:0] tag4;
    logic [1:0][S-1:0] tag_sets;
    skewed_hash #(
        .KEY(KEY),
        .SETS_LOG2(S),
        .WAYS(2)
    ) hash (
        .key({tag4, {S{1'b0}}}),
        .sets(tag_sets)
    );
    assign victim_key4 = {tag4, (turn ? tag_sets[1] ^ sets4[1] : tag_sets[0] ^ sets4[0])};
    always_ff @(posedge clk) begin
      tag4 <= turn ? tag3[1] : tag3[0];
      victim4 <= turn ? data3[1] : data3[0];
      if (|drops5) turn <= !turn;
      if (rst) turn <= 1'b0;
    end
    if (FIELD_AT != PAYLOAD - FIELD) begin : gen_check
      $fatal(1, "skewed_table: with a stash, a sweep's field must be the upper bits of the payload");
    end
  end else begin : gen_no_stash
    assign {stash_waits, stash_key, victim_key4, victim4, turn, stash_data3} = '0;
  end

  // ---- cycle 3: which way, with the results that the memory did not have

  logic [Places-1:0] newer5, newer7, hit, live, place;
  logic same_key5, same_key7, same_give5, same_give7, from5, from7, give5, give7, recent, any;
  logic [PAYLOAD-1:0] found;

  always_comb begin
    newer5 = way5 & same_set5 & {Places{wrote5}};
    newer7 = way7 & same_set7 & {Places{wrote7}};
    hit = hit3 & ~newer5 & ~newer7;
    from5 = same_key5 && kept5;
    from7 = same_key7 && kept7 && !(same_key5 && wrote5);
    live = (live3 & ~newer5 & ~newer7) | (newer7 & ~newer5 & {Places{live7}}) | (newer5 & {Places{live5}});
    place = hit | (way5 & {Places{from5}}) | (way7 & {Places{from7}});
    any = |hit || from5 || from7;

    // The payload without `newer`: what the memory gives is not the newest only if its key is that of one of the last results.
    recent = (same_give5 && wrote5) || (same_give7 && wrote7);
    give5 = same_give5 && kept5;
    give7 = same_give7 && kept7 && !(same_give5 && wrote5);
    found = stash_data3;
    for (int w = 0; w < WAYS; w++) found |= {PAYLOAD{give3[w]}} & data3[w];
    // `join_payload` is of an operation that enters: nothing is recent to it.
    early_payload = ((found | join_payload) & {PAYLOAD{!recent}}) | ({PAYLOAD{give5}} & payload5) | ({PAYLOAD{give7}} & payload7);
  end

  // ---- cycle 4: the way

  logic [Places-1:0] live4, place4, mine4, free4;
  logic free_way4, placed4;
  localparam logic [Places-1:0] Ways = Places'({WAYS{1'b1}});

  always_comb begin
    for (int w = 0; w < Places; w++) free4[w] = !live4[w] && &(live4 | ({Places{1'b1}} << w));  // no carries
    free_way4 = !(&live4[WAYS-1:0]);
    kicks4 = !free_way4;
    out_way = sweep4 ? mine4 : placed4 && !move4 ? place4 : move4 && !free_way4 ? Places'(turn ? 2 : 1) : free4;
  end

  always_ff @(posedge clk) begin
    valid1 <= in_valid;
    valid2 <= valid1;
    valid3 <= valid2;
    valid4 <= valid3;
    {key1, sets1, sweep1, enters1, move1, probe1} <= {in_key, in_sets, in_sweep, in_enters, in_move, in_probe};
    {key2, sets2, sweep2, enters2, move2, probe2} <= {key1, sets1, sweep1, enters1, move1, probe1};
    {key3, sets3, sweep3, move3, probe3} <= {key2, sets2, sweep2, move2, probe2};
    {key4, sets4, sweep4, move4, probe4} <= {key3, sets3, sweep3, move3, probe3};

    if (valid2 && !probe2) begin
      {last_key, last_sets, last_sweep} <= {key2, sets2, sweep2};
      {before_key, before_sets, before_sweep} <= {last_key, last_sets, last_sweep};
    end
    same_key5 <= key2 == last_key && !last_sweep && !probe2;
    same_key7 <= key2 == before_key && !before_sweep && !probe2;
    same_give5 <= key2 == last_key && !last_sweep && !enters2 && !probe2;
    same_give7 <= key2 == before_key && !before_sweep && !enters2 && !probe2;

    out_hit <= any;
    out_full <= &live;
    out_payload <= early_payload;
    // What the sweep before has taken out of the stash is not there any more.
    {live4, place4, placed4, mine4} <= {live, place | place_given, any || |place_given, mine3 & ~(newer5 & {Places{before_sweep}})};
    drops4 <= move3 && valid3 ? place & ~Ways : '0;
    drops5 <= drops4;
    {kicks5, victim5, victim_key5} <= {kicks4, victim4, victim_key4};

    write5 <= valid4 && (move4 ? |drops4 : write || sweep4);
    if (valid4 && !probe4) begin
      {wrote5, live5, key5, sets5, way5, payload5} <=
          {
        move4 ? |drops4 : write || sweep4,
        (write_live || move4) && !sweep4,
        key4,
        sets4,
        out_way,
        move4 ? out_payload : write_payload
      };
      kept5 <= !sweep4 && (move4 ? |drops4 : write && write_live);
      // What came before a move is in the memory; and what is kicked is not where its last result says.
      {wrote7, live7, kept7, way7, payload7} <= {wrote5 && !move4, live5, kept5 && !move4, way5, payload5};
    end
    if (rst) begin
      {valid1, valid2, valid3, valid4, write5} <= '0;
      {wrote5, wrote7, kept5, kept7} <= '0;
      {drops4, drops5} <= '0;
    end
  end

  assign will_write = valid4 && !probe4;

  assert property (@(posedge clk) disable iff (rst) !(in_valid && valid1 && !in_probe && !probe1));  // 2 cycles apart
  assert property (@(posedge clk) disable iff (rst) !(in_valid && in_probe && write5));
  assert property (@(posedge clk) disable iff (rst) !(valid4 && probe4 && write));
  assert property (@(posedge clk) disable iff (rst) !(in_valid && in_move) || {valid1, valid2, valid3, valid4} == '0);
  assert property (@(posedge clk) disable iff (rst) !in_valid ||
      {valid1 && move1, valid2 && move2, valid3 && move3, valid4 && move4} == '0);
  assert property (@(posedge clk) disable iff (rst) !(valid3 && !sweep3) || $onehot0({hit, from5, from7}));  // a key is in one place
  assert property (@(posedge clk) disable iff (rst) !(valid4 && !sweep4 && write) || out_hit || !out_full);
endmodule

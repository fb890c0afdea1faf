// Decodes the entries of a FAST template, or of a set of them, eight bytes a cycle, whatever their fields: packets in, an entry's wanted fields a beat and a
// verdict on each packet out (docs/concepts/fast-at-wire-rate.md).
//
//   in ─ messages ─ (scout) ─ stops s1-s3 ─ walk s3-s5 ─ lanes s6-s9 ─┬─ field 0 … s10-s13 ─┬─ entries
//                           └──────── tokens s10 ──────────┼─ header             │
//                                                          └─ watched exponents ─┴─ verdict s15
//
// A packet is the payload: messages, with a Reset before them if there is one. With `several` a message after the first one is taken by itself (fast_wire_messages), with dictionaries that are not known: what
// depends on them, and a message without entries, is not done. Without, a packet has one message. What this engine does not do ends in a verdict that is not good, with a reason; entries
// that were given before it do not count. It takes packets back to back, and with one message they never wait.
//
// Latency, from the beat with a packet's last byte: to its last entry 13 cycles, to the verdict 15, whatever the packet; with several templates 4 more, for the
// scout; with SHORT 3 less. A further message comes 17 cycles later, or 21, or 14. Throughput: a beat a cycle, an entry a cycle. Parameters: TEMPLATES, 1 to 8;
// NUMBERS, fields of five bytes at most (32-bit integers, short texts); LONGS, of nine (decimals, 64-bit integers); TEXTS, of twelve;
// HEADERS, integers of the header; WATCHES, exponents that are watched. Fields are numbered in this order. CONSTANT, CONSTANTS: see fast_wire_tables.
// SHORT, for one template: the stages 3, 8 and 12 take no cycle (cycle_of). With tables that are loaded it is as right, but slow: the logic of two stages fits into a cycle where constants
// leave out most of it: of the walk the rows without exponents, of positions the bits of the presence map that no field before has, of values the operators that add.
// SEVERAL, 0: `several` is never high, and the ring for it not there. ZEROS, longs that are decimals without delta, of which it only matters whether they are 0: any other is 1, and has no sign.
// MOST, beats of packets without a verdict, at most. Overflow: none.
//
// Dictionaries that outlive a packet are those of the wanted fields, for each template its own. After a packet that is not good they are not known, until a Reset.
//
// Tables are loaded while `idle`.
module fast_wire_engine
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 1,
    parameter int NUMBERS = 6,
    parameter int LONGS   = 2,
    parameter int TEXTS   = 2,
    parameter int HEADERS = 2,
    parameter int WATCHES = 2,
    parameter int FIELDS  = NUMBERS + LONGS + TEXTS,
    parameter int MOST = 512,
    parameter bit CONSTANT = 1'b0,
    parameter constants_t CONSTANTS = '0,
    parameter bit SHORT = CONSTANT,
    parameter bit SEVERAL = 1'b1,
    parameter logic [LONGS-1:0] ZEROS = '0
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    input  load_t load,
    output logic  idle,
    input  logic  restart,  // pulse, while idle: dictionaries are empty; so they are when tables are loaded
    input  logic  several,  // further messages of a packet are done: no dictionary outlives one

    output logic entry_valid,
    output logic entry_last,  // with the packet's last beat
    output value_t [FIELDS-1:0] entry,
    output logic [NUMBERS+LONGS-1:0][6:0] exponents_ahead,  // of the entry of the next cycle; not from flip-flops
    output value_t [TEXTS-1:0] texts_ahead,  // the texts of the entry of the next cycle
    output logic [HEADERS-1:0][63:0] header,  // valid with an entry and a cycle before
    output logic [HEADERS-1:0] header_absent,
    output logic spoilt,  // a cycle after an entry: it does not count
    output verdict_t verdict
);
  if (in.W != 64) begin : g_width
    $fatal(1, "fast_wire_engine takes eight bytes a beat");
  end
  if (SHORT && TEMPLATES > 1) begin : g_moves
    $fatal(1, "fast_wire_engine with SHORT has one template");
  end

  // What is brought from stage to stage is numbered by cycles.
  localparam int C4 = cycle_of(4, SHORT);
  localparam int C5 = cycle_of(5, SHORT);
  localparam int C6 = cycle_of(6, SHORT);
  localparam int C7 = cycle_of(7, SHORT);
  localparam int C8 = cycle_of(8, SHORT);
  localparam int C9 = cycle_of(9, SHORT);
  localparam int C10 = cycle_of(10, SHORT);
  localparam int C11 = cycle_of(11, SHORT);
  localparam int C12 = cycle_of(12, SHORT);
  localparam int C13 = cycle_of(13, SHORT);
  localparam int C14 = cycle_of(14, SHORT);

  // ---- a message at a time

  localparam int Depth = cycle_of(15, SHORT);
  stream_if #(.W(64)) taken ();
  beat_t beats[1:Depth];
  /* verilator lint_off UNUSEDSIGNAL */
  further_t further;
  /* verilator lint_on UNUSEDSIGNAL */
  logic again, clear;

  if (SEVERAL) begin : gen_messages
    fast_wire_messages #(
        .DEPTH(MOST)
    ) messages (
        .clk,
        .rst,
        .in,
        .ended(beats[Depth].valid),
        .further,
        .out(taken.src),
        .busy(again)
    );
  end else begin : gen_message
    assign {taken.valid, taken.last, taken.err, taken.keep, taken.data} = {in.valid, in.last, in.err, in.keep, in.data};
    assign again = 1'b0;
  end
  // What is in the stages then was given too early.
  assign clear = rst || further.valid;

  // ---- which template, and its tables

  stream_if #(.W(64)) coded ();
  choice_t ahead;
  logic scouting;
  if (TEMPLATES > 1) begin : gen_scout
    fast_wire_scout #(
        .TEMPLATES(TEMPLATES)
    ) scout (
        .clk,
        .rst,
        .flush(further.valid),
        .in(taken.snk),
        .load,
        .out (coded.src),
        .ahead,
        .busy(scouting)
    );
  end else begin : gen_one
    assign {coded.valid, coded.last, coded.err, coded.keep, coded.data} = {taken.valid, taken.last, taken.err, taken.keep, taken.data};
    assign ahead = '{known: 1'b1, at: '0};
    assign scouting = 1'b0;
  end

  localparam bit Moves = TEMPLATES > 1;
  /* verilator lint_off UNUSEDSIGNAL */
  template_t [WordStages-1:0] words;
  /* verilator lint_on UNUSEDSIGNAL */
  field_t [FIELDS-1:0] fields7;
  initial_t [FIELDS-1:0] initials;
  header_t [HEADERS-1:0] headers9;
  place_t [WATCHES-1:0] watches7;
  logic known13;
  template_at_t at10, at11;

  fast_wire_tables #(
      .TEMPLATES(TEMPLATES),
      .FIELDS (FIELDS),
      .TEXTS  (TEXTS),
      .HEADERS(HEADERS),
      .WATCHES(WATCHES),
      .CONSTANT(CONSTANT),
      .CONSTANTS(CONSTANTS)
  ) tables (
      .clk,
      .rst,
      .load,
      .ahead,
      .words,
      .known13,
      .at10,
      .at11,
      .fields7,
      .initials,
      .headers9,
      .watches7
  );

  // ---- tokens, and the walk

  lane_t [Lanes-1:0] lanes[1:C10];
  logic [Lanes-1:0] nulls[2:C6];
  logic [3:0] count2;
  logic resets2, open2, resets5, ends6, starts6, nulls6;
  row_t [Lanes-1:0] tokens3;
  logic [Lanes-1:0] late3;
  row_t [Lanes-1:0] tokens[2:C6];  // n(pm), by lane
  row_t r5;
  logic late5;
  logic [1:0][EndRows-1:0][Lanes-1:0] at5;
  /* verilator lint_off UNUSEDSIGNAL */
  beat_t beat5;
  /* verilator lint_on UNUSEDSIGNAL */

  fast_wire_stops #(
      .SHORT(SHORT)
  ) stops (
      .clk,
      .rst(clear),
      .in(coded.snk),
      .word0(words[0]),
      .word1(words[1]),
      .beat1(beats[1]),
      .lanes1(lanes[1]),
      .beat2(beats[2]),
      .nulls2(nulls[2]),
      .count2,
      .resets2,
      .open2,
      .tokens2(tokens[2]),
      .tokens3,
      .late3
  );

  logic [NullRows-1:0] late_exponents2, late_exponents3, late_exponents5;
  fast_wire_late_bit #(
      .MOVES(Moves)
  ) late_bit (
      .clk,
      .word1(words[1]),
      .late_exponents2,
      .late_exponents3,
      .late_exponents5
  );

  fast_wire_walk #(
      .SHORT(SHORT)
  ) walk (
      .clk,
      .rst(clear),
      .word2(words[2]),
      .word3(words[3]),
      .late_exponents2,
      .late_exponents3,
      .beat2(beats[2]),
      .nulls2(nulls[2]),
      .count2,
      .resets2,
      .tokens3,
      .late3,
      .lanes4(lanes[C4]),
      .beat5,
      .r5,
      .late5,
      .at5,
      .resets5,
      .ends6,
      .starts6,
      .nulls6
  );

  // What later stages need is brought to them.
  logic [C13:2] open;
  logic [C13:C6] ends;
  logic [C13:C7] begins;
  logic [C12:C9] in_entry;
  logic [C12:C5] resets;
  logic [C13:C7] whole;
  logic [C13:C7][2:0] lane;
  assign open[2]  = open2;
  assign ends[C6]  = ends6;
  assign resets[C5] = resets5;

  for (genvar c = 3; c <= Depth; c++) begin : g_beats
    always_ff @(posedge clk) begin
      beats[c] <= beats[c-1];
      if (clear) beats[c] <= '0;
    end
  end
  for (genvar c = 2; c <= C10; c++) begin : g_lanes
    always_ff @(posedge clk) lanes[c] <= lanes[c-1];
  end
  for (genvar c = 3; c <= C6; c++) begin : g_by_token
    always_ff @(posedge clk) begin
      nulls[c]  <= nulls[c-1];
      tokens[c] <= tokens[c-1];
    end
  end
  always_ff @(posedge clk) begin
    open[C13:3] <= open[C13-1:2];
    ends[C13:C6+1] <= ends[C13-1:C6];
    begins[C13:C7+1] <= begins[C13-1:C7];
    whole[C13:C7+1] <= whole[C13-1:C7];
    lane[C13:C7+1] <= lane[C13-1:C7];
    resets[C12:C5+1] <= resets[C12-1:C5];
    in_entry[C12:C9+1] <= in_entry[C12-1:C9];
  end

  logic [MapBits-1:0] map7;
  logic bad_map7, header9;
  logic [Lanes-1:0] after9, stops9;
  row_t [Lanes-1:0] position9;
  logic [Lanes-1:0] met9;

  fast_wire_lanes #(
      .SHORT(SHORT)
  ) positions (
      .clk,
      .rst(clear),
      .word5(words[5]),
      .word6(words[6]),
      .word7(words[7]),
      .beat5,
      .lanes5(lanes[C5]),
      .lanes6(lanes[C6]),
      .lanes7(lanes[C7]),
      .lanes8(lanes[C8]),
      .r5,
      .late5,
      .late_exponents5,
      .at5,
      .tokens6(tokens[C6]),
      .resets5,
      .nulls4(nulls[C4]),
      .nulls6(nulls[C6]),
      .begins7(begins[C7]),
      .lane7(lane[C7]),
      .whole7(whole[C7]),
      .map7,
      .bad_map7,
      .after9,
      .header9,
      .in_entry9(in_entry[C9]),
      .position9,
      .met9
  );

  // ---- values

  logic [Lanes-1:0][7*(Lanes-1)-1:0] values10;
  token_t [Lanes-1:0] tokens10;
  logic [ValueBits-1:0] first10;
  logic [Lanes-1:0] first_at10;

  fast_wire_tokens arranged (
      .clk,
      .rst(clear),
      .beat9(beats[C9]),
      .lanes7(lanes[C9-2]),
      .lanes8(lanes[C9-1]),
      .lanes9(lanes[C9]),
      .values10,
      .tokens10,
      .first10,
      .first_at10
  );

  for (genvar j = 0; j < Lanes; j++) begin : g_stops
    assign stops9[j] = lanes[C9][j].stop;
  end

  // When dictionary entries begin anew: of texts a stage before the others.
  logic empty;
  logic outlives11;
  logic [12:11] begin_anew, store, take;
  template_at_t [12:11] held;
  assign empty = restart || load.valid;
  fast_wire_later #(
      .WIDTH (1),
      .STAGES(1),
      .MOVES (Moves)
  ) outlives_to11 (
      .clk,
      .word (words[10].outlives),
      .later(outlives11)
  );
  for (genvar s = 11; s <= 12; s++) begin : g_dictionaries
    localparam int C = cycle_of(s, SHORT);
    fast_wire_dictionary #(
        .TEMPLATES(TEMPLATES)
    ) dictionary (
        .clk,
        .rst,
        .flush(further.valid),
        .restart(empty),
        .coming(beats[C-1]),
        .here(beats[C]),
        .at(s == 11 ? at10 : at11),
        .outlives(s == 11 ? words[10].outlives : outlives11),
        .resets(resets[C-1]),
        .begin_anew(begin_anew[s]),
        .store(store[s]),
        .take(take[s]),
        .held(held[s])
    );
  end

  // A further message's dictionary is that of the message before, unless it begins with a Reset: which is not kept.
  logic is_further;
  logic [12:11] continued;
  always_ff @(posedge clk) begin
    if (beats[C11].last || (beats[C11-1].valid && resets[C11-1])) continued[11] <= 1'b0;
    if (beats[C12].last || (beats[C12-1].valid && resets[C12-1])) continued[12] <= 1'b0;
    if (beats[C13].last) is_further <= 1'b0;
    if (further.valid) {continued, is_further} <= '1;
    if (rst) {continued, is_further} <= '0;
  end

  logic [FIELDS-1:0] bad14, short14;
  for (genvar f = 0; f < NUMBERS + LONGS; f++) begin : g_fields
    fast_wire_field #(
        .BYTES  (f < NUMBERS ? NumberBytes : LongBytes),
        .DECIMAL(f >= NUMBERS),
        .MOVES  (Moves),
        .SHORT  (SHORT),
        .ZERO   (f >= NUMBERS && ZEROS[(f-NUMBERS)%LONGS])
    ) wanted (
        .clk,
        .rst(clear),
        .field7(fields7[f]),
        .initial11(initials[f]),
        .map7,
        .beat9(beats[C9]),
        .begins9(begins[C9]),
        .in_entry9(in_entry[C9]),
        .stops9,
        .after9,
        .position9,
        .values10,
        .tokens10,
        .first10,
        .first_at10,
        .beat12(beats[C12]),
        .begins12(begins[C12]),
        .in_entry12(in_entry[C12]),
        .continued12(continued[12]),
        .begin_anew(begin_anew[12]),
        .store(store[12]),
        .take(take[12]),
        .held(held[12]),
        .at11,
        .exponent_ahead(exponents_ahead[f]),
        .value13(entry[f]),
        .bad14(bad14[f]),
        .short14(short14[f])
    );
  end

  for (genvar f = NUMBERS + LONGS; f < FIELDS; f++) begin : g_texts
    fast_wire_text #(
        .MOVES(Moves),
        .SHORT(SHORT)
    ) wanted (
        .clk,
        .rst(clear),
        .field7(fields7[f]),
        .initial10(initials[f]),
        .map7,
        .beat9(beats[C9]),
        .begins9(begins[C9]),
        .in_entry9(in_entry[C9]),
        .stops9,
        .after9,
        .position9,
        .values10,
        .tokens10,
        .first10,
        .first_at10,
        .beat11(beats[C11]),
        .begins11(begins[C11]),
        .in_entry11(in_entry[C11]),
        .continued11(continued[11]),
        .begin_anew(begin_anew[11]),
        .store(store[11]),
        .take(take[11]),
        .held(held[11]),
        .at10,
        .value12(texts_ahead[f-NUMBERS-LONGS]),
        .value13(entry[f]),
        .bad14(bad14[f]),
        .short14(short14[f])
    );
  end

  logic [13:0] length13;
  logic ours14, other14, depends14, resets14, header_bad14, spoilt14;
  fast_wire_header #(
      .HEADERS(HEADERS),
      .MOVES  (Moves),
      .SHORT  (SHORT)
  ) head (
      .clk,
      .rst(clear),
      .word9(words[9]),
      .headers9,
      .known13,
      .header9,
      .stops9,
      .after9,
      .position9,
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .beat12(beats[C12]),
      .resets12(resets[C12]),
      .continued12(continued[12]),
      .beat13(beats[C13]),
      .values13(header),
      .absent13(header_absent),
      .length13,
      .ours14,
      .other14,
      .depends14,
      .resets14,
      .bad14(header_bad14)
  );

  logic late11;
  fast_wire_watches #(
      .WATCHES(WATCHES),
      .MOVES  (Moves),
      .SHORT  (SHORT)
  ) watches (
      .clk,
      .watches7,
      .map7,
      .beat9(beats[C9]),
      .begins9(begins[C9]),
      .in_entry9(in_entry[C9]),
      .stops9,
      .after9,
      .position9,
      .met9,
      .beat10(beats[C10]),
      .lanes10(lanes[C10]),
      .guessed10(words[10].guessed),
      .late11
  );

  // ---- the entry, and the verdict

  logic [13:0] entries13;
  logic emits, in_packet;
  assign emits = beats[C12].valid && in_entry[C12] && (begins[C12] || beats[C12].last);

  always_ff @(posedge clk) begin
    if (beats[C12].valid) in_packet <= !beats[C12].last;
    entry_valid <= emits;
    entry_last  <= emits && beats[C12].last && !begins[C12];
    entries13   <= (beats[C13].last || !(beats[C12].valid || in_packet) ? '0 : entries13) + 14'(emits);
    if (clear) begin
      in_packet   <= 1'b0;
      entry_valid <= 1'b0;
    end
  end

  fast_wire_verdict #(
      .SHORT(SHORT)
  ) judge (
      .clk,
      .rst,
      .restart(empty),
      .flush(further.valid),
      .several(SEVERAL && several),
      .starts6,
      .nulls6,
      .bad_map7,
      .late11,
      .beat13(beats[C13]),
      .beat14(beats[C14]),
      .open13(open[C13]),
      .ends13(ends[C13]),
      .begins13(begins[C13]),
      .whole13(whole[C13]),
      .lane13(lane[C13]),
      .wrong_length13(entries13 != length13 || (is_further && entries13 == '0)),
      .other14,
      .depends14,
      .resets14,
      .header_bad14,
      .bad14(bad14 != '0),
      .short14(short14 != '0),
      .ours14,
      .further,
      .spoilt14,
      .verdict
  );

  assign spoilt = spoilt14 || !ours14;

  logic [Depth-1:1] valid;
  logic receiving;
  always_comb for (int s = 1; s < Depth; s++) valid[s] = beats[s].valid;
  always_ff @(posedge clk) begin
    if (in.valid) receiving <= !in.last;
    if (rst) receiving <= 1'b0;
  end
  assign idle = !receiving && !in.valid && !again && !scouting && valid == '0;

  assert property (@(posedge clk) disable iff (rst) !load.valid || idle);
endmodule

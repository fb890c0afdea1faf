// Decodes the entries of one FAST template eight bytes a cycle, whatever their fields: packets in, an entry's wanted fields a beat and a verdict on each
// packet out (docs/concepts/fast-at-wire-rate.md).
//
//   in ─ stops s1-s3 ─ walk s3-s6 ─ lanes s7-s11 ─┬─ field 0 … s12-s15 ─┬─ entries
//                 └──────── tokens s12 ───────────┼─ header             │
//                                                 └─ watched exponents ─┴─ verdict s17
//
// A packet is the payload: a Reset if there is one, and one message. What this engine does not do ends in a verdict that is not good, with a reason; entries
// that were given before it do not count. It never waits, and takes packets back to back.
//
// Latency, from the beat with a packet's last byte: to its last entry 15 cycles, to the verdict 17, whatever the packet. Throughput: a beat a cycle, an
// entry a cycle. Parameters: NUMBERS, fields of five bytes at most (32-bit integers, short texts); LONGS, of nine (decimals, 64-bit integers); TEXTS, of
// twelve; HEADERS, integers of the header; WATCHES, exponents that are watched. Fields are numbered in this order. Overflow: none.
//
// Tables are loaded while `idle`.
module fast_wire_engine
  import fast_wire_pkg::*;
#(
    parameter int NUMBERS = 6,
    parameter int LONGS   = 2,
    parameter int TEXTS   = 2,
    parameter int HEADERS = 2,
    parameter int WATCHES = 2,
    parameter int FIELDS  = NUMBERS + LONGS + TEXTS
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    input  load_t load,
    output logic  idle,

    output logic entry_valid,
    output logic entry_last,  // with the packet's last beat
    output value_t [FIELDS-1:0] entry,
    output logic [HEADERS-1:0][63:0] header,  // valid with an entry
    output logic [HEADERS-1:0] header_absent,
    output logic spoilt,  // a cycle after an entry: it does not count
    output verdict_t verdict
);
  if (in.W != 64) begin : g_width
    $fatal(1, "fast_wire_engine takes eight bytes a beat");
  end

  template_t template_word;
  field_t [FIELDS-1:0] fields;
  initial_t [FIELDS-1:0] initials;
  header_t [HEADERS-1:0] headers;
  place_t [WATCHES-1:0] watches;

  fast_wire_tables #(
      .FIELDS (FIELDS),
      .HEADERS(HEADERS),
      .WATCHES(WATCHES)
  ) tables (
      .clk,
      .rst,
      .load,
      .template_word,
      .fields,
      .initials,
      .headers,
      .watches
  );

  // ---- tokens, and the walk

  localparam int Depth = 17;
  beat_t beats[1:Depth];
  lane_t [Lanes-1:0] lanes[1:12];
  logic [Lanes-1:0] nulls[2:7];
  logic [3:0] count2;
  logic resets2, open2, resets6, ends6, starts6, nulls6;
  row_t [Lanes-1:0] tokens3, tokens6;
  row_t r6;
  logic [EndRows-1:0][Lanes-1:0] at6;
  logic [Lanes-1:0] exists6;
  beat_t beat6;

  fast_wire_stops stops (
      .clk,
      .rst,
      .in,
      .template_word,
      .beat1(beats[1]),
      .lanes1(lanes[1]),
      .beat2(beats[2]),
      .nulls2(nulls[2]),
      .count2,
      .resets2,
      .open2,
      .tokens3
  );

  fast_wire_walk walk (
      .clk,
      .rst,
      .template_word,
      .beat2(beats[2]),
      .nulls2(nulls[2]),
      .count2,
      .resets2,
      .tokens3,
      .beat6,
      .r6,
      .at6,
      .exists6,
      .tokens6,
      .resets6,
      .ends6,
      .starts6,
      .nulls6
  );

  // What later stages need is brought to them.
  logic [15:2] open;
  logic [15:6] ends;
  logic [15:9] begins;
  logic [14:11] in_entry;
  logic [14:6] resets;
  assign open[2]  = open2;
  assign ends[6]  = ends6;
  assign resets[6] = resets6;

  for (genvar s = 3; s <= Depth; s++) begin : g_beats
    always_ff @(posedge clk) begin
      beats[s] <= beats[s-1];
      if (rst) beats[s] <= '0;
    end
  end
  for (genvar s = 2; s <= 12; s++) begin : g_lanes
    always_ff @(posedge clk) lanes[s] <= lanes[s-1];
  end
  for (genvar s = 3; s <= 7; s++) begin : g_nulls
    always_ff @(posedge clk) nulls[s] <= nulls[s-1];
  end
  always_ff @(posedge clk) begin
    open[15:3] <= open[14:2];
    ends[15:7] <= ends[14:6];
    begins[15:10] <= begins[14:9];
    resets[14:7] <= resets[13:6];
    in_entry[14:12] <= in_entry[13:11];
  end

  logic [MapBits-1:0] map9;
  logic bad_map9, header11;
  logic [Lanes-1:0] after11, stops11;
  row_t [Lanes-1:0] position11;
  logic [Lanes-1:0] met11, met12;

  fast_wire_lanes positions (
      .clk,
      .rst,
      .template_word,
      .beat6,
      .r6,
      .at6,
      .exists6,
      .tokens6,
      .resets6,
      .nulls7(nulls[7]),
      .lanes7(lanes[7]),
      .lanes8(lanes[8]),
      .lanes9(lanes[9]),
      .lanes10(lanes[10]),
      .begins9(begins[9]),
      .map9,
      .bad_map9,
      .after11,
      .header11,
      .in_entry11(in_entry[11]),
      .position11,
      .met11
  );

  // ---- values

  logic [Lanes-1:0][7*(Lanes-1)-1:0] values12;
  token_t [Lanes-1:0] tokens12;
  logic [ValueBits-1:0] first12;
  token_t first_token12;
  logic [Lanes-1:0] first_at12;

  fast_wire_tokens arranged (
      .clk,
      .rst,
      .beat11(beats[11]),
      .lanes10(lanes[10]),
      .lanes11(lanes[11]),
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12
  );

  for (genvar j = 0; j < Lanes; j++) begin : g_stops
    assign stops11[j] = lanes[11][j].stop;
  end

  logic [FIELDS-1:0] bad16, short16;
  for (genvar f = 0; f < FIELDS; f++) begin : g_fields
    fast_wire_field #(
        .BYTES  (f < NUMBERS ? NumberBytes : f < NUMBERS + LONGS ? LongBytes : Characters),
        .DECIMAL(f >= NUMBERS && f < NUMBERS + LONGS)
    ) wanted (
        .clk,
        .rst,
        .field(fields[f]),
        .initial_value(initials[f]),
        .map9,
        .beat11(beats[11]),
        .begins11(begins[11]),
        .in_entry11(in_entry[11]),
        .stops11,
        .after11,
        .position11,
        .values12,
        .tokens12,
        .first12,
        .first_token12,
        .first_at12,
        .beat14(beats[14]),
        .begins14(begins[14]),
        .in_entry14(in_entry[14]),
        .value15(entry[f]),
        .bad16(bad16[f]),
        .short16(short16[f])
    );
  end

  logic [13:0] length15;
  logic ours16, other16, header_bad16, spoilt16;
  fast_wire_header #(
      .HEADERS(HEADERS)
  ) head (
      .clk,
      .rst,
      .template_word,
      .headers,
      .header11,
      .stops11,
      .after11,
      .position11,
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12,
      .beat14(beats[14]),
      .resets14(resets[14]),
      .beat15(beats[15]),
      .values15(header),
      .absent15(header_absent),
      .length15,
      .ours16,
      .other16,
      .bad16(header_bad16)
  );

  // ---- exponents that are watched: a null that the walk did not meet, and what it took for one at another place

  logic [WATCHES-1:0] late13;
  logic [WATCHES-1:0][Lanes-1:0] watched12;
  logic mistaken13;
  logic [Lanes-1:0] anywhere12;
  always_comb begin
    anywhere12 = '0;
    for (int w = 0; w < WATCHES; w++) anywhere12 |= watched12[w];
  end
  always_ff @(posedge clk) begin
    met12 <= met11;
    mistaken13 <= beats[12].valid && template_word.guessed && (met12 & ~anywhere12) != '0;
  end
  for (genvar w = 0; w < WATCHES; w++) begin : g_watches
    logic [Lanes-1:0] old12, new12, is_null12;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [Lanes-1:0] old_next12, new_next12;
    /* verilator lint_on UNUSEDSIGNAL */
    fast_wire_place selection (
        .clk,
        .place(watches[w]),
        .map9,
        .beat11(beats[11]),
        .begins11(begins[11]),
        .in_entry11(in_entry[11]),
        .stops11,
        .after11,
        .position11,
        .old12,
        .new12,
        .old_next12,
        .new_next12
    );
    always_comb for (int j = 0; j < Lanes; j++) is_null12[j] = lanes[12][j].is_null;
    always_ff @(posedge clk) late13[w] <= beats[12].valid && ((old12 | new12) & is_null12 & ~met12) != '0;
    assign watched12[w] = old12;
  end

  // ---- the entry, and the verdict

  logic [13:0] entries15;
  logic emits, in_packet;
  assign emits = beats[14].valid && in_entry[14] && (begins[14] || beats[14].last);

  always_ff @(posedge clk) begin
    if (beats[14].valid) in_packet <= !beats[14].last;
    entry_valid <= emits;
    entry_last  <= emits && beats[14].last;
    entries15   <= (beats[15].last || !(beats[14].valid || in_packet) ? '0 : entries15) + 14'(emits);
    if (rst) begin
      in_packet   <= 1'b0;
      entry_valid <= 1'b0;
    end
  end

  fast_wire_verdict judge (
      .clk,
      .rst,
      .starts6,
      .nulls6,
      .bad_map9,
      .late13(late13 != '0 || mistaken13),
      .beat15(beats[15]),
      .beat16(beats[16]),
      .open15(open[15]),
      .ends15(ends[15]),
      .begins15(begins[15]),
      .wrong_length15(entries15 != length15),
      .other16,
      .header_bad16,
      .bad16(bad16 != '0),
      .short16(short16 != '0),
      .spoilt16,
      .verdict
  );

  assign spoilt = spoilt16 || !ours16;

  logic [Depth-1:1] valid;
  logic receiving;
  always_comb for (int s = 1; s < Depth; s++) valid[s] = beats[s].valid;
  always_ff @(posedge clk) begin
    if (in.valid) receiving <= !in.last;
    if (rst) receiving <= 1'b0;
  end
  assign idle = !receiving && !in.valid && valid == '0;

  assert property (@(posedge clk) disable iff (rst) !load.valid || idle);
endmodule

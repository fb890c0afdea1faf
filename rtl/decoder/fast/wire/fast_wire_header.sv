// The header: whether the message is the template's, the length of its sequence, and wanted integers.
//
//   positions ─ s10 lanes by token of the header ─ values s12 ─ s13 ─ checks at the packet's end s14
//
// The header's values stay until the next packet has its own. A token that comes again, as after a Reset in two beats, counts.
//
// Latency: 3 cycles from the selected tokens. Throughput: a beat a cycle. Parameters: HEADERS, wanted integers; MOVES, see fast_wire_later; SHORT, stage 12 takes no
// cycle. Overflow: a length above 16,383 is `bad14`.
module fast_wire_header
  import fast_wire_pkg::*;
#(
    parameter int HEADERS = 2,
    parameter bit MOVES = 1'b0,
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t word9,  // of the packet in stage 9
    /* verilator lint_on UNUSEDSIGNAL */
    input header_t [HEADERS-1:0] headers9,
    input logic known13,  // there is a word for the packet
    input logic header9,
    input logic [Lanes-1:0] stops9,
    input logic [Lanes-1:0] after9,
    input row_t [Lanes-1:0] position9,
    input logic [Lanes-1:0][7*(Lanes-1)-1:0] values10,
    input token_t [Lanes-1:0] tokens10,
    input logic [ValueBits-1:0] first10,
    input logic [Lanes-1:0] first_at10,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat12,
    input logic resets12,  // a Reset ends in the beat
    input logic continued12,  // as in fast_wire_field: a delta adds to what is not kept
    input beat_t beat13,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic [HEADERS-1:0][63:0] values13,
    output logic [HEADERS-1:0] absent13,
    output logic [13:0] length13,
    output logic ours14,   // it is that template, as far as the packet has come
    output logic other14,  // another template
    output logic depends14,  // at the packet's end: on dictionaries of packets before
    output logic resets14,   // it had a Reset
    output logic bad14
);
  localparam int All = HEADERS + 3;
  typedef header_t [HEADERS-1:0] headers_t;
  /* verilator lint_off UNUSEDSIGNAL */
  headers_t headers10, headers11, headers12, headers13;
  template_t word11, word12, word13;
  /* verilator lint_on UNUSEDSIGNAL */
  fast_wire_later #(
      .WIDTH ($bits(template_t)),
      .STAGES(2),
      .MOVES (MOVES)
  ) word_to11 (
      .clk,
      .word (word9),
      .later(word11)
  );
  fast_wire_later #(
      .WIDTH ($bits(template_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) word_to12 (
      .clk,
      .word (word11),
      .later(word12)
  );
  fast_wire_later #(
      .WIDTH ($bits(template_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) word_to13 (
      .clk,
      .word (word12),
      .later(word13)
  );
  fast_wire_later #(
      .WIDTH ($bits(headers_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) headers_to10 (
      .clk,
      .word (headers9),
      .later(headers10)
  );
  fast_wire_later #(
      .WIDTH ($bits(headers_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) headers_to11 (
      .clk,
      .word (headers10),
      .later(headers11)
  );
  fast_wire_later #(
      .WIDTH ($bits(headers_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) headers_to12 (
      .clk,
      .word (headers11),
      .later(headers12)
  );
  fast_wire_later #(
      .WIDTH ($bits(headers_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) headers_to13 (
      .clk,
      .word (headers12),
      .later(headers13)
  );

  logic [All-1:0][3:0] at;
  logic [All-1:0][Lanes-1:0] selected10;
  logic [All-1:0] is_there11, is_there, is_null, bad;

  always_comb begin
    at[0] = 4'd0;
    at[1] = 4'd1;
    at[2] = word9.length_at;
    for (int h = 0; h < HEADERS; h++) at[3+h] = headers9[h].at;
  end

  always_ff @(posedge clk) begin
    for (int k = 0; k < All; k++) begin
      for (int j = 0; j < Lanes; j++) selected10[k][j] <= stops9[j] && !after9[j] && header9 && position9[j] == 6'(at[k]);
      is_there11[k] <= selected10[k] != '0;
    end
  end
  fast_wire_later #(
      .WIDTH(All),
      .MOVES(!SHORT)
  ) is_there_to12 (
      .clk,
      .word (is_there11),
      .later(is_there)
  );

  /* verilator lint_off UNUSEDSIGNAL */
  logic [7:0] map12;
  logic [21:0] id12;
  logic [14:0] length12;
  logic [HEADERS+2:0][3:0] count12;
  /* verilator lint_on UNUSEDSIGNAL */

  fast_wire_value #(
      .BYTES(1),
      .SHORT(SHORT)
  ) map (
      .clk,
      .nullable(1'b0),
      .is_signed(1'b0),
      .text(1'b0),
      .selected10(selected10[0]),
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .value12(map12),
      .count12(count12[0]),
      .is_null12(is_null[0]),
      .bad12(bad[0])
  );

  fast_wire_value #(
      .BYTES(3),
      .SHORT(SHORT)
  ) id (
      .clk,
      .nullable(1'b0),
      .is_signed(1'b0),
      .text(1'b0),
      .selected10(selected10[1]),
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .value12(id12),
      .count12(count12[1]),
      .is_null12(is_null[1]),
      .bad12(bad[1])
  );

  fast_wire_value #(
      .BYTES(2),
      .SHORT(SHORT)
  ) length (
      .clk,
      .nullable(word11.length_nullable),
      .is_signed(1'b0),
      .text(1'b0),
      .selected10(selected10[2]),
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .value12(length12),
      .count12(count12[2]),
      .is_null12(is_null[2]),
      .bad12(bad[2])
  );

  logic [HEADERS-1:0][63:0] value12;
  for (genvar h = 0; h < HEADERS; h++) begin : g_wanted
    fast_wire_value #(
        .BYTES(LongBytes),
        .SHORT(SHORT)
    ) wanted (
        .clk,
        .nullable(headers11[h].nullable),
        .is_signed(headers11[h].is_signed),
        .text(1'b0),
        .selected10(headers10[h].used ? selected10[3+h] : '0),
        .values10,
        .tokens10,
        .first10,
        .first_at10,
        .value12(value12[h]),
        .count12(count12[3+h]),
        .is_null12(is_null[3+h]),
        .bad12(bad[3+h])
    );
  end

  logic open, map_good, id_good, reset, ours, bad13;
  logic [HEADERS-1:0] taken13, outside;

  assign ours = known13 && map_good && id_good && (reset || !word13.needs_reset);

  always_comb begin
    for (int h = 0; h < HEADERS; h++) begin
      /* verilator lint_off UNUSEDSIGNAL */
      logic [63:0] value;
      /* verilator lint_on UNUSEDSIGNAL */
      value = values13[h];
      unique case (headers13[h].size)
        2'd0: outside[h] = headers13[h].type_signed ? value[63:7] != '0 && !(&value[63:7]) : value[63:8] != '0;
        2'd1: outside[h] = headers13[h].type_signed ? value[63:15] != '0 && !(&value[63:15]) : value[63:16] != '0;
        2'd2: outside[h] = headers13[h].type_signed ? value[63:31] != '0 && !(&value[63:31]) : value[63:32] != '0;
        default: outside[h] = !headers13[h].type_signed && value[63];
      endcase
    end
  end

  always_ff @(posedge clk) begin
    bad13 <= 1'b0;
    taken13 <= '0;
    if (beat13.last || !(beat12.valid || open)) begin
      map_good <= 1'b0;
      id_good <= 1'b0;
      reset <= 1'b0;
      length13 <= '0;
    end
    if (beat12.valid) begin
      open <= !beat12.last;
      if (resets12) reset <= 1'b1;
      if (is_there[0]) map_good <= !bad[0] && map12[6:0] == word12.header_map;
      if (is_there[1]) id_good <= !bad[1] && id12[20:0] == word12.id && count12[1] == 4'(word12.id_bytes);
      if (is_there[2]) length13 <= is_null[2] ? '0 : length12[13:0];
      bad13 <= bad[All-1:2] != '0;
      for (int h = 0; h < HEADERS; h++) begin
        if (is_there[3+h] && headers12[h].used) begin
          values13[h] <= value12[h];
          absent13[h] <= is_null[3+h];
          taken13[h]  <= !is_null[3+h];
          if (continued12 && headers12[h].is_signed) bad13 <= 1'b1;
        end
      end
    end
    ours14 <= ours;
    other14 <= beat13.last && !ours;
    depends14 <= beat13.last && word13.outlives && !reset;
    resets14 <= beat13.last && reset;
    bad14   <= bad13 || (taken13 & outside) != '0;
    if (rst) begin
      open <= 1'b0;
      bad13 <= 1'b0;
    end
  end
endmodule

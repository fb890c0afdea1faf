// The header: whether the message is the template's, the length of its sequence, and wanted integers.
//
//   positions ─ s12 lanes by token of the header ─ values s14 ─ s15 ─ checks at the packet's end s16
//
// The header's values stay until the next packet has its own. A token that comes again, as after a Reset in two beats, counts.
//
// Latency: 3 cycles from the selected tokens. Throughput: a beat a cycle. Parameter: HEADERS, wanted integers. Overflow: a length above 16,383 is `bad16`.
module fast_wire_header
  import fast_wire_pkg::*;
#(
    parameter int HEADERS = 2
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_t template_word,
    /* verilator lint_on UNUSEDSIGNAL */
    input header_t [HEADERS-1:0] headers,
    input logic header11,
    input logic [Lanes-1:0] stops11,
    input logic [Lanes-1:0] after11,
    input row_t [Lanes-1:0] position11,
    input logic [Lanes-1:0][7*(Lanes-1)-1:0] values12,
    input token_t [Lanes-1:0] tokens12,
    input logic [ValueBits-1:0] first12,
    input token_t first_token12,
    input logic [Lanes-1:0] first_at12,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat14,
    input logic resets14,  // a Reset ends in the beat
    input beat_t beat15,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic [HEADERS-1:0][63:0] values15,
    output logic [HEADERS-1:0] absent15,
    output logic [13:0] length15,
    output logic ours16,   // it is that template, as far as the packet has come
    output logic other16,  // another template
    output logic bad16
);
  localparam int All = HEADERS + 3;
  logic [All-1:0][3:0] at;
  logic [All-1:0][Lanes-1:0] selected12;
  logic [All-1:0] is_there13, is_there, is_null, bad;

  always_comb begin
    at[0] = 4'd0;
    at[1] = 4'd1;
    at[2] = template_word.length_at;
    for (int h = 0; h < HEADERS; h++) at[3+h] = headers[h].at;
  end

  always_ff @(posedge clk) begin
    for (int k = 0; k < All; k++) begin
      for (int j = 0; j < Lanes; j++) selected12[k][j] <= stops11[j] && !after11[j] && header11 && position11[j] == 6'(at[k]);
      is_there13[k] <= selected12[k] != '0;
    end
    is_there <= is_there13;
  end

  /* verilator lint_off UNUSEDSIGNAL */
  logic [7:0] map14;
  logic [21:0] id14;
  logic [14:0] length14;
  logic [HEADERS+2:0][3:0] count14;
  /* verilator lint_on UNUSEDSIGNAL */

  fast_wire_value #(
      .BYTES(1)
  ) map (
      .clk,
      .nullable(1'b0),
      .is_signed(1'b0),
      .text(1'b0),
      .selected12(selected12[0]),
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12,
      .value14(map14),
      .count14(count14[0]),
      .is_null14(is_null[0]),
      .bad14(bad[0])
  );

  fast_wire_value #(
      .BYTES(3)
  ) id (
      .clk,
      .nullable(1'b0),
      .is_signed(1'b0),
      .text(1'b0),
      .selected12(selected12[1]),
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12,
      .value14(id14),
      .count14(count14[1]),
      .is_null14(is_null[1]),
      .bad14(bad[1])
  );

  fast_wire_value #(
      .BYTES(2)
  ) length (
      .clk,
      .nullable(template_word.length_nullable),
      .is_signed(1'b0),
      .text(1'b0),
      .selected12(selected12[2]),
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12,
      .value14(length14),
      .count14(count14[2]),
      .is_null14(is_null[2]),
      .bad14(bad[2])
  );

  logic [HEADERS-1:0][63:0] value14;
  for (genvar h = 0; h < HEADERS; h++) begin : g_wanted
    fast_wire_value #(
        .BYTES(LongBytes)
    ) wanted (
        .clk,
        .nullable(headers[h].nullable),
        .is_signed(headers[h].is_signed),
        .text(1'b0),
        .selected12(headers[h].used ? selected12[3+h] : '0),
        .values12,
        .tokens12,
        .first12,
        .first_token12,
        .first_at12,
        .value14(value14[h]),
        .count14(count14[3+h]),
        .is_null14(is_null[3+h]),
        .bad14(bad[3+h])
    );
  end

  logic open, map_good, id_good, reset, bad15;
  logic [HEADERS-1:0] taken15, outside;

  always_comb begin
    for (int h = 0; h < HEADERS; h++) begin
      /* verilator lint_off UNUSEDSIGNAL */
      logic [63:0] value;
      /* verilator lint_on UNUSEDSIGNAL */
      value = values15[h];
      unique case (headers[h].size)
        2'd0: outside[h] = headers[h].type_signed ? value[63:7] != '0 && !(&value[63:7]) : value[63:8] != '0;
        2'd1: outside[h] = headers[h].type_signed ? value[63:15] != '0 && !(&value[63:15]) : value[63:16] != '0;
        2'd2: outside[h] = headers[h].type_signed ? value[63:31] != '0 && !(&value[63:31]) : value[63:32] != '0;
        default: outside[h] = !headers[h].type_signed && value[63];
      endcase
    end
  end

  always_ff @(posedge clk) begin
    bad15 <= 1'b0;
    taken15 <= '0;
    if (beat15.last || !(beat14.valid || open)) begin
      map_good <= 1'b0;
      id_good <= 1'b0;
      reset <= !template_word.needs_reset;
      length15 <= '0;
    end
    if (beat14.valid) begin
      open <= !beat14.last;
      if (resets14) reset <= 1'b1;
      if (is_there[0]) map_good <= !bad[0] && map14[6:0] == template_word.header_map;
      if (is_there[1]) id_good <= !bad[1] && id14[20:0] == template_word.id && count14[1] == 4'(template_word.id_bytes);
      if (is_there[2]) length15 <= is_null[2] ? '0 : length14[13:0];
      bad15 <= bad[All-1:2] != '0;
      for (int h = 0; h < HEADERS; h++) begin
        if (is_there[3+h] && headers[h].used) begin
          values15[h] <= value14[h];
          absent15[h] <= is_null[3+h];
          taken15[h]  <= !is_null[3+h];
        end
      end
    end
    ours16 <= template_word.used && map_good && id_good && reset;
    other16 <= beat15.last && !(template_word.used && map_good && id_good && reset);
    bad16   <= bad15 || (taken15 & outside) != '0;
    if (rst) begin
      open <= 1'b0;
      bad15 <= 1'b0;
    end
  end
endmodule

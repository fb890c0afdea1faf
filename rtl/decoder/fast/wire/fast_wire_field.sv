// One wanted field: its token in the beat, its operator, its dictionary entry, and its value when the entry ends.
//
//   place ─ s12 ─┬─ value ─────┬─ s14 ─ operator, dictionary ─ s15 the entry's value ─ s16 whether it is one of its type
//                └─ exponent ──┘
//
// A token before the boundary belongs to the entry that ends, one after it to the next. What an operator does without a token is done when the entry ends.
// Between packets the dictionary entry is the initial value.
//
// Latency: 3 cycles from the selected token to the value. Throughput: a beat a cycle. Parameters: BYTES of the longest value; DECIMAL, whether it may have an
// exponent. Overflow: `bad16`.
module fast_wire_field
  import fast_wire_pkg::*;
#(
    parameter int BYTES = 5,
    parameter bit DECIMAL = 1'b0
) (
    input logic clk,
    input logic rst,
    input field_t field,
    input initial_t initial_value,
    input logic [MapBits-1:0] map9,
    input beat_t beat11,
    input logic begins11,
    input logic in_entry11,
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
    /* verilator lint_on UNUSEDSIGNAL */
    input logic begins14,
    input logic in_entry14,

    output value_t value15,
    output logic bad16,
    output logic short16  // the beat has it of two entries
);
  localparam int Bits = 7 * BYTES + 1;

  logic [Lanes-1:0] old12, new12, old_next12, new_next12, value_old12, value_new12;
  logic is_decimal;
  assign is_decimal = DECIMAL && field.decimal;

  fast_wire_place selection (
      .clk,
      .place(field.place),
      .map9,
      .beat11,
      .begins11,
      .in_entry11,
      .stops11,
      .after11,
      .position11,
      .old12,
      .new12,
      .old_next12,
      .new_next12
  );

  assign value_old12 = is_decimal ? old_next12 : old12;
  assign value_new12 = is_decimal ? new_next12 : new12;

  logic [Bits-1:0] value14;
  logic [3:0] count14;
  logic null14, bad14;
  fast_wire_value #(
      .BYTES(BYTES)
  ) main (
      .clk,
      .nullable(field.nullable && !is_decimal),
      .is_signed(field.is_signed),
      .text(field.text),
      .selected12(value_old12 | value_new12),
      .values12,
      .tokens12,
      .first12,
      .first_token12,
      .first_at12,
      .value14,
      .count14,
      .is_null14(null14),
      .bad14
  );

  logic [7:0] exponent14;
  logic exponent_null14, exponent_bad14;
  if (DECIMAL) begin : g_exponent
    /* verilator lint_off UNUSEDSIGNAL */
    logic [3:0] exponent_count14;
    /* verilator lint_on UNUSEDSIGNAL */
    fast_wire_value #(
        .BYTES(1)
    ) exponent (
        .clk,
        .nullable(field.nullable),
        .is_signed(1'b1),
        .text(1'b0),
        .selected12(is_decimal ? old12 | new12 : '0),
        .values12,
        .tokens12,
        .first12,
        .first_token12,
        .first_at12,
        .value14(exponent14),
        .count14(exponent_count14),
        .is_null14(exponent_null14),
        .bad14(exponent_bad14)
    );
  end else begin : g_no_exponent
    assign exponent14 = '0;
    assign exponent_null14 = 1'b0;
    assign exponent_bad14 = 1'b0;
  end

  logic value_old13, value_new13, key_old13, key_new13, value_old, value_new, key_old, key_new;
  always_ff @(posedge clk) begin
    value_old13 <= value_old12 != '0;
    value_new13 <= value_new12 != '0;
    key_old13 <= old12 != '0;
    key_new13 <= new12 != '0;
    value_old <= value_old13;
    value_new <= value_new13;
    key_old <= key_old13;
    key_new <= key_new13;
  end

  // ---- s15. The key is the token that says whether there is a value: the exponent of a decimal.

  logic [Bits-1:0] previous, latest, without;
  logic [Bits:0] sum;
  logic [8:0] exponent_sum;
  logic [7:0] previous_exponent, latest_exponent, initial_exponent;
  logic [3:0] previous_count;
  logic empty, untouched, has, absent, open;  // `has`, `absent`: of this entry so far
  logic is_delta, is_increment, key_null, emits, takes, counts_up, is_absent;

  assign is_delta = field.op == WIRE_DELTA;
  assign is_increment = field.op == WIRE_INCREMENT;
  assign key_null = is_decimal ? exponent_null14 : null14;
  assign emits = beat14.valid && in_entry14 && (begins14 || beat14.last);
  assign takes = key_old || has;
  assign sum = {previous[Bits-1], previous} + {value14[Bits-1], value14};
  assign exponent_sum = {previous_exponent[7], previous_exponent} + {exponent14[7], exponent14};
  assign latest = is_delta ? sum[Bits-1:0] : value14;
  assign latest_exponent = is_delta ? exponent_sum[7:0] : exponent14;
  assign initial_exponent = {initial_value.exponent[6], initial_value.exponent};
  assign counts_up = is_increment && !untouched && !empty;

  // Without a token: with `default` the initial value, with `increment` one more.
  assign without = field.op == WIRE_DEFAULT ? Bits'(initial_value.value) : previous + Bits'(counts_up);
  assign is_absent = key_old ? key_null : has ? absent : field.op == WIRE_DEFAULT ? !initial_value.present : empty;

  logic emits15, missing15, token_bad15, overflow15, short15;
  logic [Bits-1:0] out;
  logic [7:0] out_exponent;
  logic [3:0] out_count;
  logic out_absent;

  always_ff @(posedge clk) begin
    emits15 <= emits && field.place.used;
    missing15 <= !takes && (field.place.always_there || (is_absent && !field.nullable));
    token_bad15 <= beat14.valid && (bad14 || exponent_bad14);
    overflow15 <= beat14.valid && is_delta &&
        (((value_old || value_new) && !null14 && sum[Bits] != sum[Bits-1]) ||
         ((key_old || key_new) && is_decimal && !exponent_null14 && exponent_sum[8] != exponent_sum[7]));
    short15 <= beat14.valid && ((value_old && value_new) || (key_old && key_new));
    out_absent <= is_absent;
    out <= value_old ? latest : takes ? previous : without;
    out_exponent <= is_decimal && key_old ? latest_exponent :
        !takes && field.op == WIRE_DEFAULT ? initial_exponent : previous_exponent;
    out_count <= value_old ? count14 : !takes && field.op == WIRE_DEFAULT ? initial_value.count : previous_count;

    if (beat14.valid) begin
      open <= !beat14.last;
      if ((value_old || value_new) && !(is_delta && null14)) begin
        previous <= latest;
        previous_count <= count14;
      end else if (emits && !takes) previous <= field.op == WIRE_DEFAULT ? previous : previous + Bits'(counts_up);
      if (is_decimal && (key_old || key_new) && !(is_delta && exponent_null14)) previous_exponent <= latest_exponent;
      if ((key_old || key_new) && !(is_delta && key_null)) begin
        empty <= key_null;
        untouched <= 1'b0;
      end else if (emits && !takes) untouched <= 1'b0;
      if (key_old || key_new) absent <= key_null;
      has <= begins14 ? key_new : has || key_old || key_new;
    end
    if (beat14.valid ? beat14.last : !open) begin
      previous <= Bits'(initial_value.value);
      previous_exponent <= initial_exponent;
      previous_count <= initial_value.count;
      empty <= !initial_value.present;
      untouched <= 1'b1;
      has <= 1'b0;
    end
    if (rst) open <= 1'b0;
  end

  // ---- s16

  // What is beyond the type is zero, or, of a negative value, ones. Of the bits from 8 on only those count that the type does not have.
  localparam int Top = Bits > 32 ? Bits - 1 : 32;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [Top:0] wide;
  /* verilator lint_on UNUSEDSIGNAL */
  logic byte_long, short_long, int_long;  // the type has 8 bits, at most 16, at most 32
  logic zeros, all_ones, fits;
  always_comb begin
    wide = (Top + 1)'($signed(out));
    byte_long = field.size == 2'd0;
    short_long = byte_long || field.size == 2'd1;
    int_long = field.size != 2'd3;
    zeros = (wide[Top:32] == '0 || !int_long) && (wide[30:16] == '0 || !short_long) && (wide[14:8] == '0 || !byte_long);
    zeros = zeros && (!wide[31] || !(short_long || (int_long && field.type_signed)));
    zeros = zeros && (!wide[15] || !(byte_long || (short_long && field.type_signed))) && !(wide[7] && byte_long && field.type_signed);
    all_ones = field.type_signed && (&wide[Top:31] || !int_long) && (&wide[30:15] || !short_long) && (&wide[14:7] || !byte_long);
    fits = field.text || (int_long ? zeros || all_ones : field.type_signed || !out[Bits-1]);
    // An exponent from -63 to 63.
    if (is_decimal && (out_exponent[7] != out_exponent[6] || out_exponent == 8'hc0)) fits = 1'b0;
  end

  always_ff @(posedge clk) begin
    bad16 <= token_bad15 || overflow15 || (emits15 && (missing15 || (!fits && !out_absent)));
    short16 <= short15;
  end

  localparam int Sign = Bits < 64 ? 64 - Bits : 0;
  always_comb begin
    value15 = '{absent: out_absent, exponent: DECIMAL ? out_exponent[6:0] : '0, count: out_count, value: '0};
    for (int i = 0; i < Bits && i < ValueBits; i++) value15.value[i] = out[i];
    for (int i = 0; i < Sign; i++) value15.value[(Bits+i)%ValueBits] = out[Bits-1];
  end
endmodule

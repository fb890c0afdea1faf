// One wanted field: its token in the beat, its operator, its dictionary entry, and its value when the entry ends.
//
//   place ─ s10 ─┬─ value ─────┬─ s12 ─ operator, dictionary ─ s13 the entry's value ─ s14 whether it is one of its type
//                └─ exponent ──┘
//
// A token before the boundary belongs to the entry that ends, one after it to the next. What an operator does without a token is done when the entry ends.
// When the dictionary entry begins anew, with the initial value, or is that of another template, fast_wire_dictionary says.
// Of a further message of a packet (`continued12`) it is not known until a token has come: what needs it before is `bad14`.
//
// Latency: 3 cycles from the selected token to the value. Throughput: a beat a cycle. Parameters: BYTES of the longest value; DECIMAL, whether it may have an
// exponent; MOVES, see fast_wire_later; SHORT, stages 8 and 12 take no cycle; ZERO, see fast_wire_value. Overflow: `bad14`.
module fast_wire_field
  import fast_wire_pkg::*;
#(
    parameter int BYTES = 5,
    parameter bit DECIMAL = 1'b0,
    parameter bit MOVES = 1'b0,
    parameter bit SHORT = 1'b0,
    parameter bit ZERO = 1'b0
) (
    input logic clk,
    input logic rst,
    input field_t field7,  // of the packet in stage 7
    input initial_t initial11,
    input logic [MapBits-1:0] map7,
    input beat_t beat9,
    input logic begins9,
    input logic in_entry9,
    input logic [Lanes-1:0] stops9,
    input logic [Lanes-1:0] after9,
    input row_t [Lanes-1:0] position9,
    input logic [Lanes-1:0][7*(Lanes-1)-1:0] values10,
    input token_t [Lanes-1:0] tokens10,
    input logic [ValueBits-1:0] first10,
    input logic [Lanes-1:0] first_at10,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat12,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic begins12,
    input logic in_entry12,
    input logic continued12,  // the message's dictionary is that of the one before, which is not kept
    input logic begin_anew,  // as fast_wire_dictionary has them, for stage 12
    input logic store,
    input logic take,
    input template_at_t held,
    input template_at_t at11,

    output logic [6:0] exponent_ahead,  // value13's, a cycle before it, not from flip-flops
    output value_t value13,
    output logic bad14,
    output logic short14  // the beat has it of two entries
);
  localparam int Bits = 7 * BYTES + 1;

  // A field's word without its place, stage by stage.
  typedef struct packed {
    logic used;
    logic always_there;
    logic nullable;
    logic is_signed;
    logic type_signed;
    logic [1:0] size;
    logic text;
    logic decimal;
    operator_e op;
  } word_t;
  word_t word7;
  /* verilator lint_off UNUSEDSIGNAL */
  word_t word10, word11, word12, word13;
  initial_t initial12;
  /* verilator lint_on UNUSEDSIGNAL */
  assign word7 = '{
          used: field7.place.used,
          always_there: field7.place.always_there,
          nullable: field7.nullable,
          is_signed: field7.is_signed,
          type_signed: field7.type_signed,
          size: field7.size,
          text: field7.text,
          decimal: DECIMAL && field7.decimal,
          op: field7.op
      };

  fast_wire_later #(
      .WIDTH ($bits(word_t)),
      .STAGES(3),
      .MOVES (MOVES)
  ) to10 (
      .clk,
      .word (word7),
      .later(word10)
  );
  fast_wire_later #(
      .WIDTH ($bits(word_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) to11 (
      .clk,
      .word (word10),
      .later(word11)
  );
  fast_wire_later #(
      .WIDTH ($bits(word_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) to12 (
      .clk,
      .word (word11),
      .later(word12)
  );
  fast_wire_later #(
      .WIDTH ($bits(word_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) to13 (
      .clk,
      .word (word12),
      .later(word13)
  );
  fast_wire_later #(
      .WIDTH ($bits(initial_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) initial_to12 (
      .clk,
      .word (initial11),
      .later(initial12)
  );

  logic [Lanes-1:0] old10, new10, old_next10, new_next10, value_old10, value_new10;

  fast_wire_place #(
      .MOVES(MOVES),
      .SHORT(SHORT)
  ) selection (
      .clk,
      .place(field7.place),
      .map7,
      .beat9,
      .begins9,
      .in_entry9,
      .stops9,
      .after9,
      .position9,
      .old10,
      .new10,
      .old_next10,
      .new_next10
  );

  assign value_old10 = word10.decimal ? old_next10 : old10;
  assign value_new10 = word10.decimal ? new_next10 : new10;

  logic [Bits-1:0] value12;
  logic [3:0] count12;
  logic null12, bad12;
  logic nullable11, is_signed11;  // not of a mantissa, whose exponent is null; not of a text
  always_ff @(posedge clk) begin
    nullable11  <= word10.nullable && !word10.decimal;
    is_signed11 <= word10.is_signed && !word10.text;
  end
  fast_wire_value #(
      .BYTES(BYTES),
      .SHORT(SHORT),
      .ZERO (ZERO)
  ) main (
      .clk,
      .nullable(nullable11),
      .is_signed(is_signed11),
      .text(word11.text),
      .selected10(value_old10 | value_new10),
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .value12,
      .count12,
      .is_null12(null12),
      .bad12
  );

  logic [7:0] exponent12;
  logic exponent_null12, exponent_bad12;
  if (DECIMAL) begin : g_exponent
    /* verilator lint_off UNUSEDSIGNAL */
    logic [3:0] exponent_count12;
    /* verilator lint_on UNUSEDSIGNAL */
    fast_wire_value #(
        .BYTES(1),
        .SHORT(SHORT)
    ) exponent (
        .clk,
        .nullable(word11.nullable),
        .is_signed(1'b1),
        .text(1'b0),
        .selected10(word10.decimal ? old10 | new10 : '0),
        .values10,
        .tokens10,
        .first10,
        .first_at10,
        .value12(exponent12),
        .count12(exponent_count12),
        .is_null12(exponent_null12),
        .bad12(exponent_bad12)
    );
  end else begin : g_no_exponent
    assign exponent12 = '0;
    assign exponent_null12 = 1'b0;
    assign exponent_bad12 = 1'b0;
  end

  logic value_old11, value_new11, key_old11, key_new11, value_old, value_new, key_old, key_new;
  always_ff @(posedge clk) begin
    value_old11 <= value_old10 != '0;
    value_new11 <= value_new10 != '0;
    key_old11 <= old10 != '0;
    key_new11 <= new10 != '0;
  end
  fast_wire_later #(
      .WIDTH(4),
      .MOVES(!SHORT)
  ) found_to12 (
      .clk,
      .word ({value_old11, value_new11, key_old11, key_new11}),
      .later({value_old, value_new, key_old, key_new})
  );

  // ---- s13. The key is the token that says whether there is a value: the exponent of a decimal.

  typedef struct packed {
    logic [Bits-1:0] previous;
    logic [7:0] exponent;
    logic [3:0] count;
    logic empty;
    logic untouched;
  } dictionary_t;

  dictionary_t kept, coming, next, banked;
  logic [Bits-1:0] latest, without;
  logic [Bits:0] sum;
  logic [8:0] exponent_sum;
  logic [7:0] latest_exponent, initial_exponent;
  logic has, absent, open;  // `has`, `absent`: of this entry so far
  logic is_delta, is_increment, key_null, emits, takes, counts_up, depends, is_absent;

  assign is_delta = word12.op == WIRE_DELTA;
  assign is_increment = word12.op == WIRE_INCREMENT;
  assign key_null = word12.decimal ? exponent_null12 : null12;
  assign emits = beat12.valid && in_entry12 && (begins12 || beat12.last);
  assign takes = key_old || has;
  assign sum = {kept.previous[Bits-1], kept.previous} + {value12[Bits-1], value12};
  assign exponent_sum = {kept.exponent[7], kept.exponent} + {exponent12[7], exponent12};
  assign latest = is_delta ? sum[Bits-1:0] : value12;
  assign latest_exponent = is_delta ? exponent_sum[7:0] : exponent12;
  assign initial_exponent = {initial12.exponent[6], initial12.exponent};
  assign depends = (emits && word12.used && !takes && (is_increment || word12.op == WIRE_COPY)) || (is_delta && (key_old || key_new));

  // Without a token: with `default` the initial value, with `increment` one more.
  assign without = word12.op == WIRE_DEFAULT ? Bits'(initial12.value) : kept.previous + Bits'(counts_up);
  assign is_absent = key_old ? key_null : has ? absent : word12.op == WIRE_DEFAULT ? !initial12.present : kept.empty;

  logic [7:0] next_exponent;
  assign next_exponent = word12.decimal && key_old ? latest_exponent :
      !takes && word12.op == WIRE_DEFAULT ? initial_exponent : kept.exponent;
  assign exponent_ahead = DECIMAL ? next_exponent[6:0] : '0;

  logic emits13, missing13, token_bad13, overflow13, unknown13, short13;
  logic [Bits-1:0] out;
  logic [7:0] out_exponent;
  logic [3:0] out_count;
  logic out_absent;

  always_ff @(posedge clk) begin
    emits13 <= emits && word12.used;
    missing13 <= !takes && (word12.always_there || (is_absent && !word12.nullable));
    token_bad13 <= beat12.valid && (bad12 || exponent_bad12);
    overflow13 <= beat12.valid && is_delta &&
        (((value_old || value_new) && !null12 && sum[Bits] != sum[Bits-1]) ||
         ((key_old || key_new) && word12.decimal && !exponent_null12 && exponent_sum[8] != exponent_sum[7]));
    unknown13 <= beat12.valid && continued12 && kept.untouched && depends;
    short13 <= beat12.valid && ((value_old && value_new) || (key_old && key_new));
    out_absent <= is_absent;
    out <= value_old ? latest : takes ? kept.previous : without;
    out_exponent <= next_exponent;
    out_count <= value_old ? count12 : !takes && word12.op == WIRE_DEFAULT ? initial12.count : kept.count;

    if (beat12.valid) begin
      open <= !beat12.last;
      if (key_old || key_new) absent <= key_null;
      has <= !beat12.last && (begins12 ? key_new : has || key_old || key_new);
    end else if (!open) has <= 1'b0;
    kept <= coming;
    // Decided a cycle early, for then it goes into a carry through the whole value.
    counts_up <= word11.op == WIRE_INCREMENT && !coming.untouched && !coming.empty;
    if (rst) open <= 1'b0;
  end

  // What the entry is after this beat.
  always_comb begin
    next = kept;
    if (beat12.valid) begin
      if ((value_old || value_new) && !(is_delta && null12)) begin
        next.previous = latest;
        next.count = count12;
      end else if (emits && !takes && word12.op != WIRE_DEFAULT) next.previous = kept.previous + Bits'(counts_up);
      if (word12.decimal && (key_old || key_new) && !(is_delta && exponent_null12)) next.exponent = latest_exponent;
      if ((key_old || key_new) && !(is_delta && key_null)) begin
        next.empty = key_null;
        next.untouched = 1'b0;
      end else if (emits && !takes) next.untouched = 1'b0;
    end
  end

  always_comb begin
    coming = take ? banked : next;
    if (begin_anew) begin
      coming = '{
          previous: Bits'(initial11.value),
          exponent: {initial11.exponent[6], initial11.exponent},
          count: initial11.count,
          empty: !initial11.present,
          untouched: 1'b1
      };
    end
  end

  fast_wire_bank #(
      .WIDTH($bits(dictionary_t)),
      .MOVES(MOVES)
  ) bank_of (
      .clk,
      .store,
      .held,
      .stored(next),
      .at(at11),
      .bank(banked)
  );

  // ---- s14

  // What is beyond the type is zero, or, of a negative value, ones. Of the bits from 8 on only those count that the type does not have.
  localparam int Top = Bits > 32 ? Bits - 1 : 32;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [Top:0] wide;
  /* verilator lint_on UNUSEDSIGNAL */
  logic byte_long, short_long, int_long;  // the type has 8 bits, at most 16, at most 32
  logic zeros, all_ones, fits;
  always_comb begin
    wide = (Top + 1)'($signed(out));
    byte_long = word13.size == 2'd0;
    short_long = byte_long || word13.size == 2'd1;
    int_long = word13.size != 2'd3;
    zeros = (wide[Top:32] == '0 || !int_long) && (wide[30:16] == '0 || !short_long) && (wide[14:8] == '0 || !byte_long);
    zeros = zeros && (!wide[31] || !(short_long || (int_long && word13.type_signed)));
    zeros = zeros && (!wide[15] || !(byte_long || (short_long && word13.type_signed))) && !(wide[7] && byte_long && word13.type_signed);
    all_ones = word13.type_signed && (&wide[Top:31] || !int_long) && (&wide[30:15] || !short_long) && (&wide[14:7] || !byte_long);
    fits = word13.text || (int_long ? zeros || all_ones : word13.type_signed || !out[Bits-1]);
    // An exponent from -63 to 63.
    if (word13.decimal && (out_exponent[7] != out_exponent[6] || out_exponent == 8'hc0)) fits = 1'b0;
  end

  always_ff @(posedge clk) begin
    bad14 <= token_bad13 || overflow13 || unknown13 || (emits13 && (missing13 || (!fits && !out_absent)));
    short14 <= short13;
  end

  localparam int Sign = Bits < 64 ? 64 - Bits : 0;
  always_comb begin
    value13 = '{absent: out_absent, exponent: DECIMAL ? out_exponent[6:0] : '0, count: out_count, value: '0};
    for (int i = 0; i < Bits && i < ValueBits; i++) value13.value[i] = out[i];
    for (int i = 0; i < Sign; i++) value13.value[(Bits+i)%ValueBits] = out[Bits-1];
  end
endmodule

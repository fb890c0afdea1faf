// One wanted text of up to twelve characters: its token in the beat, its operator, its dictionary entry, and its value when the entry ends.
//
//   place ─ s10 ─ token ─ s11 ─ operator, dictionary ─ s12 the entry's value ─ s13 the same, with those of fast_wire_field
//
// As fast_wire_field, but nothing is added to a text, so that it is there a cycle before: what is made of it takes longest. Of the operators it has none,
// default and copy.
//
// Latency: 2 cycles from the selected token to the value. Throughput: a beat a cycle. Parameters: MOVES, see fast_wire_later; SHORT, stages 8 and 12 take no cycle. Overflow: `bad14`.
module fast_wire_text
  import fast_wire_pkg::*;
#(
    parameter bit MOVES = 1'b0,
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input field_t field7,  // of the packet in stage 7
    input initial_t initial10,
    /* verilator lint_on UNUSEDSIGNAL */
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
    input beat_t beat11,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic begins11,
    input logic in_entry11,
    input logic continued11,  // as in fast_wire_field
    input logic begin_anew,  // as fast_wire_dictionary has them, for stage 11
    input logic store,
    input logic take,
    input template_at_t held,
    input template_at_t at10,

    output value_t value12,  // with SHORT not from flip-flops
    output value_t value13,
    output logic bad14,
    output logic short14  // the beat has it of two entries
);
  typedef struct packed {
    logic used;
    logic always_there;
    logic nullable;
    operator_e op;
  } word_t;
  word_t word7, word11;
  /* verilator lint_off UNUSEDSIGNAL */
  initial_t initial11;
  /* verilator lint_on UNUSEDSIGNAL */
  assign word7 = '{used: field7.place.used, always_there: field7.place.always_there, nullable: field7.nullable, op: field7.op};

  fast_wire_later #(
      .WIDTH ($bits(word_t)),
      .STAGES(4),
      .MOVES (MOVES)
  ) to11 (
      .clk,
      .word (word7),
      .later(word11)
  );
  fast_wire_later #(
      .WIDTH ($bits(initial_t)),
      .STAGES(1),
      .MOVES (MOVES)
  ) initial_to11 (
      .clk,
      .word (initial10),
      .later(initial11)
  );

  logic [Lanes-1:0] old10, new10;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [Lanes-1:0] old_next10, new_next10;
  /* verilator lint_on UNUSEDSIGNAL */

  fast_wire_place #(
      .MOVES(MOVES),
      .SHORT(SHORT)
  ) place_of (
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

  logic [ValueBits-1:0] bits11;
  /* verilator lint_off UNUSEDSIGNAL */
  token_t token11;
  /* verilator lint_on UNUSEDSIGNAL */
  logic any11;

  fast_wire_selected #(
      .BYTES(Characters)
  ) selection (
      .clk,
      .selected10(old10 | new10),
      .values10,
      .tokens10,
      .first10,
      .first_at10,
      .any11,
      .bits11,
      .token11
  );

  // ---- s12

  logic old11, new11, is_empty, is_null, emits, takes, is_default;
  logic bad, twice, bad12, short12, bad13, short13;
  value_t value;
  logic [3:0] count;
  typedef struct packed {
    logic [ValueBits-1:0] previous;
    logic [3:0] count;
    logic empty;
    logic untouched;
  } dictionary_t;
  dictionary_t kept, next, banked;
  logic has, absent, open, is_absent;  // `has`, `absent`: of this entry so far

  always_comb begin
    // An empty text is the byte 0x80, one that may be absent 0x00 0x80.
    is_empty = bits11[13:0] == '0 && token11.count == (word11.nullable ? 4'd2 : 4'd1);
    is_null = word11.nullable && token11.count == 4'd1 && bits11[6:0] == '0;
    count = is_empty ? 4'd0 : token11.count;
    is_default = word11.op == WIRE_DEFAULT;
    emits = beat11.valid && in_entry11 && (begins11 || beat11.last);
    takes = old11 || has;
    is_absent = old11 ? is_null : has ? absent : is_default ? !initial11.present : kept.empty;

    value = '{
        absent: is_absent,
        exponent: '0,
        count: old11 ? count : !takes && is_default ? initial11.count : kept.count,
        value: old11 ? bits11 : !takes && is_default ? initial11.value : kept.previous
    };
    // A token that is none, one that has to be there, and one that is not known.
    bad = beat11.valid && any11 && (token11.count > 4'(Characters) || (token11.leads_zero && !is_empty));
    if (emits && word11.used && !takes) begin
      if (word11.always_there || (is_absent && !word11.nullable)) bad = 1'b1;
      if (continued11 && kept.untouched && word11.op == WIRE_COPY) bad = 1'b1;
    end
    twice = beat11.valid && old11 && new11;
  end
  if (SHORT) begin : gen_short
    assign {value12, bad12, short12} = {value, bad, twice};
  end else begin : gen_stage12
    always_ff @(posedge clk) {value12, bad12, short12} <= {value, bad, twice};
  end

  always_ff @(posedge clk) begin
    old11 <= old10 != '0;
    new11 <= new10 != '0;

    if (beat11.valid) begin
      open <= !beat11.last;
      if (old11 || new11) absent <= is_null;
      has <= !beat11.last && (begins11 ? new11 : has || old11 || new11);
    end else if (!open) has <= 1'b0;
    kept <= begin_anew ? dictionary_t
'{previous: initial10.value, count: initial10.count, empty: !initial10.present, untouched: 1'b1}
    : take ? banked : next;
    if (rst) open <= 1'b0;
  end

  // What the entry is after this beat.
  always_comb begin
    next = kept;
    if (beat11.valid && (old11 || new11)) next = '{previous: bits11, count: count, empty: is_null, untouched: 1'b0};
  end

  fast_wire_bank #(
      .WIDTH($bits(dictionary_t)),
      .MOVES(MOVES)
  ) bank_of (
      .clk,
      .store,
      .held,
      .stored(next),
      .at(at10),
      .bank(banked)
  );

  // ---- s13, s14

  always_ff @(posedge clk) begin
    value13 <= value12;
    bad13 <= bad12;
    bad14 <= bad13;
    short13 <= short12;
    short14 <= short13;
  end
endmodule

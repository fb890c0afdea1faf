// Finds delimiters and tags in a beat, and brings what stands before each SOH to a fixed place.
//
//   in ─ what each byte is ─┬─ last 17 bytes and this beat ─ tags, SOH, aligned characters ─ out (by lanes and by halves)
//                           └─ history
//
// No field of a good message is shorter than four bytes with its SOH, so four bytes hold at most one SOH: a beat is two halves of four lanes.
// A tag is found with the SOH before it, wherever the beats and segments were cut: the history is of bytes received, and goes back to
// where it was when a segment proves bad. A segment may begin in lane 0, 2 or 6: the last bytes of the history then stand in the lanes before.
//
// Latency: 2 cycles. Throughput: a beat a cycle; 3 cycles without a beat behind a segment's end and behind its last bytes (asserted).
// Parameter: W, 64. Overflow: none.
module fix_window
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Half = 4,
    localparam int Halves = N / Half
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    output logic                                       out_valid,
    output logic                                       out_last,
    output logic                                       out_err,
    output logic          [ $clog2(N+1)-1:0]           out_count,       // bytes
    output logic          [             2:0]           out_skip,        // lanes before the first of them: 0, 2 or 6
    output logic          [           N-1:0][     7:0] out_data,        // 0 where there is no byte
    output logic          [      Halves-1:0][Half-1:0] out_soh,         // the half's first: one-hot or 0
    output logic          [      Halves-1:0]           out_extra,       // a second SOH in the half: a field too short for a good message
    output logic          [      Halves-1:0]           out_short,       // the SOH ends a field of less than three characters
    output logic [Halves-1:0][SymbolChars:0][7:0] out_chars,  // before the SOH, [0] the last
    output number_chars_t [      Halves-1:0]           out_number,      // the same, as parts of a number
    output tag_t          [           N-1:0]           out_tag,         // that ends in the lane
    output logic          [           N-1:0]           out_bare,        // TagBegin not behind an SOH
    output logic [Halves-1:0][Half-1:0] out_before,  // the lane whose tag is that of the field the SOH ends: one-hot or 0
    output logic [Halves-1:0][Half-1:0] out_behind,  // of the field behind the SOH
    output logic [N-1:0] out_begin,  // 8=FIX ends in the lane
    output logic [N-1:0] out_begin_before,  // and is the tag of the field the SOH ends: none is in `out_before` then
    output logic [N-1:0] out_begin_behind
);
  localparam int H = NumberChars + 1;
  localparam int CountBits = $clog2(N + 1);

  logic valid, last, bad;
  logic [N-1:0] keep, soh;  // bytes, and which of them
  byte_t [N-1:0] beat;
  logic [CountBits-1:0] count;  // lanes up to the last byte
  logic [2:0] skip;
  byte_t [H-1:0] history, saved;
  byte_t [H+N-1:0] bytes;
  logic [3:1] ended;  // how long ago a good segment ended

  assign bytes = {beat, history};
  always_comb begin
    count = '0;
    for (int i = 0; i < N; i++) if (keep[i]) count = CountBits'(i + 1);
  end

  // ---- history ---------------------------------------------------------------------------------------

  // A partial beat moves it by its bytes in three steps, which the pause behind it leaves time for. Where a segment begins in lane 2 or 6, its last
  // bytes move to the lanes before. Only one of these at a time:
  logic restore, by_8, by_4, by_2, by_1, stays, back_2, back_6;
  logic restore_next, by_8_next, by_4_next, by_2_next, by_1_next;
  logic partial, one_more_reg;
  byte_t [2:0] rest;  // of the partial beat
  logic bad_now;

  assign bad_now = in.last && in.err;
  assign restore_next = in.valid && bad_now && !ended[2];  // else it is what is being saved
  assign by_8_next = !bad_now && in.keep[7];
  assign by_4_next = !bad_now && !in.keep[7] && in.keep[6:3] != '0;
  assign by_2_next = partial && count[1] && !restore_next;
  assign by_1_next = one_more_reg && !restore_next;
  assign back_2 = !in.keep[0] && in.keep[2];
  assign back_6 = !in.keep[0] && !in.keep[2] && in.keep[6];

  byte_t [H+2:0] ahead;
  /* verilator lint_off UNUSEDSIGNAL */  // not the newest
  byte_t [H+5:0] back;
  /* verilator lint_on UNUSEDSIGNAL */
  byte_t [H-1:0] moved;
  assign ahead = {rest, history};
  assign back = {history, history[5:0]};  // the oldest do not matter: they have left before they are looked at
  always_comb begin
    for (int i = 0; i < H; i++) begin
      moved[i] = (history[i] & {$bits(byte_t) {stays}}) | (saved[i] & {$bits(byte_t) {restore}}) | (bytes[N+i] & {$bits(byte_t) {by_8}}) |
          (bytes[4+i] & {$bits(byte_t) {by_4}}) | (ahead[i+2] & {$bits(byte_t) {by_2}}) | (ahead[i+1] & {$bits(byte_t) {by_1}});
    end
  end

  always_ff @(posedge clk) begin
    valid <= in.valid && !rst;
    last <= in.last;
    bad <= bad_now;
    keep <= in.keep;
    for (int i = 0; i < N; i++) begin
      beat[i] <= byte_of(in.data[8*i+:8]);
      soh[i]  <= in.keep[i] && in.data[8*i+:8] == Soh;
    end
    for (int i = 0; i < 6; i++) if (!in.keep[i]) beat[i] <= i < 2 && in.keep[2] ? history[H-2+i] : history[H-6+i];
    skip <= back_2 ? 3'd2 : back_6 ? 3'd6 : 3'd0;

    {restore, by_8, by_4, by_2, by_1} <= {restore_next, by_8_next, by_4_next, by_2_next, by_1_next} & {5{!rst}};
    stays <= {restore_next, by_8_next, by_4_next, by_2_next, by_1_next} == '0;
    partial <= !bad_now && !in.keep[7] && in.keep != '0 && !rst;
    one_more_reg <= partial && count[0] && !restore_next && !rst;
    if (partial) rest <= count[2] ? beat[6:4] : beat[2:0];
    else if (by_2) rest[0] <= rest[2];
    history <= back_2 ? back[4+:H] : back_6 ? back[0+:H] : moved;

    ended <= rst ? '0 : {ended[2:1], valid && last && !bad};
    if (ended[3]) saved <= history;
    // Of the older ones only what they are to a number is looked at.
    for (int i = 0; i < H - SymbolChars - 1; i++) {history[i].data, saved[i].data} <= '0;
    if (rst) begin
      history <= {H{byte_of(Soh)}};
      saved <= {H{byte_of(Soh)}};  // a stream begins like behind a message
    end
  end

  assert property (@(posedge clk) disable iff (rst) in.valid || in.keep == '0);

  logic moving;
  assign moving = by_2 || by_1 || one_more_reg;
  assert property (@(posedge clk) disable iff (rst) !(valid && keep != '0 && (moving || ended[2:1] != '0)));
  assert property (@(posedge clk) disable iff (rst) !((back_2 || back_6) && (valid || moving || ended[2:1] != '0)));

  // ---- what is at each lane --------------------------------------------------------------------------

  logic [N-1:0] begins, bare, mark;
  tag_t [N-1:0] tag;

  always_comb begin
    tag = '0;
    for (int i = 0; i < N; i++) begin
      automatic int e = H + i;
      automatic
      logic
          two = bytes[e].code == CodeEquals && bytes[e-3].code == CodeSoh,
          three = bytes[e].code == CodeEquals && bytes[e-4].code == CodeSoh && bytes[e-3].code == 4'd2;
      begins[i] = keep[i] && bytes[e].data == "X" && bytes[e-1].data == "I" && bytes[e-2].data == "F" &&
          bytes[e-3].code == CodeEquals && bytes[e-4].code == 4'd8 && !is_digit(bytes[e-5].code);
      bare[i] = bytes[e-5].code != CodeSoh;
      tag[i][TagLength] = bytes[e].code == CodeEquals && bytes[e-2].code == CodeSoh && bytes[e-1].code == 4'd9;
      tag[i][TagChecksum] = two && bytes[e-2].code == 4'd1 && bytes[e-1].code == 4'd0;
      tag[i][TagType] = two && bytes[e-2].code == 4'd3 && bytes[e-1].code == 4'd5;
      tag[i][TagSequence] = two && bytes[e-2].code == 4'd3 && bytes[e-1].code == 4'd4;
      tag[i][TagDuplicate] = two && bytes[e-2].code == 4'd4 && bytes[e-1].code == 4'd3;
      tag[i][TagSymbol] = two && ((bytes[e-2].code == 4'd4 && bytes[e-1].code == 4'd8) ||
          (bytes[e-2].code == 4'd5 && bytes[e-1].code == 4'd5));
      tag[i][TagEntries] = three && bytes[e-2].code == 4'd6 && bytes[e-1].code == 4'd8;
      tag[i][TagEntryType] = three && bytes[e-2].code == 4'd6 && bytes[e-1].code == 4'd9;
      tag[i][TagEntryPrice] = three && bytes[e-2].code == 4'd7 && bytes[e-1].code == 4'd0;
      tag[i][TagEntrySize] = three && bytes[e-2].code == 4'd7 && bytes[e-1].code == 4'd1;
      tag[i][TagAction] = three && bytes[e-2].code == 4'd7 && bytes[e-1].code == 4'd9;
      mark[i] = keep[i] && bytes[e].code == CodeEquals;
    end
  end

  always_ff @(posedge clk) begin
    out_valid <= valid && !rst;
    out_last <= last;
    out_err <= bad;
    out_count <= keep == '0 ? '0 : count - CountBits'(skip);
    out_skip <= skip;
    for (int i = 0; i < N; i++) out_data[i] <= keep[i] ? beat[i].data : 8'd0;
    out_tag <= tag;
    out_bare <= bare;
    out_begin <= begins;
  end

  // ---- by halves -------------------------------------------------------------------------------------

  for (genvar h = 0; h < Halves; h++) begin : gen_half
    localparam int First = h * Half;
    logic [Half-1:0] ends, behind, last_mark, last_behind;  // the SOH; no tag is behind it in the field
    logic [SymbolChars:0][7:0] chars;
    number_chars_t number;
    logic short;

    always_comb begin
      chars = '0;
      number = '0;
      short = 1'b0;
      for (int i = 0; i < Half; i++) begin
        automatic int e = H + First + i;
        ends[i] = soh[First+i];
        behind[i] = 1'b0;
        for (int s = 0; s < i; s++) if (ends[s]) behind[i] = 1'b1;
        if (ends[i] && !behind[i]) begin
          for (int c = 0; c <= SymbolChars; c++) chars[c] |= bytes[e-1-c].data;
          for (int c = 0; c < H; c++) number[c] |= bytes[e-1-c].code;
          short |= bytes[e-1].code == CodeSoh || bytes[e-2].code == CodeSoh || bytes[e-3].code == CodeSoh;
        end
      end
      // The last one counts: a field with a second = has no tag.
      for (int i = 0; i < Half; i++) begin
        last_mark[i] = 1'b1;
        last_behind[i] = 1'b1;
        for (int j = i + 1; j < Half; j++) begin
          if (mark[First+j] && !behind[j]) last_mark[i] = 1'b0;
          if (mark[First+j] || ends[j]) last_behind[i] = 1'b0;
        end
      end
    end

    always_ff @(posedge clk) begin
      out_soh[h] <= ends & ~behind;
      out_extra[h] <= (ends & behind) != '0;
      out_short[h] <= short;
      out_chars[h] <= chars;
      out_number[h] <= number;
      out_before[h] <= mark[First+:Half] & ~behind & last_mark;
      out_behind[h] <= mark[First+:Half] & behind & last_behind;
      out_begin_before[First+:Half] <= begins[First+:Half] & ~behind & last_mark;
      out_begin_behind[First+:Half] <= begins[First+:Half] & behind & last_behind;
    end
  end
endmodule

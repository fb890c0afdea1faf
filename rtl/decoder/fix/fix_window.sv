// Finds the delimiters and tags in a beat, and moves the characters before each SOH to fixed places.
//
//   in ─ what each byte is ─ last 17 bytes and this beat ─┬─ tags and SOH ─ out
//                                     │                   └─ moved characters ─ out
//                                  history
//
// A field of a good message has at least four bytes, its SOH included. So four lanes hold one SOH at most: a beat is two halves of four lanes.
// A tag may be cut anywhere by beats and segments: the history holds the bytes received before the beat. When a segment proves bad, it
// becomes again what it was after the last good segment. A segment may begin in lane 0, 2 or 6: the lanes before it then hold the last
// bytes of the history.
//
// Latency: 2 cycles. Throughput: a beat a cycle; after a segment's last bytes, and after its end, 3 cycles without a beat (asserted).
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

    output logic                                         out_valid,
    output logic                                         out_last,
    output logic                                         out_err,
    output logic          [$clog2(N+1)-1:0]              out_count,        // bytes
    output logic          [            2:0]              out_skip,         // lanes before the first of them: 0, 2 or 6
    output logic          [          N-1:0][        7:0] out_data,         // 0 where there is no byte
    output logic          [     Halves-1:0][   Half-1:0] out_soh,          // the half's first: one-hot or 0
    output logic          [     Halves-1:0]              out_extra,        // the half has a second SOH
    // Before the half's first SOH, [0] the last; anything if it has none.
    output logic          [     Halves-1:0][SymbolChars-1:0][7:0] out_chars,
    output number_chars_t [     Halves-1:0]              out_number,
    output tag_t          [          N-1:0]              out_tag,          // whose "=" is in the lane
    output logic          [          N-1:0]              out_begin,        // 8=FIX ends in the lane,
    output logic          [          N-1:0]              out_bare,         // and does not come after an SOH
    // The lane with the tag of the field that the half's first SOH ends, and of the field after its last: one-hot, or 0 if it is in no lane.
    output logic          [     Halves-1:0][   Half-1:0] out_before,
    output logic          [     Halves-1:0][   Half-1:0] out_after,
    output logic          [          N-1:0]              out_begin_before,  // that tag is 8=FIX: not in out_before then
    output logic          [          N-1:0]              out_begin_after
);
  localparam int H = NumberChars + 1;
  localparam int CountBits = $clog2(N + 1);

  // ---- the beat --------------------------------------------------------------------------------------

  logic valid, last, bad;
  logic [N-1:0] keep, soh;
  byte_t [N-1:0] beat;
  logic [CountBits-1:0] count;  // lanes up to the last byte
  logic [2:0] skip;
  byte_t [H-1:0] history, saved;
  byte_t [H+N-1:0] bytes;
  logic back_2, back_6;  // the segment begins in lane 2, 6

  assign bytes = {beat, history};
  assign back_2 = !in.keep[0] && in.keep[2];
  assign back_6 = !in.keep[0] && !in.keep[2] && in.keep[6];
  always_comb begin
    count = '0;
    for (int i = 0; i < N; i++) if (keep[i]) count = CountBits'(i + 1);
  end

  always_ff @(posedge clk) begin
    valid <= in.valid && !rst;
    last <= in.last;
    bad <= in.last && in.err;
    keep <= in.keep;
    for (int i = 0; i < N; i++) begin
      beat[i] <= byte_of(in.data[8*i+:8]);
      soh[i]  <= in.keep[i] && in.data[8*i+:8] == Soh;
    end
    for (int i = 0; i < 6; i++) if (!in.keep[i]) beat[i] <= i < 2 && in.keep[2] ? history[H-2+i] : history[H-6+i];
    skip <= back_2 ? 3'd2 : back_6 ? 3'd6 : 3'd0;
  end

  assert property (@(posedge clk) disable iff (rst) in.valid || in.keep == '0);

  // ---- history ---------------------------------------------------------------------------------------

  // A full beat moves it by 8 bytes; a partial one by 4, 2 and 1, in three cycles. Where a segment begins in lane 2 or 6, the history's
  // last bytes are in the beat too, and it moves back. At most one of these at a time.
  typedef struct packed {
    logic restore;
    logic by_8;
    logic by_4;
    logic by_2;
    logic by_1;
  } change_t;

  change_t change, change_next;
  logic partial, odd;  // odd: a partial beat had an odd number of bytes
  byte_t [2:0] rest;  // of the partial beat
  logic [3:1] ended;  // so many cycles ago a good segment ended

  always_comb begin
    change_next.restore = in.valid && in.last && in.err && !ended[2];  // two cycles after a good end the history is being saved
    change_next.by_8 = !(in.last && in.err) && in.keep[7];
    change_next.by_4 = !(in.last && in.err) && !in.keep[7] && in.keep[6:3] != '0;
    change_next.by_2 = partial && count[1] && !change_next.restore;
    change_next.by_1 = odd && !change_next.restore;
    if (rst) change_next = '0;
  end

  byte_t [H+2:0] ahead;
  /* verilator lint_off UNUSEDSIGNAL */  // not the newest
  byte_t [H+5:0] back;
  /* verilator lint_on UNUSEDSIGNAL */
  byte_t [H-1:0] changed;
  assign ahead = {rest, history};
  assign back = {history, history[5:0]};  // the oldest do not matter: they have left before they are read

  function automatic byte_t only_if(input logic condition, input byte_t b);
    return b & {$bits(byte_t) {condition}};
  endfunction

  always_comb begin
    for (int i = 0; i < H; i++) begin
      changed[i] = only_if(change.restore, saved[i]) | only_if(change.by_8, bytes[i+8]) | only_if(change.by_4, bytes[i+4]) |
          only_if(change.by_2, ahead[i+2]) | only_if(change.by_1, ahead[i+1]) | only_if(back_2, back[i+4]) | only_if(back_6, back[i]);
    end
  end

  always_ff @(posedge clk) begin
    change <= change_next;
    partial <= !(in.last && in.err) && !in.keep[7] && in.keep != '0 && !rst;
    odd <= partial && count[0] && !change_next.restore && !rst;
    if (partial) rest <= count[2] ? beat[6:4] : beat[2:0];
    else if (change.by_2) rest[0] <= rest[2];
    if (change != '0 || back_2 || back_6) history <= changed;

    ended <= rst ? '0 : {ended[2:1], valid && last && !bad};
    if (ended[3]) saved <= history;
    // For the older bytes only what they are in a number is needed.
    for (int i = 0; i < H - SymbolChars; i++) {history[i].data, saved[i].data} <= '0;
    if (rst) begin
      history <= {H{byte_of(Soh)}};  // the stream's first message begins as any other does, after an SOH
      saved <= {H{byte_of(Soh)}};
    end
  end

  logic moving;
  assign moving = change.by_2 || change.by_1 || odd;
  assert property (@(posedge clk) disable iff (rst) !(valid && keep != '0 && (moving || ended[2:1] != '0)));
  assert property (@(posedge clk) disable iff (rst) !((back_2 || back_6) && (valid || moving || ended[2:1] != '0)));

  // ---- what is at each lane --------------------------------------------------------------------------

  logic [N-1:0] begins, bare, equals;
  tag_t [N-1:0] tag;

  always_comb begin
    tag = '0;
    for (int i = 0; i < N; i++) begin
      automatic int e = H + i;
      automatic
      logic
          two = bytes[e].equals && bytes[e-3].code == CodeSoh,
          three = bytes[e].equals && bytes[e-4].code == CodeSoh && bytes[e-3].code == 4'd2;
      begins[i] = keep[i] && bytes[e].data == "X" && bytes[e-1].data == "I" && bytes[e-2].data == "F" &&
          bytes[e-3].equals && bytes[e-4].code == 4'd8 && !is_digit(bytes[e-5].code);
      bare[i] = bytes[e-5].code != CodeSoh;
      tag[i][TagLength] = bytes[e].equals && bytes[e-2].code == CodeSoh && bytes[e-1].code == 4'd9;
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
      equals[i] = keep[i] && bytes[e].equals;
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
    logic [Half-1:0] ends, after;  // an SOH; it is after the first
    logic [Half-1:0] last_equals, last_after;  // no "=" in a later lane before the SOH; no "=" in a later lane, and no SOH either
    logic [1:0] place;  // lane of the first SOH
    byte_t [H+2:0] here;
    byte_t [H+1:0] moved_1;
    /* verilator lint_off UNUSEDSIGNAL */  // of the older ones only the code is used
    byte_t [H-1:0] moved_2;
    /* verilator lint_on UNUSEDSIGNAL */

    always_comb begin
      for (int i = 0; i < Half; i++) begin
        ends[i]  = soh[First+i];
        after[i] = 1'b0;
        for (int s = 0; s < i; s++) if (ends[s]) after[i] = 1'b1;
      end
      // The last one counts: a field with a second "=" has no tag.
      for (int i = 0; i < Half; i++) begin
        last_equals[i] = 1'b1;
        last_after[i]  = 1'b1;
        for (int j = i + 1; j < Half; j++) begin
          if (equals[First+j] && !after[j]) last_equals[i] = 1'b0;
          if (equals[First+j] || ends[j]) last_after[i] = 1'b0;
        end
      end
      // By one lane or none, then by two or none: the two steps serve all characters.
      place = ends[0] ? 2'd0 : ends[1] ? 2'd1 : ends[2] ? 2'd2 : 2'd3;
      here = bytes[First+:H+3];
      for (int i = 0; i < H + 2; i++) moved_1[i] = place[0] ? here[i+1] : here[i];
      for (int i = 0; i < H; i++) moved_2[i] = place[1] ? moved_1[i+2] : moved_1[i];
    end

    always_ff @(posedge clk) begin
      out_soh[h] <= ends & ~after;
      out_extra[h] <= (ends & after) != '0;
      for (int c = 0; c < SymbolChars; c++) out_chars[h][c] <= moved_2[H-1-c].data;
      for (int c = 0; c < H; c++) out_number[h][c] <= '{equals: moved_2[H-1-c].equals, code: moved_2[H-1-c].code};
      out_before[h] <= equals[First+:Half] & ~after & last_equals;
      out_after[h] <= equals[First+:Half] & after & last_after;
      out_begin_before[First+:Half] <= begins[First+:Half] & ~after & last_equals;
      out_begin_after[First+:Half] <= begins[First+:Half] & after & last_after;
    end
  end
endmodule

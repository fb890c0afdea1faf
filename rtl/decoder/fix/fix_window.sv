// Finds delimiters and tags in a beat, and brings what stands before each SOH to a fixed place.
//
//   in ─ register ─┬─ last 17 bytes and this beat ─ tags, SOH, aligned characters ─ out (one a half)
//                  └─ history
//
// No field of a good message is shorter than four bytes with its SOH, so four bytes hold at most one SOH: a beat is two halves of four lanes
// (one of one lane at W=8). A tag is found with the SOH before it, wherever the beats and segments were cut: the history is of bytes
// received, and goes back to where it was when a segment proves bad. At W=64 a segment may begin in lane 0, 2 or 6: the last bytes of the
// history then stand in the lanes before.
//
// Latency: 2 cycles. Throughput: a beat a cycle; 3 cycles without a beat behind a segment's end and behind its last bytes (asserted).
// Parameter: W, 8 or 64. Overflow: none.
module fix_window
  import fix_pkg::*;
#(
    parameter int W = 64,
    localparam int N = W / 8,
    localparam int Half = N < 4 ? N : 4,
    localparam int Halves = N / Half
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    output logic                        out_valid,
    output logic                        out_last,
    output logic                        out_err,
    output logic [  $clog2(N+1)-1:0]    out_count,                    // bytes
    output logic [2:0] out_skip,  // lanes before the first of them: 0, 2 or 6
    output logic [       N-1:0][7:0]    out_data,                     // 0 where there is no byte
    output logic [    Halves-1:0][Half-1:0] out_soh,                  // one-hot or 0
    output logic [Halves-1:0] out_extra,  // a second SOH in the half: a field too short for a good message
    output logic [    Halves-1:0]       out_short,                    // the SOH ends a field of less than three characters
    output logic [    Halves-1:0][SymbolChars:0][7:0] out_chars,  // before the SOH, [0] the last
    output number_chars_t [Halves-1:0]  out_number,               // the same, as parts of a number
    output logic [Halves-1:0] out_before, // an = before the SOH, if there is one: its field's tag is
    output tag_t [Halves-1:0] out_tag_before,
    output logic [Halves-1:0] out_bare_before, // TagBegin not behind an SOH
    output logic [Halves-1:0] out_behind, // an = behind it
    output tag_t [Halves-1:0] out_tag_behind,
    output logic [Halves-1:0] out_bare_behind,
    output logic [    Halves-1:0][Half-1:0] out_begin                 // the lane of the X of 8=FIX
);
  localparam int H = NumberChars + 1;
  localparam int CountBits = $clog2(N + 1);

  logic valid, last, bad;
  logic [N-1:0] keep;
  logic [N-1:0][7:0] data;
  logic [CountBits-1:0] count;  // lanes up to the last byte
  logic [2:0] skip;
  logic [H-1:0][7:0] history, saved;
  logic [H+N-1:0][7:0] bytes;
  logic [3:1] ended;  // how long ago a good segment ended

  assign bytes = {data, history};
  always_comb begin
    count = '0;
    for (int i = 0; i < N; i++) if (keep[i]) count = CountBits'(i + 1);
  end

  always_ff @(posedge clk) begin
    valid <= in.valid && !rst;
    last <= in.last;
    bad <= in.last && in.err;
    keep <= in.keep;
    ended <= rst ? '0 : {ended[2:1], valid && last && !bad};
    if (ended[3]) saved <= history;
    if (rst) saved <= {H{Soh}};  // a stream begins like behind a message
  end

  if (N > 1) begin : gen_shift
    // A partial beat moves the history by its bytes in three steps, which the pause behind it leaves time for.
    logic [2:1] step;  // [1]: by two, [2]: by one
    logic [1:0] by;
    logic [N-1:0][7:0] rest;  // of the partial beat
    logic begins_late;  // not in lane 0

    assign begins_late = in.valid && in.keep != '0 && !in.keep[0];

    always_ff @(posedge clk) begin
      data <= in.data;
      for (int i = 0; i < 6; i++) if (!in.keep[i]) data[i] <= i < 2 && in.keep[2] ? history[H-2+i] : history[H-6+i];
      skip <= !begins_late ? 3'd0 : in.keep[2] ? 3'd2 : 3'd6;

      step <= {step[1], 1'b0};
      if (step[1] && by[1]) {rest, history} <= {16'd0, rest, history[H-1:2]};
      if (step[2] && by[0]) {rest, history} <= {8'd0, rest, history[H-1:1]};
      if (begins_late) history <= in.keep[2] ? {history[H-3:0], 16'd0} : {history[H-7:0], 48'd0};
      if (valid) begin
        if (bad) begin
          step <= '0;
          if (!ended[3]) history <= saved;  // else it is what is being saved
        end else if (keep[N-1]) history <= bytes[N+:H];
        else if (keep != '0) begin
          if (count[2]) history <= bytes[4+:H];
          rest <= count[2] ? data >> 32 : data;
          by <= count[1:0];
          step[1] <= 1'b1;
        end
      end
      if (rst) begin
        step <= '0;
        history <= {H{Soh}};
      end
    end
    assert property (@(posedge clk) disable iff (rst) !(valid && keep != '0 && (step != '0 || ended[2:1] != '0)));
    assert property (@(posedge clk) disable iff (rst) !(begins_late && (valid || step != '0 || ended[2:1] != '0)));
  end else begin : gen_byte
    assign skip = '0;
    always_ff @(posedge clk) begin
      data <= in.data;
      if (valid && bad) begin
        if (!ended[3]) history <= saved;
      end else if (valid && keep != '0) history <= bytes[N+:H];
      if (rst) history <= {H{Soh}};
    end
    assert property (@(posedge clk) disable iff (rst) !(valid && keep != '0 && ended[2:1] != '0));
  end

  // ---- what is at each lane --------------------------------------------------------------------------

  logic [H+N-1:0] soh, equals;
  logic [N-1:0] begins, bare;
  tag_t [N-1:0] tag;

  always_comb begin
    for (int i = 0; i < H + N; i++) begin
      soh[i] = bytes[i] == Soh;
      equals[i] = bytes[i] == "=";
    end
    tag = '0;
    for (int i = 0; i < N; i++) begin
      automatic int e = H + i;
      if (keep[i] && equals[e]) begin
        if (soh[e-2] && bytes[e-1] == "9") tag[i][TagLength] = 1'b1;
        if (soh[e-3]) begin
          if (bytes[e-2] == "1" && bytes[e-1] == "0") tag[i][TagChecksum] = 1'b1;
          if (bytes[e-2] == "3" && bytes[e-1] == "5") tag[i][TagType] = 1'b1;
          if (bytes[e-2] == "4" && bytes[e-1] == "8") tag[i][TagSymbol] = 1'b1;
          if (bytes[e-2] == "5" && bytes[e-1] == "5") tag[i][TagSymbol] = 1'b1;
        end
        if (soh[e-4] && bytes[e-3] == "2") begin
          if (bytes[e-2] == "6" && bytes[e-1] == "8") tag[i][TagEntries] = 1'b1;
          if (bytes[e-2] == "6" && bytes[e-1] == "9") tag[i][TagEntryType] = 1'b1;
          if (bytes[e-2] == "7" && bytes[e-1] == "0") tag[i][TagEntryPrice] = 1'b1;
          if (bytes[e-2] == "7" && bytes[e-1] == "1") tag[i][TagEntrySize] = 1'b1;
          if (bytes[e-2] == "7" && bytes[e-1] == "9") tag[i][TagAction] = 1'b1;
        end
      end
      begins[i] = keep[i] && bytes[e] == "X" && bytes[e-1] == "I" && bytes[e-2] == "F" && equals[e-3] && bytes[e-4] == "8" &&
          !(bytes[e-5] >= "0" && bytes[e-5] <= "9");
      bare[i] = !soh[e-5];
      tag[i][TagBegin] = begins[i];
    end
  end

  // ---- by halves -------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    out_valid <= valid && !rst;
    out_last <= last;
    out_err <= bad;
    out_count <= keep == '0 ? '0 : count - CountBits'(skip);
    out_skip <= skip;
    for (int i = 0; i < N; i++) out_data[i] <= keep[i] ? data[i] : 8'd0;
  end

  for (genvar h = 0; h < Halves; h++) begin : gen_half
    localparam int First = h * Half;
    logic [Half-1:0] ends, behind;  // the SOH
    logic [SymbolChars:0][7:0] chars;
    number_chars_t number;
    tag_t tag_before, tag_behind;
    logic short, extra, before_soh, behind_soh, bare_before, bare_behind;

    always_comb begin
      chars = '0;
      number = '0;
      short = 1'b0;
      extra = 1'b0;
      {tag_before, before_soh, bare_before} = '0;
      {tag_behind, behind_soh, bare_behind} = '0;
      for (int i = 0; i < Half; i++) begin
        automatic int e = H + First + i;
        ends[i] = soh[e] && keep[First+i];
        behind[i] = 1'b0;
        for (int s = 0; s < i; s++) if (ends[s]) behind[i] = 1'b1;
        if (ends[i] && behind[i]) begin
          extra = 1'b1;
          {tag_behind, behind_soh, bare_behind} = '0;
        end
        if (ends[i] && !behind[i]) begin
          for (int c = 0; c <= SymbolChars; c++) chars[c] |= bytes[e-1-c];
          for (int c = 0; c < H; c++) number[c] |= char_of(bytes[e-1-c]);
          if (soh[e-1] || soh[e-2] || soh[e-3]) short = 1'b1;
        end
        // The last one counts: a field with a second = has no tag.
        if (keep[First+i] && (equals[e] || begins[First+i])) begin
          if (behind[i]) begin
            behind_soh  = 1'b1;
            tag_behind  = tag[First+i];
            bare_behind = bare[First+i];
          end else begin
            before_soh  = 1'b1;
            tag_before  = tag[First+i];
            bare_before = bare[First+i];
          end
        end
      end
    end

    always_ff @(posedge clk) begin
      out_soh[h] <= ends & ~behind;
      out_extra[h] <= extra;
      out_short[h] <= short;
      out_chars[h] <= chars;
      out_number[h] <= number;
      out_before[h] <= before_soh;
      out_tag_before[h] <= tag_before;
      out_bare_before[h] <= bare_before;
      out_behind[h] <= behind_soh;
      out_tag_behind[h] <= tag_behind;
      out_bare_behind[h] <= bare_behind;
      out_begin[h] <= begins[First+:Half];
    end
  end
endmodule

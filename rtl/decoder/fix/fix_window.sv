// Finds delimiters and tags in a beat, and brings what stands before each SOH to a fixed place.
//
//   in ─┬─ last 17 bytes and this beat ─ tags, SOH, aligned characters ─ out (one a half)
//       └─ history
//
// No field of a good message is shorter than four bytes with its SOH, so four bytes hold at most one SOH: a beat is two halves of four lanes
// (one of one lane at W=8). A tag is found with the SOH before it, wherever the beats and segments were cut: the history is of bytes
// received, and goes back to where it was when a segment proves bad.
//
// Latency: 1 cycle, from a registered `in`. Throughput: a beat a cycle; 2 cycles without a beat behind a segment's last (asserted).
// Parameter: W, 8 or 64. Nothing overflows.
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

  logic [N-1:0][7:0] lanes;  // of a partial beat, while the history moves
  logic [N-1:0] keep;
  logic [CountBits-1:0] count;
  logic [H-1:0][7:0] history, saved;
  logic [H+N-1:0][7:0] bytes;
  logic bad;

  assign bytes = {in.data, history};
  assign keep  = in.keep;
  assign bad   = in.last && in.err;
  always_comb begin
    count = '0;
    for (int i = 0; i < N; i++) if (keep[i]) count = CountBits'(i + 1);
  end

  // A partial beat moves the history by its bytes in three steps, which the pause behind it leaves time for.
  if (N > 1) begin : gen_shift
    logic [2:0] step;  // [0]: by two, [1]: by one, [2]: done
    logic [1:0] by;
    always_ff @(posedge clk) begin
      step <= {step[1:0], 1'b0};
      if (step[0] && by[1]) {lanes, history} <= {16'd0, lanes, history[H-1:2]};
      if (step[1] && by[0]) {lanes, history} <= {8'd0, lanes, history[H-1:1]};
      if (step[2]) saved <= history;
      if (in.valid) begin
        lanes <= keep[3] ? in.data >> 32 : in.data;
        by <= count[1:0];
        if (bad) begin
          if (!step[2]) history <= saved;  // else it is what is being saved
        end else if (keep[N-1]) begin
          history <= bytes[N+:H];
          step[2] <= in.last;
        end else begin
          if (keep[3]) history <= bytes[4+:H];
          step[0] <= 1'b1;
        end
      end
      if (rst) begin
        step <= '0;
        history <= {H{Soh}};  // a stream begins like behind a message
        saved <= {H{Soh}};
      end
    end
    assert property (@(posedge clk) disable iff (rst) !(in.valid && (step[0] || step[1])));
  end else begin : gen_byte
    logic done;
    assign lanes = '0;
    always_ff @(posedge clk) begin
      done <= in.valid && in.last && !in.err && !rst;
      if (done) saved <= history;
      if (in.valid && bad) history <= done ? history : saved;
      else if (in.valid && keep != '0) history <= bytes[N+:H];
      if (rst) begin
        history <= {H{Soh}};
        saved <= {H{Soh}};
      end
    end
    logic unused;
    assign unused = &{1'b0, lanes};
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
    out_valid <= in.valid && !rst;
    out_last <= in.last;
    out_err <= bad;
    out_count <= count;
    for (int i = 0; i < N; i++) out_data[i] <= keep[i] ? in.data[8*i+:8] : 8'd0;
  end

  for (genvar h = 0; h < Halves; h++) begin : gen_half
    localparam int First = h * Half;
    logic [Half-1:0] ends, ended;  // ended: behind the SOH
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
        ended[i] = 1'b0;
        for (int s = 0; s < i; s++) if (ends[s]) ended[i] = 1'b1;
        if (ends[i] && ended[i]) begin
          extra = 1'b1;
          {tag_behind, behind_soh, bare_behind} = '0;
        end
        if (ends[i] && !ended[i]) begin
          for (int c = 0; c <= SymbolChars; c++) chars[c] |= bytes[e-1-c];
          for (int c = 0; c < H; c++) number[c] |= char_of(bytes[e-1-c]);
          if (soh[e-1] || soh[e-2] || soh[e-3]) short = 1'b1;
        end
        // The last one counts: a field with a second = has no tag.
        if (keep[First+i] && (equals[e] || begins[First+i])) begin
          if (ended[i]) begin
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
      out_soh[h] <= ends & ~ended;
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

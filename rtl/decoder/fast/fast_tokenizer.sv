// Cuts a packet into tokens at its stop bits: one a cycle, in pieces of at most eight bytes.
//
//   beat ─ spare ─ register ─┬─ the byte where the token ends ─ window of ten bytes that ends there ─ token
//                            └─ bytes of the beats before ──────┘
//
// A token's bytes are arranged from its end, so that an integer needs a mask and no shifter. What is left of a beat after its last stop bit joins
// the token that ends in the next one, and costs no cycle. A token of more than eight bytes comes in pieces: the first ones of eight bytes.
// What a packet has after its last stop bit leaves as a piece without an end. After a packet's last token comes one word more, `finish`.
//
// Latency: 1 cycle from the beat with the token's last byte to the token, which has no register: who takes it has one. Throughput: a token, or a
// piece of eight bytes, a cycle; a cycle more for a token of 9 to 15 bytes in two beats. Parameter: W, bits in a beat, 8 or 64. Nothing overflows:
// beats wait in front of it.
module fast_tokenizer
  import fast_pkg::*;
#(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,

    input  logic beat_valid,
    output logic beat_take,
    /* verilator lint_off UNUSEDSIGNAL */
    input  beat_t beat,
    /* verilator lint_on UNUSEDSIGNAL */

    input  logic   room,  // it can be taken
    output logic   token_valid,
    output token_t token,
    output ahead_t ahead
);
  localparam int N = W / 8;
  localparam int History = Window - 1;

  // ---- the beat, less what has left of it, and the next one

  logic full, last, cut, open, finishing;
  fast_error_e error, finish_error;
  logic [N-1:0][7:0] lanes;
  logic [N-1:0] first;  // of its stop bits, one-hot
  logic has_stop, only;  // only: one stop bit is left
  // Where what leaves next ends, one-hot, and how many bytes it has beyond the number of that lane: known a cycle before, for from here it is far to the token.
  logic [N-1:0] ends;
  logic [3:0] start;
  logic single;  // it has one byte, if it is no piece
  logic [2:0] trailing, carried;  // bytes after its last stop bit; bytes before the beat that belong to its first token
  logic [N-1:0] far;  // a token that ends here has more than eight bytes
  logic [N-1:0] piece_end;  // here it has eight
  logic splits;  // the first token is so long: first come eight bytes of it
  logic [History-1:0][7:0] history;  // byte 0 is the one before the beat
  logic [13:0] offset, offset_after;  // of the beat's first byte; of the first one after it
  logic breaks;  // the packet ended with the beat before
  logic flushes;  // so does this token, which has no stop bit
  /* verilator lint_off UNUSEDSIGNAL */
  beat_t spare, following;
  /* verilator lint_on UNUSEDSIGNAL */
  logic spare_valid, next_valid, take_next;

  assign beat_take  = beat_valid && !spare_valid;
  assign next_valid = spare_valid || beat_valid;
  assign following  = spare_valid ? spare : beat;

  // ---- what leaves

  logic piece, too_long, fills, gives, emit, pop, ends_cut;
  logic [3:0] end_lane, count;
  logic [N-1:0] left, first_next;

  always_comb begin
    end_lane = '0;
    for (int i = 0; i < N; i++) if (ends[i]) end_lane |= 4'(i);
  end

  assign too_long = (first & far) != '0;  // found out in a cycle of its own
  assign fills    = !has_stop && !breaks && (N == 8 || carried == 3'd7);  // a beat without a stop bit
  assign piece    = splits || !has_stop;
  assign ends_cut = cut && only && !splits;
  assign gives    = splits || fills || flushes || (has_stop && !too_long);
  assign emit     = room && full && gives;
  // The beat has nothing more to give: it has no stop bit, or this was the last.
  assign pop      = room && full && !splits && (!has_stop || (only && !too_long));
  assign count    = end_lane + start;
  assign take_next = next_valid && (!full || pop) && !finishing && !(pop && last);

  // ---- its bytes

  logic [Window-1:0][7:0] window;

  always_comb begin
    window = '0;
    for (int e = 0; e < N; e++) begin
      for (int k = 0; k < Window; k++) if (ends[e]) window[k] |= k <= e ? lanes[e>=k?e-k : 0] : history[k>e?k-e-1 : 0];
    end
    for (int k = 0; k < History; k++) if (flushes && N != 8) window[k] |= history[k];
    if (ends_cut) window[0][7] = 1'b0;
  end

  assign ahead = '{single: single, bits: {window[1][6:0], window[0][6:0]}};
  assign token_valid = emit || (room && finishing);
  assign token = '{
          data: window,
          count: count,
          first: !open,
          last: !piece && !ends_cut && !finishing,
          is_null: !piece && !ends_cut && !open && single && window[0][6:0] == '0,
          finish: finishing,
          error: finish_error,
          offset: flushes ? offset : ends[N-1] ? offset_after : offset + 14'(end_lane + 4'd1)
      };

  // ---- where the next one begins

  // The stop bits that are left, the first of them included, and the one after that.
  always_comb begin
    for (int i = 0; i < N; i++) begin
      left[i] = first[i];
      for (int k = 0; k < i; k++) if (first[k]) left[i] = lanes[i][7];
      first_next[i] = left[i] && !first[i];
      for (int k = 0; k < i; k++) if (left[k] && !first[k]) first_next[i] = 1'b0;
    end
  end

  logic [2:0] carried_next;
  logic [N-1:0] piece_end_next;
  always_comb begin
    carried_next = carried;
    if (pop) carried_next = has_stop ? trailing : fills ? 3'(4'(carried) + 4'(N)) : carried + 3'(N);
    if (finishing) carried_next = '0;
    for (int i = 0; i < N; i++) piece_end_next[i] = carried_next == 3'(7 - i);
  end

  always_ff @(posedge clk) begin
    if (room && full) begin
      splits <= has_stop && too_long && !splits;
      if (has_stop && too_long && !splits) ends <= piece_end;
      if (emit) begin
        open  <= piece;
        start <= piece ? 4'(carried) - 4'd7 : -end_lane;
        far   <= '0;
        ends  <= piece ? first : first_next;
        if (!piece) begin
          first <= first_next;
          only  <= (left & ~first & ~first_next) == '0;
          single <= (first_next & (first << 1)) != '0;
        end
      end
    end
    if (pop) begin
      full   <= 1'b0;
      offset <= offset_after;
      offset_after <= offset_after + 14'(N);
      for (int k = 0; k < History; k++) history[k] <= k < N ? lanes[k<N?N-1-k : 0] : history[k>=N?k-N : 0];
      finishing <= last;
      finish_error <= error;
    end
    if (room && finishing) begin
      finishing <= 1'b0;
      open <= 1'b0;
      offset <= '0;
      offset_after <= 14'(N);
    end
    carried <= carried_next;
    piece_end <= piece_end_next;
    if (take_next) begin
      full <= 1'b1;
      for (int i = 0; i < N; i++) begin
        // What has no end is taken from where the last beat still is, as if it ended there.
        if (N != 8 || !following.breaks) lanes[i] <= following.data[i];
        first[i] <= following.first[i];
        ends[i] <= following.first[i] || (!following.has_stop && (following.breaks ? i == 7 : piece_end_next[i]));
      end
      has_stop <= following.has_stop;
      only <= following.only;
      breaks <= following.breaks;
      single <= following.first[0] && carried_next == '0;
      flushes <= following.breaks && carried_next != '0;
      start <= !following.breaks ? 4'(carried_next) + 4'd1 : N == 8 ? 4'(carried_next) - 4'd7 : 4'(carried_next);
      trailing <= following.trailing;
      last <= following.last;
      cut <= following.cut;
      error <= following.error;
      for (int i = 0; i < N; i++) far[i] <= 4'(carried_next) + 4'(i) >= 4'd8;
    end
    if (!spare_valid) spare <= beat;
    spare_valid <= next_valid && !take_next;
    if (rst) begin
      full <= 1'b0;
      finishing <= 1'b0;
      open <= 1'b0;
      splits <= 1'b0;
      carried <= '0;
      offset <= '0;
      offset_after <= 14'(N);
      spare_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !full || (first != 0) == has_stop);
  assert property (@(posedge clk) disable iff (rst) !full || only == (has_stop && (left & ~first) == 0));
  assert property (@(posedge clk) disable iff (rst) !(emit && !piece && !open) || single == (count == 4'd1));
  assert property (@(posedge clk) disable iff (rst) !full || (last && !has_stop) == breaks);
  assert property (@(posedge clk) disable iff (rst) !(full && finishing));
  assert property (@(posedge clk) disable iff (rst) !(emit && count == 0) && !(emit && count > 8));
endmodule

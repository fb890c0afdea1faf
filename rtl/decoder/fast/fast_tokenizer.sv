// Cuts a packet into tokens at its stop bits: one a cycle, in pieces of at most eight bytes.
//
//   beat ─┬─ the byte where the token ends ─ window of ten bytes that ends there ─ token
//         └─ bytes of the beats before ──────┘
//
// A token's bytes are arranged from its end, so that an integer needs a mask and no shifter. What is left of a beat after its last stop bit joins
// the token that ends in the next one, and costs no cycle. A token of more than eight bytes comes in pieces: the first ones of eight bytes.
// After a packet's last token comes one word more, `finish`.
//
// Latency: 1 cycle from the beat with the token's last byte. Throughput: a token, or a piece of eight bytes, a cycle.
// Parameter: W, bits in a beat, 8 or 64. Nothing overflows: beats wait in front of it.
module fast_tokenizer
  import fast_pkg::*;
#(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,

    input  logic             beat_valid,
    output logic             beat_take,
    input  logic [    W-1:0] beat_data,
    input  logic [  W/8-1:0] beat_first,
    input  logic [      3:0] beat_stops,
    input  logic [      2:0] beat_trailing,
    input  logic [      3:0] beat_bytes,
    input  logic             beat_last,
    input  fast_error_e      beat_error,

    output logic   token_valid,
    output token_t token,
    input  logic   token_take,

    output logic load,  // a token is at `token` from the next cycle on; its lowest data bits are
    output logic [HashedBits-1:0] ahead
);
  localparam int N = W / 8;
  localparam int Lane = N > 1 ? $clog2(N) : 1;
  localparam int History = Window - 1;

  logic [N-1:0][7:0] lanes;
  logic [History-1:0][7:0] history;  // byte 0 is the one before the beat
  logic mid;  // a token of this beat has left
  logic [N-1:0] next_first, first, ends;  // one-hot
  logic [3:0] left, stops;  // stop bits that are left
  logic [2:0] carried;  // bytes before the beat that belong to its first token
  logic [3:0] from;  // in the middle of a beat: its first byte that has not left
  logic open;  // a piece of the token has left
  logic finishing;
  fast_error_e finish_error;
  logic [13:0] offset;  // of the beat's first byte

  assign lanes = beat_data;
  assign first = mid ? next_first : beat_first;
  assign stops = mid ? left : beat_stops;

  // ---- what leaves

  logic ready, has_stop, too_long, breaks_off, fills, absorbs, emit, whole, take_beat;
  logic [3:0] end_lane, stop_lane, count;
  logic [N-1:0] piece_ends;

  always_comb begin
    stop_lane = '0;
    for (int i = 0; i < N; i++) if (first[i]) stop_lane |= 4'(i);
    piece_ends = '0;
    for (int i = 0; i < N; i++) piece_ends[i] = carried == 3'(7 - i);
  end

  assign ready      = beat_valid && !finishing && (!token_valid || token_take);
  assign has_stop   = stops != 0;
  // Of a token of nine bytes or more the first eight leave first.
  assign too_long   = !mid && has_stop && 4'(carried) + stop_lane >= 4'd8;
  assign breaks_off = !has_stop && beat_last;
  assign fills      = !has_stop && !beat_last && 4'(carried) + 4'(N) >= 4'd8;
  assign absorbs    = !has_stop && !beat_last && !fills;
  assign whole      = has_stop && !too_long;
  assign emit       = ready && (has_stop || fills);
  assign take_beat  = ready && (breaks_off || fills || absorbs || (whole && stops == 4'd1));
  assign beat_take  = take_beat;
  assign ends       = whole ? first : piece_ends;
  assign end_lane   = whole ? stop_lane : 4'd7 - 4'(carried);
  assign count      = !whole ? 4'd8 : mid ? stop_lane - from + 4'd1 : 4'(carried) + stop_lane + 4'd1;

  // ---- its bytes

  logic [Window-1:0][7:0] window;

  always_comb begin
    window = '0;
    for (int e = 0; e < N; e++) begin
      for (int k = 0; k < Window; k++) begin
        if (ends[e]) window[k] |= k <= e ? lanes[e>=k?e-k : 0] : history[k>e?k-e-1 : 0];
      end
    end
  end

  assign load  = emit;
  assign ahead = {count == 4'd1 ? 7'd0 : window[1][6:0], window[0][6:0]};

  // ---- where the next one begins

  logic [N-1:0] above, later;
  always_comb begin
    above = '0;
    for (int i = 1; i < N; i++) above[i] = above[i-1] || first[i-1];
    for (int i = 0; i < N; i++) later[i] = above[i] && lanes[i][7];
    if (beat_last) begin
      for (int i = 0; i < N; i++) later[i] &= 4'(i) < beat_bytes;
    end
  end

  always_ff @(posedge clk) begin
    if (ready) begin
      mid <= !take_beat;
      if (emit) open <= !whole;
      if (whole) begin
        next_first <= later & -later;
        left <= stops - 4'd1;
        from <= stop_lane + 4'd1;
      end else begin
        next_first <= first;
        left <= stops;
        from <= 4'd8 - 4'(carried);
      end
      if (take_beat) begin
        carried <= has_stop ? beat_trailing : fills ? 3'(4'(carried) + 4'(N)) : carried + 3'(N);
        offset  <= offset + 14'(N);
        for (int k = 0; k < History; k++) history[k] <= k < N ? lanes[k<N?N-1-k : 0] : history[k>=N?k-N : 0];
        if (beat_last) begin
          finishing <= 1'b1;
          finish_error <= beat_error;
          if (beat_error == FAST_GOOD && (has_stop ? beat_trailing != 0 : carried != 0 || open || beat_bytes != 0)) begin
            finish_error <= FAST_TRUNCATED;
          end
        end
      end
    end
    if (!token_valid || token_take) begin
      token_valid <= emit || finishing;
      if (finishing) begin
        finishing <= 1'b0;
        open <= 1'b0;
        carried <= '0;
        offset <= '0;
      end
    end
    if (rst) begin
      token_valid <= 1'b0;
      finishing <= 1'b0;
      mid <= 1'b0;
      open <= 1'b0;
      carried <= '0;
      offset <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!token_valid || token_take) begin
      token.data    <= window;
      token.count   <= count;
      token.first   <= !open;
      token.last    <= whole;
      token.is_null <= whole && !open && count == 4'd1 && window[0] == 8'h80;
      token.finish  <= finishing;
      token.error   <= finish_error;
      if (emit) token.offset <= offset + 14'(end_lane) + 14'd1;
    end
  end

  logic unused;
  assign unused = &{1'b0, Lane[0]};

  assert property (@(posedge clk) disable iff (rst) !token_take || token_valid);
  assert property (@(posedge clk) disable iff (rst) !token_valid || token.finish || (token.count != 0 && token.count <= 8));
endmodule

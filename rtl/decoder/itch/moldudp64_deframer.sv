// Finds the messages of a MoldUDP64 datagram, tracks session and sequence number, and gives the verdict on the datagram.
//
//   in ─ D1: outcome of this beat for each ─ D2: pick the one that ─ out_*  ─ count blocks ─ verdict, cause,
//        place the next length may be at        applies (the loop)   in+2                    counters, in+4
//   header ─ compare, subtract (in+1) ─ gap, lost (in+2) ─ feed (stable from in+3, at W = 8 from in+4, to the cycle after the verdict)
//
// The loop state `open` is how many bytes of the current message are still to come when a beat begins: 0 means the
// next length begins at lane 0, `half` that its high byte was the last byte of the beat before. The header counts as a message of
// 20 bytes that is not reported. Because everything a beat can hold is worked out ahead for each state, the loop is one multiplexer.
//
// Latency: out_* 2 cycles after in; verdict, cause, pulses 4 cycles after in.last, always. Throughput: a beat a cycle, any message
// lengths, datagrams back to back. Parameter: W, bits in a beat, 8 or 64. Nothing is stored, so nothing overflows.
module moldudp64_deframer
  import moldudp64_pkg::*;
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input  logic                 clk,
    input  logic                 rst,
    stream_if.snk         in,
    output logic                 out_valid,
    output logic         [W-1:0] out_data,
    output blocks_t              out_blocks,
    output logic                 begin_session,     // the frame whose header just came begins a session, if it proves good
    output feed_info_t           feed,
    output verdict_t             verdict,
    output logic                 mold_cause_valid,
    output mold_cause_e          mold_cause,
    output logic                 new_session,
    output logic                 gap,
    output logic                 after_gap,         // stable as `feed`: `gap`, if the frame is good
    output logic                 from_first,        // the same: its first message has number 1
    output logic         [ 63:0] lost,
    output logic         [ 15:0] messages           // of a committed datagram, with the verdict
);

  localparam int N = W / 8;
  localparam int PlaceBits = $clog2(N + 1);
  localparam int HeaderBeat = (HeaderBytes - 1) / N;  // the beat with the last byte of the header
  localparam int BeatBits = $clog2(HeaderBeat + 2);

  if (W != 8 && W != 64) begin : gen_check
    $fatal(1, "moldudp64_deframer: W must be 8 or 64");
  end

  function automatic logic [LengthBits-1:0] saturate(input logic [15:0] length);
    return |length[15:LengthBits] ? '1 : length[LengthBits-1:0];
  endfunction

  // ---- D1: the outcome of the beat for each place p its first length may begin at: p = 0 is the last lane of the beat before,
  //          p = 1 is lane 0, p = N is the last lane (then only the high byte is here)

  typedef struct packed {
    logic [15:0]           open;         // the state after the beat
    logic                  half;
    logic                  reaches;      // half, or open < N: the next beat reaches the next length
    logic                  head;
    logic                  head_end;
    logic                  begin_next;
    logic                  bad;          // a length below the shortest message's
    logic                  exact;        // the datagram ends here and so does a message: nothing is cut off, nothing follows
    logic [LengthBits-1:0] head_length;
    logic [LengthBits-1:0] length;       // of the message that is open after the beat
  } outcome_t;

  outcome_t outcome[N+1];
  outcome_t outcome_d1[N+1];
  logic valid_d1, last_d1, err_d1;
  logic [W-1:0] data_d1;
  logic [N-1:0] keep_d1;

  logic [N:0][7:0] bytes;  // the last byte of the beat before, then this beat
  logic [N:0] ends_at;  // the datagram has exactly i bytes in this beat
  assign bytes   = {in.data, data_d1[W-1-:8]};
  assign ends_at = {in.keep, 1'b1} & ~{1'b0, in.keep};

  for (genvar p = 0; p <= N; p++) begin : gen_outcome
    if (p == N) begin : gen_high_byte_only
      always_comb begin
        outcome[p] = '0;
        outcome[p].half = 1'b1;
        outcome[p].reaches = 1'b1;
        outcome[p].exact = ends_at[p-1];
      end
    end else begin : gen_length
      localparam int Room = N - 1 - p;  // bytes of the message that fit after its length
      logic [15:0] length;
      logic fits, ends;
      assign length = {bytes[p], bytes[p+1]};
      always_comb begin
        fits = 1'b0;
        ends = 1'b0;
        outcome[p] = '0;
        outcome[p].open = length - 16'(Room);
        outcome[p].reaches = length < 16'(N + Room);
        outcome[p].head = Room > 0;
        outcome[p].begin_next = Room == 0;
        outcome[p].bad = length < 16'(ShortestMessage);
        outcome[p].head_length = saturate(length);
        outcome[p].length = saturate(length);
        for (int l = ShortestMessage; l <= Room; l++) begin
          if (length == 16'(l)) begin
            fits = 1'b1;
            ends = ends_at[p+1+l];
            outcome[p].head_end = in.keep[p+l];
            outcome[p].open = 16'd0;
            outcome[p].reaches = 1'b1;
            outcome[p].half = Room - l == 1;
            if (Room - l == 2) begin  // a second length fills the beat
              outcome[p].open = {bytes[N-1], bytes[N]};
              outcome[p].reaches = {bytes[N-1], bytes[N]} < 16'(N);
              outcome[p].bad = {bytes[N-1], bytes[N]} < 16'(ShortestMessage);
              outcome[p].begin_next = 1'b1;
              outcome[p].length = saturate({bytes[N-1], bytes[N]});
            end
          end
        end
        outcome[p].exact = (p > 0 && ends_at[p>0?p-1 : 0]) || (fits && ends);
      end
    end
  end

  always_ff @(posedge clk) begin
    valid_d1 <= in.valid && !rst;
    if (in.valid) begin
      data_d1 <= in.data;
      keep_d1 <= in.keep;
      last_d1 <= in.last;
      err_d1  <= in.err;
      for (int p = 0; p <= N; p++) outcome_d1[p] <= outcome[p];
    end
  end

  assert property (@(posedge clk) disable iff (rst) !in.valid || in.last || &in.keep);
  assert property (@(posedge clk) disable iff (rst) !in.valid || (in.keep & (in.keep + 1'b1)) == '0);

  // ---- D2: the loop

  logic [15:0] open;
  logic half, reaches, in_header, bad;
  logic [LengthBits-1:0] length;

  logic [PlaceBits-1:0] place;
  outcome_t chosen;
  logic tail_end, exact;

  assign place  = half ? '0 : PlaceBits'(open) + 1'b1;
  assign chosen = outcome_d1[place];

  always_comb begin
    tail_end = !half && open == 16'(N) && keep_d1[N-1];
    for (int i = 1; i < N; i++) if (!half && open == 16'(i)) tail_end = keep_d1[i-1];
    exact = reaches ? chosen.exact : open == 16'(N) && keep_d1[N-1];
  end

  logic head_end;
  assign head_end = reaches && chosen.head_end;

  always_ff @(posedge clk) begin
    if (valid_d1) begin
      if (reaches) begin
        open   <= chosen.open;
        half   <= chosen.half;
        reaches <= chosen.reaches;
        bad    <= bad || chosen.bad;
        length   <= chosen.length;
      end else begin
        open <= open - 16'(N);
        reaches <= open < 16'(2 * N);
      end
      if (open <= 16'(N)) in_header <= 1'b0;
    end
    if (rst || (valid_d1 && last_d1)) begin
      open      <= 16'(HeaderBytes);
      half      <= 1'b0;
      reaches   <= 1'b0;
      in_header <= 1'b1;
      bad       <= 1'b0;
    end
  end

  // After a bad length `open` means nothing, until the datagram ends.
  assert property (@(posedge clk) disable iff (rst) bad || reaches == (half || open < 16'(N)));

  logic valid_d2, last_d2, err_d2, exact_d2;
  logic [W-1:0] data_d2;
  logic tail_end_d2, head_d2, head_end_d2, begin_next_d2;
  logic [2:0] head_lane_d2;
  logic [LengthBits-1:0] tail_length_d2, head_length_d2;

  always_ff @(posedge clk) begin
    valid_d2       <= valid_d1 && !rst;
    last_d2        <= valid_d1 && last_d1 && !rst;
    err_d2         <= err_d1;
    exact_d2       <= exact && !bad;
    data_d2        <= data_d1;
    tail_end_d2    <= valid_d1 && tail_end && !in_header && !bad && !rst;
    tail_length_d2 <= length;
    head_d2        <= valid_d1 && reaches && chosen.head && !bad && !rst;
    head_end_d2    <= valid_d1 && head_end && !bad && !rst;
    head_lane_d2   <= 3'(place) + 3'd1;
    head_length_d2 <= chosen.head_length;
    begin_next_d2  <= valid_d1 && reaches && chosen.begin_next && !bad && !rst;
  end

  // ---- the header, by constant offsets: complete in `header` when complete_d1 is set

  logic [HeaderBytes-1:0][7:0] header;
  logic [BeatBits-1:0] beat;  // of the datagram, stops after the header
  logic complete_d1, complete_d2;

  always_ff @(posedge clk) begin
    complete_d1 <= in.valid && beat == BeatBits'(HeaderBeat) && !rst;
    complete_d2 <= complete_d1 && !rst;
    if (in.valid && beat <= BeatBits'(HeaderBeat)) beat <= beat + 1'b1;
    if (rst || (in.valid && in.last)) beat <= '0;
  end

  for (genvar i = 0; i < HeaderBytes; i++) begin : gen_header
    always_ff @(posedge clk) if (in.valid && beat == BeatBits'(i / N)) header[i] <= in.data[8*(i%N)+:8];
  end

  logic [79:0] header_session;
  logic [63:0] header_sequence;
  logic [15:0] header_count;
  for (genvar i = 0; i < SequenceOffset; i++) begin : gen_session
    assign header_session[8*(SequenceOffset-1-i)+:8] = header[i];
  end
  for (genvar i = 0; i < 8; i++) begin : gen_sequence
    assign header_sequence[8*(7-i)+:8] = header[SequenceOffset+i];
  end
  assign header_count = {header[CountOffset], header[CountOffset+1]};

  // ---- session and sequence number. What is expected changes with the verdict, 4 cycles after the last beat: just in time
  //      for the next header, whose last byte comes 3 beats after that at the earliest.

  logic have_session, below, same_session, is_heartbeat, is_end;
  logic [79:0] session, coming_session;
  logic [63:0] expected, ahead, next_expected;
  logic [15:0] count;
  logic old;

  // A datagram below the expected number may bring new messages at its end: packets need not be cut at the same places. Modulo 2^16: `ahead` is what
  // has come before, without its sign.
  // No message ends in the two beats after the header at W = 8, none with it at W = 64: what an overlap changes is set a cycle later where that is in time.
  localparam bit Late = W == 8;
  logic behind_near, overlaps, overlapped;
  logic [16:0] beyond;  // of the messages, behind the expected number; a carry: it is not before that
  logic [15:0] known, fresh;
  assign behind_near = &ahead[63:16];
  assign beyond = {1'b0, ahead[15:0]} + {1'b0, count};
  assign overlaps = same_session && below && behind_near && beyond[16] && beyond[15:0] != '0;

  always_ff @(posedge clk) begin
    if (complete_d1) begin
      coming_session <= header_session;
      same_session   <= have_session && header_session == session;
      below          <= header_sequence < expected;
      ahead          <= header_sequence - expected;
      is_heartbeat   <= header_count == 16'd0;
      is_end         <= header_count == EndOfSession;
      count          <= header_count == EndOfSession ? 16'd0 : header_count;
    end
    // The number is still in `header`: the next datagram may have begun, but has not come to its second beat.
    if (complete_d2) begin
      feed.session        <= coming_session;
      feed.first_sequence <= overlaps && !Late ? expected : header_sequence;
      feed.new_session    <= !same_session;
      feed.lost           <= same_session && !below ? lost + ahead : lost;
      old              <= same_session && below;
      after_gap        <= same_session && !below && ahead != 64'd0;
      from_first       <= header_sequence == 64'd1;
      next_expected    <= header_sequence + 64'(count);
      fresh            <= count;
    end
    overlapped <= complete_d2 && overlaps;
    if (overlapped) begin
      old   <= 1'b0;
      fresh <= beyond[15:0];
      if (Late) feed.first_sequence <= expected;
    end
    begin_session <= complete_d2 && !same_session && !rst;
  end

  // ---- the messages that end in the beat at D2, counted

  logic [15:0] index, remaining, ending;
  logic all_ended;
  assign ending = 16'(tail_end_d2) + 16'(head_end_d2);

  // `known`: of the messages that have not ended, those that came before, if there is an overlap (`counts`), which takes longer to find.
  logic counts, tail_known, head_known;
  assign tail_known = counts && known != 16'd0;
  assign head_known = tail_end_d2 ? counts && known > 16'd1 : tail_known;

  always_ff @(posedge clk) begin
    if (complete_d2) begin  // no message can have ended yet
      index     <= 16'd0;
      known     <= -ahead[15:0];
      counts    <= overlaps && !Late;
      remaining <= count;
      all_ended <= count == 16'd0;
    end else begin
      index     <= index + 16'(tail_end_d2 && !tail_known) + 16'(head_end_d2 && !head_known);
      known     <= Late && overlapped ? -ahead[15:0] : known > ending ? known - ending : 16'd0;
      if (Late && overlapped) counts <= 1'b1;
      remaining <= remaining - ending;
      all_ended <= remaining == ending;
    end
  end

  assign out_valid = valid_d2;
  assign out_data = data_d2;
  assign out_blocks = '{
          tail_end: tail_end_d2,
          tail_length: tail_length_d2,
          tail_last: remaining == 16'd1,
          tail_known: tail_known,
          head: head_d2,
          head_lane: head_lane_d2,
          head_end: head_end_d2,
          head_length: head_length_d2,
          head_last: remaining == (tail_end_d2 ? 16'd2 : 16'd1),
          head_known: head_known,
          begin_next: begin_next_d2,
          index: index
      };

  // ---- the verdict

  logic last_d3, err_d3, exact_d3, well_formed, commit;
  mold_cause_e cause;

  assign well_formed = exact_d3 && all_ended;
  assign commit      = last_d3 && !err_d3 && well_formed && !old;

  always_comb begin
    if (!well_formed) cause = MOLD_MALFORMED;
    else if (old) cause = MOLD_OLD;
    else if (is_heartbeat) cause = MOLD_HEARTBEAT;
    else if (is_end) cause = MOLD_END_OF_SESSION;
    else cause = MOLD_PACKET;
  end

  always_ff @(posedge clk) begin
    last_d3          <= last_d2 && !rst;
    err_d3           <= err_d2;
    exact_d3         <= exact_d2;
    verdict.valid    <= last_d3 && !rst;
    verdict.good     <= commit;
    mold_cause_valid <= last_d3 && !err_d3 && !rst;
    mold_cause       <= cause;
    new_session      <= commit && feed.new_session && !rst;
    gap              <= commit && after_gap && !rst;
    messages         <= fresh;
    if (commit) begin
      have_session <= 1'b1;
      session      <= feed.session;
      expected     <= next_expected;
      lost         <= feed.lost;
    end
    if (rst) begin
      have_session <= 1'b0;
      lost         <= '0;
    end
  end

endmodule

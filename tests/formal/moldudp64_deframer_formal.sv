// Proves the bounds of moldudp64_deframer for any bytes, beats, pauses and lengths of datagram, by induction:
// - every datagram gets exactly one verdict, 4 cycles after its last beat, and the loop is idle again before the next;
// - the reported messages with their lengths and the header never exceed the bytes that arrived: no message is reported before it is there;
// - `open`, the bytes still to come, never underflows;
// - a datagram reported as complete is accounted for to the byte: header, lengths and reported messages are all there is;
// - a good verdict is for a complete datagram without err.
//
// The model beside the design is plain arithmetic: `owed` bytes came before the beat in D1 and are not accounted for yet by the header
// or a message that ended. The header counts as a message of 18 bytes, since a message's length field has 2.
module moldudp64_deframer_formal
  import moldudp64_pkg::*;
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input logic           clk,
    input logic           valid,
    input logic [  W-1:0] data,
    input logic [W/8-1:0] keep,
    input logic           last,
    input logic           err
);

  localparam int N = W / 8;
  localparam int Bits = 18;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  stream_if #(.W(W)) in ();
  assign in.valid = valid;
  assign in.data  = data;
  assign in.keep  = keep;
  assign in.last  = last;
  assign in.err   = err;

  logic out_valid, begin_session, mold_cause_valid, new_session, gap, after_gap, from_first;
  logic [W-1:0] out_data;
  blocks_t out_blocks;
  feed_info_t feed;
  verdict_t verdict;
  mold_cause_e mold_cause;
  logic [63:0] lost;
  logic [15:0] messages;

  moldudp64_deframer #(
      .W(W)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .out_valid,
      .out_data,
      .out_blocks,
      .begin_session,
      .feed,
      .verdict,
      .mold_cause_valid,
      .mold_cause,
      .new_session,
      .gap,
      .after_gap,
      .from_first,
      .lost,
      .messages
  );

  // ---- the model

  logic [Bits-1:0] owed, current, kept, first, second, accounted;
  logic [7:0] high;  // last byte of the beat before the one in D1
  logic [N:0][7:0] bytes;
  logic beat, tail, head, second_here;

  assign bytes = {dut.data_d1, high};
  assign beat = dut.valid_d1;
  assign tail = beat && dut.tail_end && !dut.bad;
  assign head = beat && dut.head_end && !dut.bad;

  always_comb begin
    kept = '0;
    for (int i = 0; i < N; i++) kept += Bits'(dut.keep_d1[i]);
    first = '0;
    for (int p = 0; p < N; p++) if (int'(dut.place) == p) first = Bits'({bytes[p], bytes[p+1]});
    second = N > 1 ? Bits'({bytes[N-1], bytes[N]}) : '0;
    second_here = N > 1 && dut.half && first == Bits'(N - 3);
    accounted = (tail ? current + Bits'(2) : '0) + (head ? first + Bits'(2) : '0);
  end

  always_ff @(posedge clk) begin
    if (in.valid) high <= dut.data_d1[W-1-:8];
    if (beat) begin
      owed <= owed + Bits'(N) - accounted;
      if (dut.reaches && int'(dut.place) != N) current <= second_here ? second : first;
    end
    if (rst || (beat && dut.last_d1)) begin
      owed <= '0;
      current <= Bits'(HeaderBytes - 2);
    end
  end

  // ---- what the sender guarantees

  always_comb begin
    assume (!valid || last || &keep);
    assume ((keep & (keep + 1'b1)) == '0);
  end

  // ---- what holds

  logic tail_reported, head_reported;
  always_ff @(posedge clk) begin
    tail_reported <= tail && !dut.in_header && !rst;
    head_reported <= head && !rst;
  end

  always_comb begin
    if (!rst) begin
      if (!dut.bad) begin
        // The design's idea of its place is right.
        assert (dut.reaches == (dut.half || dut.open < 16'(N)));
        if (dut.half)
          assert (owed == Bits'(1));
          else if (dut.open == 16'd0)
            assert (owed == '0);
            else assert (owed + Bits'(dut.open) == current + Bits'(2) && Bits'(dut.open) <= current + Bits'(2));
        assert (current <= Bits'(16'hFFFF));
        if (dut.in_header)
          assert (current == Bits'(HeaderBytes - 2) && !dut.half && dut.open != 16'd0);
          else assert (dut.half || dut.open == 16'd0 || dut.length == (|current[Bits-1:LengthBits] ? '1 : current[LengthBits-1:0]));
        // No message is reported that is not completely there.
        if (tail) assert (!dut.half && dut.open != 16'd0 && Bits'(dut.open) <= kept);
        if (head) assert (first >= Bits'(ShortestMessage) && Bits'(dut.place) + Bits'(1) + first <= kept);
        if (beat) assert (accounted <= owed + kept);
        // A complete datagram is all header, lengths and reported messages.
        if (beat && dut.last_d1 && dut.exact) assert (accounted == owed + kept);
      end
      // Those messages and no others are what comes out; none after a bad length.
      assert (out_blocks.tail_end == tail_reported && out_blocks.head_end == head_reported);
      assert (!out_blocks.head_end || out_blocks.head);
      assert (!out_blocks.head || (out_blocks.head_lane != 3'd0 && N > 1));
    end
  end

  // What D1 computes ahead is what a plain reading of the beat gives (and what makes the proof above inductive).
  logic [N:0] ends_at;
  assign ends_at = {dut.keep_d1, 1'b1} & ~{1'b0, dut.keep_d1};
  for (genvar p = 0; p < N; p++) begin : gen_place
    localparam int Room = N - 1 - p;
    logic [15:0] length, behind;
    logic fits, ends, seen;
    assign length = {bytes[p], bytes[p+1]};
    assign behind = N > 1 ? {bytes[N-1], bytes[N]} : '0;
    assign fits = length >= 16'(ShortestMessage) && length <= 16'(Room);
    always_comb begin
      ends = 1'b0;
      seen = 1'b0;
      for (int i = 0; i < N; i++) if (i == p + int'(length)) seen = fits && dut.keep_d1[i];
      for (int i = 0; i <= N; i++) if (i == p + 1 + int'(length)) ends = fits && ends_at[i];
    end
    always_comb begin
      if (!rst && dut.valid_d1) begin
        assert (dut.outcome_d1[p].head == (Room > 0));
        assert (dut.outcome_d1[p].head_end == seen);
        assert (dut.outcome_d1[p].exact == (ends || (p > 0 && ends_at[p>0?p-1 : 0])));
        if (!fits) begin
          assert (dut.outcome_d1[p].bad == (length < 16'(ShortestMessage)));
          assert (dut.outcome_d1[p].bad || dut.outcome_d1[p].open == length - 16'(Room));
          assert (!dut.outcome_d1[p].half);
          assert (dut.outcome_d1[p].bad || dut.outcome_d1[p].reaches == (dut.outcome_d1[p].open < 16'(N)));
          assert (dut.outcome_d1[p].length == (|length[15:LengthBits] ? '1 : length[LengthBits-1:0]));
        end else if (length == 16'(Room - 2)) begin
          assert (dut.outcome_d1[p].bad == (behind < 16'(ShortestMessage)));
          assert (dut.outcome_d1[p].open == behind && !dut.outcome_d1[p].half);
          assert (dut.outcome_d1[p].reaches == (behind < 16'(N)));
          assert (dut.outcome_d1[p].length == (|behind[15:LengthBits] ? '1 : behind[LengthBits-1:0]));
        end else begin
          assert (!dut.outcome_d1[p].bad && dut.outcome_d1[p].open == 16'd0 && dut.outcome_d1[p].reaches);
          assert (dut.outcome_d1[p].half == (length + 16'd1 == 16'(Room)));
        end
      end
    end
  end
  always_comb begin
    if (!rst && dut.valid_d1) begin
      assert (dut.outcome_d1[N].half && dut.outcome_d1[N].reaches && dut.outcome_d1[N].open == 16'd0);
      assert (!dut.outcome_d1[N].head && !dut.outcome_d1[N].head_end && !dut.outcome_d1[N].bad);
      assert (dut.outcome_d1[N].exact == ends_at[N-1]);
      assert (dut.last_d1 || &dut.keep_d1);
      assert ((dut.keep_d1 & (dut.keep_d1 + 1'b1)) == '0);
    end
  end

  // One verdict a datagram, and only a complete one is good.
  logic [4:1] ended, exact, bad_udp;
  always_ff @(posedge clk) begin
    ended   <= rst ? '0 : {ended[3:1], in.valid && in.last};
    bad_udp <= {bad_udp[3:1], in.err};
    exact   <= {exact[3:2], dut.exact && !dut.bad, 1'b0};
  end

  always_comb begin
    if (!rst) begin
      assert (ended[1] == (dut.valid_d1 && dut.last_d1));
      assert (ended[2] == dut.last_d2);
      assert (ended[3] == dut.last_d3);
      assert (verdict.valid == ended[4]);
      assert (!dut.last_d2 || (dut.exact_d2 == exact[2] && dut.err_d2 == bad_udp[2]));
      assert (!dut.last_d3 || (dut.exact_d3 == exact[3] && dut.err_d3 == bad_udp[3]));
      assert (!ended[1] || dut.err_d1 == bad_udp[1]);
      assert (!verdict.valid || !verdict.good || (exact[4] && !bad_udp[4]));
      assert (mold_cause_valid == (verdict.valid && !bad_udp[4]));
      // Idle after the last beat.
      if (ended[2]) assert (dut.open == 16'(HeaderBytes) && !dut.half && !dut.reaches && dut.in_header && !dut.bad);
    end
  end

endmodule

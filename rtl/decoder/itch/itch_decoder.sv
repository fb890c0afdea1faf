// Turns the message bytes the deframer points out into events, ITCH 4.1 and 5.0.
//
//   data ─┬─ rotate by the open message's place ──── message ─ fields by type ─ event
//         └─ rotate by the new message's place ─ head ─┘ └──── 4.1 T and S ──── short event
//
// A message is assembled at fixed places, byte i in message[i]: one rotation, the same for all beats of the message, puts every
// byte into its column, and the row of W/8 bytes goes up with each beat. The head of a new message waits one cycle in
// a register of its own, so that the finished message is still complete while its event is made. 4.1 messages are put
// at offset 6, which gives both versions the same places (itch_pkg).
//
// What a message says about its instrument is out a cycle before its event, for the look-up: its stock locate (5.0), and the symbol
// of messages that go on for a beat after it, so of all trades; the symbol of an add order comes with its event (`late`). At W = 8 the symbol's
// characters are out one by one as well, a cycle after each is on `data`.
//
// Latency: events 2 cycles after the beat with the message's last byte is on `data`. Throughput: a beat a cycle.
// Parameter: W, bits in a beat, 8 or 64. Bytes of messages longer than any known are dropped; nothing overflows.
module itch_decoder
  import tickwire_pkg::*;
  import moldudp64_pkg::*;
  import itch_pkg::*;
#(
    parameter int W = 64
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             itch50,
    input  logic             valid,
    input  logic     [W-1:0] data,
    input  blocks_t          blocks,
    input  logic             begin_session,   // before the frame's first event: it begins a session, if it proves good
    input  logic     [ 63:0] first_sequence,  // of the frame, until its verdict
    input  verdict_t         verdict,
    output logic             event_valid,
    output event_t           event_data,
    output instrument_key_t  key,             // of the event of the next cycle
    output event_ahead_t     ahead,           // of the event of the next cycle
    output logic             short_valid,
    output event_t           short_data,
    output logic     [ 15:0] unknown_type,
    output logic     [ 15:0] bad_length
);

  localparam int N = W / 8;
  localparam int LaneBits = N > 1 ? $clog2(N) : 1;
  localparam int Rows = (LastByte + N) / N;
  localparam int Row41 = Shift41 / N;  // row and column of a 4.1 message's first byte
  localparam int Column41 = Shift41 % N;

  typedef logic [N-1:0][7:0] beat_t;

  // Byte of lane l to column (l + by) modulo N.
  function automatic beat_t rotate(input beat_t lanes, input logic [LaneBits-1:0] by);
    beat_t step;
    rotate = lanes;
    if (N > 1) begin
      for (int b = 0; b < LaneBits; b++) begin
        for (int i = 0; i < N; i++) step[(i+(1<<b))%N] = rotate[i];
        if (by[b]) rotate = step;
      end
    end
  endfunction

  // ---- where bytes go

  logic version50;  // in a register near its many loads
  logic [LaneBits-1:0] column, first_column, head_column;
  logic [Rows-1:0] row;  // one-hot: the row of column `column`
  logic            begins;  // the open message begins at lane 0 of this beat
  layout_t open_layout, fresh_layout, tail_layout;
  logic [7:0] head_type, fresh_type;
  logic head_upper, fresh_upper;  // a letter from A to Z, or one of the characters after Z
  logic head_h, fresh_h;  // `h`, the only lower-case type
  logic head_known;
  beat_t lanes, tail_bytes, head_bytes, head_rotated;
  logic head_waits;

  assign lanes        = data;
  assign first_column = version50 ? '0 : LaneBits'(Column41);
  assign head_column  = first_column - LaneBits'(blocks.head_lane);
  assign tail_bytes   = rotate(lanes, column);
  assign head_rotated = rotate(lanes, head_column);
  assign tail_layout  = begins || head_waits ? fresh_layout : open_layout;

  // The type of the message that has just begun: one decoder, of five bits.
  assign fresh_type  = begins ? lanes[0] : head_type;
  assign fresh_upper = begins ? lanes[0][7:5] == 3'b010 : head_upper;
  assign fresh_h     = begins ? lanes[0] == "h" : head_h;
  assign head_known  = head_h ? |length_of(version50, "h") : head_upper && |length_of(version50, {3'b010, head_type[4:0]});

  always_comb begin
    fresh_layout = layout_of(version50, {3'b010, fresh_type[4:0]});
    fresh_layout.message_type = fresh_type;
    fresh_layout.known &= fresh_upper;
    fresh_layout.is_time &= fresh_upper;
    // The rest is as for `H`.
    if (fresh_h) begin
      fresh_layout.length = length_of(version50, "h");
      fresh_layout.known  = |length_of(version50, "h");
    end
  end

  logic [N-1:0] upper, small_h;

  always_comb begin
    for (int i = 0; i < N; i++) begin
      upper[i]   = lanes[i][7:5] == 3'b010;
      small_h[i] = lanes[i] == "h";
    end
  end

  always_ff @(posedge clk) begin
    version50  <= itch50;
    head_waits <= valid && blocks.head && !rst;
    head_bytes <= head_rotated;
    head_type  <= lanes[LaneBits'(blocks.head_lane)];
    head_upper <= upper[LaneBits'(blocks.head_lane)];
    head_h     <= small_h[LaneBits'(blocks.head_lane)];
    if (valid) begin
      begins <= blocks.begin_next;
      if (blocks.begin_next) begin
        column <= first_column;
        row    <= version50 ? Rows'(1) : Rows'(1) << Row41;
      end else if (blocks.head) begin
        column <= head_column;
        // The next beat's lane 0 is byte N - head_lane of the message, 6 more in 4.1.
        row    <= version50 || int'(blocks.head_lane) > Shift41 ? Rows'(1) : Rows'(2);
      end else begin
        row <= row << 1;
      end
    end
    open_layout <= tail_layout;
  end

  // ---- the message

  logic [LastByte:FirstByte][7:0] message;

  for (genvar i = FirstByte; i <= LastByte; i++) begin : gen_byte
    localparam int C = i % N;
    localparam int R = i / N;
    localparam logic Head50 = i < N;
    localparam logic Head41 = i >= Shift41 && i < Shift41 + N;
    logic tail, head;
    assign tail = valid && ((row[R] && C >= int'(column)) || (R > 0 && row[R>0?R-1 : 0] && C < int'(column)));
    assign head = head_waits && (version50 ? Head50 : Head41);
    always_ff @(posedge clk) begin
      if (tail) message[i] <= tail_bytes[C];
      else if (N > 1 && head) message[i] <= head_bytes[C];
    end
  end

  // ---- at W = 8: the symbol's characters, one by one

  logic symbol_begins, in_symbol;
  logic [2:0] next_place;
  assign symbol_begins = N == 1 &&
      ((row[11/N] && open_layout.early11) || (row[19/N] && open_layout.early19) || (row[24/N] && open_layout.symbol24));

  always_ff @(posedge clk) begin
    if (valid) begin
      in_symbol  <= symbol_begins || (in_symbol && next_place != '1);
      next_place <= symbol_begins ? 3'd1 : next_place + 1'b1;
    end
    key.coming <= valid && (symbol_begins || in_symbol) && !rst;
    key.place <= symbol_begins ? '0 : next_place;
    key.character <= data[7:0];
    if (rst) in_symbol <= 1'b0;
  end

  // ---- which messages ended

  logic tail_ends, head_ends, tail_is_last, head_is_last;
  logic                  tail_is_5;  // bytes long: T is decided separately, as the second depends on it
  logic [LengthBits-1:0] tail_length;
  logic [15:0] tail_index, head_index;
  /* verilator lint_off UNUSEDSIGNAL */  // except what was needed earlier
  layout_t ended;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk) begin
    tail_ends    <= valid && blocks.tail_end && !blocks.tail_known && !rst;
    head_ends    <= valid && blocks.head_end && !blocks.head_known && !rst;
    tail_length  <= blocks.tail_length;
    tail_is_5    <= blocks.tail_length == length_of(1'b0, "T");
    tail_is_last <= blocks.tail_last;
    head_is_last <= blocks.head_last;
    tail_index   <= blocks.index;
    head_index   <= blocks.index + 16'(blocks.tail_end && !blocks.tail_known);
    ended        <= tail_layout;
  end

  // A message that began in this beat or the one before has no bytes here yet, so no instrument.
  logic key_is_there;
  assign key_is_there = !begins && !head_waits;

  /* verilator lint_off UNUSEDSIGNAL */
  instrument_key_t key_before;  // of this event, for assertions
  /* verilator lint_on UNUSEDSIGNAL */
  always_ff @(posedge clk) key_before <= key;

  // ---- their events

  logic [63:0] field11, field19;
  logic [31:0] word7, head_word7;
  event_t event_next, short_next;
  logic add_ends;  // its symbol comes with its last bytes, or almost
  logic event_good, event_time, short_good, head_is_t;
  logic [31:0] second, second_committed, second_event, second_short;

  // ITCH is big-endian: byte i is the most significant.
  function automatic logic [63:0] eight(input int i);
    for (int b = 0; b < 8; b++) eight[8*(7-b)+:8] = message[i+b];
  endfunction
  function automatic logic [31:0] four(input int i);
    for (int b = 0; b < 4; b++) four[8*(3-b)+:8] = message[i+b];
  endfunction

  assign field11      = eight(11);
  assign ahead        = '{order_id: field11, adds: ended.kind == KIND_ADD && ended.symbol24, add_symbol: eight(24)};
  assign field19      = eight(19);
  assign word7        = four(7);
  assign event_good   = tail_ends && ended.known && tail_length == ended.length;
  assign event_time   = tail_ends && ended.is_time && tail_is_5;
  assign second_event = event_time ? word7 : second;
  assign add_ends     = event_good && ended.symbol24 && !ended.early24;

  always_comb begin
    event_next = '0;
    // Of P and Q, from the message's bytes: what the event has of them is chosen first.
    event_next.kind = ended.kind != KIND_TRADE ? ended.kind :
        ended.symbol19 ? trade_kind(four(27) == '0, field11 == '0) : trade_kind(four(32) == '0, four(20) == '0);
    event_next.message_type = ended.message_type;
    event_next.side = side_e'(ended.side19 && message[19] != "B");
    event_next.has_symbol = ended.symbol11 || ended.symbol15 || ended.symbol19 || ended.symbol24 || ended.symbol28;
    event_next.symbol = ({64{ended.symbol11}} & field11) | ({64{ended.symbol15}} & eight(15)) | ({64{ended.symbol19}} & field19) |
        ({64{ended.symbol24}} & eight(24)) | ({64{ended.symbol28}} & eight(28));
    event_next.price[31:0] = ({32{ended.price27}} & four(27)) | ({32{ended.price31}} & four(31)) | ({32{ended.price32}} & four(32));
    event_next.quantity = ({64{ended.quantity11}} & field11) |
        {32'd0, ({32{ended.quantity19}} & four(19)) | ({32{ended.quantity20}} & four(20)) | ({32{ended.quantity27}} & four(27))};
    event_next.non_printable = ended.kind == KIND_EXECUTE && ended.price32 && message[31] == "N";
    event_next.order_id = {64{ended.order_id11}} & field11;
    event_next.new_order_id = {64{ended.new_order_id19}} & field19;
    event_next.seconds = version50 ? 32'd0 : second_event;
    event_next.nanoseconds = version50 ? {message[5], message[6], word7} : ended.is_time ? 48'd0 : {16'd0, word7};
    event_next.sequence_number = first_sequence + 64'(tail_index);
    event_next.last = tail_is_last;
  end

  // Only T and S of 4.1 are short enough; in the head register their bytes 1 to 4 are where bytes 7 to 10 of a message are.
  if (N > 1) begin : gen_short
    logic [N-1:0] lane_t, lane_s;
    logic head_is_s, version41;
    assign version41 = valid && blocks.head_end && !blocks.head_known && !version50;
    always_comb begin
      for (int i = 0; i < N; i++) begin
        lane_t[i] = lanes[i] == "T";
        lane_s[i] = lanes[i] == "S";
      end
      for (int b = 0; b < 4; b++) head_word7[8*(3-b)+:8] = head_bytes[(Shift41+1+b)%N];
    end
    always_ff @(posedge clk) begin
      head_is_t <= version41 && blocks.head_length == length_of(1'b0, "T") && lane_t[LaneBits'(blocks.head_lane)];
      head_is_s <= version41 && blocks.head_length == length_of(1'b0, "S") && lane_s[LaneBits'(blocks.head_lane)];
    end
    assign short_good = head_is_t || head_is_s;
  end else begin : gen_no_short
    assign head_word7 = '0;
    assign head_is_t  = 1'b0;
    assign short_good = 1'b0;
    logic unused;
    assign unused = &{1'b0, blocks.head_length};
  end
  assign second_short = head_is_t ? head_word7 : second_event;

  always_comb begin
    short_next = '0;
    short_next.kind = head_is_t ? KIND_TIME : KIND_STATUS;
    short_next.message_type = head_is_t ? "T" : "S";
    short_next.seconds = second_short;
    short_next.nanoseconds[31:0] = head_is_t ? 32'd0 : head_word7;
    short_next.sequence_number = first_sequence + 64'(head_index);
    short_next.last = head_is_last;
  end

  // What the messages that end now add is known late, so it is added a cycle later: in the cycle of their event.
  logic [1:0] unknown_now, bad_now;
  logic [15:0] unknown_before, bad_before;

  assign unknown_type = unknown_before + 16'(unknown_now);
  assign bad_length   = bad_before + 16'(bad_now);

  always_ff @(posedge clk) begin
    event_valid <= event_good && !rst;
    event_data  <= event_next;
    key.has_symbol <= key_is_there && (open_layout.early11 || open_layout.early19 || open_layout.early24);
    key.late <= add_ends && !rst;
    key.symbol <= open_layout.early24 || add_ends ? eight(24) : open_layout.early19 ? field19 : field11;
    key.has_locate <= key_is_there && version50 && open_layout.known;
    key.locate <= {message[1], message[2]};
    short_valid <= short_good && !rst;
    short_data  <= short_next;

    // A new session forgets the second, a frame that proves bad takes back what it changed.
    if (verdict.valid) begin
      if (verdict.good) second_committed <= second;
      else second <= second_committed;
    end
    if (begin_session) second <= '0;
    if (event_time || head_is_t) second <= second_short;

    unknown_now <= 2'(tail_ends && !ended.known) + 2'(head_ends && !head_known);
    bad_now <= 2'(tail_ends && ended.known && !event_good) + 2'(head_ends && head_known && !short_good);
    unknown_before <= verdict.valid ? '0 : unknown_type;
    bad_before <= verdict.valid ? '0 : bad_length;

    if (rst) begin
      second           <= '0;
      second_committed <= '0;
      unknown_now      <= '0;
      bad_now          <= '0;
      unknown_before   <= '0;
      bad_before       <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(valid && (begins || head_waits)) || !fresh_layout.known || fresh_layout == layout_of(
      version50, fresh_type
  ));
  assert property (@(posedge clk) disable iff (rst) !(valid && (begins || head_waits)) || fresh_layout.known == |length_of(
      version50, fresh_type
  ));
  assert property (@(posedge clk) disable iff (rst) !(key.late && key.has_symbol));
  assert property (@(posedge clk) disable iff (rst) !key.late || (event_valid && event_data.symbol == key.symbol));
  assert property (@(posedge clk) disable iff (rst) !(event_valid && key_before.has_symbol) || event_data.symbol == key_before.symbol);
  assert property (@(posedge clk) disable iff (rst) !(event_valid && event_data.kind == KIND_TRADE) || key_before.has_symbol);

endmodule

// The number of each packet, from the preamble of four bytes before its message, lowest first; the message's bytes go by as they come, the preamble not kept.
//
//   in ─┬─ first four bytes not kept ─ out
//       └─ number ─ s1 expected? ─ of the packets whose verdict has not come, the first
//
// The first packet's number is the expected one; a good packet of another number comes after a gap, or, if its number is below, has come already (`old`). A bad packet changes
// nothing. A packet that is one message of those that say nothing of orders is `harmless`: a heartbeat, the status of
// an instrument (desks/fast/order-log.xml), by its template and the number of its tokens.
//
// `restart` forgets the expected number. Moscow Exchange, "UDP multicast": every packet has a preamble before its messages. Twin: fast_preamble, which
// moves the message to the first lane.
//
// Latency: none; the packet's number is at the output 3 cycles after its first beat, if no other waits. Throughput: a beat a cycle. Parameter: PACKETS without a verdict, at most, a power of two. Overflow:
// none: frames begin 9 cycles apart or more, and the engine's verdict comes 12 after a packet's last beat, so that at most 3 wait (asserted).
module order_log_number #(
    parameter int PACKETS = 4
) (
    input logic clk,
    input logic rst,
    input logic restart,
    stream_if.snk in,     // as udp_rx has it with AT_ONCE
    input logic judged,   // pulse, once a frame, with its packet's last beat or after it: its verdict
    input logic accepted,
    stream_if.src out,

    input logic verdict,  // pulse: of the engine, on the first of them; after that on its frame
    output logic some,  // there is one
    output logic [31:0] number,
    output logic [31:0] gap,  // packets missing before it
    output logic old,
    output logic first,  // of all
    output logic good,  // these two are known with the verdict: the frame was
    output logic harmless
);
  // The bytes of the template's identifier, and how many tokens the message has, its presence map and identifier among them.
  localparam logic [15:0] Heartbeat = {8'h80 | 8'(2108 % 128), 8'(2108 / 128)};
  localparam logic [15:0] Status = {8'h80 | 8'(2106 % 128), 8'(2106 / 128)};
  localparam logic [4:0] HeartbeatTokens = 5'd4;
  localparam logic [4:0] StatusTokens = 5'd9;
  localparam logic [4:0] MostTokens = '1;

  logic begins, numbered, known, is_old, was_old;
  logic [31:0] number1, expected, away;
  logic is_heartbeat, is_status, ended_harmless, frames_none, frames_full, frames_overflow;
  logic [3:0] tokens_here, tokens_here1;
  logic [4:0] tokens;  // in the packet so far; the most: so many or more
  logic [5:0] tokens_now;
  logic [$clog2(PACKETS):0] frames_count;
  logic [2:1] judged_at, accepted_at;
  logic open, ended, none, full, overflow;  // open: the frame's verdict has not come; ended: it has, and all tokens are counted
  logic [$clog2(PACKETS):0] count;

  assign out.valid = in.valid;
  assign out.data = in.data;
  assign out.keep = begins ? in.keep & 8'hF0 : in.keep;
  assign out.last = in.last;
  assign out.err = in.err;

  assign away = number1 - expected;
  assign is_old = known && number1 < expected;

  always_comb begin
    tokens_here = '0;
    for (int i = 0; i < 8; i++) if (out.keep[i] && in.data[8*i+7]) tokens_here++;
  end
  assign tokens_now = 6'(numbered ? 5'd0 : tokens) + 6'(tokens_here1);

  always_ff @(posedge clk) begin
    tokens_here1 <= in.valid ? tokens_here : '0;
    tokens <= tokens_now[5] ? MostTokens : tokens_now[4:0];
    if (in.valid && begins) begin
      is_heartbeat <= in.data[55:40] == Heartbeat;
      is_status <= in.data[55:40] == Status;
    end
    if (in.valid) begins <= in.last;
    numbered <= in.valid && begins;
    if (in.valid && begins) number1 <= in.data[31:0];
    if (in.valid || ended) open <= in.valid;
    judged_at <= rst ? '0 : {judged_at[1], judged};
    accepted_at <= {accepted_at[1], accepted};
    was_old <= is_old;  // long enough before the verdict
    if (ended && accepted_at[2] && !was_old) begin
      known <= 1'b1;
      expected <= number1 + 1'b1;
    end
    if (rst || restart) known <= 1'b0;
    if (rst) {begins, numbered, open} <= 3'b100;
  end

  fifo #(
      .WIDTH(66),
      .DEPTH(PACKETS)
  ) packets (
      .clk,
      .rst,
      .write(numbered),
      .write_data({number1, known && !is_old ? away : 32'd0, is_old, !known}),
      .full,
      .overflow,
      .read(verdict && !none),
      .read_data({number, gap, old, first}),
      .empty(none),
      .count
  );
  assign some = !none;

  assign ended = judged_at[2] && open;
  assign ended_harmless = (is_heartbeat && tokens == HeartbeatTokens) || (is_status && tokens == StatusTokens);

  fifo #(
      .WIDTH(2),
      .DEPTH(PACKETS)
  ) frames (
      .clk,
      .rst,
      .write(ended),
      .write_data({accepted_at[2], ended_harmless}),
      .full(frames_full),
      .overflow(frames_overflow),
      .read(verdict && !frames_none),
      .read_data({good, harmless}),
      .empty(frames_none),
      .count(frames_count)
  );

  logic unused;
  assign unused = &{1'b0, full, count, frames_full, frames_count};

  assert property (@(posedge clk) disable iff (rst) !overflow && !frames_overflow);
  assert property (@(posedge clk) disable iff (rst) !(verdict && frames_none));
  assert property (@(posedge clk) disable iff (rst) !(verdict && none));
endmodule

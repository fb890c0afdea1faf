// The number of each packet, from the preamble of four bytes before its message, lowest first; the message's bytes go by as they come, the preamble not kept.
//
//   in ─┬─ first four bytes not kept ─ out
//       └─ number ─ s1 expected? ─ of the packets whose verdict has not come, the first
//
// The first packet's number is the expected one; a good packet of another number comes after a gap, or, if its number is below, has come already (`old`). A bad packet changes
// nothing. `restart` forgets the expected number. Moscow Exchange, "UDP multicast": every packet has a preamble before its messages. Twin: fast_preamble, which
// moves the message to the first lane.
//
// Latency: none; the packet's number is told 3 cycles after its first beat. Throughput: a beat a cycle. Parameter: PACKETS without a verdict, at most, a power of two. Overflow:
// none: a packet is longer than its 17 cycles to the verdict, or there are 2 at most.
module order_log_number #(
    parameter int PACKETS = 4
) (
    input logic clk,
    input logic rst,
    input logic restart,
    stream_if.snk in,
    stream_if.src out,

    input logic verdict,  // pulse: on the first of them
    output logic some,  // there is one
    output logic [31:0] number,
    output logic [31:0] gap,  // packets missing before it
    output logic old,
    output logic first  // of all
);
  logic begins, numbered, known, is_old;
  logic [31:0] number1, expected, away;
  logic ended, ended_good, none, full, overflow;
  logic [$clog2(PACKETS):0] count;

  assign out.valid = in.valid;
  assign out.data = in.data;
  assign out.keep = begins ? in.keep & 8'hF0 : in.keep;
  assign out.last = in.last;
  assign out.err = in.err;

  assign away = number1 - expected;
  assign is_old = known && number1 < expected;

  always_ff @(posedge clk) begin
    if (in.valid) begins <= in.last;
    numbered <= in.valid && begins;
    if (in.valid && begins) number1 <= in.data[31:0];
    ended <= in.valid && in.last;
    ended_good <= !in.err;
    if (ended && ended_good && !is_old) begin
      known <= 1'b1;
      expected <= number1 + 1'b1;
    end
    if (rst || restart) known <= 1'b0;
    if (rst) {begins, numbered, ended} <= 3'b100;
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

  logic unused;
  assign unused = &{1'b0, full, count};

  assert property (@(posedge clk) disable iff (rst) !overflow);
  assert property (@(posedge clk) disable iff (rst) !(verdict && none));
endmodule

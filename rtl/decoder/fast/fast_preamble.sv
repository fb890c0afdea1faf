// Takes the preamble off each packet of a feed, and says what its number means: four bytes, the packet's number, lowest byte first (Moscow Exchange,
// "UDP multicast": every packet has a preamble before its FAST messages).
//
//   in ─ number ─ expected? ─┬─ the rest of the packet ─ out
//                            ├─ as it begins: whether it comes after a gap, is the first of all, has number 1
//                            └─ at its end: lost, number, good
//
// The first packet's number is the expected one; a good packet of another number is a gap, or, if its number is below, it has come already and is
// dropped. A bad packet changes nothing. `restart` forgets the expected number.
//
// Latency: 1 cycle at W = 8, 1 or 2 at W = 64, where the packet moves by half a beat. Throughput: a beat a cycle. Parameter: W, 8 or 64. Overflow: a
// packet that begins while `room` is low is dropped, and `overflow` pulses; it is lost: the next one is a gap.
module fast_preamble
  import fast_pkg::*;
#(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,
    input logic restart,
    input logic room,  // for a packet that begins
    stream_if.snk in,
    stream_if.src out,

    output logic begins_valid,  // pulse: a packet begins that is passed on,
    output logic after_gap,     // and packets before it are lost, if it is good;
    output logic begins_session,  // it is the first of all,
    output logic from_first,      // and has number 1
    output logic packet_valid,  // pulse, with `out.last` or later: a packet ended that was passed on
    output packet_t packet,
    output logic old,           // pulses: a good packet had come already,
    output logic malformed,     // or is nothing but a preamble, or less
    output logic overflow
);
  localparam int N = W / 8;
  localparam int Preamble = 4;

  logic begins, known, dropping, starts, is_old, passes, ends, short;
  logic [31:0] expected, number, number_reg, number_now;  // number: of the packet, from the beat on in which it is complete
  logic no_room, no_room_reg;

  assign number = starts ? number_now : number_reg;
  assign no_room = starts ? !room : no_room_reg;
  assign is_old = known && number_now < expected;

  always_ff @(posedge clk) begin
    {old, malformed, overflow, packet_valid} <= '0;
    begins_valid <= starts && passes && !(ends && short);
    after_gap <= known && number_now != expected;
    begins_session <= !known;
    from_first <= number_now == 32'd1;
    if (in.valid) begins <= in.last;
    if (starts) begin
      dropping <= is_old || !room;
      no_room_reg <= !room;
      number_reg <= number_now;
    end
    if (ends) begin
      malformed <= short && !in.err;
      old <= !short && !in.err && !passes && !no_room;
      overflow <= !short && no_room;
      packet_valid <= !short && passes;
      packet <= '{
          good: !in.err,
          first: !known,
          number: number,
          lost: known ? number - expected : '0
      };
      if (!short && passes && !in.err) begin
        known <= 1'b1;
        expected <= number + 1'b1;
      end
    end
    if (rst || restart) known <= 1'b0;
    if (rst) begin
      begins <= 1'b1;
      {old, malformed, overflow, packet_valid, begins_valid} <= '0;
    end
  end

  assign ends = in.valid && in.last;
  assign passes = starts ? !is_old && room : !dropping;

  if (W == 64) begin : gen_wide
    logic [31:0] kept;
    logic rest;  // bytes of the packet's last beat leave in a beat of their own
    logic [3:0] rest_keep;
    logic rest_err;

    assign number_now = in.data[31:0];
    assign starts = in.valid && begins;
    assign short = in.last && begins && !in.keep[Preamble];

    always_ff @(posedge clk) begin
      if (in.valid) kept <= in.data[63:32];
      out.valid <= 1'b0;
      rest <= 1'b0;
      out.data <= {in.data[31:0], kept};
      out.keep <= '1;
      {out.last, out.err} <= '0;
      if (rest) begin
        out.valid <= 1'b1;
        out.data <= {32'd0, kept};
        out.keep <= {4'd0, rest_keep};
        {out.last, out.err} <= {1'b1, rest_err};
      end else if (in.valid && !begins && passes) begin
        out.valid <= 1'b1;
        out.keep <= {in.keep[3:0], 4'hF};
        {out.last, out.err} <= {in.last && !in.keep[4], in.last && in.err && !in.keep[4]};
      end
      if (in.valid && in.last && in.keep[4] && passes && !short) rest <= 1'b1;
      rest_keep <= in.keep[7:4];
      rest_err <= in.err;
      if (rst) {out.valid, rest} <= '0;
    end
  end else begin : gen_narrow
    logic [2:0] place;  // in the preamble, or after it
    logic [23:0] bytes;

    assign number_now = {in.data, bytes};
    assign starts = in.valid && place == 3'(Preamble - 1);
    assign short = in.last && place < 3'(Preamble);

    always_ff @(posedge clk) begin
      if (in.valid) begin
        place <= in.last ? '0 : place == 3'(Preamble) ? place : place + 1'b1;
        bytes <= {in.data, bytes[23:8]};
      end
      out.valid <= in.valid && place == 3'(Preamble) && passes && !rst;
      out.data <= in.data;
      out.keep <= in.keep;
      {out.last, out.err} <= {in.last, in.err};
      if (rst) place <= '0;
    end
    logic unused;
    assign unused = begins;
  end

  if (W != 8 && W != 64) begin : gen_check
    $fatal(1, "fast_preamble: W is %0d; it must be 8 or 64", W);
  end
  assert property (@(posedge clk) disable iff (rst) !in.valid || in.last || in.keep == {N{1'b1}});
  assert property (@(posedge clk) disable iff (rst) !(starts && ends && !short) || W == 64);
endmodule

// Makes two lines of a feed out of one stream, to test an arbiter: B is A's mirror in the same cycle, or one or two later.
//
//   in ─┬─ replace, bad, drop ─ register ──────────────── a
//       └─ replace, bad, drop ─ 1, 2 or 3 registers ───── b
//
// What happens to a packet is read from the inputs in the cycle of its first beat, for each line separately (index 0 is A):
//   drop     it does not appear on this line
//   bad      it ends in err
//   replace  `replacement` is written over its sequence number, at PROTOCOL's place and in its byte order; bits of the field that do not count get 0
//   delay    of B after A, in cycles: 0, 1 or 2 (3 is 2). A larger one takes effect at once. With a smaller one a packet on B would run into the
//            one before it if that was closer than the difference: it then comes right after it, and the delay shrinks with every pause
//            between packets, a cycle for each cycle of pause, down to the value set. Without a pause on `in` the delay stays as it is.
//
// Latency: 1 cycle to a, 1 and the delay to b. Throughput: a beat a cycle. Parameters: W; PROTOCOL. Overflow: none; in a packet too short for its
// number the part that is there is replaced.
module line_splitter
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    localparam int S = PROTOCOL.sequence_bits
) (
    input logic                      clk,
    input logic                      rst,
    stream_if.snk              in,
    input logic         [1:0]        delay,
    input logic         [1:0]        drop,
    input logic         [1:0]        bad,
    input logic         [1:0]        replace,
    input logic         [1:0][S-1:0] replacement,
    stream_if.src              a,
    stream_if.src              b
);
  localparam int N = W / 8;
  localparam int Offset = PROTOCOL.sequence_offset;
  localparam int Bytes = PROTOCOL.sequence_bytes;
  localparam int Parts = (Offset + Bytes - 1) / N - Offset / N + 1;

  typedef struct packed {
    logic         drop;
    logic         bad;
    logic         replace;
    logic [S-1:0] replacement;
  } order_t;

  typedef struct packed {
    logic         valid;
    logic         last;
    logic         err;
    logic [N-1:0] keep;
    logic [W-1:0] data;
  } beat_t;

  order_t [1:0] order, order_reg;
  beat_t [1:0] beat;
  logic [1:0] first;

  // ---- what each line gets ----------------------------------------------------------------------------------

  for (genvar line = 0; line < 2; line++) begin : gen_line
    logic [8*Bytes-1:0] number, field;
    logic [Parts-1:0] unused_part;
    logic [N-1:0] lanes;
    logic [W-1:0] placed;
    logic unused;
    assign unused = &{1'b0, unused_part};

    assign number = (8 * Bytes)'(order[line].replacement);
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      assign field[8*i+:8] = number[8*(PROTOCOL.little_endian!=0?i : Bytes-1-i)+:8];
    end

    field_lanes #(
        .W(W),
        .OFFSET(Offset),
        .BYTES(Bytes)
    ) where (
        .clk,
        .rst,
        .valid(in.valid),
        .last(in.last),
        .field,
        .first(first[line]),
        .part(unused_part),
        .lanes,
        .placed
    );

    always_comb begin
      order[line] = order_reg[line];
      if (first[line]) begin
        order[line] = '{drop: drop[line], bad: bad[line], replace: replace[line], replacement: replacement[line]};
      end
    end
    always_comb begin
      beat[line] = '{
          valid: in.valid && !order[line].drop,
          last: in.last,
          err: in.err || (in.last && order[line].bad),
          keep: in.keep,
          data: in.data
      };
      for (int i = 0; i < N; i++) if (lanes[i] && order[line].replace) beat[line].data[8*i+:8] = placed[8*i+:8];
    end
  end

  always_ff @(posedge clk) order_reg <= order;

  always_ff @(posedge clk) begin
    {a.valid, a.last, a.err, a.keep, a.data} <= beat[0];
    if (rst) a.valid <= 1'b0;
  end

  // ---- line B, later ----------------------------------------------------------------------------------------

  beat_t out_b, next_b, late_b;  // on the line in this cycle, in the next, in the one after that
  logic [1:0] shift, shift_reg;

  // Not below what the packet before it still needs.
  always_comb begin
    shift = shift_reg;
    if (first[1]) begin
      if (late_b.valid || delay[1]) shift = 2'd2;
      else if (next_b.valid || delay[0]) shift = 2'd1;
      else shift = 2'd0;
    end
  end

  always_ff @(posedge clk) begin
    shift_reg <= shift;
    late_b <= beat[1];
    late_b.valid <= beat[1].valid && shift == 2'd2;
    if (beat[1].valid && shift == 2'd1) next_b <= beat[1];
    else next_b <= late_b;
    if (beat[1].valid && shift == 2'd0) out_b <= beat[1];
    else out_b <= next_b;
    if (rst) begin
      late_b.valid <= 1'b0;
      next_b.valid <= 1'b0;
      out_b.valid  <= 1'b0;
    end
  end

  assign {b.valid, b.last, b.err, b.keep, b.data} = out_b;

  // Nothing is overwritten on its way.
  assert property (@(posedge clk) disable iff (rst) !beat[1].valid || !late_b.valid || shift == 2'd2);
  assert property (@(posedge clk) disable iff (rst) !beat[1].valid || !next_b.valid || shift != 2'd0);
endmodule

// Keeps packets until it is known which engine does them: those that ask wait for their decision, others go on at once, in their turn.
//
//   in ─ FIFO ─ this packet: asks? decided? ─┬─ on: out
//                                            └─ dropped
//   decisions, in the packets' order ─ FIFO ─┘
//
// Latency: 2 cycles of a packet that does not ask, and of the others from their decision, if nothing is before them. Throughput: a beat a cycle, whether it goes on or is dropped. Parameter: DEPTH, beats, a power of two.
// Overflow: a packet that finds no room is cut: its last beat says that it is bad, and `overflow` pulses. The caller lets none begin while `waiting` is high.
module fast_wire_store #(
    parameter int W = 64,
    parameter int DEPTH = 512
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,
    input logic asks,  // this packet waits for a decision; steady while it comes

    input logic decision_valid,
    input logic decision_on,  // else it is dropped
    input logic decision_mute,  // it goes on, but what comes of it is not to go out

    stream_if.src out,
    output logic out_muted,  // with its beats
    output logic overflow,
    output logic [$clog2(DEPTH):0] waiting
);
  typedef struct packed {
    logic asks;
    logic last;
    logic err;
    logic [W/8-1:0] keep;
    logic [W-1:0] data;
  } beat_t;

  beat_t written, head;
  logic write, room, cutting, take, empty, full, refused;
  logic none, on, mute, decisions_full, decisions_refused;
  logic [$clog2(DEPTH):0] decisions;

  // The last place is for the end of a packet that is cut.
  assign room = waiting < ($clog2(DEPTH) + 1)'(DEPTH - 1);
  assign write = in.valid && !cutting;

  always_comb begin
    written = '{asks: asks, last: in.last, err: in.err, keep: in.keep, data: in.data};
    if (!room) {written.last, written.err} = '1;
  end

  always_ff @(posedge clk) begin
    overflow <= write && !room;
    if (in.valid) cutting <= !in.last && (cutting || !room);
    if (rst) {overflow, cutting} <= '0;
  end

  fifo_registered #(
      .WIDTH($bits(beat_t)),
      .DEPTH(DEPTH)
  ) beats (
      .clk,
      .rst,
      .write,
      .write_data(written),
      .full,
      .overflow(refused),
      .read(take),
      .read_data(head),
      .empty,
      .count(waiting)
  );

  fifo #(
      .WIDTH(2),
      .DEPTH(DEPTH)
  ) decided (
      .clk,
      .rst,
      .write(decision_valid),
      .write_data({decision_on, decision_mute}),
      .full(decisions_full),
      .overflow(decisions_refused),
      .read(take && head.last && head.asks),
      .read_data({on, mute}),
      .empty(none),
      .count(decisions)
  );

  assign take = !empty && (!head.asks || !none);

  always_ff @(posedge clk) begin
    out.valid <= take && (!head.asks || on) && !rst;
    out_muted <= head.asks && mute;
    out.data <= head.data;
    out.keep <= head.keep;
    {out.last, out.err} <= {head.last, head.last && head.err};
  end

  logic unused;
  assign unused = &{1'b0, full, decisions_full, decisions};

  assert property (@(posedge clk) disable iff (rst) !refused && !decisions_refused);
  assert property (@(posedge clk) disable iff (rst) !(decision_valid && empty));
endmodule

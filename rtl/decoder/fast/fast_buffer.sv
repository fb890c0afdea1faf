// Packet buffer before the FAST engine: beats wait until their tokens have left. What is known of a beat's stop bits is stored beside it.
//
//   in ─ stop bits: none, one or more, the first, bytes after the last ─┬─ fifo ─ register ─┬─ out
//                                                                       └───────────────────┘ if nothing waits
//
// Latency: 0 cycles if nothing waits: who takes beats has a register. Throughput: a beat a cycle. Parameters: W, bits in a beat, 8 or 64; DEPTH, beats,
// a power of two.
// Overflow: a packet of which a beat finds no room is broken off: its last word says so (`FAST_OVERFLOW`), and `overflow` pulses. A packet that
// finds the buffer full at its first beat leaves nothing in it, and `overflow` pulses.
module fast_buffer
  import fast_pkg::*;
#(
    parameter int W = 64,
    parameter int DEPTH = 256
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    output logic  out_valid,
    input  logic  out_take,
    output beat_t out,

    output logic overflow,  // pulse: a packet is lost
    output logic [$clog2(DEPTH):0] waiting  // beats
);
  localparam int N = W / 8;

  // What is stored of a beat.
  typedef struct packed {
    fast_error_e  error;
    logic         last;
    logic         cut;
    logic [2:0]   trailing;
    logic         has_stop;
    logic         only;
    logic         breaks;
    logic [N-1:0] first;
    logic [W-1:0] data;
  } word_t;

  word_t word, written, read, offered, head;  // head: the oldest one that waits, for block RAM gives it late
  logic [N-1:0] last_byte, stops, none_after;  // the packet's last byte ends an entity, whether it has a stop bit or not
  logic write, writes, reads, enters, leaves, empty, full, fifo_full, refused, room, dropping, passes, head_valid, refills;

  always_comb begin
    for (int i = 0; i < N; i++) begin
      last_byte[i] = in.last && in.keep[i] && (i == N - 1 || !in.keep[i<N-1?i+1 : i]);
      stops[i] = in.keep[i] && (in.data[8*i+7] || last_byte[i]);
    end
  end

  always_comb begin
    word = '{error: in.last && in.err ? FAST_FRAME : FAST_GOOD, last: in.last, data: in.data, default: '0};
    for (int i = 0; i < N; i++) begin
      word.data[8*i+7] = stops[i];
      word.cut |= last_byte[i] && !in.data[8*i+7];
    end
    word.first = stops & -stops;
    word.has_stop = stops != '0;
    word.breaks = in.last && stops == '0;  // an empty beat
    word.only = word.has_stop && (stops & ~word.first) == '0;
    for (int i = 0; i < N; i++) begin
      none_after[i] = 1'b1;
      for (int k = i + 1; k < N; k++) if (stops[k]) none_after[i] = 1'b0;
      if (stops[i] && none_after[i]) word.trailing |= in.last ? 3'd0 : 3'(N - 1 - i);
    end
  end

  // The last place is for the end of a packet that is broken off. From registers: counting and comparing takes as long as the choice of what is written.
  localparam int Count = $clog2(DEPTH) + 1;
  logic [Count-1:0] in_fifo;
  assign write = in.valid && !dropping && !full;
  assign passes = !head_valid && out_take;
  assign enters = write && !passes;
  assign leaves = out_take && head_valid;
  assign refills = !head_valid || out_take;
  assign writes = enters && !(refills && empty);
  assign reads = refills && !empty;
  always_ff @(posedge clk) begin
    if (refills) begin
      head <= empty ? word : read;
      head_valid <= !empty || enters;
    end
    waiting <= waiting + Count'(enters) - Count'(leaves);
    full <= waiting == Count'(DEPTH) ? !leaves : waiting == Count'(DEPTH - 1) && enters && !leaves;
    room <= !(waiting == Count'(DEPTH) || (waiting == Count'(DEPTH - 1) && (enters || !leaves)) ||
        (waiting == Count'(DEPTH - 2) && enters && !leaves));
    if (rst) begin
      head_valid <= 1'b0;
      waiting <= '0;
      full <= 1'b0;
      room <= 1'b1;
    end
  end
  always_comb begin
    written = word;
    if (!room) begin
      written.error = FAST_OVERFLOW;
      written.last  = 1'b1;
      {written.has_stop, written.only} = '0;
      written.breaks = 1'b1;
      written.first = '0;
    end
  end

  always_ff @(posedge clk) begin
    overflow <= in.valid && !dropping && !room;
    if (in.valid) dropping <= !in.last && (dropping || !room);
    if (rst) begin
      dropping <= 1'b0;
      overflow <= 1'b0;
    end
  end

  fifo #(
      .WIDTH($bits(word_t)),
      .DEPTH(DEPTH)
  ) beats (
      .clk,
      .rst,
      .write     (writes),
      .write_data(written),
      .full      (fifo_full),
      .overflow  (refused),
      .read      (reads),
      .read_data (read),
      .empty,
      .count     (in_fifo)
  );

  assign out_valid = head_valid || write;
  assign offered   = head_valid ? head : word;
  always_comb begin
    out = '{
        has_stop: offered.has_stop,
        only: offered.only,
        breaks: offered.breaks,
        trailing: offered.trailing,
        last: offered.last,
        cut: offered.cut,
        error: offered.error,
        default: '0
    };
    for (int i = 0; i < N; i++) begin
      out.data[i]  = offered.data[8*i+:8];
      out.first[i] = offered.first[i];
    end
  end

  assert property (@(posedge clk) disable iff (rst) !refused && !fifo_full && full == (waiting == Count'(DEPTH)));
  assert property (@(posedge clk) disable iff (rst) waiting == in_fifo + Count'(head_valid) && (head_valid || empty));
  assert property (@(posedge clk) disable iff (rst) room == (waiting < Count'(DEPTH - 1)));
  assert property (@(posedge clk) disable iff (rst) !in.valid || in.last || in.keep == '1);
  assert property (@(posedge clk) disable iff (rst) !out_take || out_valid);
endmodule

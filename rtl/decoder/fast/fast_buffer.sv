// Packet buffer before the FAST engine: beats wait until their tokens have left. What is known of a beat's stop bits is stored beside it.
//
//   in ─ stop bits: how many, the first, bytes after the last ─┬─ fifo ─┬─ out
//                                                              └────────┘ if nothing waits
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
    logic [3:0]   bytes;
    logic [2:0]   trailing;
    logic [3:0]   stops;
    logic [N-1:0] first;
    logic [W-1:0] data;
  } word_t;

  word_t word, written, read, offered;
  logic [N-1:0] stops;
  logic write, empty, full, refused, room, dropping, passes;

  always_comb begin
    for (int i = 0; i < N; i++) stops[i] = in.data[8*i+7] && in.keep[i];
    word = '{error: in.last && in.err ? FAST_FRAME : FAST_GOOD, last: in.last, data: in.data, first: stops & -stops, default: '0};
    for (int i = 0; i < N; i++) begin
      word.bytes += 4'(in.keep[i]);
      word.stops += 4'(stops[i]);
      word.trailing = stops[i] ? '0 : word.trailing + 3'(in.keep[i]);
    end
  end

  // The last place is for the end of a packet that is broken off.
  assign room    = waiting < ($clog2(DEPTH) + 1)'(DEPTH - 1);
  assign write   = in.valid && !dropping && !full;
  assign written = room ? word : '{error: FAST_OVERFLOW, last: 1'b1, default: '0};
  assign passes  = empty && out_take;

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
      .write     (write && !passes),
      .write_data(written),
      .full,
      .overflow  (refused),
      .read      (out_take && !empty),
      .read_data (read),
      .empty,
      .count     (waiting)
  );

  assign out_valid = !empty || write;
  assign offered   = empty ? word : read;
  always_comb begin
    out = '{stops: offered.stops, trailing: offered.trailing, bytes: offered.bytes, last: offered.last, error: offered.error, default: '0};
    for (int i = 0; i < N; i++) begin
      out.data[i]  = offered.data[8*i+:8];
      out.first[i] = offered.first[i];
    end
  end

  assert property (@(posedge clk) disable iff (rst) !refused);
  assert property (@(posedge clk) disable iff (rst) !out_take || out_valid);
endmodule

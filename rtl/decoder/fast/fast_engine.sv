// Decodes FAST 1.1 by a program that is loaded while it runs (docs/reference/fast-microcode.md): packets in, fields and a verdict on each packet out.
//
//   in ─ buffer ─ tokenizer ─ walker ─ execute ─ fields, verdict
//                               │         │
//                            program  instructions, dictionary
//
// Latency: 6 cycles from the beat with a message's last byte to its last field, where the engine is not behind; 10 from the packet's last beat to the
// verdict. Throughput: a token a cycle; a value that is not in the stream, and is wanted, takes a cycle too; a message of
// another template than the one before it a cycle and a packet 8 besides; a string that is put together (tail, delta) about ten cycles, three a piece, and
// one for some of its bytes; a long one from the dictionary six. A bad packet is taken back: a cycle a dictionary entry that it changed.
//
// The program is loaded while `hold` is high and `held` answers: no packet is being decoded, and packets that come wait in the buffer. `restart` begins
// with empty dictionaries; until it is done, in 256 cycles, packets wait as well.
//
// Parameters: W, bits in a beat, 8 or 64; GROUPS of the program, up to 512; BUFFER, beats; DEPTH, nesting. Overflow: a packet that finds no room in the
// buffer is dropped and `overflow` pulses; if it had begun, its verdict is bad.
module fast_engine
  import fast_pkg::*;
#(
    parameter int W = 64,
    parameter int GROUPS = 256,
    parameter int BUFFER = 2048 / (W / 8),
    parameter int DEPTH = 8
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    input  logic  hold,
    output logic  held,
    input  logic  restart,
    input  logic  reset_each_packet,  // every packet begins with empty dictionaries
    input  load_t load,

    output logic field_valid,
    output field_t field,
    output fast_verdict_t verdict,
    output logic overflow,
    output logic [$clog2(BUFFER):0] waiting  // beats in the buffer
);
  logic beat_valid, beat_take, room, given_valid, token_valid, token_take, token_cut, row_is_used, row_is_empty;
  logic failed, finished, finished_good, busy, long_result;
  beat_t beat;
  token_t given, token;
  ahead_t ahead;
  step_t step;
  logic [10:0] instruction;
  logic [7:0] slot;
  logic [3:0] cut_count;
  logic [31:0] row_id;
  reply_t reply;

  // A cycle later, but for its beginning: then a packet could.
  logic busy_reg;
  always_ff @(posedge clk) busy_reg <= busy || restart || rst;

  fast_buffer #(
      .W(W),
      .DEPTH(BUFFER)
  ) buffer (
      .clk,
      .rst,
      .in,
      .out_valid(beat_valid),
      .out_take(beat_take),
      .out(beat),
      .overflow,
      .waiting
  );

  fast_tokenizer #(
      .W(W)
  ) tokenizer (
      .clk,
      .rst,
      .beat_valid,
      .beat_take,
      .beat,
      .room,
      .token_valid(given_valid),
      .token(given),
      .ahead
  );

  fast_token_queue queue (
      .clk,
      .rst,
      .room,
      .in_valid(given_valid),
      .in(given),
      .out_valid(token_valid),
      .out(token),
      .out_take(token_take),
      .out_cut(token_cut),
      .cut_count
  );

  fast_walker #(
      .GROUPS(GROUPS),
      .DEPTH(DEPTH)
  ) walker (
      .clk,
      .rst,
      .hold(hold || busy_reg),
      .held,
      .restart,
      .reset_each_packet,
      .load,
      .token_valid,
      .token,
      .token_take,
      .token_cut,
      .cut_count,
      .ahead,
      .ahead_waits(!room),
      .step,
      .instruction,
      .slot,
      .row_is_used,
      .row_is_empty,
      .row_id,
      .failed,
      .long_result,
      .reply,
      .finished,
      .finished_good
  );

  fast_execute #(
      .GROUPS(GROUPS)
  ) execute (
      .clk,
      .rst,
      .load,
      .instruction,
      .restart,
      .step,
      .slot,
      .row_is_used,
      .row_is_empty,
      .row_id,
      .reply,
      .failed,
      .finished,
      .finished_good,
      .busy,
      .long_result,
      .field_valid,
      .field,
      .verdict
  );

  assert property (@(posedge clk) disable iff (rst) !load.valid || held);
  assert property (@(posedge clk) disable iff (rst) !restart || held);
endmodule

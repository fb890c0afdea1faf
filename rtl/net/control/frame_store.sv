// Stores the wanted frames of a line, FCS included, until they are read.
//
//   line ─ align ─ delay ─ frame_memory ─ out     the verdict commits a frame, or takes it back
//                └ beat, for the module that decides what is wanted
//
// Latency: verdict to the frame's first beat on `out` 3 cycles. Throughput: line rate in; a beat a cycle out, as the reader is ready.
// Parameters: W; WORDS of memory, beats, a power of two. Overflow: a frame that finds no room is dropped, with a pulse of `overflow`.
module frame_store #(
    parameter int W = 64,
    parameter int WORDS = 2048
) (
    input  logic         clk,
    input  logic         rst,
    /* verilator lint_off UNUSEDSIGNAL */  // errors come with the verdict
    line_if.snk          line,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic         beat_valid,  // the frame from lane 0 on
    output logic         beat_last,
    output logic [W-1:0] beat_data,
    input  logic         verdict,     // net_rx: 2 cycles after the frame's last beat
    input  logic         wanted,
    input  logic         refused,     // not wanted after all: comes late
    output logic         kept,        // pulses
    output logic         overflow,
    tx_stream_if.src     out
);
  localparam int N = W / 8;
  localparam int StopBits = $clog2(N) + 1;

  typedef struct packed {
    logic                last;
    logic [StopBits-1:0] stop;  // bytes of the frame in this word
    logic [W-1:0]        data;
  } word_t;

  // ---- the frame from lane 0 on ------------------------------------------------------------------------------

  logic  valid;
  word_t word;

  if (W == 8) begin : gen_byte
    assign valid = line.valid;
    assign word  = '{last: line.last, stop: line.stop, data: line.data};
  end else begin : gen_align
    localparam int Half = N / 2;
    logic [W/2-1:0] high_reg;  // the upper lanes of the beat before
    logic [StopBits-1:0] stop_reg;
    logic rest_reg;  // these lanes end the frame
    always_ff @(posedge clk) begin
      high_reg <= line.data[W-1:W/2];
      stop_reg <= line.stop;
      rest_reg <= line.valid && line.offset && line.last && line.stop > StopBits'(Half) && !rst;
    end
    always_comb begin
      valid = line.valid;
      word  = '{last: line.last, stop: line.stop, data: line.data};
      if (rest_reg) begin
        valid = 1'b1;
        word  = '{last: 1'b1, stop: stop_reg - StopBits'(Half), data: {(W / 2)'(0), high_reg}};
      end else if (line.offset) begin
        valid = line.valid && !line.first;
        word.last = line.last && line.stop <= StopBits'(Half);
        word.stop = word.last ? line.stop + StopBits'(Half) : StopBits'(N);
        word.data = {line.data[W/2-1:0], high_reg};
      end
    end
  end

  assign beat_valid = valid;
  assign beat_last  = word.last;
  assign beat_data  = word.data;

  // ---- delayed so that the verdict comes with the last word, or after it ---------------------------------------

  logic valid_before, valid_reg, verdict_reg, wanted_reg, refused_reg;
  word_t word_before, word_reg;
  logic full_unused, tight_unused;

  always_ff @(posedge clk) begin
    {valid_before, word_before} <= {valid && !rst, word};
    {valid_reg, word_reg} <= {valid_before && !rst, word_before};
    verdict_reg <= verdict && !rst;
    wanted_reg <= wanted;
    refused_reg <= refused;
  end

  frame_memory #(
      .W(W),
      .WORDS(WORDS)
  ) frame_memory (
      .clk,
      .rst,
      .write(valid_reg),
      .write_data(word_reg.data),
      .write_stop(word_reg.stop),
      .write_last(word_reg.last),
      .commit(verdict_reg && wanted_reg && !refused_reg),
      .discard(verdict_reg && !(wanted_reg && !refused_reg)),
      .full(full_unused),
      .tight(tight_unused),
      .kept,
      .overflow,
      .out
  );

  assert property (@(posedge clk) disable iff (rst) !(valid_reg && word_reg.last) || verdict_reg || valid_before == 1'b0);
endmodule

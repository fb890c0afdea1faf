// Chooses what the decoder gets: one of the lines alone, or one of the arbiter's outputs. The choice changes between two packets only.
//
//   line A, line B, low latency, high reliability ─ register ─ out
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: W. Overflow: none; of the packet that is on its way when its stream is
// chosen nothing passes.
module feed_select
  import arbiter_pkg::*;
#(
    parameter int W = 64
) (
    input logic    clk,
    input logic    rst,
    input source_e source,
    stream_if.snk  a,
    stream_if.snk  b,
    stream_if.snk  low_latency,
    stream_if.snk  high_reliability,
    output logic   arbitrated,        // with a packet on `out`: it came through the arbiter
    stream_if.src  out
);
  typedef struct packed {
    logic           valid;
    logic           last;
    logic           err;
    logic [W/8-1:0] keep;
    logic [W-1:0]   data;
  } beat_t;

  beat_t [3:0] streams;
  beat_t beat;
  source_e chosen;
  logic [3:0] open_reg, open;  // of each stream: within a packet, before and behind this beat
  logic muted;  // the chosen stream is within a packet whose first beat was not seen

  assign streams[SOURCE_LINE_A] = {a.valid, a.last, a.err, a.keep, a.data};
  assign streams[SOURCE_LINE_B] = {b.valid, b.last, b.err, b.keep, b.data};
  assign streams[SOURCE_LOW_LATENCY] = {low_latency.valid, low_latency.last, low_latency.err, low_latency.keep, low_latency.data};
  assign streams[SOURCE_HIGH_RELIABILITY] = {
    high_reliability.valid, high_reliability.last, high_reliability.err, high_reliability.keep, high_reliability.data
  };

  always_comb for (int i = 0; i < 4; i++) open[i] = streams[i].valid ? !streams[i].last : open_reg[i];
  assign beat = streams[chosen];

  always_ff @(posedge clk) begin
    open_reg <= open;
    if (!open[chosen] || muted) begin
      chosen <= source;
      muted  <= open[source];
    end
    out.valid <= beat.valid && !muted && !rst;
    {out.last, out.err, out.keep, out.data} <= {beat.last, beat.err, beat.keep, beat.data};
    arbitrated <= chosen == SOURCE_LOW_LATENCY || chosen == SOURCE_HIGH_RELIABILITY;
    if (rst) begin
      open_reg <= '0;
      chosen <= SOURCE_LINE_A;
      muted <= 1'b0;
    end
  end
endmodule

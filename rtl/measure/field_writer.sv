// Writes a field into each packet that is long enough to hold all of it; shorter ones pass unchanged.
//
//   in, written ─ as many registers as the field has beats, less one ─┬─ out register ─ out
//                                  the packet ended too soon? ────────┘
//
// Latency: packet_stamp_pkg::writer_cycles, for every beat; throughput: a beat a cycle. Parameters: W; OFFSET and BYTES of the field.
// Overflow: none. Only if a packet pauses between two beats of the field and then ends before the field does, the part before the
// pause is changed: it had left already.
module field_writer
  import packet_stamp_pkg::*;
#(
    parameter int W = 64,
    parameter int OFFSET = 0,
    parameter int BYTES = 4,
    localparam int N = W / 8
) (
    input  logic                 clk,
    input  logic                 rst,
    stream_if.snk         in,
    input  logic         [N-1:0] lanes,      // of this beat that are written, as from field_lanes
    input  logic         [W-1:0] written,    // what is written there
    input  logic                 last_part,  // this beat is the last that can hold any of the field
    stream_if.src         out,
    output logic                 held,       // this beat ends the packet, and the packet held the field
    output logic                 too_short   // this beat ends the packet, and it did not
);
  localparam int Delay = writer_cycles(W, OFFSET, BYTES) - 1;
  localparam int LastLane = (OFFSET + BYTES - 1) % N;

  typedef struct packed {
    logic         valid;
    logic         last;
    logic         err;
    logic         settled;  // it is known whether the packet is long enough, and `lanes` is final
    logic [N-1:0] lanes;
    logic [N-1:0] keep;
    logic [W-1:0] written;
    logic [W-1:0] data;
  } beat_t;

  // Index 0 is the beat of this cycle. `settled` is `line` with what this beat decides about those not settled yet.
  beat_t [Delay:0] line, settled;
  logic complete, complete_reg;

  assign complete = last_part && in.keep[LastLane];
  assign held = in.valid && in.last && (complete || complete_reg);
  assign too_short = in.valid && in.last && !complete && !complete_reg;

  assign line[0] = '{
          valid: in.valid,
          last: in.last,
          err: in.err,
          settled: 1'b0,
          lanes: lanes,
          keep: in.keep,
          written: written,
          data: in.data
      };

  for (genvar i = 0; i <= Delay; i++) begin : gen_settled
    always_comb begin
      settled[i] = line[i];
      if (complete || too_short) settled[i].settled = 1'b1;
      if (too_short && !line[i].settled) settled[i].lanes = '0;
    end
    if (i > 0) begin : gen_line
      always_ff @(posedge clk) begin
        line[i] <= settled[i-1];
        if (rst) line[i].valid <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    complete_reg <= (complete_reg || complete) && !(in.valid && in.last);
    out.valid <= settled[Delay].valid;
    out.last <= settled[Delay].last;
    out.err <= settled[Delay].err;
    out.keep <= settled[Delay].keep;
    for (int i = 0; i < N; i++) out.data[8*i+:8] <= settled[Delay].lanes[i] ? settled[Delay].written[8*i+:8] : settled[Delay].data[8*i+:8];
    if (rst) begin
      complete_reg <= 1'b0;
      out.valid <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, settled[Delay].settled};

  assert property (@(posedge clk) disable iff (rst) !complete || (in.valid && !complete_reg));
endmodule

// Makes records for the host of what is known of a feed, as far as the host wants them: decoded fields, and packets as they came.
//
//   field, verdict ─ wanted? ─ fast_records ─── fields
//   frame ────────── wanted? ─ frame_records ── frames
//
// Latency, throughput, overflow: those of its parts. Parameters: W, bits in a beat of `frame`; FEED, its number; VALUES: see fast_records.
module feed_records
  import fast_pkg::*;
  import record_pkg::*;
#(
    parameter int W = 64,
    parameter int FEED = 0,
    parameter int VALUES = RecordValues
) (
    input logic          clk,
    input logic          rst,
    /* verilator lint_off UNUSEDSIGNAL */  // the ring's place is the writer's
    input ring_setting_t setting,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic          field_valid,
    input field_t        field,
    input fast_verdict_t verdict,
    stream_if.snk        frame,
    record_if.src        fields,
    record_if.src        frames
);
  stream_if #(.W(W)) wanted ();
  fast_verdict_t wanted_verdict;

  always_comb begin
    wanted_verdict = verdict;
    wanted_verdict.valid = verdict.valid && setting.fields;
  end
  assign wanted.valid = frame.valid && setting.frames;
  assign {wanted.data, wanted.keep, wanted.last, wanted.err} = {frame.data, frame.keep, frame.last, frame.err};

  fast_records #(
      .FEED(FEED),
      .VALUES(VALUES)
  ) fast_records (
      .clk,
      .rst,
      .field_valid(field_valid && setting.fields),
      .field,
      .verdict(wanted_verdict),
      .out(fields)
  );

  frame_records #(
      .W(W),
      .FEED(FEED)
  ) frame_records (
      .clk,
      .rst,
      .in(wanted.snk),
      .out(frames)
  );
endmodule

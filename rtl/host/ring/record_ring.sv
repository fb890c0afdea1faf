// Writes what the FAST engine decodes, and the frames that it gets, into a ring in host memory (system A; docs/reference/ring.md).
//
//   field, verdict ─ fast_records ─┐
//   frame ────────── frame_records ┴ record_merge ─ ring_writer ─ AXI4
//
// Latency, throughput, overflow: those of its parts. Parameters: W, bits in a beat of `frame`; DATA, bits in a beat of memory.
module record_ring
  import fast_pkg::*;
  import record_pkg::*;
#(
    parameter int W = 64,
    parameter int DATA = 512
) (
    input  logic          clk,
    input  logic          rst,
    input  ring_setting_t setting,
    input  logic          field_valid,
    input  field_t        field,
    input  fast_verdict_t verdict,
    stream_if.snk         frame,
    axi_write_if.src      memory,
    output ring_status_t  status
);
  record_if records[2] ();
  stream_if #(.W(W)) wanted ();
  fast_verdict_t wanted_verdict;
  logic record_valid, record_ready, after_loss;
  logic [1:0] lost;
  record_t record;

  always_comb begin
    wanted_verdict = verdict;
    wanted_verdict.valid = verdict.valid && setting.fields;
  end
  assign wanted.valid = frame.valid && setting.frames;
  assign {wanted.data, wanted.keep, wanted.last, wanted.err} = {frame.data, frame.keep, frame.last, frame.err};

  fast_records fast_records (
      .clk,
      .rst,
      .field_valid(field_valid && setting.fields),
      .field,
      .verdict(wanted_verdict),
      .out(records[0])
  );

  frame_records #(
      .W(W)
  ) frame_records (
      .clk,
      .rst,
      .in(wanted.snk),
      .out(records[1])
  );

  record_merge #(
      .N(2)
  ) merge (
      .clk,
      .rst,
      .in(records),
      .valid(record_valid),
      .ready(record_ready),
      .record,
      .after_loss,
      .lost
  );

  ring_writer #(
      .DATA(DATA),
      .LOST(2)
  ) writer (
      .clk,
      .rst,
      .enable(setting.enable),
      .base(setting.base),
      .size_log2(setting.size_log2),
      .position(setting.position),
      .valid(record_valid),
      .ready(record_ready),
      .record,
      .after_loss,
      .lost,
      .out(memory),
      .written(status.written),
      .lost_count(status.lost),
      .error_count(status.errors)
  );
endmodule

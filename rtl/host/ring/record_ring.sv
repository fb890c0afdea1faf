// Writes the records of several stages into a ring in host memory (system A; docs/reference/ring.md).
//
//   records ─ record_merge ─ ring_writer ─ AXI4
//
// Latency, throughput, overflow: those of its parts. Parameters: N, stages; DATA, bits in a beat of memory.
module record_ring
  import record_pkg::*;
#(
    parameter int N = 2,
    parameter int DATA = 512
) (
    input  logic          clk,
    input  logic          rst,
    input  ring_setting_t setting,
    record_if.snk         records[N],
    axi_write_if.src      memory,
    output ring_status_t  status
);
  logic record_valid, record_ready, after_loss;
  logic [N-1:0] lost;
  record_t record;

  record_merge #(
      .N(N)
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
      .LOST(N)
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

  logic unused;
  assign unused = &{1'b0, setting.fields, setting.frames, setting.events, setting.stages};
endmodule

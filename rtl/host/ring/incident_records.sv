// Makes records for the host of what goes wrong in the stages.
//
//   incidents ─ register ─ those since the last record ─ record, at most one in INTERVAL cycles
//
// The first one leaves at once; those that come soon after it are in one record together: whatever happens, the ring has room for other things. Value 0 is what happened
// (incidents_t), value 1 the time of the record in nanoseconds.
//
// Latency: 3 cycles. Throughput: an incident of each kind a cycle; how often it happened is in the counters. Parameters: INTERVAL, a power of two. Overflow: none here;
// `record_merge` counts what finds no room.
module incident_records
  import record_pkg::*;
#(
    parameter int INTERVAL = 64
) (
    input logic        clk,
    input logic        rst,
    input logic        enable,
    input incidents_t  incidents,
    input logic [63:0] time_ns,
    record_if.src      out
);
  incidents_t happened, pending;
  logic [$clog2(INTERVAL)-1:0] rest;
  logic sends;

  assign sends = pending != '0 && rest == '0;

  always_ff @(posedge clk) begin
    happened <= enable ? incidents : '0;
    pending <= happened | (sends ? '0 : pending);
    rest <= sends ? '1 : rest - ($clog2(INTERVAL))'(rest != '0);

    out.valid <= sends && enable && !rst;
    out.record <= '{kind: RECORD_STATUS, message_end: 1'b1, count: 3'd2, default: '0};
    out.record.tags[0] <= TagIncidents;
    out.record.values[0] <= 64'(pending);
    out.record.values[1] <= time_ns;
    if (rst || !enable) {happened, pending, rest} <= '0;
  end
endmodule

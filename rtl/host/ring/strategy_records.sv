// Collects what a strategy emits into records for the host.
//
//   value ─ seven places ─ emit ─ record
//
// Tag 0 is TagStrategy, tag 1 the strategy's own; the values are in the order in which it gives them.
//
// Latency: 1 cycle from `emit`. Throughput: a value or an emit a cycle. No parameters. Overflow: the language has no record of more than seven values: an eighth is left out;
// `record_merge` counts what finds no room.
module strategy_records
  import record_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        forget,       // what was begun: no handler runs
    input logic        value_valid,
    input logic [63:0] value,
    input logic        emit,         // after its values
    input logic [ 7:0] tag,
    record_if.src      out
);
  logic [RecordValues-1:0][63:0] values;
  logic [2:0] count;

  always_ff @(posedge clk) begin
    out.valid <= emit && !rst;
    out.record <= '{kind: RECORD_STATUS, message_end: 1'b1, count: count, values: values, default: '0};
    out.record.tags[0] <= TagStrategy;
    out.record.tags[1] <= tag;
    for (int i = 0; i < RecordValues; i++) if (value_valid && count == 3'(i)) values[i] <= value;
    if (value_valid && count != 3'(RecordValues)) count <= count + 1'b1;
    if (emit || forget || rst) count <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(value_valid && emit));
  assert property (@(posedge clk) disable iff (rst) !(value_valid && count == 3'(RecordValues)));
endmodule

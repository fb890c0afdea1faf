// Merges two transmit streams, a frame at a time: the first before the second.
//
// When idle it is set to `first`, so a frame of `first` never waits for the choice: only for a frame that has begun, and never for two.
//
// Latency: 0 for `first`, unless a frame of `second` is on its way; that 1 cycle. Throughput: a beat a cycle; a cycle is lost between two frames
// unless both are of `first`. Parameters: none, W is the streams'. Overflow: none, they wait; `second` for as long as there is one of `first`.
module tx_priority (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk first,
    tx_stream_if.snk second,
    output logic     from_second,  // with a beat on `out`: it is of `second`
    tx_stream_if.src out
);
  assign out.valid = from_second ? second.valid : first.valid;
  assign out.data = from_second ? second.data : first.data;
  assign out.keep = from_second ? second.keep : first.keep;
  assign out.last = from_second ? second.last : first.last;
  assign first.ready = out.ready && !from_second;
  assign second.ready = out.ready && from_second;

  logic inside_reg;  // a frame of `first` is at `out`, or has begun and goes on

  always_ff @(posedge clk) begin
    inside_reg  <= !from_second && (first.valid ? !(out.ready && first.last) : inside_reg);
    from_second <= from_second ? !(out.ready && second.valid && second.last) : !first.valid && !inside_reg && second.valid;
    if (rst) begin
      inside_reg  <= 1'b0;
      from_second <= 1'b0;
    end
  end

  logic begun;  // a frame of `second`
  always_ff @(posedge clk) begun <= !rst && from_second && (out.valid && out.ready ? !out.last : begun);
  assert property (@(posedge clk) disable iff (rst) !from_second || begun || out.valid);
endmodule

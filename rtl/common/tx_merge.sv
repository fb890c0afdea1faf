// Merges two transmit streams, a frame at a time and in turns.
//
// Latency: 0; a cycle for a frame that finds the merge idle and set to the other stream. Throughput: a beat a cycle, frames back to back.
// Parameters: none, W is the streams'. Overflow: none, the other stream waits.
module tx_merge (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk a,
    tx_stream_if.snk b,
    output logic     from_b,  // with a beat on `out`: it comes from b
    tx_stream_if.src out
);
  logic inside_reg;  // a frame has begun, and goes on

  assign out.valid = from_b ? b.valid : a.valid;
  assign out.data = from_b ? b.data : a.data;
  assign out.keep = from_b ? b.keep : a.keep;
  assign out.last = from_b ? b.last : a.last;
  assign a.ready = out.ready && !from_b;
  assign b.ready = out.ready && from_b;

  always_ff @(posedge clk) begin
    if (out.valid && out.ready) inside_reg <= !out.last;
    // In turns if both have a frame; else the one that has. A beat that is offered is not taken back.
    if (out.valid ? out.ready && out.last : !inside_reg) from_b <= from_b ? !a.valid : b.valid;
    if (rst) begin
      inside_reg <= 1'b0;
      from_b <= 1'b0;
    end
  end
endmodule

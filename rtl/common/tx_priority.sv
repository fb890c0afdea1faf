// Merges three transmit streams, a frame at a time: the first before the second before the third.
//
// When idle it is set to `first`, so a frame of `first` never waits for the choice: only for a frame that has begun, and never for two.
//
// Latency: 0 for `first`, unless another's frame is on its way; the others 1 cycle. Throughput: a beat a cycle; a cycle is lost between two frames
// unless both come from `first`. Parameters: none, W is the streams'. Overflow: none, they wait; `third` as long as one of the others has a frame.
module tx_priority (
    input logic        clk,
    input logic        rst,
    tx_stream_if.snk   first,
    tx_stream_if.snk   second,
    tx_stream_if.snk   third,
    output logic [1:0] source,    // with a beat on `out`: the stream it comes from, 0, 1, 2
    tx_stream_if.src   out
);
  always_comb begin
    unique case (source)
      2'd0: {out.valid, out.data, out.keep, out.last} = {first.valid, first.data, first.keep, first.last};
      2'd1: {out.valid, out.data, out.keep, out.last} = {second.valid, second.data, second.keep, second.last};
      default: {out.valid, out.data, out.keep, out.last} = {third.valid, third.data, third.keep, third.last};
    endcase
  end
  assign first.ready = out.ready && source == 2'd0;
  assign second.ready = out.ready && source == 2'd1;
  assign third.ready = out.ready && source == 2'd2;

  logic inside_reg;  // a frame of `first` stands there, or has begun and goes on
  logic ends;  // a frame of `second` or `third` ends; that a frame of `first` begins is known late
  logic [1:0] waiting;

  assign ends = out.ready && (source == 2'd1 ? second.valid && second.last : third.valid && third.last);
  assign waiting = inside_reg ? 2'd0 : second.valid ? 2'd1 : third.valid ? 2'd2 : 2'd0;

  always_ff @(posedge clk) begin
    inside_reg <= source == 2'd0 && (first.valid ? !(out.ready && first.last) : inside_reg);
    if (source != 2'd0) source <= ends ? 2'd0 : source;
    else source <= first.valid ? 2'd0 : waiting;
    if (rst) begin
      inside_reg <= 1'b0;
      source <= 2'd0;
    end
  end

  logic begun;  // a frame of another
  always_ff @(posedge clk) begun <= !rst && source != 2'd0 && (out.valid && out.ready ? !out.last : begun);
  assert property (@(posedge clk) disable iff (rst) source == 2'd0 || begun || out.valid);
endmodule

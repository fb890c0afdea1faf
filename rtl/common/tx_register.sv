// A register in a transmit stream, both ways: no path leads through it, neither of the data nor of `ready`.
//
//   in ─┬────────── out register ─ out
//       └─ spare ──┘
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: none, W is the streams'.
// Overflow: none; the beat that comes while `out` is held goes into the spare register, and `in.ready` falls the cycle after.
module tx_register #(
    parameter int W = 64
) (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk in,
    tx_stream_if.src out
);
  localparam int Beat = W + W / 8 + 1;

  logic [Beat-1:0] beat, out_reg, spare_reg;
  logic spare_valid_reg;

  assign beat = {in.last, in.keep, in.data};
  assign {out.last, out.keep, out.data} = out_reg;
  assign in.ready = !spare_valid_reg;

  always_ff @(posedge clk) begin
    if (in.ready) spare_reg <= beat;
    if (out.ready || !out.valid) begin
      out_reg <= spare_valid_reg ? spare_reg : beat;
      out.valid <= spare_valid_reg || in.valid;
      spare_valid_reg <= 1'b0;
    end else if (in.valid && in.ready) spare_valid_reg <= 1'b1;
    if (rst) begin
      out.valid <= 1'b0;
      spare_valid_reg <= 1'b0;
    end
  end

  logic held;
  logic [Beat-1:0] previous;
  always_ff @(posedge clk) {held, previous} <= {!rst && out.valid && !out.ready, out_reg};
  assert property (@(posedge clk) disable iff (rst) !held || (out.valid && out_reg == previous));
endmodule

// A spare place in a transmit stream: `in.ready` comes from a flip-flop, the beats go straight through.
//
//   in ─┬───────── out
//       └─ spare ──┘
//
// For a stream that may not lose a cycle, but has too much logic after `ready` to get it late; tx_register cuts the data's path too.
//
// Latency: 0 cycles. Throughput: a beat a cycle. Parameter: W, the streams'. Overflow: none; the beat that comes while `out` is held goes into
// the spare place, and `in.ready` is low until it has left.
module tx_spare #(
    parameter int W = 64
) (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk in,
    tx_stream_if.src out
);
  localparam int Beat = W + W / 8 + 1;

  logic [Beat-1:0] beat, spare_reg;
  logic spare_valid_reg;

  assign beat = {in.last, in.keep, in.data};
  assign {out.last, out.keep, out.data} = spare_valid_reg ? spare_reg : beat;
  assign out.valid = spare_valid_reg || in.valid;
  assign in.ready = !spare_valid_reg;

  always_ff @(posedge clk) begin
    if (!spare_valid_reg) spare_reg <= beat;
    spare_valid_reg <= out.valid && !out.ready && !rst;
  end

  logic held;
  logic [Beat-1:0] previous;
  always_ff @(posedge clk) {held, previous} <= {!rst && spare_valid_reg && !out.ready, spare_reg};
  assert property (@(posedge clk) disable iff (rst) !held || (spare_valid_reg && spare_reg == previous));
endmodule

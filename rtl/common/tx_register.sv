// A register in a transmit stream, both ways: no path leads through it, neither for the data nor for `ready`.
//
//   in ─┬─ out register ─ out        with FROM_MEMORY:   in ─ register ─┬─────────── out register ─ out
//       └─ spare ──┘                                                    └─ two spares ──┘
//
// Latency: 1 cycle, 2 with FROM_MEMORY. Throughput: a beat a cycle. Parameters: FROM_MEMORY, the input is read from block RAM, whose own output
// register takes it before any multiplexer (tools/block_ram_registers.py); W is the streams'.
// Overflow: none; the beat that comes while `out` is held goes into a spare register, and `in.ready` falls before these are full.
module tx_register #(
    parameter int W = 64,
    parameter bit FROM_MEMORY = 1'b0
) (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk in,
    tx_stream_if.src out
);
  localparam int Beat = W + W / 8 + 1;

  logic [Beat-1:0] beat, out_reg, spare_reg;
  logic spare_valid_reg, takes;

  assign beat = {in.last, in.keep, in.data};
  assign {out.last, out.keep, out.data} = out_reg;
  assign takes = out.ready || !out.valid;

  if (FROM_MEMORY) begin : gen_from_memory
    logic [Beat-1:0] beat_reg, behind_reg;  // behind_reg: after the spare one
    logic valid_reg, behind_valid_reg;
    // There are three places: out, spare, after; a fourth beat would be lost.
    assign in.ready = !behind_valid_reg && !(spare_valid_reg && valid_reg);
    always_ff @(posedge clk) begin
      beat_reg <= beat;
      valid_reg <= in.valid && in.ready && !rst;
      if (takes) begin
        out_reg <= spare_valid_reg ? spare_reg : beat_reg;
        out.valid <= spare_valid_reg || valid_reg;
        spare_valid_reg <= spare_valid_reg && (behind_valid_reg || valid_reg);
        behind_valid_reg <= behind_valid_reg && valid_reg;
      end else if (valid_reg) begin
        spare_valid_reg  <= 1'b1;
        behind_valid_reg <= spare_valid_reg;
      end
      if (takes || !spare_valid_reg) spare_reg <= behind_valid_reg ? behind_reg : beat_reg;
      if (takes || !behind_valid_reg) behind_reg <= beat_reg;
      if (rst) begin
        out.valid <= 1'b0;
        spare_valid_reg <= 1'b0;
        behind_valid_reg <= 1'b0;
      end
    end

    assert property (@(posedge clk) disable iff (rst) !(valid_reg && behind_valid_reg));
    assert property (@(posedge clk) disable iff (rst) !behind_valid_reg || spare_valid_reg);
  end else begin : gen_register
    assign in.ready = !spare_valid_reg;
    always_ff @(posedge clk) begin
      if (in.ready) spare_reg <= beat;
      if (takes) begin
        out_reg <= spare_valid_reg ? spare_reg : beat;
        out.valid <= spare_valid_reg || in.valid;
        spare_valid_reg <= 1'b0;
      end else if (in.valid && in.ready) spare_valid_reg <= 1'b1;
      if (rst) begin
        out.valid <= 1'b0;
        spare_valid_reg <= 1'b0;
      end
    end
  end

  logic held;
  logic [Beat-1:0] previous;
  always_ff @(posedge clk) {held, previous} <= {!rst && out.valid && !out.ready, out_reg};
  assert property (@(posedge clk) disable iff (rst) !held || (out.valid && out_reg == previous));
endmodule

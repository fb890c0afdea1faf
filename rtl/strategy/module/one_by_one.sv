// A mask whose bits have their turn one after the other, the lowest first.
//
// Latency: `load` to `first` 1 cycle. Throughput: a bit a cycle. Parameter: N, bits. Overflow: a mask is loaded when none is left.
module one_by_one #(
    parameter int N = 4
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         load,
    input  logic [N-1:0] mask,
    input  logic         take,   // the first has had its turn
    output logic [N-1:0] first,  // one bit, or none
    output logic         any
);
  logic [N-1:0] left;

  assign first = left & (~left + 1'b1);
  assign any = |left;

  always_ff @(posedge clk) begin
    if (load) left <= mask;
    else if (take) left <= left & ~first;
    if (rst) left <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(load && any));
endmodule

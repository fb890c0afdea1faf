// The open presence map, its next bits first, and what is put aside while another one is open (FAST 1.1, 10.5).
//
//   token ── first bit to the top ─┬─ map ─ the next four bits
//   put aside ─────────────────────┤   └─ shifted by the bits that a group took
//                                  └──── put aside
//
// A frame of the stack belongs to a sequence or a group; it holds the map around it, and for a sequence inside a sequence how many entries the
// outer one has left and where they begin.
//
// Latency: 1 cycle. Throughput: one change a cycle. Parameter: DEPTH of the stack, a power of two: the assembler nests no deeper.
module fast_map
  import fast_pkg::*;
#(
    parameter int DEPTH = 8
) (
    input logic clk,
    input logic rst,

    input logic restart,  // a message begins: nothing is put aside
    input logic take,  // the token is a presence map
    input logic take_more,  // it is a further piece of one
    input logic drop_first,  // its first bit has been used
    /* verilator lint_off UNUSEDSIGNAL */
    input token_t token,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [2:0] shift,  // bits used up
    input logic push,
    input logic pop,
    input logic [23:0] push_data,
    output logic [23:0] pop_data,

    output logic [3:0] next_bits,  // the first is the highest
    output logic remains  // after `shift`, a bit is set
);
  localparam int Pointer = $clog2(DEPTH);

  typedef struct packed {
    logic [23:0] data;
    logic extra;  // bits were set that are not held
    logic [MapBits-1:0] bits;
  } frame_t;

  logic [MapBits-1:0] bits, shifted, aligned;
  logic extra, any;
  logic [Pointer-1:0] depth;
  frame_t frames[DEPTH];
  frame_t top;

  assign next_bits = bits[MapBits-1-:4];

  always_comb begin
    shifted = bits;
    for (int i = 1; i <= GroupSize; i++) if (shift == 3'(i)) shifted = bits << i;
    aligned = '0;
    any = 1'b0;
    for (int n = 1; n <= 8; n++) begin
      for (int b = 0; b < n; b++) begin
        if (token.count == 4'(n)) begin
          aligned[MapBits-1-7*b-:7] = token.data[n-1-b][6:0];
          any |= token.data[b][6:0] != 0;
        end
      end
    end
  end

  assign remains = shifted != 0 || extra;
  assign top = frames[Pointer'(depth-1'b1)];
  assign pop_data = top.data;

  always_ff @(posedge clk) begin
    if (push) frames[depth] <= '{data: push_data, extra: extra, bits: shifted};
    bits <= shifted;
    if (take) begin
      bits  <= drop_first ? aligned << 1 : aligned;
      extra <= 1'b0;
    end else if (pop) begin
      bits  <= top.bits;
      extra <= top.extra;
    end
    if (take_more && any) extra <= 1'b1;
    depth <= depth + Pointer'(push) - Pointer'(pop);
    if (rst || restart) depth <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(push && pop));
  assert property (@(posedge clk) disable iff (rst) !(take && take_more));
endmodule

// The open presence map, its next bits first, and what is put aside while another one is open (FAST 1.1, 10.5).
//
//   token ── first bit to the top ─┬─ map ─ the next four bits
//   put aside ─────────────────────┤   └─ shifted by the bits that a group takes
//                                  └──── put aside
//
// A frame of the stack belongs to a sequence, a group or a template reference; it holds the map around it, how many entries the sequence around it has
// left, and where these begin, or where the walk returns to after the reference around it.
//
// Latency: 1 cycle. Throughput: one change a cycle. Parameter: DEPTH of the stack, a power of two. Overflow: `half` says that as many frames are in use: the
// walk begins no reference then, and inside a template the assembler nests no deeper than the other half.
module fast_map
  import fast_pkg::*;
#(
    parameter int DEPTH = 16
) (
    input logic clk,
    input logic rst,

    input logic restart,  // a message begins: nothing is put aside
    /* verilator lint_off UNUSEDSIGNAL */
    input token_t token,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic is_map,  // the token is a presence map
    input logic take,  // it is taken
    input logic take_more,  // it is a further piece of the one before
    input logic drop_first,  // its first bit is used
    input logic [2:0] take_shift,  // of a map in one byte: bits that are used at once
    input logic would_pop,
    input logic pop,
    input logic push,
    input logic shift,
    input logic [2:0] shift_by,
    input logic [24:0] push_data,
    output logic [24:0] pop_data,

    output logic [MapBits-1:0] bits,  // the next one is the highest
    output logic extra,  // bits were set that are not held
    output logic half  // of the stack, or more, is in use
);
  localparam int Pointer = $clog2(DEPTH);

  typedef struct packed {
    logic [24:0] data;
    logic extra;
    logic [MapBits-1:0] bits;
  } frame_t;

  logic [MapBits-1:0] shifted, aligned;
  logic [6:0] one_byte;
  logic more, any;
  logic [Pointer:0] depth;
  logic [Pointer-1:0] below;  // depth - 1: to count is too late
  frame_t frames[DEPTH];
  frame_t top;

  always_comb begin
    shifted = bits;
    one_byte = token.data[0][6:0];
    for (int i = 1; i <= GroupSize; i++) begin
      if (shift_by == 3'(i)) shifted = bits << i;
      if (take_shift == 3'(i)) one_byte = token.data[0][6:0] << i;
    end
    aligned = '0;
    more = 1'b0;  // bytes that are not held have a bit set
    any = 1'b0;
    for (int n = 1; n <= 8; n++) begin
      if (token.count == 4'(n)) begin
        for (int b = 0; b < n && b < MapBytes; b++) aligned[MapBits-1-7*b-:7] |= token.data[n-1-b][6:0];
        for (int k = 0; k < n - MapBytes; k++) more |= token.data[k][6:0] != 0;
        for (int k = 0; k < n; k++) any |= token.data[k][6:0] != 0;
      end
    end
    if (drop_first) aligned = aligned << 1;
    if (token.count == 4'd1) aligned = {one_byte, {MapBits - 7{1'b0}}};
  end

  assign top = frames[below];
  assign pop_data = top.data;
  assign half = depth[Pointer-:2] != '0;

  always_ff @(posedge clk) begin
    if (push) frames[Pointer'(depth)] <= '{data: push_data, extra: extra, bits: bits};
    if (take || pop || shift) begin
      bits  <= is_map ? aligned : would_pop ? top.bits : shifted;
      extra <= is_map ? more : would_pop ? top.extra : extra;
    end
    if (take_more && any) extra <= 1'b1;
    if (push) begin
      depth <= depth + 1'b1;
      below <= below + 1'b1;
    end else if (pop) begin
      depth <= depth - 1'b1;
      below <= below - 1'b1;
    end
    if (rst || restart) begin
      depth <= '0;
      below <= '1;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(push && pop));
  assert property (@(posedge clk) disable iff (rst) below == Pointer'(depth - 1'b1));
  assert property (@(posedge clk) disable iff (rst) !take || is_map);
  assert property (@(posedge clk) disable iff (rst) !pop || (would_pop && !is_map));
  assert property (@(posedge clk) disable iff (rst) !shift || (!would_pop && !is_map));
endmodule

// The open presence map, and what is put aside while another one is open (FAST 1.1, 10.5).
//
//   token ──────┬─ map, first bit next ─ the next four bits
//   put aside ──┘   └ put aside
//
// The map stays as it is in the token, its last bit lowest; a pointer goes down as bits are used. A frame of the stack belongs to a sequence or a group;
// it holds the map around it, and for a sequence inside a sequence how many entries the outer one has left and where they begin.
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
    input logic [2:0] used,  // bits
    input logic push,
    input logic pop,
    input logic [23:0] push_data,
    output logic [23:0] pop_data,

    output logic [3:0] next_bits,  // the first is the highest
    output logic remains  // after `used`, a bit is set
);
  localparam int Pointer = $clog2(DEPTH);

  typedef struct packed {
    logic [23:0] data;
    logic extra;  // bits were set that are not held
    logic [5:0] left;  // bits that are not used
    logic [MapBits-1:0] bits;
  } frame_t;

  logic [MapBits-1:0] bits, unused_bits;
  logic [63:0] padded;
  logic [5:0] left, left_now, left_of_token;
  logic [7:0] octet_below, bit_below;
  logic extra, any;
  logic [Pointer-1:0] depth;
  frame_t frames[DEPTH];
  frame_t top;

  always_comb begin
    padded = {4'd0, bits, 4'd0};
    for (int i = 0; i < 4; i++) next_bits[3-i] = padded[left+6'(3-i)];
  end

  always_comb begin
    left_now = left > 6'(used) ? left - 6'(used) : 6'd0;
    // Below the pointer: octets below its own, and of that the bits below.
    for (int i = 0; i < 8; i++) begin
      octet_below[i] = 3'(i) < left_now[5:3];
      bit_below[i]   = 3'(i) < left_now[2:0];
    end
    for (int i = 0; i < MapBits; i++) unused_bits[i] = bits[i] && (octet_below[i/8] || (left_now[5:3] == 3'(i / 8) && bit_below[i%8]));
    left_of_token = '0;
    any = 1'b0;
    for (int n = 1; n <= 8; n++) begin
      if (token.count == 4'(n)) left_of_token |= 6'(7 * n);
      any |= token.count >= 4'(n) && token.data[n-1][6:0] != 0;
    end
  end

  assign remains = unused_bits != 0 || extra;
  assign top = frames[Pointer'(depth-1'b1)];
  assign pop_data = top.data;

  always_ff @(posedge clk) begin
    if (push) frames[depth] <= '{data: push_data, extra: extra, left: left_now, bits: bits};
    left <= left_now;
    if (take) begin
      for (int k = 0; k < 8; k++) bits[7*k+:7] <= token.data[k][6:0];
      left  <= drop_first ? left_of_token - 6'd1 : left_of_token;
      extra <= 1'b0;
    end else if (pop) begin
      bits  <= top.bits;
      left  <= top.left;
      extra <= top.extra;
    end
    if (take_more && any) extra <= 1'b1;
    depth <= depth + Pointer'(push) - Pointer'(pop);
    if (rst || restart) depth <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(push && pop));
  assert property (@(posedge clk) disable iff (rst) !(take && take_more));
endmodule

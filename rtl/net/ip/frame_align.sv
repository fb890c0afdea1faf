// Aligns a frame so that its header fields lie in fixed lanes and its payload begins in lane 0; takes out one VLAN tag.
//
//   W = 64, line:      |0      7|8     15|16    23|24    31|32    39|40    47|      started in lane 0, no tag
//           aligned: |   0,1|2     9|10    17|18    25|26    33|34    41|42 ...
//
// A start in lane 4 moves the frame by four bytes and so does a tag, so one choice of two serves: an aligned beat begins in lane 2
// of the line, or in lane 6. At W = 8 the stream is the line itself.
// With a tag, bytes from 10 on are counted again, until the second time at 12 and 13 the inner type is found; consumers
// that take a field on its beat thus end up with the later one.
// Parameters: W; LAST, the aligned beat up to which they are counted, the first of the payload in UDP.
// Latency: 0 cycles after the line for the aligned beat that ends there. Throughput: a beat a cycle. After the frame's last line beat
// comes one aligned beat more (W = 64), with the rest of the frame. `finished` is high in that cycle and resets everything for the next frame.
module frame_align
  import header_pkg::*;
#(
    parameter int W = 64,
    parameter int LAST = beat_of(W, UdpPayload)
) (
    input logic   clk,
    input logic   rst,
    line_if.snk   line,
    input logic   finished,
    header_if.src header
);
  localparam int Again = beat_of(W, EthernetType - 2);
  localparam int Position = position_width(W);

  logic [Position-1:0] position_reg;
  logic vlan_reg;
  logic at_last_reg;  // the position is LAST
  logic tag;  // the tag's type is on the line, where the frame's type would be

  assign header.position = position_reg;

  if (W == 8) begin : g_byte
    assign header.shift = 1'b0;
    assign header.beat = line.valid;
    assign header.data = line.data;
    logic type_reg;  // the position is that of the type's end
    always_ff @(posedge clk) begin
      if (line.valid) type_reg <= position_reg == Position'(EthernetType);
      if (finished) type_reg <= 1'b0;
    end
    assign tag = line.tag && type_reg;
  end else begin : g_word
    logic [47:0] before_reg;  // lanes 2 to 7 of the beat before
    always_ff @(posedge clk) before_reg <= line.data[63:16];
    logic shift_reg;
    always_ff @(posedge clk) begin
      if (!line.valid) shift_reg <= line.offset;
      else if (tag && !vlan_reg) shift_reg <= !shift_reg;
    end
    assign header.shift = shift_reg;
    assign header.beat = line.valid || finished;
    assign header.data = header.shift ? {line.data[47:0], before_reg[47:32]} : {line.data[15:0], before_reg};
    assign tag = line.tag && position_reg == (line.offset ? Position'(2) : Position'(1));
  end

  always_comb begin
    header.next = position_reg;
    if (finished || rst) header.next = '0;
    else if (line.valid && tag && !vlan_reg) header.next = Position'(Again);
    else if (line.valid && !at_last_reg) header.next = position_reg + 1'b1;
  end

  always_ff @(posedge clk) begin
    position_reg <= header.next;
    at_last_reg <= !rst && !finished && (at_last_reg || (line.valid && position_reg == Position'(LAST - 1)));
    vlan_reg <= !rst && !finished && (vlan_reg || (line.valid && tag));
  end

  if (W != 8 && W != 64) begin : g_width
    $fatal(1, "frame_align: W must be 8 or 64");
  end

  assert property (@(posedge clk) disable iff (rst) !line.valid || !finished);
  assert property (@(posedge clk) disable iff (rst) at_last_reg == (position_reg == Position'(LAST)));

endmodule

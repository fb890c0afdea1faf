// Receives frames from XGMII, 8 bytes a beat, started in lane 0 or in lane 4.
//
//   lane  0 1 2 3 4 5 6 7
//         S p p p p p p D    start in lane 0: the frame's first byte is in lane 0 of the next beat
//         . . . . S p p p
//         p p p D f f f f    start in lane 4: the frame's first byte is in lane 4 of the next beat (offset)
//         f f T . . . . .    two bytes, then terminate
//
// Latency: 1 cycle. Throughput: a beat a cycle; the gap (terminate included) may be as short as 5 bytes. A start in a beat that still
// holds bytes of the frame before is ignored with the frame that follows it: the gap was below 5.
// Any control character ends a frame; if it is not terminate, the frame ends in error. After that nothing counts until the
// next start. A start without a byte after the preamble is no frame. What the preamble holds is not looked at.
// While `enable` is low all lanes count as control characters; it enters the logic last, because it comes from far away.
// last and error depend on the MII input of the same cycle: when a frame fills its last beat, only the next one shows the end.
module xgmii_rx (
    input logic        clk,
    input logic        rst,
    input logic [63:0] data,
    input logic [ 7:0] control,
    input logic        enable,
    line_if.src        line,
    output logic [63:0] data_copy  // line.data from flip-flops of their own, for receivers that lie far from the others
);
  localparam logic [7:0] Start = 8'hfb;
  localparam logic [7:0] Terminate = 8'hfd;
  localparam logic [15:0] Tag = {header_pkg::TypeVlan[7:0], header_pkg::TypeVlan[15:8]};  // in lanes

  logic in_frame_reg, begin_reg;  // of the beat on the MII
  logic starts_high_reg;  // the frame begins in its lane 4
  logic ended_reg, terminated_reg;  // of the beat on the line: it holds the frame's end, and that was a terminate

  (* keep *) logic [63:0] copy_reg;
  assign data_copy = copy_reg;

  logic [7:0] mine;  // lanes that hold bytes of the frame
  logic [3:0] stop;
  logic start_low, start_high, terminated;

  always_comb begin
    logic open;
    open = 1'b1;
    stop = '0;
    terminated = 1'b0;
    for (int i = 0; i < 8; i++) begin
      if (open && control[i]) terminated = data[8*i+:8] == Terminate;
      open = open && !control[i];
      if (open) stop = 4'(i + 1);
      mine[i] = open && in_frame_reg && !(starts_high_reg && i < 4);
    end
    start_low  = control == 8'h01 && data[7:0] == Start;
    // No lane before it belongs to a frame.
    start_high = control[7:4] == 4'h1 && data[39:32] == Start && !(in_frame_reg && !starts_high_reg && !control[0]);
  end

  assign line.last  = line.valid && (ended_reg || control[0] || !enable);
  assign line.error = ended_reg ? !terminated_reg : data[7:0] != Terminate;

  always_ff @(posedge clk) begin
    in_frame_reg   <= enable && ((in_frame_reg && control == '0) || start_low || start_high);
    begin_reg      <= enable && (start_low || start_high);
    starts_high_reg <= enable && start_high;
    line.offset    <= start_high || (line.offset && !start_low);
    line.valid     <= enable && in_frame_reg && !(starts_high_reg ? |control[4:0] : control[0]);
    line.first     <= begin_reg;
    line.stop      <= stop;
    ended_reg      <= control != '0;
    terminated_reg <= terminated;
    line.tag       <= (line.offset ? data[15:0] : data[47:32]) == Tag;
    for (int i = 0; i < 8; i++) begin
      line.data[8*i+:8] <= mine[i] ? data[8*i+:8] : 8'h0;
      copy_reg[8*i+:8]  <= mine[i] ? data[8*i+:8] : 8'h0;
    end
    if (rst) begin
      in_frame_reg <= 1'b0;
      begin_reg    <= 1'b0;
      starts_high_reg <= 1'b0;
      line.valid   <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) starts_high_reg == (begin_reg && line.offset));
  assert property (@(posedge clk) disable iff (rst) line.valid == ($past(enable) && |$past(mine)));

endmodule

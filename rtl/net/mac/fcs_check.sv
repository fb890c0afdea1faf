// Checks the FCS of each frame on the line, in the lanes it arrived in.
//
// Bytes in front of the frame and after it are zero on the line and go through the CRC all the same: the state begins with a value that four zeros turn
// into the proper one (offset), and trailing zeros turn the residue into another constant for each number of them.
// Latency: `good` is valid in the cycle after a frame's last beat. Throughput: a beat a cycle, frames back to back. Parameters: W.
module fcs_check #(
    parameter int W = 64
) (
    input  logic clk,
    line_if.snk  line,
    output logic good
);
  localparam logic [31:0] Init = 32'hffffffff;
  localparam logic [31:0] InitOffset = 32'h9226f562;  // becomes Init over four zero bytes
  // crc32_pkg::Residue and what it becomes over zero bytes up to the beat's end, by number of lanes that hold bytes of the frame (0: all).
  localparam logic [7:0][31:0] ResidueOf = {
    32'h39dd08e2, 32'h4e3d5e5c, 32'h62932081, 32'h9add2096, 32'h19f6eb51, 32'h1c759789, 32'h94784e13, crc32_pkg::Residue
  };

  logic [31:0] state_reg, base;

  assign base = !line.first ? state_reg : line.offset ? InitOffset : Init;

  if (W == 8) begin : g_byte
    always_ff @(posedge clk) state_reg <= crc32_pkg::crc32_step8(base, line.data);
    assign good = state_reg == ResidueOf[0];
  end else if (W == 64) begin : g_word
    logic [2:0] stop_reg;
    always_ff @(posedge clk) begin
      state_reg <= crc32_pkg::crc32_step64(base, line.data);
      stop_reg  <= line.stop[2:0];
    end
    assign good = state_reg == ResidueOf[stop_reg];
  end else begin : g_width
    $fatal(1, "fcs_check: W must be 8 or 64");
  end

endmodule

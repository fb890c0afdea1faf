// Receives frames from GMII: finds the SFD, passes on what follows it.
//
// Latency: 1 cycle. Throughput: a byte a cycle; frames may follow each other after one cycle without rx_dv.
// Preambles of any length are accepted. A burst without SFD, or with nothing after it, is no frame. rx_er after the SFD and
// while rx_dv is set makes the frame end in error; elsewhere (carrier extension, false carrier) it is ignored.
// last and error depend on the MII input of the same cycle: only the fall of rx_dv shows the end, and the verdict may not come later.
module gmii_rx (
    input logic       clk,
    input logic       rst,
    input logic [7:0] data,
    input logic       valid,
    input logic       error,
    line_if.src       line
);
  localparam logic [7:0] StartOfFrame = 8'hd5;

  logic in_frame_reg, begin_reg, error_reg;

  assign line.offset = 1'b0;
  assign line.stop   = 1'b1;
  assign line.last   = line.valid && !valid;
  assign line.error  = error_reg;

  always_ff @(posedge clk) begin
    in_frame_reg <= valid && (in_frame_reg || data == StartOfFrame);
    begin_reg    <= valid && !in_frame_reg && data == StartOfFrame;
    line.valid   <= valid && in_frame_reg;
    line.first   <= begin_reg;
    line.data    <= data;
    line.tag     <= {line.data, data} == header_pkg::TypeVlan;
    error_reg    <= valid && in_frame_reg && (error || error_reg);
    if (rst) begin
      in_frame_reg <= 1'b0;
      line.valid   <= 1'b0;
    end
  end

endmodule

// Counts bytes down, a beat at a time, and says for the coming beat which lanes still belong.
//
// Set `count` with `load`: bytes that follow the present beat, at least one beat of them. keep and last are registers, computed a beat
// ahead: `keep` marks the lanes of the coming beat that are within the count, `last` that none follow it.
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: W.
module countdown #(
    parameter int W = 64
) (
    input  logic           clk,
    input  logic           step,
    input  logic           load,   // with step
    input  logic [   15:0] count,
    output logic [W/8-1:0] keep,
    output logic           last
);
  localparam logic [15:0] Beat = 16'(W / 8);

  logic [15:0] left_reg;  // from the coming beat on, if that is above zero

  always_ff @(posedge clk) begin
    if (step) begin
      if (load) begin
        left_reg <= count;
        keep <= '1;
        last <= 1'b0;
      end else begin
        left_reg <= left_reg < Beat ? '0 : left_reg - Beat;
        for (int i = 0; i < W / 8; i++) keep[i] <= left_reg > Beat + 16'(i);
        last <= left_reg <= 2 * Beat;
      end
    end
  end

endmodule

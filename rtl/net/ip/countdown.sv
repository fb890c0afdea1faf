// Counts bytes down, a beat at a time, and says which lanes of the coming beat still belong.
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
  localparam int Beat = W / 8;
  localparam int Whole = $clog2(Beat);  // bits from here on count complete beats

  logic [15:0] left_reg;  // from the coming beat on
  logic [15:0] rest;      // the part that is less than a beat
  logic one, more;  // it is at least one beat, at least two

  assign rest = left_reg & 16'(Beat - 1);
  assign one  = left_reg[15:Whole] != '0;
  assign more = left_reg[15:Whole+1] != '0;

  always_ff @(posedge clk) begin
    if (step) begin
      if (load) begin
        left_reg <= count;
        keep <= '1;
        last <= 1'b0;
      end else begin
        left_reg <= one ? left_reg - 16'(Beat) : '0;
        keep <= more ? '1 : one ? ~({Beat{1'b1}} << rest) : '0;
        last <= !more || left_reg == 16'(2 * Beat);
      end
    end
  end

endmodule

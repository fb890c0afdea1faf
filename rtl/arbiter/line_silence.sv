// Tells for each of two lines when it has been silent for too long: once, until it speaks again.
//
// Latency: 2 cycles after the limit. Throughput: a beat a cycle on each line. No parameters. Nothing overflows.
module line_silence (
    input  logic        clk,
    input  logic        rst,
    input  logic [ 1:0] speaks,
    input  logic [31:0] limit,        // cycles; 0: never
    output logic [ 1:0] line_silent,  // pulses
    output logic [ 1:0] silent
);
  logic [1:0][31:0] quiet;  // cycles since the line's last beat

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      if (!silent[i]) quiet[i] <= quiet[i] + 32'd1;
      line_silent[i] <= limit != '0 && quiet[i] >= limit && !silent[i] && !line_silent[i];
      if (line_silent[i]) silent[i] <= 1'b1;
      if (speaks[i]) {quiet[i], silent[i]} <= '0;
    end
    if (rst) begin
      quiet <= '0;
      silent <= '0;
      line_silent <= '0;
    end
  end
endmodule

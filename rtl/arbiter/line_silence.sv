// Finds lines that have fallen silent.
//
// Latency: 1 cycle. Throughput: no bound. Parameters: none. Overflow: none, a silent line's count stands still.
module line_silence (
    input  logic        clk,
    input  logic        rst,
    input  logic [ 1:0] beat,         // of line A, of line B
    input  logic [31:0] idle_limit,   // cycles of silence after which a line counts as silent; 0: never
    output logic [ 1:0] line_silent,  // pulses, by line
    output logic        all_silent
);
  logic [1:0] silent;
  logic [1:0][31:0] quiet;  // cycles since the line's last beat

  assign all_silent = &silent;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      if (!silent[i]) quiet[i] <= quiet[i] + 32'd1;
      line_silent[i] <= idle_limit != '0 && quiet[i] >= idle_limit && !silent[i] && !line_silent[i];
      if (line_silent[i]) silent[i] <= 1'b1;
      if (beat[i]) {quiet[i], silent[i]} <= '0;
    end
    if (rst) begin
      quiet <= '0;
      silent <= '0;
      line_silent <= '0;
    end
  end
endmodule

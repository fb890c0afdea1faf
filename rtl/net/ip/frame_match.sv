// Says whether a frame's first bytes match a pattern.
//
// Latency: `match` is valid from 2 cycles after the beat with the pattern's last byte until 2 cycles after the next frame's first beat.
// Throughput: a beat a cycle. Parameters: W; BYTES in the pattern; MASK, the bits that count, byte 0 of the frame lowest.
// A frame that ends within the pattern: `match` covers the bytes up to there.
module frame_match #(
    parameter int W = 64,
    parameter int BYTES = 6,
    parameter logic [BYTES-1:0][7:0] MASK = '1
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  beat_valid,  // the frame from lane 0 on: frame_store
    input  logic                  beat_last,
    input  logic [      W-1:0]    beat_data,
    input  logic [BYTES-1:0][7:0] pattern,     // byte 0 of the frame lowest
    output logic                  match
);
  localparam int N = W / 8;
  localparam int Beats = (BYTES + N - 1) / N;
  localparam int Index = $clog2(Beats + 1);
  localparam logic [Beats:0][W-1:0] MaskOf = ((Beats + 1) * W)'(MASK);  // none after the pattern

  logic [Beats:0][W-1:0] pattern_of;
  logic [Index-1:0] index_reg;  // of the coming beat; stays after the pattern
  logic valid_reg, first_reg;
  logic [W-1:0] data_reg, expected_reg, mask_reg;

  assign pattern_of = ((Beats + 1) * W)'(pattern);

  always_ff @(posedge clk) begin
    if (beat_valid) begin
      if (beat_last) index_reg <= '0;
      else if (index_reg != Index'(Beats)) index_reg <= index_reg + 1'b1;
    end
    valid_reg <= beat_valid;
    first_reg <= index_reg == '0;
    data_reg <= beat_data;
    expected_reg <= pattern_of[index_reg];
    mask_reg <= MaskOf[index_reg];
    if (valid_reg) match <= (first_reg || match) && ((data_reg ^ expected_reg) & mask_reg) == '0;
    if (rst) index_reg <= '0;
  end
endmodule

// Proves for stale_source, for any length of time and any limit, which may change: it is stale exactly if the limit is not 0 and more than so many
// cycles passed without a sign of life. Only `alive` ends it, and a limit of 0. A limit counts from the next sign of life on, or at once if there
// was none before; after the reset the first limit is the longest there is.
module stale_source_formal (
    input logic        clk,
    input logic [31:0] limit,
    input logic        alive
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic stale;
  stale_source dut (
      .clk,
      .rst,
      .limit,
      .alive,
      .stale
  );

  logic limited;  // there was a limit a cycle ago
  logic [31:0] counts;  // the limit that counts
  logic [32:0] silent;  // cycles without a sign of life, at most 2^32
  always_ff @(posedge clk) begin
    limited <= limit != '0;
    silent <= silent[32] ? silent : silent + 1'b1;
    if (alive || !limited) {silent, counts} <= {33'd0, limit};
    if (rst) {silent, counts} <= {33'd0, 32'hffff_ffff};
  end

  logic was_stale;
  always_ff @(posedge clk) was_stale <= !rst && (was_stale || stale);

  always_comb begin
    if (!rst) begin
      assert (stale == (limited && silent > {1'b0, counts}));
      // For the induction: what is left, and that it was 0 a cycle ago.
      assert (dut.left == (silent >= {1'b0, counts} ? '0 : counts - silent[31:0]));
      assert (dut.limited == limited);
      assert ((dut.over == 2'b11) == (silent > {1'b0, counts}));
      assert (silent <= {1'b1, 32'd0});

      cover (stale && counts == 32'd3);
      cover (was_stale && !stale && limited);
      cover (was_stale && !limited);
    end
  end
endmodule

// Gives the verdict on each frame, once.
//
// Latency: `finished` and `accepted` in the cycle after the frame's last beat on the line, `cause` in the cycle after that. Throughput: line rate.
// Lengths are counted from where the limit is a power of two, so that one bit decides, and no further: a frame that goes on
// beyond any length is oversize when it ends. Parameters: W.
module frame_verdict
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input  logic        clk,
    input  logic        rst,
    line_if.snk         line,
    input  logic        fcs_good,
    input  logic        header_accepted,
    input  net_cause_e  header_cause,
    input  net_cause_e  header_cause_if_short,
    input  logic        load,                   // `left` belongs to this beat
    input  logic [15:0] left,                   // bytes of the IPv4 packet, and an FCS, after this beat of the line
    input  logic        udp_good,
    input  logic        udp_unchecked,
    output logic        finished,
    output logic        accepted,
    output net_cause_e  cause
);
  localparam int Beat = W / 8;
  localparam int Minimum = 64;
  localparam int Maximum = 9022;

  logic [7:0] minimum_reg;   // [7]: at least Minimum
  logic [14:0] maximum_reg;  // [14]: above Maximum
  logic [W/8-1:0] needed;    // lanes that the packet, by its length, and the FCS reach
  logic needed_last;
  logic error_reg, short_reg, runt, oversize, early_good;
  logic mii_bad, fcs_bad, udp_bad;
  net_cause_e early;

  countdown #(
      .W(W)
  ) frame_end (
      .clk,
      .step(line.valid),
      .load,
      .count(left),
      .keep(needed),
      .last(needed_last)
  );

  assign runt = !minimum_reg[7];
  assign oversize = maximum_reg[14];

  always_ff @(posedge clk) begin
    finished  <= line.last;
    error_reg <= line.error;
    short_reg <= !needed_last;
    for (int i = 1; i < Beat; i++) if (int'(line.stop) == i) short_reg <= needed[i];
    if (!line.valid) begin
      minimum_reg <= 8'(128 - Minimum) - (line.offset ? 8'd4 : 8'd0);
      maximum_reg <= 15'(16384 - Maximum - 1) - (line.offset ? 15'd4 : 15'd0);
    end else begin
      if (runt) minimum_reg <= minimum_reg + 8'(line.stop);
      if (!oversize) maximum_reg <= maximum_reg + 15'(line.stop);
    end
    if (rst) finished <= 1'b0;
  end

  assign early_good = !runt && !oversize && !short_reg && header_accepted;
  assign accepted = !error_reg && early_good && fcs_good && (udp_unchecked || udp_good);

  // The two checksums come late: each is only registered, and the choice is made a cycle later.
  always_ff @(posedge clk) begin
    if (runt) early <= CAUSE_RUNT;
    else if (oversize) early <= CAUSE_OVERSIZE;
    else if (short_reg) early <= header_cause_if_short;
    else early <= header_cause;
    mii_bad <= error_reg;
    fcs_bad <= !fcs_good;
    udp_bad <= early_good && !udp_unchecked && !udp_good;
  end

  always_comb begin
    if (mii_bad) cause = CAUSE_MII_ERROR;
    else if (fcs_bad) cause = CAUSE_FCS_ERROR;
    else if (udp_bad) cause = CAUSE_UDP_CHECKSUM_ERROR;
    else cause = early;
  end

  logic finished_before, accepted_before;
  always_ff @(posedge clk) {finished_before, accepted_before} <= {finished && !rst, accepted};
  assert property (@(posedge clk) disable iff (rst) !finished_before || accepted_before == (cause == CAUSE_ACCEPTED));

endmodule

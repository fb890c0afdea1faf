// Says of each frame, once, why it ended as it did.
//
// Latency: `finished`, `accepted` and `cause` in the cycle after the frame's last beat on the line. Throughput: line rate.
// Length is counted up to 16 kB and stays there, so a frame that never ends counts as oversize when it does.
module frame_verdict
  import tickwire_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    line_if.snk         line,
    input  logic        fcs_good,
    input  net_cause_e  header_cause,
    input  net_cause_e  header_cause_if_short,
    input  logic [15:0] total_length,
    input  logic        vlan,
    input  logic        udp_good,
    output logic        finished,
    output logic        accepted,
    output net_cause_e  cause
);
  localparam logic [13:0] Minimum = 14'd64;
  localparam logic [13:0] Maximum = 14'd9022;
  localparam int Around = 14 + 4;  // Ethernet header and FCS

  logic [13:0] length_reg, length;  // up to the beat before, up to this one
  logic [16:0] needed_reg;
  logic error_reg, runt_reg, oversize_reg, short_reg;

  always_comb begin
    length = !line.first ? length_reg : line.offset ? -14'd4 : 14'd0;
    length = length + 14'(line.stop);
  end

  always_ff @(posedge clk) begin
    finished     <= line.last;
    error_reg    <= line.error;
    needed_reg   <= 17'(total_length) + 17'(Around) + (vlan ? 17'd4 : 17'd0);
    runt_reg     <= length < Minimum;
    oversize_reg <= length > Maximum;
    short_reg    <= needed_reg > 17'(length);
    if (line.first || length_reg[13:4] != '1) length_reg <= length;
    if (rst) finished <= 1'b0;
  end

  always_comb begin
    accepted = !error_reg && fcs_good && !runt_reg && !oversize_reg && !short_reg && header_cause == CAUSE_ACCEPTED && udp_good;
    if (error_reg) cause = CAUSE_MII_ERROR;
    else if (!fcs_good) cause = CAUSE_FCS_ERROR;
    else if (runt_reg) cause = CAUSE_RUNT;
    else if (oversize_reg) cause = CAUSE_OVERSIZE;
    else if (short_reg) cause = header_cause_if_short;
    else if (header_cause == CAUSE_ACCEPTED && !udp_good) cause = CAUSE_UDP_CHECKSUM_ERROR;
    else cause = header_cause;
  end

  assert property (@(posedge clk) disable iff (rst) !finished || accepted == (cause == CAUSE_ACCEPTED));

endmodule

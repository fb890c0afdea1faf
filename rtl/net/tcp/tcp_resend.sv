// Requests what is to be read out of the buffer and sent again: one segment from SND.UNA on, of at most 2,048 bytes.
//
// A message that is leaving is outstanding from its start, but is written into the buffer as it leaves: nothing is read meanwhile. What was
// requested before does not include it.
//
// Latency: a cycle from the request to `read`, which stays the same until the frame has left, or SND.UNA moves before it began.
// Throughput: a segment at a time. Parameters: BUFFER, bytes. Overflow: none.
module tcp_resend
  import tcp_pkg::*;
#(
    parameter int BUFFER = 16384
) (
    input  logic                      clk,
    input  logic                      rst,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_session_t              session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic         [      16:0] outstanding,
    input  logic                      requested,
    input  logic                      moved,        // SND.UNA will change in the next cycle
    input  logic                      leaving,      // a message is being sent
    input  logic                      start,        // a frame of this kind is started
    input  logic                      sending,      // and is being sent
    input  logic                      sent,         // its last cycle
    output logic                      read,
    output logic [$clog2(BUFFER)-1:0] address,
    output logic [              15:0] length
);
  logic [16:0] bytes_reg;  // all but the FIN
  logic [11:0] most_reg, limited_reg;  // the most bytes in a segment; the same limited to those there are

  always_ff @(posedge clk) begin
    bytes_reg   <= outstanding - 17'(session.fin_sent);
    most_reg <= session.send_mss[15:11] != '0 ? 12'd2048 : session.send_mss[11:0];
    limited_reg <= bytes_reg > 17'(most_reg) ? most_reg : bytes_reg[11:0];
    if (!read) begin
      read <= requested && !moved && !leaving;
      address <= session.send_unacknowledged[$clog2(BUFFER)-1:0];
      length <= {4'b0, limited_reg};
    end else if (sending) read <= !sent;
    else read <= requested || start;
    if (rst) read <= 1'b0;
  end

endmodule

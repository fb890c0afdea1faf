// What a session may send: how much is outstanding, and whether the next order and the host's message fit into window, buffer and segment.
//
// Latency: `outstanding` 1 cycle behind `session`, the others 3. Throughput: always. Parameters: W; BUFFER, bytes.
module tcp_room
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384
) (
    input  logic         clk,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    input  tcp_session_t session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 15:0] order_length,
    input  logic [ 15:0] host_length,
    output logic [ 16:0] outstanding,   // sequence numbers
    output logic [ 31:0] lowest_ack,    // that the peer may plausibly send (RFC 5961, 5.2)
    output logic [ 17:0] ack_range,     // from there on
    output logic         order_full,    // window or buffer has no room
    output logic         order_fits,
    output logic         host_full,
    output logic         host_fits
);
  localparam logic [16:0] Room = 17'(BUFFER - W / 8);  // see tcp_buffer

  logic [16:0] allowed_reg;
  logic signed [17:0] space_reg;

  always_ff @(posedge clk) begin
    outstanding <= 17'(session.send_next - session.send_unacknowledged);
    lowest_ack <= session.send_unacknowledged - {16'b0, session.largest_window};
    ack_range <= {1'b0, outstanding} + {2'b0, session.largest_window};
    allowed_reg <= {1'b0, session.send_window} < Room ? {1'b0, session.send_window} : Room;
    space_reg <= $signed({1'b0, allowed_reg}) - $signed({1'b0, outstanding});
    order_full <= space_reg < $signed({2'b0, order_length});
    order_fits <= space_reg >= $signed({2'b0, order_length}) && order_length <= session.send_mss;
    host_full <= space_reg < $signed({2'b0, host_length});
    host_fits <= space_reg >= $signed({2'b0, host_length}) && host_length <= session.send_mss;
  end

endmodule

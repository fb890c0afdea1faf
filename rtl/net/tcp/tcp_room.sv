// What a session may send: how much is outstanding, and whether the next order and the host's message fit into window, buffer and segment.
//
// Latency: `outstanding` 1 cycle after `session`, the others 3. Throughput: a change a cycle. Parameters: W; BUFFER, bytes.
// Overflow: none: what does not fit is not allowed, `order_full` and `host_full` say so.
module tcp_room
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384
) (
    input  logic         clk,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  tcp_session_t session,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [ 15:0] order_length,
    input  logic [ 15:0] host_length,
    output logic [ 16:0] outstanding,   // sequence numbers
    output logic         order_full,    // window or buffer has no room
    output logic         order_fits,    // they have room, and a segment too
    output logic         host_full,
    output logic         shrunk         // more is outstanding than the window holds: the peer reduced it
);
  localparam logic [15:0] Room = 16'(BUFFER - W / 8);  // see tcp_buffer

  logic [15:0] allowed_reg;
  logic signed [17:0] space_reg;  // below zero where a window shrank
  logic order_short;

  assign order_short = space_reg < $signed({2'b0, order_length});

  always_ff @(posedge clk) begin
    outstanding <= 17'(session.send_next - session.send_unacknowledged);
    allowed_reg <= session.send_window < Room ? session.send_window : Room;
    space_reg   <= $signed({2'b0, allowed_reg}) - $signed({1'b0, outstanding});
    order_full  <= order_short;
    order_fits  <= !order_short && order_length <= session.send_mss;
    shrunk      <= space_reg < 0;
    host_full   <= space_reg < $signed({2'b0, host_length});
  end

endmodule

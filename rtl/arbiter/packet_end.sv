// Reports each packet of a line that has ended and is good, with its number; and one that is too short to have a number.
//
//   line ─ register ─ good? ─ register ─ ended
//
// Latency: 2 cycles from the packet's last beat. Throughput: a packet every 2 cycles. Parameters: S, bits of a sequence number. Overflow: none.
module packet_end
  import arbiter_pkg::*;
#(
    parameter int S = 64
) (
    input  logic                 clk,
    input  logic                 rst,
    arbiter_line_if.snk          line,
    output logic                 ended,
    output logic [        S-1:0] ended_number,
    output logic [CountBits-1:0] ended_count,
    output logic                 ended_session,  // it ends the session
    output logic                 malformed
);
  logic ends, err, short_end;

  always_ff @(posedge clk) begin
    {ends, err, short_end} <= {line.valid && line.last && !rst, line.err, line.short_end};
    ended <= ends && !err && !short_end && !rst;
    ended_number <= line.sequence_held;
    ended_count <= line.count_held;
    ended_session <= line.end_held;
    malformed <= ends && !err && short_end && !rst;
  end
endmodule

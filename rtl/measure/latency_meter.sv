// Measures last→first inside the core: cycles from the last FCS byte of a heartbeat's frame on the MII to the first
// preamble byte of its report on the MII.
//
// Latency: results are registers, valid the cycle after `started`. Throughput: one report at a time, as statistics_slot
// sends them. Parameters: none. A kept packet's count begins when it leaves the arbiter.
// Overflow: the count stops at 2^16 - 1.
module latency_meter (
    input  logic        clk,
    input  logic        rst,
    input  logic        verdict,        // a frame's last beat goes to the decoder,
    input  logic [ 7:0] verdict_delay,  // so many cycles after its last FCS byte
    input  logic        heartbeat,  // from statistics_slot: that frame causes a report
    input  logic        started,    // mac_tx: first preamble byte is on the MII
    output logic [31:0] last,
    output logic [31:0] minimum,    // all ones until the first report
    output logic [31:0] maximum
);
  logic [15:0] since_verdict, age;
  logic pending;

  function automatic logic [15:0] next(input logic [15:0] count);
    return &count ? count : count + 16'd1;
  endfunction

  always_ff @(posedge clk) begin
    since_verdict <= verdict ? 16'(verdict_delay) + 16'd1 : next(since_verdict);
    age <= heartbeat && !pending ? next(since_verdict) : next(age);
    if (heartbeat) pending <= 1'b1;
    if (started && pending) begin
      pending <= 1'b0;
      last <= {16'd0, age};
      if ({16'd0, age} < minimum) minimum <= {16'd0, age};
      if ({16'd0, age} > maximum) maximum <= {16'd0, age};
    end
    if (rst) begin
      since_verdict <= '0;
      pending <= 1'b0;
      last <= '0;
      minimum <= '1;
      maximum <= '0;
    end
  end
endmodule

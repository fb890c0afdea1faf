// The arbiter with its test framework around it: a packet that goes in comes out with the arbiter's own latency, in cycles, written in it.
//
//                      ┌ a ─ packet_stamp ─┐         ┌─ packet_timer ─ low_latency
//   in ─ line_splitter ┤                   ├ arbiter ┤
//                      └ b ─ packet_stamp ─┘         └─ packet_timer ─ high_reliability
//
// Latency: 1 cycle for the splitter, packet_stamp_pkg::stamp_cycles for each of stamp and timer, and the arbiter's. Throughput: a beat a cycle.
// Parameters: those of arbiter, and OFFSET of the latency in the packet, by default after sequence number and count.
// Overflow: see arbiter; packets too short to hold the latency pass as they are and are counted separately.
module arbiter_timed
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int PACKETS = 8,
    parameter int HOLD = 1 << 27,
    parameter int OFFSET = header_bytes(PROTOCOL),
    localparam int S = PROTOCOL.sequence_bits
) (
    input  logic                                clk,
    input  logic                                rst,
    stream_if.snk                        in,
    // As in line_splitter, by line: 0 is A.
    input  logic         [          1:0]        delay,
    input  logic         [          1:0]        drop,
    input  logic         [          1:0]        spoil,             // its `bad`
    input  logic         [          1:0]        replace,
    input  logic         [          1:0][S-1:0] replacement,
    // As in arbiter.
    input  window_e                             mode,
    input  logic         [         31:0]        time_window,
    input  logic         [CountBits-1:0]        count_window,
    input  logic         [         31:0]        idle_limit,
    input  logic                                flush,
    stream_if.src                        low_latency,
    stream_if.src                        high_reliability,
    output arbiter_event_t                      events,
    output logic         [          1:0]        gap,
    output logic         [          1:0][S-1:0] gap_from,
    output logic         [          1:0][S-1:0] gap_to,
    // As in packet_timer, by output: 0 is low latency.
    input  logic                                clear,
    output logic         [          1:0][ 31:0] latest,
    output logic         [          1:0][ 31:0] minimum,
    output logic         [          1:0][ 31:0] maximum,
    output logic         [          1:0][ 31:0] packets,
    output logic         [          1:0][ 31:0] too_short
);
  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) a_stamped ();
  stream_if #(.W(W)) b_stamped ();
  stream_if #(.W(W)) low ();
  stream_if #(.W(W)) high ();

  logic [31:0] cycle;
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (rst) cycle <= '0;
  end

  line_splitter #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) splitter (
      .clk,
      .rst,
      .in,
      .delay,
      .drop,
      .bad(spoil),
      .replace,
      .replacement,
      .a(a.src),
      .b(b.src)
  );

  logic [1:0] unused_short;
  logic unused;
  assign unused = &{1'b0, unused_short};

  packet_stamp #(
      .W(W),
      .OFFSET(OFFSET)
  ) stamp_a (
      .clk,
      .rst,
      .cycle,
      .in(a.snk),
      .out(a_stamped.src),
      .too_short(unused_short[0])
  );

  packet_stamp #(
      .W(W),
      .OFFSET(OFFSET)
  ) stamp_b (
      .clk,
      .rst,
      .cycle,
      .in(b.snk),
      .out(b_stamped.src),
      .too_short(unused_short[1])
  );

  arbiter #(
      .W(W),
      .PROTOCOL(PROTOCOL),
      .PACKETS(PACKETS),
      .HOLD(HOLD)
  ) dut (
      .clk,
      .rst,
      .a(a_stamped.snk),
      .b(b_stamped.snk),
      .mode,
      .time_window,
      .count_window,
      .idle_limit,
      .flush,
      .low_latency(low.src),
      .high_reliability(high.src),
      .events,
      .gap,
      .gap_from,
      .gap_to
  );

  packet_timer #(
      .W(W),
      .OFFSET(OFFSET)
  ) timer_low (
      .clk,
      .rst,
      .clear,
      .cycle,
      .in(low.snk),
      .out(low_latency),
      .latest(latest[0]),
      .minimum(minimum[0]),
      .maximum(maximum[0]),
      .packets(packets[0]),
      .too_short(too_short[0])
  );

  packet_timer #(
      .W(W),
      .OFFSET(OFFSET)
  ) timer_high (
      .clk,
      .rst,
      .clear,
      .cycle,
      .in(high.snk),
      .out(high_reliability),
      .latest(latest[1]),
      .minimum(minimum[1]),
      .maximum(maximum[1]),
      .packets(packets[1]),
      .too_short(too_short[1])
  );
endmodule

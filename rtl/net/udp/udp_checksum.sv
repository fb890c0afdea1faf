// Checks the UDP (or TCP) checksum, pseudo header included, on the line's own lanes.
//
// The aligned stream would be a cycle late: its last beat may come after the frame's. The line's lanes are as good, since a frame is
// moved by full words only. The sum covers the line's bytes from the source address (26) to the IPv4 packet's end, and what else the
// pseudo header has: the protocol and the UDP (TCP) length, which in a frame that is otherwise good is the total length - 20.
// Latency: `good` is valid in the cycle after a frame's last beat. Throughput: a beat a cycle. Parameters: W; PROTOCOL of IPv4.
module udp_checksum
  import header_pkg::*;
#(
    parameter int W = 64,
    parameter logic [7:0] PROTOCOL = ProtocolUdp
) (
    input  logic        clk,
    line_if.snk         line,
    header_if.snk       header,
    input  logic [15:0] total_length,
    input  logic        load,          // `left` belongs to this beat
    input  logic [15:0] left,          // bytes of the IPv4 packet after this beat of the line
    output logic [W/8-1:0] of_packet,     // lanes of the present beat that lie before the packet's end
    output logic        good
);
  localparam int Position = position_width(W);
  // Position while byte 26 is on the line: at W = 64 the aligned beat it belongs to ends only on the next beat.
  localparam int Begin = beat_of(W, IpSource) - (W == 8 ? 0 : 1);
  localparam logic [7:0] Swapped = PROTOCOL - 8'd21;  // -20 in ones' complement
  localparam logic [15:0] Constant = {Swapped, 8'hff};  // PROTOCOL - 20, bytes swapped

  logic [W/8-1:0] from_reg;
  logic [W-1:0] bytes;
  logic restart_reg;
  logic last_unused;

  // If a tag is found in the beat before, that position comes again: the sum restarts twice, and the second time counts.
  always_ff @(posedge clk) if (header.beat) restart_reg <= header.position == Position'(Begin - 1);

  countdown #(
      .W(W)
  ) packet (
      .clk,
      .step(line.valid),
      .load,
      .count(left),
      .keep(of_packet),
      .last(last_unused)
  );

  always_comb for (int i = 0; i < W / 8; i++) bytes[8*i+:8] = of_packet[i] && from_reg[i] ? line.data[8*i+:8] : 8'h0;

  if (W == 8) begin : g_byte
    logic odd_reg, odd, good_now;
    assign from_reg = '1;
    assign odd = odd_reg && !restart_reg;
    always_ff @(posedge clk) if (line.valid) odd_reg <= !odd;
    always_ff @(posedge clk) good <= good_now;  // no hurry: the FCS is still to come
    internet_checksum #(
        .WORDS(1)
    ) checksum (
        .clk,
        .add(line.valid),
        .restart(restart_reg),
        .begin_with({Constant, total_length[7:0], total_length[15:8]}),
        .words(odd ? {bytes, 8'h0} : {8'h0, bytes}),
        .good(good_now)
    );
  end else begin : g_word
    always_ff @(posedge clk) if (line.valid) from_reg <= header.position != Position'(Begin - 1) ? '1 : header.shift ? 8'hc0 : 8'hfc;
    internet_checksum #(
        .WORDS(W / 16)
    ) checksum (
        .clk,
        .add(line.valid),
        .restart(restart_reg),
        .begin_with({Constant, total_length[7:0], total_length[15:8]}),
        .words(bytes),
        .good
    );
  end

endmodule

// Replaces the stamp of packet_stamp by the cycles since then: from the packet's first beat there to its first beat here, less LESS.
//
// With LESS = packet_stamp_pkg::stamp_cycles(W, OFFSET), the default, only what is between the two is measured: 0 if they are connected directly.
// The subtraction goes byte by byte as the stamp comes, with a borrow from one beat to the next.
//
// Latency: packet_stamp_pkg::stamp_cycles, 1 if the stamp lies in one beat; the counts are 2 cycles after a packet's last beat. Throughput: a beat
// a cycle. Parameters: W; OFFSET of the stamp; LESS. Overflow: none; a difference of 2^32 cycles and more wraps. Packets too short to hold the
// stamp pass unchanged and are counted separately; those that end in err get a value, but are in no count. A pause between beats of the stamp:
// see field_writer.
module packet_timer
  import packet_stamp_pkg::*;
#(
    parameter int W = 64,
    parameter int OFFSET = 0,
    parameter int LESS = stamp_cycles(W, OFFSET)
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                clear,     // the counts start again
    input  logic         [31:0] cycle,     // counts every cycle: packet_stamp's
    stream_if.snk        in,
    stream_if.src        out,
    output logic         [31:0] latest,    // cycles, of good packets
    output logic         [31:0] minimum,   // all ones before the first
    output logic         [31:0] maximum,   // 0 before the first
    output logic         [31:0] packets,   // measured
    output logic         [31:0] too_short  // not measured
);
  localparam int N = W / 8;
  localparam int Parts = stamp_cycles(W, OFFSET);

  logic [31:0] here, here_reg, now, difference, difference_reg;
  logic [Parts-1:0] part, borrow;  // borrow[i]: part i needs a borrow from the part after it
  logic first, borrow_reg, held, held_reg, missed, missed_reg;
  logic [N-1:0] lanes;
  logic [W-1:0] placed;

  // This cycle's count less LESS, computed ahead: not in one path with the other subtraction.
  always_ff @(posedge clk) here <= cycle + 32'(1 - LESS);
  assign now = first ? here : here_reg;

  // ---- the difference, part by part -----------------------------------------------------------------------

  for (genvar i = 0; i < Parts; i++) begin : gen_part
    // Bytes of the field that are in this part, the first of them and how many; and the lane of the first.
    localparam int Begin = i == 0 ? 0 : (OFFSET / N + i) * N - OFFSET;
    localparam int End = i == Parts - 1 ? StampBytes : (OFFSET / N + i + 1) * N - OFFSET;
    localparam int Bits = 8 * (End - Begin);
    localparam int Lane = (OFFSET + Begin) % N;
    logic takes;
    assign takes = i != 0 && borrow_reg;
    assign {borrow[i], difference[8*Begin+:Bits]} = {1'b0, now[8*Begin+:Bits]} - {1'b0, in.data[8*Lane+:Bits]} - (Bits + 1)'(takes);
    always_ff @(posedge clk) if (part[i]) difference_reg[8*Begin+:Bits] <= difference[8*Begin+:Bits];
  end

  always_ff @(posedge clk) begin
    if (first) here_reg <= here;
    if (part != '0) borrow_reg <= |(borrow & part);
  end

  field_lanes #(
      .W(W),
      .OFFSET(OFFSET),
      .BYTES(StampBytes)
  ) where (
      .clk,
      .rst,
      .valid(in.valid),
      .last(in.last),
      .field(difference),
      .first,
      .part,
      .lanes,
      .placed
  );

  field_writer #(
      .W(W),
      .OFFSET(OFFSET),
      .BYTES(StampBytes)
  ) writer (
      .clk,
      .rst,
      .in,
      .lanes,
      .written(placed),
      .last_part(part[Parts-1]),
      .out,
      .held,
      .too_short(missed)
  );

  // ---- the counts -----------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    held_reg <= held && !in.err;
    missed_reg <= missed && !in.err;
    if (held_reg) begin
      latest <= difference_reg;
      if (difference_reg < minimum) minimum <= difference_reg;
      if (difference_reg > maximum) maximum <= difference_reg;
      packets <= packets + 1'b1;
    end
    if (missed_reg) too_short <= too_short + 1'b1;
    if (rst) begin
      held_reg <= 1'b0;
      missed_reg <= 1'b0;
    end
    if (rst || clear) begin
      latest <= '0;
      minimum <= '1;
      maximum <= '0;
      packets <= '0;
      too_short <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) packets == '0 || minimum <= maximum);
endmodule

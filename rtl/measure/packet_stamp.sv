// Writes into each packet when it came: the number of the cycle in which its first beat is on `in`, 32 bits little-endian, at byte OFFSET.
//
//   in ─ packet_stamp ─ device under test ─ packet_timer ─ out
//   cycle ───┴─────────────────────────────────┘
//
// Latency: packet_stamp_pkg::stamp_cycles, 1 if the stamp lies in one beat. Throughput: a beat a cycle. Parameters: W; OFFSET.
// Overflow: none; packets too short to hold the stamp pass unchanged and are reported. A pause between beats of the stamp: see field_writer.
module packet_stamp
  import packet_stamp_pkg::*;
#(
    parameter int W = 64,
    parameter int OFFSET = 0
) (
    input  logic                clk,
    input  logic                rst,
    input  logic         [31:0] cycle,     // counts every cycle
    stream_if.snk        in,
    stream_if.src        out,
    output logic                too_short  // pulse
);
  localparam int N = W / 8;
  localparam int Parts = stamp_cycles(W, OFFSET);

  logic [31:0] cycle_reg, came;
  logic first, unused_held, unused;
  logic [Parts-1:0] part;
  logic [N-1:0] lanes;
  logic [W-1:0] placed;

  assign came = first ? cycle : cycle_reg;
  assign unused = &{1'b0, unused_held, part};

  always_ff @(posedge clk) if (first) cycle_reg <= cycle;

  field_lanes #(
      .W(W),
      .OFFSET(OFFSET),
      .BYTES(StampBytes)
  ) where (
      .clk,
      .rst,
      .valid(in.valid),
      .last(in.last),
      .field(came),
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
      .held(unused_held),
      .too_short
  );
endmodule

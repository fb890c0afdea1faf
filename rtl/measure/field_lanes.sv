// Finds a field of a packet: which of the packet's beats hold it, on which lanes, and puts the field's bytes there.
//
//   W = 64, OFFSET = 6, BYTES = 4:   beat 0  . . . . . . 0 1   part 0
//                                    beat 1  2 3 . . . . . .   part 1
//
// Latency: 0. Throughput: a beat a cycle. Parameters: W; OFFSET and BYTES of the field. Overflow: none; `keep` is not looked at.
module field_lanes #(
    parameter int W = 64,
    parameter int OFFSET = 0,
    parameter int BYTES = 4,
    localparam int N = W / 8,
    localparam int First = OFFSET / N,  // beat
    localparam int Parts = (OFFSET + BYTES - 1) / N - First + 1
) (
    input  logic               clk,
    input  logic               rst,
    input  logic               valid,
    input  logic               last,
    input  logic [8*BYTES-1:0] field,  // [7:0] is the byte at OFFSET
    output logic               first,  // this beat begins a packet
    output logic [  Parts-1:0] part,   // of the field that this beat holds
    output logic [      N-1:0] lanes,  // that hold it
    output logic [      W-1:0] placed  // the field's bytes on those lanes, elsewhere 0
);
  localparam int BeatBits = $clog2(First + Parts + 1);

  logic [BeatBits-1:0] beat;  // of the packet, stops after the field's

  assign first = valid && beat == '0;

  always_ff @(posedge clk) begin
    if (valid && beat != BeatBits'(First + Parts)) beat <= beat + 1'b1;
    if (rst || (valid && last)) beat <= '0;
  end

  for (genvar i = 0; i < Parts; i++) begin : gen_part
    assign part[i] = valid && beat == BeatBits'(First + i);
  end

  always_comb begin
    lanes  = '0;
    placed = '0;
    for (int i = 0; i < BYTES; i++) begin
      if (part[(OFFSET+i)/N-First]) begin
        lanes[(OFFSET+i)%N] = 1'b1;
        placed[8*((OFFSET+i)%N)+:8] = field[8*i+:8];
      end
    end
  end
endmodule

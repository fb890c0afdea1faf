// Cuts frames into records for the host: 56 bytes each, as they came.
//
//   in ─ seven words ─ full, or the frame's last? ─ record
//
// `count` is the number of words. Tag 0 is the number of bytes, tag 1 of the frame's last record 1 if the frame was good. Bytes that are not the frame's are 0.
//
// Latency: 1 cycle from the last beat. Throughput: a beat a cycle. Parameters: W of the stream, 8 or 64; FEED, whose they are. Overflow: none here; `record_merge` counts what finds
// no room.
module frame_records
  import record_pkg::*;
#(
    parameter int W = 64,
    parameter int FEED = 0
) (
    input logic   clk,
    input logic   rst,
    stream_if.snk in,
    record_if.src out
);
  localparam int Lanes = W / 8;
  localparam int Bytes = 8 * RecordValues;

  logic [Bytes-1:0][7:0] bytes, now;
  logic [5:0] count, next_count;
  logic [Lanes-1:0][7:0] kept;
  logic [3:0] keeps;
  logic full;

  always_comb begin
    keeps = '0;
    for (int lane = 0; lane < Lanes; lane++) begin
      keeps += 4'(in.keep[lane]);
      kept[lane] = in.keep[lane] ? in.data[8*lane+:8] : '0;
    end
    // Beats are full but for the last: a record begins with a beat.
    now = bytes;
    for (int beat = 0; beat < Bytes / Lanes; beat++) if (count == 6'(beat * Lanes)) now[beat*Lanes+:Lanes] = kept;
    next_count = count + 6'(keeps);
    full = next_count == 6'(Bytes);
  end

  always_ff @(posedge clk) begin
    out.valid <= in.valid && (full || in.last) && !rst;
    out.record.kind <= RECORD_BYTES;
    out.record.feed <= FeedBits'(FEED);
    out.record.entry_end <= 1'b0;
    out.record.message_end <= in.last;
    out.record.count <= 3'((next_count + 6'd7) >> 3);
    out.record.tags <= '0;
    out.record.tags[0] <= 8'(next_count);
    out.record.tags[1] <= 8'(in.last && !in.err);
    out.record.values <= now;
    if (in.valid) begin
      bytes <= now;
      count <= next_count;
      if (full || in.last) {bytes, count} <= '0;
    end
    if (rst) {bytes, count} <= '0;
  end
endmodule

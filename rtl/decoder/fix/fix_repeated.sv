// Says for each message with prices whether it is sent again, and remembers the highest MsgSeqNum that was taken.
//
// A message is sent again if its PossDupFlag (43) is not N, or its MsgSeqNum (34) is not above those of all messages with prices taken before.
// A good Logon (35=A) or SequenceReset (35=4) that is not itself sent again restarts the numbers: the highest is forgotten. A new
// connection (`rst`) does the same. What a bad segment changed is undone.
//
//   beat ─ compare with the highest ─ register ─ repeated, number ─ fix_commit ─ taken ─ register ─ highest
//
// Latency: 1 cycle; the number of a message is taken in the cycle in which fix_commit has its end. Throughput: a beat a cycle: the next message's
// MsgSeqNum comes at least 20 bytes after a message's end, which is two beats at W=64, and is compared with what was taken. Parameter: W, 8 or 64; nothing
// overflows: MsgSeqNum has nine digits at most.
module fix_repeated
  import fix_pkg::*;
#(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,

    input fix_number_beat_t in,
    input sequence_t        in_number,

    // Of the message that ends in the beat before `in`:
    input  logic      taken,        // it is good and not sent again
    input  logic      begins_anew,
    output logic      repeated,     // it is sent again
    output sequence_t number        // its MsgSeqNum
);
  logic open_repeated, open_saved, repeated_here;  // the open message
  logic [3:1] ends_good;  // so many cycles ago a good segment ended
  logic ends_bad, saves;
  logic taken_reg, begins_anew_reg;  // they are known late in a cycle
  sequence_t number_saved, highest, highest_next, highest_saved, known;

  assign saves = ends_good[3];
  assign highest_next = begins_anew_reg ? '0 : taken_reg ? number : highest;
  assign known = W == 8 ? highest : highest_next;  // at W = 8 a number comes long after `taken`
  assign repeated_here = open_repeated || in.duplicate || (in.number && in_number <= known);

  always_ff @(posedge clk) begin
    ends_good <= rst ? '0 : {ends_good[2:1], in.valid && in.last && !in.err};
    ends_bad <= in.valid && in.last && in.err && !rst;
    // What ends with a bad segment is not taken.
    taken_reg <= taken && !ends_bad && !rst;
    begins_anew_reg <= begins_anew && !ends_bad && !rst;

    if (in.valid) begin
      repeated <= repeated_here;
      open_repeated <= repeated_here && !in.begins;
      if (in.number) number <= in_number;
    end
    highest <= highest_next;
    // No beat comes within three cycles of a segment's end.
    if (ends_bad) {open_repeated, number, highest} <= {open_saved, number_saved, highest_saved};
    if (saves) {open_saved, number_saved, highest_saved} <= {open_repeated, number, highest};
    if (rst) begin
      {open_repeated, open_saved} <= '0;
      {highest, highest_saved} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(in.valid && in.number) || known == highest_next);
  assert property (@(posedge clk) disable iff (rst) !(saves && in.valid && in.last && in.err));
endmodule

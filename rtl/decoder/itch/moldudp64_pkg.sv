// What the MoldUDP64 deframer says about one beat: which message bytes it holds.
package moldudp64_pkg;

  localparam int HeaderBytes = 20;  // session 10, sequence number 8, message count 2
  localparam int SequenceOffset = 10;
  localparam int CountOffset = 18;
  localparam int ShortestMessage = 5;  // ITCH 4.1 T; a shorter block is malformed
  localparam int LengthBits = 6;  // lengths are handed on saturated: no ITCH message has 63 bytes
  localparam logic [15:0] EndOfSession = 16'hFFFF;

  // A beat holds at most: the tail of a message that began in an earlier beat or begins at lane 0 (its length came before), then the
  // head of one more message, which may end here as well, then a length whose message begins at lane 0 of the next beat.
  typedef struct packed {
    logic                  tail_end;     // the message that was open when the beat began ends in it
    logic [LengthBits-1:0] tail_length;  // its length
    logic                  tail_last;    // it is the last of the datagram
    logic                  tail_known;   // it has come before
    logic                  head;         // a message begins at lane head_lane (1 to W/8-1)
    logic [2:0]            head_lane;
    logic                  head_end;     // and ends in this beat too
    logic [LengthBits-1:0] head_length;
    logic                  head_last;
    logic                  head_known;
    logic                  begin_next;   // a message begins at lane 0 of the next beat
    logic [15:0]           index;        // messages of this datagram that ended before this beat, those that had come before not counted
  } blocks_t;

endpackage

// The characters of a text that comes in pieces, one a cycle, or two.
//
//   piece ─┬─ spare ─┬─ piece ─ the next characters
//          └─────────┘
//
// Latency: 1 cycle from a piece to its first characters. Throughput: without a pause from piece to piece. Parameter: PAIRS, two characters a cycle where the
// piece has two. Overflow: a piece waits outside while `room` is low.
module fast_characters #(
    parameter bit PAIRS = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic start,  // a piece comes
    input logic [63:0] value,  // its last character lowest
    input logic [3:0] count,
    input logic first,  // of its text
    input logic last,
    output logic room,
    input logic drop,  // what is here

    output logic valid,
    output logic [7:0] character,
    output logic [7:0] second,
    output logic [1:0] gives,  // so many; 0: the piece has none
    output logic begins,  // the text's first
    output logic is_long,  // with `begins`: more pieces follow
    output logic ends  // the text's last
);
  typedef struct packed {
    logic [63:0] value;
    logic [3:0] count;
    logic first;
    logic last;
  } piece_t;

  piece_t piece, spare, in, next;
  logic spare_valid, done;
  logic [3:0] left, next_left;

  assign in = '{value: value, count: count, first: first, last: last};
  assign room = !spare_valid;
  assign gives = left == '0 ? 2'd0 : PAIRS && left != 4'd1 ? 2'd2 : 2'd1;
  assign done = left == 4'(gives);
  assign is_long = !piece.last;
  assign ends = done && piece.last;
  assign next = valid && !done ? piece : spare_valid ? spare : in;
  assign next_left = valid && !done ? left - 4'(gives) : next.count;

  always_ff @(posedge clk) begin
    piece <= next;
    left <= next_left;
    character <= next.value[8*(3'(next_left-4'd1))+:8];
    second <= next.value[8*(3'(next_left-4'd2))+:8];
    if (!valid || done) begin
      valid <= spare_valid || start;
      begins <= next.first;
      spare_valid <= 1'b0;
    end else begin
      begins <= 1'b0;
      if (start) spare <= in;
      spare_valid <= spare_valid || start;
    end
    if (rst || drop) {valid, spare_valid} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !start || room);
endmodule

// The bytes of a vector, which have no stop bits: cut off the front of the tokens that they look like. Those before the last eight leave while they come, the last
// with the instruction.
//
// Latency: 1 cycle from a token to its bytes; they leave when the next ones come. Throughput: a token, or eight bytes of one, a cycle. Overflow: a length of 2^14 - 1
// bytes or more is more than a packet has, and counts as endless.
module fast_vector
  import fast_pkg::*;
(
    input logic clk,

    input logic begins,  // pulse: `length` bytes may follow
    input logic [13:0] length,  // all ones: as many or more
    input logic is_open,  // they are being read
    input logic is_token,
    /* verilator lint_off UNUSEDSIGNAL */
    input token_t token,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic left_some,  // bytes are to come
    output logic ends,  // these are the last
    output logic leave,  // the bytes at `data`
    output logic gone,  // some have left before
    output logic [3:0] count,
    output logic [7:0][7:0] data,
    output logic cut,  // pulse: only the first bytes of the token are the vector's
    output logic [3:0] cut_count
);
  logic [13:0] left;
  logic [3:0] now;
  logic held, come;
  logic [7:0][7:0] bytes;  // of the token
  logic [2:0] behind;  // of these are not the vector's

  assign left_some = left != '0;
  assign come = is_open && left_some && is_token;
  assign ends = left[13:4] == '0 && token.count >= left[3:0];
  assign now = ends ? left[3:0] : token.count;
  assign leave = come && held;
  assign cut = come && ends && !(token.last && token.count == left[3:0]);
  assign cut_count = left[3:0];
  // A cycle after it is known how many: in the same one that would be the slowest path.
  assign data = bytes >> (8 * behind);

  always_ff @(posedge clk) begin
    if (begins) begin
      left  <= length;
      held  <= 1'b0;
      gone  <= 1'b0;
      count <= '0;
    end
    if (come) begin
      if (left != '1) left <= left - 14'(now);
      held  <= 1'b1;
      gone  <= held;
      count <= now;
      bytes <= token.data[7:0];
      behind <= 3'(token.count - now);
    end
  end
endmodule

// Room for two tokens between tokenizer and walker, so that whether the walker takes one is no business of the tokenizer's in the same cycle.
//
//   in ─┬─ spare ─┬─ out
//       └─────────┘ if out is free
//
// The walker may cut bytes off the front of the token at `out`: those of a byte vector, which has no stop bits. The rest is a token of its own; if it was a
// piece, what comes after it may belong to the same eight bytes.
//
// Latency: 1 cycle. Throughput: a token a cycle; after a cut the next one comes 2 cycles later, or more if it is a piece. A token comes in if `room`; it
// never overflows.
module fast_token_queue
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,

    output logic room,
    input  logic in_valid,
    input  token_t in,

    output logic out_valid,
    output token_t out,
    input  logic out_take,
    input  logic out_cut,    // pulse, not with out_take
    input  logic [3:0] cut_count  // bytes
);
  token_t spare;
  logic spare_valid, valid, joins;  // joins: `out` is the rest of a piece, and waits for the next one

  logic [3:0] rest, joined;
  logic moves;  // to `out`

  assign room  = !spare_valid;
  assign out_valid = valid && !joins;
  assign rest = out.count - cut_count;
  assign joined = spare.count + out.count;  // 15 at most
  assign moves = !valid || out_take || (joins && spare_valid && (spare.finish ? out.count == '0 : joined <= 4'd8));

  always_ff @(posedge clk) begin
    if (!spare_valid) spare <= in;
    spare_valid <= (spare_valid || in_valid) && !moves;
    if (moves) begin
      valid <= spare_valid || in_valid;
      out   <= spare_valid ? spare : in;
    end
    if (joins && spare_valid) begin
      joins <= 1'b0;
      if (moves && !spare.finish) begin
        out.count <= joined;
        out.first <= 1'b1;
        out.is_null <= spare.last && joined == 4'd1 && spare.data[0] == 8'h80;
      end
    end
    if (out_cut) begin
      out.count <= rest;
      out.first <= 1'b1;
      out.is_null <= out.last && rest == 4'd1 && out.data[0] == 8'h80;
      joins <= !out.last;
    end
    if (rst) begin
      valid <= 1'b0;
      spare_valid <= 1'b0;
      joins <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !out_take || out_valid);
  assert property (@(posedge clk) disable iff (rst) !in_valid || room);
  assert property (@(posedge clk) disable iff (rst) !out_cut || (out_valid && !out_take && cut_count <= out.count));
  assert property (@(posedge clk) disable iff (rst) !out_valid || out.finish || out.count != '0);
endmodule

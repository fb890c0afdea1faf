// Room for two tokens between tokenizer and walker, so that whether the walker takes one is no business of the tokenizer's in the same cycle.
//
//   in ─┬─ spare ─┬─ out
//       └─────────┘ if out is free
//
// Latency: 1 cycle. Throughput: a token a cycle. A token comes in if `room`; it never overflows.
module fast_token_queue
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,

    output logic room,
    input  logic in_valid,
    input  token_t in,
    input  logic [HashedBits-1:0] in_ahead,

    output logic out_valid,
    output token_t out,
    input  logic out_take,
    output logic [HashedBits-1:0] ahead  // the lowest data bits of the token that is at `out` in the next cycle, if one comes there
);
  token_t spare;
  logic spare_valid;
  logic [HashedBits-1:0] spare_ahead;

  assign room  = !spare_valid;
  assign ahead = spare_valid ? spare_ahead : in_ahead;

  always_ff @(posedge clk) begin
    if (!spare_valid) begin
      spare <= in;
      spare_ahead <= in_ahead;
    end
    spare_valid <= (spare_valid || in_valid) && !(!out_valid || out_take);
    if (!out_valid || out_take) begin
      out_valid <= spare_valid || in_valid;
      out <= spare_valid ? spare : in;
    end
    if (rst) begin
      out_valid <= 1'b0;
      spare_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !out_take || out_valid);
  assert property (@(posedge clk) disable iff (rst) !in_valid || room);
endmodule

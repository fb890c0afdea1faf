// The feed's events a cycle later, when it is known which instrument each belongs to, and the order id in time for the book's hash.
//
//   event ─┬─ register ─┬─ event
//          │   found ───┘
//          └─ early_id
//
// Latency: 1 cycle. Throughput: a beat a cycle. No parameters. Nothing overflows.
module book_events
  import tickwire_pkg::*;
  import book_pkg::*;
(
    input  logic              clk,
    input  logic              rst,
    event_if.snk              in,
    input  found_instrument_t found,     // of event 0 of the cycle before
    event_if.src              out,
    output id_t               early_id   // order_id of out.data[0] of the next cycle
);
  localparam int N = in.N;

  if (in.N != out.N) begin : gen_check
    $fatal(1, "book_events: %0d events a beat come, %0d can leave", in.N, out.N);
  end

  event_t [N-1:0] data;

  assign early_id = in.data[0].order_id[IdBits-1:0];

  always_ff @(posedge clk) begin
    out.valid <= rst ? '0 : in.valid;
    data <= in.data;
    out.verdict_valid <= in.verdict_valid && !rst;
    out.verdict_good <= in.verdict_good;
  end

  always_comb begin
    out.data = data;
    {out.data[0].known, out.data[0].instrument} = found;
  end
endmodule

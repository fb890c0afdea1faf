// The market of the book a cycle later: its best prices come out of wide multiplexers, and a strategy that answers in the cycle in which it hears of
// them has a cycle of its own.
//
// Latency: 1 cycle. Throughput: a change a cycle. Parameters: none. Overflow: none.
module market_register (
    input logic    clk,
    input logic    rst,
    market_if.book in,
    market_if.src  out
);
  if (in.N != out.N) begin : gen_check
    $fatal(1, "market_register: %0d events a beat come, %0d can leave", in.N, out.N);
  end

  always_ff @(posedge clk) begin
    {out.top, out.book_trades} <= {in.top, in.book_trades};
    {out.change_valid, out.change, out.begins_session} <= {in.change_valid, in.change, in.begins_session};
    {out.verdict_valid, out.verdict_good} <= {in.verdict_valid, in.verdict_good};
    if (rst) begin
      {out.top.valid, out.top.verdict_valid, out.top.judged, out.top.trade, out.top.comes, out.top.improves, out.top.improves_last} <= '0;
      {out.book_trades.valid, out.book_trades.verdict_valid, out.change_valid, out.verdict_valid} <= '0;
    end
  end

  assign {out.change_found, out.trade_valid, out.trade_instrument, out.trade_side, out.trade_price} = '0;
  logic unused;
  assign unused = out.trade_ready;
endmodule

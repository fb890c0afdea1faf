// The trades of the order book for a strategy: those of a frame wait until it has proved good, and are counted then.
//
//   comes ─ 2 cycles ─┬─ event_commit ─ trade, oldest first
//                     └─ how many of this frame ─ counted
//
// A trade is announced with its change (`comes`), its terms come 2 cycles later. What strategy_events decided about the frame (`kept`, with
// `judged`) is as late: it stands for trades that are still on their way then.
//
// Latency: verdict to `counted` 3 cycles, as to the frame's first trade. Throughput: a trade a cycle in, one in 2 cycles out. Parameter:
// DEPTH, trades that wait, a power of two. Overflow: a trade that finds no room is lost, as is one whose price the book does not know:
// `overflow` pulses.
module strategy_trades
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int DEPTH = 512
) (
    input logic clk,
    input logic rst,

    input logic comes,           // a trade of the strategy, with its change
    input logic judged,          // its frame is over
    input logic kept,            // with it: its trades are given to the strategy
    input book_trades_t trades,  // 2 cycles later
    input session_time_t told_time,  // with them

    output logic                   counted,  // pulse, 3 cycles after `judged`
    output logic [$clog2(DEPTH):0] count,    // with it: of the frame's trades that are kept

    output logic                           trade_valid,
    input  logic                           trade_taken,
    output logic [$clog2(INSTRUMENTS)-1:0] trade_instrument,
    output side_e                          trade_side,
    output logic [     BookPriceWidth-1:0] trade_price,
    output logic [  BookQuantityWidth-1:0] trade_quantity,
    output session_time_t                  trade_time,
    output logic                           overflow
);
  localparam int Instrument = $clog2(INSTRUMENTS);
  typedef logic [$clog2(DEPTH):0] count_t;

  logic [1:0] comes_before, judged_before, kept_before;
  logic comes_now, write, verdict, good, taken, unused_overflow;
  count_t waiting, of_frame, of_frame_now;  // all that are there; those of the frame that comes

  assign comes_now = comes_before[1];
  assign write = comes_now && trades.priced && waiting != count_t'(DEPTH);
  assign verdict = judged_before[1];
  assign good = kept_before[1];
  assign taken = trade_valid && trade_taken;
  assign of_frame_now = of_frame + count_t'(write);

  always_ff @(posedge clk) begin
    comes_before <= {comes_before[0], comes};
    judged_before <= {judged_before[0], judged};
    kept_before <= {kept_before[0], kept};
    of_frame <= verdict ? '0 : of_frame_now;
    waiting <= (verdict && !good ? waiting - of_frame : waiting + count_t'(write)) - count_t'(taken);
    counted <= verdict && good && !rst;
    count <= of_frame_now;
    overflow <= comes_now && !write && !rst;
    if (rst) {comes_before, judged_before, of_frame, waiting} <= '0;
  end

  event_commit #(
      .WIDTH(Instrument + 1 + BookPriceWidth + BookQuantityWidth + $bits(session_time_t)),
      .DEPTH(DEPTH)
  ) event_commit (
      .clk,
      .rst,
      .write,
      .write_data({trades.instrument[Instrument-1:0], trades.side, trades.price, trades.quantity, told_time}),
      .verdict_valid(verdict),
      .verdict_good(good),
      .out_valid(trade_valid),
      .out_ready(trade_taken),
      .out_data({trade_instrument, trade_side, trade_price, trade_quantity, trade_time}),
      .overflow(unused_overflow)
  );

  logic unused;
  assign unused = &{1'b0, trades, unused_overflow};

  assert property (@(posedge clk) disable iff (rst) !comes_now || trades.every);
  assert property (@(posedge clk) disable iff (rst) verdict == trades.verdict_valid);
  assert property (@(posedge clk) disable iff (rst) !unused_overflow);
endmodule

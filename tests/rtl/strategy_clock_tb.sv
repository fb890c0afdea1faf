// strategy_clock with plain ports, of two events a beat.
module strategy_clock_tb
  import tickwire_pkg::*;
#(
    parameter int FRAMES = 256
) (
    input logic clk,
    input logic rst,

    input logic [1:0]       event_valid,
    input logic             event_is_trade,  // the first
    input logic [1:0][31:0] seconds,
    input logic [1:0][47:0] nanoseconds,
    input logic             verdict_valid,
    input logic             verdict_good,
    input logic             begins_session,

    input  logic        judged,
    output logic        ready,
    output logic        frame_valid,
    output logic [47:0] frame_time,
    input  logic [ 7:0] trade_number,
    output logic [47:0] trade_time,
    output logic        frame_session,
    output logic        trade_session,

    input  logic             restart,
    output logic [1:0]       started,
    output logic [1:0][47:0] start
);
  event_t [1:0] change;
  session_time_t frame_at, trade_at;
  assign {frame_time, trade_time} = {frame_at.time_ns, trade_at.time_ns};
  assign {frame_session, trade_session} = {frame_at.session, trade_at.session};

  always_comb begin
    change = '0;
    change[0].kind = event_is_trade ? KIND_TRADE : KIND_ADD;
    change[1].kind = KIND_TIME;
    for (int i = 0; i < 2; i++) {change[i].seconds, change[i].nanoseconds} = {seconds[i], nanoseconds[i]};
  end

  strategy_clock #(
      .N(2),
      .FRAMES(FRAMES)
  ) dut (
      .clk,
      .rst,
      .change_valid(event_valid),
      .change,
      .verdict_valid,
      .verdict_good,
      .begins_session,
      .judged,
      .ready,
      .frame_valid,
      .frame_time(frame_at),
      .trade_number,
      .trade_time(trade_at),
      .restart,
      .started,
      .start
  );
endmodule

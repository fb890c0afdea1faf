// arbiter with its streams as plain ports and its protocol by number (arbiter_pkg::preset).
module arbiter_tb
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int PRESET = 0,
    parameter int PACKETS = 8,
    parameter int HOLD = 2000,
    localparam protocol_t Protocol = preset(PRESET),
    localparam int S = Protocol.sequence_bits
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       a_valid,
    input  logic       [        W-1:0] a_data,
    input  logic       [      W/8-1:0] a_keep,
    input  logic                       a_last,
    input  logic                       a_err,
    input  logic                       b_valid,
    input  logic       [        W-1:0] b_data,
    input  logic       [      W/8-1:0] b_keep,
    input  logic                       b_last,
    input  logic                       b_err,
    input  logic       [          1:0] mode,
    input  logic       [         31:0] time_window,
    input  logic       [CountBits-1:0] count_window,
    input  logic       [         31:0] idle_limit,
    input  logic                       flush,
    output logic                       low_valid,
    output logic       [        W-1:0] low_data,
    output logic       [      W/8-1:0] low_keep,
    output logic                       low_last,
    output logic                       low_err,
    output logic                       high_valid,
    output logic       [        W-1:0] high_data,
    output logic       [      W/8-1:0] high_keep,
    output logic                       high_last,
    output logic                       high_err,
    output logic       [          1:0] passed,
    output logic       [          1:0] refused,
    output logic       [          1:0] missed,
    output logic       [          1:0] bad,
    output logic       [          1:0] malformed,
    output logic       [          1:0] distant,
    output logic       [          1:0] stale,
    output logic       [          1:0] cut_through,
    output logic       [          1:0] kept,
    output logic       [          1:0] too_long,
    output logic       [          1:0] overflow,
    output logic       [          1:0] line_silent,
    output logic                       released,
    output logic                       session_reset,
    output logic       [          1:0] gap,
    output logic       [ 1:0][  S-1:0] gap_from,
    output logic       [ 1:0][  S-1:0] gap_to
);
  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) low ();
  stream_if #(.W(W)) high ();

  assign {a.valid, a.data, a.keep, a.last, a.err} = {a_valid, a_data, a_keep, a_last, a_err};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {b_valid, b_data, b_keep, b_last, b_err};
  arbiter_event_t events;
  assign {passed, refused, missed, bad, malformed, distant, stale} = events[$bits(events)-1-:14];
  assign {cut_through, kept, too_long, overflow, line_silent, released, session_reset} = events[11:0];

  assign {low_valid, low_data, low_keep, low_last, low_err} = {low.valid, low.data, low.keep, low.last, low.err};
  assign {high_valid, high_data, high_keep, high_last, high_err} = {high.valid, high.data, high.keep, high.last, high.err};

  arbiter #(
      .W(W),
      .PROTOCOL(Protocol),
      .PACKETS(PACKETS),
      .HOLD(HOLD)
  ) dut (
      .clk,
      .rst,
      .a(a.snk),
      .b(b.snk),
      .mode(window_e'(mode)),
      .time_window,
      .count_window,
      .idle_limit,
      .flush,
      .low_latency(low.src),
      .high_reliability(high.src),
      .events,
      .gap,
      .gap_from,
      .gap_to
  );
endmodule

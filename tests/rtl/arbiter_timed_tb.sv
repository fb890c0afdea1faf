// arbiter_timed with its streams as plain ports and its protocol by number (arbiter_pkg::preset).
module arbiter_timed_tb
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int PRESET = 0,
    parameter int PACKETS = 8,
    parameter int HOLD = 2000,
    localparam protocol_t Protocol = preset(PRESET),
    localparam int S = Protocol.sequence_bits
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic                        in_valid,
    input  logic [        W-1:0]        in_data,
    input  logic [      W/8-1:0]        in_keep,
    input  logic                        in_last,
    input  logic                        in_err,
    input  logic [          1:0]        delay,
    input  logic [          1:0]        drop,
    input  logic [          1:0]        spoil,
    input  logic [          1:0]        replace,
    input  logic [          1:0][S-1:0] replacement,
    input  logic [          1:0]        mode,
    input  logic [         31:0]        time_window,
    input  logic [CountBits-1:0]        count_window,
    input  logic [         31:0]        idle_limit,
    input  logic                        flush,
    output logic                        low_valid,
    output logic [        W-1:0]        low_data,
    output logic [      W/8-1:0]        low_keep,
    output logic                        low_last,
    output logic                        low_err,
    output logic                        high_valid,
    output logic [        W-1:0]        high_data,
    output logic [      W/8-1:0]        high_keep,
    output logic                        high_last,
    output logic                        high_err,
    output logic [          1:0]        passed,
    output logic [          1:0]        refused,
    output logic [          1:0]        missed,
    output logic [          1:0]        bad,
    output logic [          1:0]        malformed,
    output logic [          1:0]        distant,
    output logic [          1:0]        stale,
    output logic [          1:0]        cut_through,
    output logic [          1:0]        kept,
    output logic [          1:0]        too_long,
    output logic [          1:0]        overflow,
    output logic [          1:0]        line_silent,
    output logic                        released,
    output logic                        session_reset,
    output logic [          1:0]        gap,
    output logic [          1:0][S-1:0] gap_from,
    output logic [          1:0][S-1:0] gap_to,
    input  logic                        clear,
    output logic [          1:0][ 31:0] latest,
    output logic [          1:0][ 31:0] minimum,
    output logic [          1:0][ 31:0] maximum,
    output logic [          1:0][ 31:0] packets,
    output logic [          1:0][ 31:0] too_short
);
  stream_if #(.W(W)) in ();
  stream_if #(.W(W)) low ();
  stream_if #(.W(W)) high ();

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  arbiter_event_t events;
  assign {passed, refused, missed, bad, malformed, distant, stale} = events[$bits(events)-1-:14];
  assign {cut_through, kept, too_long, overflow, line_silent, released, session_reset} = events[11:0];

  assign {low_valid, low_data, low_keep, low_last, low_err} = {low.valid, low.data, low.keep, low.last, low.err};
  assign {high_valid, high_data, high_keep, high_last, high_err} = {high.valid, high.data, high.keep, high.last, high.err};

  arbiter_timed #(
      .W(W),
      .PROTOCOL(Protocol),
      .PACKETS(PACKETS),
      .HOLD(HOLD)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .delay,
      .drop,
      .spoil,
      .replace,
      .replacement,
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
      .gap_to,
      .clear,
      .latest,
      .minimum,
      .maximum,
      .packets,
      .too_short
  );
endmodule

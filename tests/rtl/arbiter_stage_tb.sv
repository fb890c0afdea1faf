// arbiter_stage with plain ports, its protocol by number (arbiter_pkg::preset).
module arbiter_stage_tb
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int PRESET = 0,
    parameter int PACKETS = 8,
    parameter int SETTLE = 0
) (
    input  logic               clk,
    input  logic               rst,
    input  logic [        1:0] source,
    input  logic [        1:0] in_valid,
    input  logic [1:0][ W-1:0] in_data,
    input  logic [1:0][W/8-1:0] in_keep,
    input  logic [        1:0] in_last,
    output logic               out_valid,
    output logic [      W-1:0] out_data,
    output logic [    W/8-1:0] out_keep,
    output logic               out_last,
    output logic               out_err,
    output logic               arbitrated,
    output logic               overflow,
    output logic [        1:0] passed,
    output logic               session_reset,
    output logic [        1:0] gap,
    output logic [  1:0][63:0] gap_from,
    output logic [  1:0][63:0] gap_to
);
  stream_if #(.W(W)) line_a ();
  stream_if #(.W(W)) line_b ();
  stream_if #(.W(W)) out ();
  arbiter_config_t setting;
  arbiter_status_t status;

  assign {line_a.valid, line_a.data, line_a.keep, line_a.last, line_a.err} = {in_valid[0], in_data[0], in_keep[0], in_last[0], 1'b0};
  assign {line_b.valid, line_b.data, line_b.keep, line_b.last, line_b.err} = {in_valid[1], in_data[1], in_keep[1], in_last[1], 1'b0};
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};
  assign setting = '{
          source: source_e'(source),
          window: WINDOW_TIME,
          time_window: 32'd1000,
          count_window: 16'd100,
          idle_limit: '0,
          flush: 1'b0
      };
  assign {overflow, passed, session_reset, gap, gap_from, gap_to} = {
    status.overflow, status.events.passed, status.events.session_reset, status.gap, status.gap_from, status.gap_to
  };

  arbiter_stage #(
      .W(W),
      .LINES(LINES),
      .PROTOCOL(preset(PRESET)),
      .PACKETS(PACKETS),
      .SETTLE(SETTLE)
  ) dut (
      .clk,
      .rst,
      .setting,
      .line_a(line_a.snk),
      .line_b(line_b.snk),
      .out(out.src),
      .arbitrated,
      .status
  );
endmodule

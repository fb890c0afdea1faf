// feed_select with its streams as plain ports; the four sources by number, source_e's.
module feed_select_tb
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int SETTLE = 0,
    parameter int PATIENCE = 100
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [1:0]           source,
    input  logic [3:0]           in_valid,
    input  logic [3:0][  W-1:0]  in_data,
    input  logic [3:0][W/8-1:0]  in_keep,
    input  logic [3:0]           in_last,
    input  logic [3:0]           in_err,
    output logic                 arbitrated,
    output logic                 overflow,
    output logic                 out_valid,
    output logic [  W-1:0]       out_data,
    output logic [W/8-1:0]       out_keep,
    output logic                 out_last,
    output logic                 out_err
);
  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) low_latency ();
  stream_if #(.W(W)) high_reliability ();
  stream_if #(.W(W)) out ();

  assign {a.valid, a.data, a.keep, a.last, a.err} = {in_valid[0], in_data[0], in_keep[0], in_last[0], in_err[0]};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {in_valid[1], in_data[1], in_keep[1], in_last[1], in_err[1]};
  assign {low_latency.valid, low_latency.data, low_latency.keep} = {in_valid[2], in_data[2], in_keep[2]};
  assign {low_latency.last, low_latency.err} = {in_last[2], in_err[2]};
  assign {high_reliability.valid, high_reliability.data, high_reliability.keep} = {in_valid[3], in_data[3], in_keep[3]};
  assign {high_reliability.last, high_reliability.err} = {in_last[3], in_err[3]};
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};

  feed_select #(
      .W(W),
      .SETTLE(SETTLE),
      .PATIENCE(PATIENCE)
  ) dut (
      .clk,
      .rst,
      .source(source_e'(source)),
      .a(a.snk),
      .b(b.snk),
      .low_latency(low_latency.snk),
      .high_reliability(high_reliability.snk),
      .arbitrated,
      .overflow,
      .out(out.src)
  );
endmodule

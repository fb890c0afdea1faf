// fast_wire_store with plain ports.
module fast_wire_store_tb #(
    parameter int DEPTH = 32
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 in_valid,
    input  logic [         63:0] in_data,
    input  logic [          7:0] in_keep,
    input  logic                 in_last,
    input  logic                 in_err,
    input  logic                 asks,
    input  logic                 decision_valid,
    input  logic                 decision_on,
    input  logic                 decision_mute,
    output logic                 out_valid,
    output logic [         63:0] out_data,
    output logic [          7:0] out_keep,
    output logic                 out_last,
    output logic                 out_err,
    output logic                 out_muted,
    output logic                 overflow,
    output logic [$clog2(DEPTH):0] waiting
);
  stream_if #(.W(64)) in ();
  stream_if #(.W(64)) out ();

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};

  fast_wire_store #(
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .asks,
      .decision_valid,
      .decision_on,
      .decision_mute,
      .out(out.src),
      .out_muted,
      .overflow,
      .waiting
  );
endmodule

// line_splitter with its streams as plain ports and its protocol by number (arbiter_pkg::preset).
module line_splitter_tb
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int PRESET = 0,
    localparam protocol_t Protocol = preset(PRESET),
    localparam int S = Protocol.sequence_bits
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  in_valid,
    input  logic [  W-1:0]        in_data,
    input  logic [W/8-1:0]        in_keep,
    input  logic                  in_last,
    input  logic                  in_err,
    input  logic [    1:0]        delay,
    input  logic [    1:0]        drop,
    input  logic [    1:0]        bad,
    input  logic [    1:0]        replace,
    input  logic [    1:0][S-1:0] replacement,
    output logic                  a_valid,
    output logic [  W-1:0]        a_data,
    output logic [W/8-1:0]        a_keep,
    output logic                  a_last,
    output logic                  a_err,
    output logic                  b_valid,
    output logic [  W-1:0]        b_data,
    output logic [W/8-1:0]        b_keep,
    output logic                  b_last,
    output logic                  b_err
);
  stream_if #(.W(W)) in ();
  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {a_valid, a_data, a_keep, a_last, a_err} = {a.valid, a.data, a.keep, a.last, a.err};
  assign {b_valid, b_data, b_keep, b_last, b_err} = {b.valid, b.data, b.keep, b.last, b.err};

  line_splitter #(
      .W(W),
      .PROTOCOL(Protocol)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .delay,
      .drop,
      .bad,
      .replace,
      .replacement,
      .a(a.src),
      .b(b.src)
  );
endmodule

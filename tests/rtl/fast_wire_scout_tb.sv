// fast_wire_scout with plain ports.
module fast_wire_scout_tb
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 8
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         in_valid,
    input  logic [ 63:0] in_data,
    input  logic [  7:0] in_keep,
    input  logic         in_last,
    input  logic         in_err,
    input  logic         load_valid,
    input  logic [  2:0] load_template_at,
    input  logic         load_used,
    input  logic [  1:0] load_id_bytes,
    input  logic [ 20:0] load_id,
    input  logic [  7:0] load_reset_id,
    output logic         out_valid,
    output logic [ 63:0] out_data,
    output logic [  7:0] out_keep,
    output logic         out_last,
    output logic         out_err,
    output logic         known,
    output logic [  2:0] number,
    output logic         busy
);
  stream_if #(.W(64)) in ();
  stream_if #(.W(64)) out ();
  choice_t ahead;
  template_t word;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};
  assign {known, number} = ahead;
  always_comb begin
    word = '0;
    {word.used, word.id_bytes, word.id, word.reset_id} = {load_used, load_id_bytes, load_id, load_reset_id};
  end

  fast_wire_scout #(
      .TEMPLATES(TEMPLATES)
  ) dut (
      .clk,
      .rst,
      .flush(1'b0),
      .in(in.snk),
      .load('{valid: load_valid, what: WIRE_LOAD_TEMPLATE, template_at: load_template_at, index: '0, data: 160'(word)}),
      .out(out.src),
      .ahead,
      .busy
  );
endmodule

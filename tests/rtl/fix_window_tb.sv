// fix_window with plain ports.
module fix_window_tb
  import fix_pkg::*;
(
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    input  logic [   63:0] in_data,
    input  logic [    7:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic           out_valid,
    output logic           out_last,
    output logic           out_err,
    output logic [    3:0] out_count,
    output logic [    2:0] out_skip,
    output logic [   63:0] out_data,
    output logic [    7:0] out_soh,
    output logic [    1:0] out_extra,
    output logic [  127:0] out_chars,
    output logic [    1:0][NumberChars:0]      out_number_equals,
    output logic [    1:0][NumberChars:0][3:0] out_number_code,
    output logic [8*Tags-1:0] out_tag,
    output logic [    7:0] out_begin,
    output logic [    7:0] out_bare,
    output logic [    7:0] out_before,
    output logic [    7:0] out_after,
    output logic [    7:0] out_begin_before,
    output logic [    7:0] out_begin_after
);
  stream_if #(.W(64)) in ();
  number_chars_t [1:0] out_number;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};

  for (genvar h = 0; h < 2; h++) begin : gen_half
    for (genvar c = 0; c <= NumberChars; c++) begin : gen_char
      assign out_number_equals[h][c] = out_number[h][c].equals;
      assign out_number_code[h][c]   = out_number[h][c].code;
    end
  end

  fix_window dut (
      .clk,
      .rst,
      .in(in.snk),
      .out_valid,
      .out_last,
      .out_err,
      .out_count,
      .out_skip,
      .out_data,
      .out_soh,
      .out_extra,
      .out_chars,
      .out_number,
      .out_tag,
      .out_begin,
      .out_bare,
      .out_before,
      .out_after,
      .out_begin_before,
      .out_begin_after
  );
endmodule

// fast_engine with plain ports.
module fast_engine_tb
  import fast_pkg::*;
#(
    parameter int W = 64,
    parameter int GROUPS = 256,
    parameter int BUFFER = 2048 / (W / 8)
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    input  logic           hold,
    output logic           held,
    input  logic           restart,
    input  logic           reset_each_packet,
    input  logic           load_valid,
    input  logic [    2:0] load_what,
    input  logic [   10:0] load_index,
    input  logic [  159:0] load_data,
    output logic           field_valid,
    output logic [    2:0] field_kind,
    output logic [   31:0] field_tag,
    output logic [   63:0] field_value,
    output logic [    6:0] field_exponent,
    output logic [    3:0] field_count,
    output logic           field_first,
    output logic           field_last,
    output logic           field_entry_end,
    output logic           field_message_end,
    output logic           verdict_valid,
    output logic           verdict_good,
    output logic [    4:0] verdict_code,
    output logic [   13:0] verdict_offset,
    output logic           overflow,
    output logic [$clog2(BUFFER):0] waiting
);
  stream_if #(.W(W)) in ();
  field_t field;
  fast_verdict_t verdict;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {field_kind, field_tag, field_value, field_exponent, field_count} =
      {field.kind, field.tag, field.value, field.exponent, field.count};
  assign {field_first, field_last, field_entry_end, field_message_end} =
      {field.first, field.last, field.entry_end, field.message_end};
  assign {verdict_valid, verdict_good} = {verdict.valid, verdict.good};
  assign {verdict_code, verdict_offset} = {verdict.code, verdict.offset};

  fast_engine #(
      .W(W),
      .GROUPS(GROUPS),
      .BUFFER(BUFFER)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .hold,
      .held,
      .restart,
      .reset_each_packet,
      .load('{valid: load_valid, what: load_e'(load_what), index: load_index, data: load_data}),
      .field_valid,
      .field,
      .verdict,
      .overflow,
      .waiting
  );
endmodule

// fast_wire_engine with plain ports. CONSTANT, 1: its tables are those of fast_wire_constants_pkg, with seven fields. SHORT, 1: three cycles less, as with constants, whatever the tables.
module fast_wire_tb
  import fast_wire_pkg::*;
#(
    parameter int CONSTANT = 0,
    parameter int SHORT = CONSTANT,
    parameter int TEMPLATES = 1,
    parameter int FIELDS = CONSTANT != 0 ? EventFields : 10,
    parameter int HEADERS = 2
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   in_valid,
    input  logic [         63:0]   in_data,
    input  logic [          7:0]   in_keep,
    input  logic                   in_last,
    input  logic                   in_err,
    input  logic                   several,
    input  logic                   load_valid,
    input  logic [          2:0]   load_what,
    input  logic [          2:0]   load_template_at,
    input  logic [          3:0]   load_index,
    input  logic [        159:0]   load_data,
    output logic                   idle,
    output logic                   entry_valid,
    output logic                   entry_last,
    output logic [FIELDS*128-1:0]  entry,  // a field: 84 bits of value, then in bytes of their own from bit 96: count, exponent, absent
    output logic [HEADERS*64-1:0]  header,
    output logic [  HEADERS-1:0]   header_absent,
    output logic                   spoilt,
    output logic                   verdict_valid,
    output logic                   verdict_good,
    output logic [          3:0]   verdict_reason
);
  stream_if #(.W(64)) in ();
  value_t [FIELDS-1:0] values;
  verdict_t verdict;
  value_t [1:0] texts_ahead;
  logic unused;
  assign unused = &texts_ahead;
  logic [FIELDS-3:0][6:0] exponents_ahead;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {verdict_valid, verdict_good, verdict_reason} = {verdict.valid, verdict.good, verdict.reason};

  always_comb begin
    entry = '0;
    for (int f = 0; f < FIELDS; f++) begin
      entry[128*f+:ValueBits] = values[f].value;
      entry[128*f+96+:4] = values[f].count;
      entry[128*f+104+:7] = values[f].exponent;
      entry[128*f+112] = values[f].absent;
    end
  end

  fast_wire_engine #(
      .TEMPLATES(TEMPLATES),
      .NUMBERS(FIELDS - 4),
      .HEADERS(HEADERS),
      .CONSTANT(CONSTANT != 0),
      .CONSTANTS(fast_wire_constants_pkg::Constants),
      .SHORT(SHORT != 0)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .load('{valid: load_valid, what: load_e'(load_what), template_at: load_template_at, index: load_index, data: load_data}),
      .idle,
      .restart(1'b0),
      .several,
      .entry_valid,
      .entry_last,
      .entry(values),
      .exponents_ahead,
      .texts_ahead,
      .header,
      .header_absent,
      .spoilt,
      .verdict
  );

  // What is made of texts and of the header's time begins a cycle before their entry.
  assert property (@(posedge clk) disable iff (rst) !entry_valid || values[FIELDS-1-:2] == $past(texts_ahead));
  assert property (@(posedge clk) disable iff (rst) !entry_valid || header == $past(header));
  for (genvar f = 0; f < FIELDS - 2; f++) begin : gen_exponent
    assert property (@(posedge clk) disable iff (rst) !entry_valid || values[f].exponent == $past(exponents_ahead[f]));
  end
endmodule

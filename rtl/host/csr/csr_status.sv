// The status of a stage: registers that the host reads.
//
//   value ─ fields of this address ─ register ─ answer ─ csr
//
// Latency: `csr.answer` shows a value two cycles after the address, as it was in the cycle before. Throughput: an access at a time. Parameters: T, the type
// of all that is read; MAP, its FIELDS in their order (tools/registers.py). Overflow: none.
module csr_status
  import csr_pkg::*;
#(
    parameter type T = logic,
    parameter int FIELDS = 1,
    parameter csr_field_t [FIELDS-1:0] MAP = '0
) (
    input logic clk,
    csr_if.stage csr,
    input logic shown,  // of several stages with the same addresses this one is read
    input T value
);
  // Where a field is in T: the last one is the lowest.
  function automatic int place(input int field);
    place = 0;
    for (int lower = 0; lower < field; lower++) place += int'(MAP[lower].width);
  endfunction

  if (place(FIELDS) != $bits(T)) begin : gen_check
    $fatal(1, "csr_status: the fields have %0d bits, their type %0d", place(FIELDS), $bits(T));
  end

  logic [$bits(T)-1:0] bits;
  logic [FIELDS-1:0] here;  // the address is of this field
  logic [FIELDS-1:0][31:0] member;
  logic [31:0] answer;

  assign bits = value;
  assign {csr.waits, csr.busy, csr.result} = '0;

  for (genvar i = 0; i < FIELDS; i++) begin : gen_field
    localparam int Width = int'(MAP[i].width);
    localparam int At = place(i);
    always_ff @(posedge clk) here[i] <= csr.address == MAP[i].address;
    assign member[i] = here[i] ? 32'(bits[At+:Width]) << MAP[i].low : '0;
  end

  always_comb begin
    answer = '0;
    for (int i = 0; i < FIELDS; i++) answer |= member[i];
  end
  always_ff @(posedge clk) csr.answer <= shown ? answer : '0;

  logic unused;
  assign unused = &{1'b0, csr.write, csr.read, csr.data, csr.valid, csr.operation, csr.index, csr.operand};
endmodule

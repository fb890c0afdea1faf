// The settings of a stage: registers that the host writes, and may read back.
//
//   csr ─ address of this field? ─┬─ value
//                                 └─ answer ─ csr
//
// Latency: `value` changes two cycles after csr.write. Throughput: an access at a time. Parameters: T, the type of all settings; MAP, its FIELDS
// in their order (tools/registers.py). Overflow: none.
module csr_settings
  import csr_pkg::*;
#(
    parameter type T = logic,
    parameter int FIELDS = 1,
    parameter csr_field_t [FIELDS-1:0] MAP = '0
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,
    output T value
);
  // Where a field is in T: the last one is the lowest.
  function automatic int place(input int field);
    place = 0;
    for (int lower = 0; lower < field; lower++) place += int'(MAP[lower].width);
  endfunction

  if (place(FIELDS) != $bits(T)) begin : gen_check
    $fatal(1, "csr_settings: the fields have %0d bits, their type %0d", place(FIELDS), $bits(T));
  end

  logic write_reg;
  logic [FIELDS-1:0] here;  // the address is of this field
  logic [FIELDS-1:0][31:0] shown;
  logic [$bits(T)-1:0] bits;

  assign value = T'(bits);
  assign {csr.waits, csr.busy, csr.result} = '0;

  always_ff @(posedge clk) write_reg <= csr.write && !rst;

  for (genvar i = 0; i < FIELDS; i++) begin : gen_field
    localparam int Low = int'(MAP[i].low);
    localparam int Width = int'(MAP[i].width);
    localparam int At = place(i);

    always_ff @(posedge clk) begin
      here[i] <= csr.address == MAP[i].address;
      if (MAP[i].pulse) bits[At+:Width] <= '0;
      if (here[i] && write_reg) bits[At+:Width] <= csr.data[Low+:Width];
      if (rst) bits[At+:Width] <= Width'(MAP[i].reset);
    end

    assign shown[i] = here[i] && MAP[i].readable ? 32'(bits[At+:Width]) << Low : '0;
  end

  logic [31:0] answer;
  always_comb begin
    answer = '0;
    for (int i = 0; i < FIELDS; i++) answer |= shown[i];
  end
  always_ff @(posedge clk) csr.answer <= answer;

  logic unused;
  assign unused = &{1'b0, csr.read, csr.valid, csr.operation, csr.index, csr.operand};
endmodule

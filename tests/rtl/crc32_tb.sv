// Brings the steps of crc32_pkg out as ports.
module crc32_tb
  import crc32_pkg::*;
(
    input  logic [31:0] state,
    input  logic [63:0] data,
    output logic [31:0] after8,
    output logic [31:0] after32,
    output logic [31:0] after64,
    output logic [31:0] before1,
    output logic [31:0] before2,
    output logic [31:0] before3
);
  assign after8  = crc32_step8(state, data[7:0]);
  assign after32 = crc32_step32(state, data[31:0]);
  assign after64 = crc32_step64(state, data);
  assign before1 = crc32_unstep8(state);
  assign before2 = crc32_unstep16(state);
  assign before3 = crc32_unstep24(state);
endmodule

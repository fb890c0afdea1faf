// Brings the steps of crc32_pkg out as ports.
module crc32_tb
  import crc32_pkg::*;
(
    input  logic [31:0] state,
    input  logic [63:0] data,
    output logic [31:0] after8,
    output logic [31:0] after16,
    output logic [31:0] after24,
    output logic [31:0] after32,
    output logic [31:0] after64
);
  assign after8  = crc32_step8(state, data[7:0]);
  assign after16 = crc32_step16(state, data[15:0]);
  assign after24 = crc32_step24(state, data[23:0]);
  assign after32 = crc32_step32(state, data[31:0]);
  assign after64 = crc32_step64(state, data);
endmodule

// fix_repeated with plain ports.
module fix_repeated_tb
  import fix_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        in_valid,
    input  logic        in_last,
    input  logic        in_err,
    input  logic        in_begins,
    input  logic        in_has_number,
    input  logic        in_duplicate,
    input  logic [35:0] in_number,
    input  logic        taken,
    input  logic        begins_anew,
    output logic        repeated,
    output logic [35:0] number
);
  fix_repeated dut (
      .clk,
      .rst,
      .in('{
          valid: in_valid,
          last: in_last,
          err: in_err,
          begins: in_begins,
          number: in_has_number,
          duplicate: in_duplicate
      }),
      .in_number,
      .taken,
      .begins_anew,
      .repeated,
      .number
  );
endmodule

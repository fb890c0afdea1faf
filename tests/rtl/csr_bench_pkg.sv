// Registers of a stage that is only in csr_cells_tb, in the form that tools/registers.py writes.
package csr_bench_pkg;
  import csr_pkg::*;

  typedef struct packed {
    logic [3:0] low;
    logic start;  // a pulse
    logic [7:0] high;  // read back
  } parts_t;

  typedef struct packed {
    logic [31:0] whole;  // read back
    parts_t parts;
    logic [1:0][15:0] written;  // two words
  } setting_t;
  localparam int SettingFields = 6;
  localparam csr_field_t [SettingFields-1:0] SettingMap = '{
      '{9'h010, 5'd0, 6'd32, 1'b1, 1'b0, 32'h12345678},
      '{9'h011, 5'd0, 6'd4, 1'b0, 1'b0, 32'h5},
      '{9'h011, 5'd4, 6'd1, 1'b0, 1'b1, 32'h0},
      '{9'h011, 5'd24, 6'd8, 1'b1, 1'b0, 32'h0},
      '{9'h013, 5'd0, 6'd16, 1'b0, 1'b0, 32'h2},
      '{9'h012, 5'd0, 6'd16, 1'b0, 1'b0, 32'h1}
  };

  typedef struct packed {
    logic [31:0] wide;
    logic [11:0] middle;  // in the word of `parts`
  } status_t;
  localparam int StatusFields = 2;
  localparam csr_field_t [StatusFields-1:0] StatusMap = '{
      '{9'h014, 5'd0, 6'd32, 1'b1, 1'b0, 32'h0},
      '{9'h011, 5'd8, 6'd12, 1'b1, 1'b0, 32'h0}
  };
endpackage

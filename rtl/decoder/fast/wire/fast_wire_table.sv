// One word of each template of a set: that of the packet which is in the caller's stage.
//
//   load ─ words (distributed RAM) ─ word of `at` ─ register
//
// With one template it is that register alone.
//
// Latency: 1 cycle. Throughput: a word a cycle. Parameters: WIDTH; TEMPLATES, 1 to 8. Nothing overflows.
module fast_wire_table
  import fast_wire_pkg::*;
#(
    parameter int WIDTH = 8,
    parameter int TEMPLATES = 1
) (
    input logic clk,
    input logic rst,
    input logic write,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_at_t write_at,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [WIDTH-1:0] data,
    /* verilator lint_off UNUSEDSIGNAL */
    input template_at_t at,  // of the next cycle
    /* verilator lint_on UNUSEDSIGNAL */
    output logic [WIDTH-1:0] word
);
  if (TEMPLATES == 1) begin : gen_one
    always_ff @(posedge clk) begin
      if (write) word <= data;
      if (rst) word <= '0;
    end
  end else begin : gen_set
    (* ram_style = "distributed" *) logic [WIDTH-1:0] words[TEMPLATES];
    always_ff @(posedge clk) begin
      if (write) words[write_at] <= data;
      word <= words[at];
    end
    logic unused;
    assign unused = rst;
  end
endmodule

// Keeps the dictionary entry of a field for each template of a set, while another template's is in the field.
//
//   store ─ banks (distributed RAM) ─ that of `at`
//
// Latency: none to read, a bank that is stored is there in the next cycle. Throughput: one a cycle each way. Parameters: WIDTH; MOVES, there are several templates:
// without there is no memory, and 0 is read. Nothing overflows.
module fast_wire_bank
  import fast_wire_pkg::*;
#(
    parameter int WIDTH = 8,
    parameter bit MOVES = 1'b0
) (
    input logic clk,
    input logic store,
    input template_at_t held,
    input logic [WIDTH-1:0] stored,
    input template_at_t at,
    output logic [WIDTH-1:0] bank
);
  if (MOVES) begin : gen_banks
    (* ram_style = "distributed" *) logic [WIDTH-1:0] banks[MostTemplates];
    always_ff @(posedge clk) if (store) banks[held] <= stored;
    assign bank = banks[at];
  end else begin : gen_none
    assign bank = '0;
    logic unused;
    assign unused = &{1'b0, clk, store, held, stored, at};
  end
endmodule

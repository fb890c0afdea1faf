// Tells whether two sequence numbers are the same.
//
// Latency: 0 cycles, 1 with PIPELINED. Throughput: a comparison a cycle. Parameters: S, bits of a sequence number; PIPELINED. Overflow: none.
module number_equal #(
    parameter int S = 64,
    parameter bit PIPELINED = 1'b0
) (
    input  logic         clk,
    input  logic [S-1:0] number,
    input  logic [S-1:0] other,
    output logic         equal
);
  if (PIPELINED) begin : gen_pipelined
    localparam int Groups = (S + 7) / 8;
    logic [8*Groups-1:0] unlike;
    logic [  Groups-1:0] unlike_reg;
    assign unlike = (8 * Groups)'(number ^ other);
    always_ff @(posedge clk) for (int i = 0; i < Groups; i++) unlike_reg[i] <= unlike[8*i+:8] != '0;
    assign equal = unlike_reg == '0;
  end else begin : gen_at_once
    logic unused;
    assign unused = &{1'b0, clk};
    assign equal  = number == other;
  end
endmodule

// Brings a table's word to a later stage, with its packet. Where there is one template it is the same word in every stage.
//
// Latency: STAGES cycles, or none. Throughput: a word a cycle. Parameters: WIDTH; STAGES; MOVES, there are several templates. Nothing overflows.
module fast_wire_later #(
    parameter int WIDTH  = 8,
    parameter int STAGES = 1,
    parameter bit MOVES  = 1'b0
) (
    input logic clk,
    input logic [WIDTH-1:0] word,
    output logic [WIDTH-1:0] later
);
  if (MOVES) begin : gen_moves
    logic [STAGES:0][WIDTH-1:0] stages;
    assign stages[0] = word;
    assign later = stages[STAGES];
    always_ff @(posedge clk) stages[STAGES:1] <= stages[STAGES-1:0];
  end else begin : gen_stays
    assign later = word;
    logic unused;
    assign unused = clk;
  end
endmodule

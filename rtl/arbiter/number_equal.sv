// Says whether two sequence numbers are the same.
//
// Latency: 0 cycles, 1 with PIPELINED. Throughput: a comparison a cycle. Parameters: S, bits of a sequence number; PIPELINED. Overflow: none.
module number_equal #(
    parameter int S = 64,
    parameter bit PIPELINED = 1'b0
) (
    input  logic         clk,
    input  logic [S-1:0] number,
    input  logic [S-1:0] other,
    output logic [  2:0] equal   // all set if they are; the AND over them may come after a register
);
  localparam int Part = (S + 2) / 3;
  logic [3*Part-1:0] differs;
  assign differs = (3 * Part)'(number ^ other);

  if (PIPELINED) begin : gen_pipelined
    localparam int Groups = (Part + 3) / 4;  // of a part
    logic [2:0][4*Groups-1:0] unlike;
    logic [2:0][  Groups-1:0] unlike_reg;
    for (genvar i = 0; i < 3; i++) begin : gen_part
      assign unlike[i] = (4 * Groups)'(differs[Part*i+:Part]);
      always_ff @(posedge clk) for (int j = 0; j < Groups; j++) unlike_reg[i][j] <= unlike[i][4*j+:4] != '0;
      assign equal[i] = unlike_reg[i] == '0;
    end
  end else begin : gen_at_once
    logic unused;
    assign unused = &{1'b0, clk};
    for (genvar i = 0; i < 3; i++) begin : gen_part
      assign equal[i] = differs[Part*i+:Part] == '0;
    end
  end
endmodule

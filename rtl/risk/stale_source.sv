// Detects that a source of prices has been silent for too long.
//
// Latency: 1 cycle. Throughput: always. Parameters: none; `limit`, in cycles, 0: never stale. Overflow: none, it stays stale until the source
// reports again.
module stale_source (
    input  logic        clk,
    input  logic        rst,
    input  logic [31:0] limit,
    input  logic        alive,
    output logic        stale
);
  logic [31:0] left;
  logic [ 1:0] over;  // in two halves: no carry through all of it

  logic limited;  // limit is not 0: a flip-flop, as it is steady

  assign stale = over == 2'b11 && limited;

  always_ff @(posedge clk) begin
    limited <= limit != '0;
    over <= {left[31:16] == '0, left[15:0] == '0};
    if (alive || !limited) begin
      left <= limit;
      over <= '0;
    end else if (left != '0) left <= left - 1'b1;
    if (rst) begin
      left <= '1;
      over <= '0;
    end
  end
endmodule

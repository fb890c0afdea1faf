// A word for each group of slots, in distributed RAM with a register after it.
//
// Latency: read_group to read_data 1 cycle. Throughput: a read and a write a cycle.
// Parameters: WIDTH; GROUPS, a power of two. No overflow.
module stop_memory #(
    parameter int WIDTH = 8,
    parameter int GROUPS = 8,
    localparam int Group = $clog2(GROUPS)
) (
    input  logic             clk,
    input  logic             write,
    input  logic [Group-1:0] write_group,
    input  logic [WIDTH-1:0] write_data,
    input  logic [Group-1:0] read_group,
    output logic [WIDTH-1:0] read_data
);
  (* ram_style = "distributed" *) logic [WIDTH-1:0] words[GROUPS];

  always_ff @(posedge clk) begin
    read_data <= words[read_group];
    if (write) words[write_group] <= write_data;
  end
endmodule

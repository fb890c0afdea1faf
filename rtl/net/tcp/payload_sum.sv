// Adds up a payload in ones' complement (RFC 1071), 16-bit words from its first byte on, as the checksum of TCP needs it.
//
// Latency: 2 cycles from the last beat to `sum`, which stays until the next `clear`. Throughput: a beat a cycle. Parameters: W, 8 or 64.
module payload_sum
  import checksum_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         clear,  // the sum is 0 in the next cycle
    input  logic         add,
    input  logic [W-1:0] data,   // zero in lanes that do not belong to it
    output logic [ 15:0] sum
);
  logic [1:0][15:0] parts_reg, parts;  // in the other byte order (RFC 1071, 2B)
  logic [16:0] total_reg;
  logic [15:0] swapped;

  if (W == 8) begin : g_byte
    logic odd_reg;
    always_ff @(posedge clk) odd_reg <= !clear && (odd_reg ^ add);
    assign parts = reduce(odd_reg ? {data, 8'h0} : {8'h0, data}, parts_reg[0], parts_reg[1]);
  end else if (W == 64) begin : g_word
    assign parts = reduce_four(data, parts_reg);
  end else begin : g_width
    $fatal(1, "payload_sum: W must be 8 or 64");
  end

  always_ff @(posedge clk) begin
    if (clear) parts_reg <= '0;
    else if (add) parts_reg <= parts;
    total_reg <= {1'b0, parts_reg[0]} + {1'b0, parts_reg[1]};
  end

  assign swapped = total_reg[15:0] + {15'b0, total_reg[16]};
  assign sum = {swapped[7:0], swapped[15:8]};

endmodule

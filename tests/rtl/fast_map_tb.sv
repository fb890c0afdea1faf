// fast_map with plain ports.
module fast_map_tb
  import fast_pkg::*;
#(
    parameter int DEPTH = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        restart,
    input  logic [63:0] token_data,
    input  logic [ 3:0] token_count,
    input  logic        is_map,
    input  logic        take,
    input  logic        take_more,
    input  logic        drop_first,
    input  logic [ 2:0] take_shift,
    input  logic        would_pop,
    input  logic        pop,
    input  logic        push,
    input  logic        shift,
    input  logic [ 2:0] shift_by,
    input  logic [24:0] push_data,
    output logic [24:0] pop_data,
    output logic [34:0] bits,
    output logic        extra,
    output logic        half
);
  token_t token;

  always_comb begin
    token = '0;
    token.data[7:0] = token_data;
    token.count = token_count;
  end

  fast_map #(
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .restart,
      .token,
      .is_map,
      .take,
      .take_more,
      .drop_first,
      .take_shift,
      .would_pop,
      .pop,
      .push,
      .shift,
      .shift_by,
      .push_data,
      .pop_data,
      .bits,
      .extra,
      .half
  );
endmodule

// Proves for number_within: it is true exactly if the distance from number to expected, modulo 2^S, is less than the count, or 0, and near; of one without messages only 0; pipelined,
// a cycle later, with the count of then.
module number_within_formal
  import arbiter_pkg::*;
#(
    parameter int S = 64
) (
    input logic                 clk,
    input logic [        S-1:0] expected,
    input logic [        S-1:0] number,
    input logic [CountBits-1:0] count,
    input logic                 none
);
  within_t contained, contained_pipelined;
  logic [S-1:0] distance, distance_before;

  number_within #(
      .S(S)
  ) dut (
      .clk,
      .expected,
      .number,
      .count,
      .none,
      .contained(contained)
  );

  number_within #(
      .S(S),
      .PIPELINED(1'b1)
  ) pipelined (
      .clk,
      .expected,
      .number,
      .count,
      .none,
      .contained(contained_pipelined)
  );

  function automatic logic contains(input logic [S-1:0] behind);
    return behind == '0 || (!none && {16'd0, behind} < (S + 16)'(count) && behind < (S'(1) << NearBits));
  endfunction

  assign distance = expected - number;

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    distance_before <= distance;
    if (started) assert (is_within(contained_pipelined) == contains(distance_before));
    assert (is_within(contained) == contains(distance));
  end
endmodule

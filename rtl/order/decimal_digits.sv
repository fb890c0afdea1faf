// The decimal digits of a number: four parts of it are looked up in tables, and the decimals added.
//
//   value ─┬─ table of bits 8:0   ──┬ + ┐
//          ├─ table of bits 17:9  ──┘   │
//          ├─ table of bits 25:18 ──┐   + ─ digits
//          └─ table of bits 33:26 ──┴ + ┘
//
// Two decimals are added as two binary numbers, of which one has 6 more in each digit: a digit carries in binary then if it does in decimal, and
// where it does not, the 6 is taken back.
//
// Latency: 4 cycles. Throughput: a number a cycle. While `hold`, the digits stay. No parameters. Overflow: `fits` is 0 from 10^10 on, and the digits mean nothing.
module decimal_digits (
    input logic clk,

    input  logic             hold,
    input  logic [33:0]      value,
    output logic             fits,   // below 10^10
    output logic [ 9:0][3:0] digits  // [0] is the last
);
  localparam int Digits = 11;  // of 2^34
  typedef logic [Digits-1:0][3:0] decimal_t;

  // The sum of two decimals, `left` with 6 more in each digit; with `more` so is the sum.
  function automatic decimal_t sum_of(input decimal_t left, input decimal_t right, input logic more);
    logic [4*Digits:0] sum, carries;
    sum = {1'b0, left} + {1'b0, right};
    carries = sum ^ {1'b0, left} ^ {1'b0, right};  // into each bit
    for (int i = 0; i < Digits; i++) begin
      sum_of[i] = sum[4*i+:4];
      if (more && carries[4*i+4]) sum_of[i] = sum[4*i+:4] + 4'd6;
      if (!more && !carries[4*i+4]) sum_of[i] = sum[4*i+:4] - 4'd6;
    end
  endfunction

  localparam logic [19:0] Sixes = {5{4'd6}};  // what the table of fewer digits leaves out
  logic [11:0] part_0;
  logic [23:0] part_1;
  logic [31:0] part_2;
  decimal_t part_3, low, high, all;

  decimal_table #(
      .BITS(9),
      .SHIFT(0),
      .DIGITS(3)
  ) table_0 (
      .clk,
      .bits(value[8:0]),
      .digits(part_0)
  );
  decimal_table #(
      .BITS(9),
      .SHIFT(9),
      .DIGITS(6),
      .MORE(6)
  ) table_1 (
      .clk,
      .bits(value[17:9]),
      .digits(part_1)
  );
  decimal_table #(
      .BITS(8),
      .SHIFT(18),
      .DIGITS(8)
  ) table_2 (
      .clk,
      .bits(value[25:18]),
      .digits(part_2)
  );
  decimal_table #(
      .BITS(8),
      .SHIFT(26),
      .DIGITS(Digits),
      .MORE(6)
  ) table_3 (
      .clk,
      .bits(value[33:26]),
      .digits(part_3)
  );

  always_ff @(posedge clk) begin
    low <= sum_of({Sixes, part_1}, 44'(part_0), 1'b0);
    high <= sum_of(part_3, 44'(part_2), 1'b1);
    if (!hold) all <= sum_of(high, low, 1'b0);
  end

  assign digits = all[9:0];
  assign fits = all[10] == 4'd0;
endmodule

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
// Latency: 4 cycles. Throughput: a number a cycle. No parameters. Overflow: `fits` is 0 from 10^10 on, and the digits mean nothing.
module decimal_digits (
    input logic clk,

    input  logic [33:0]      value,
    output logic             fits,   // below 10^10
    output logic [ 9:0][3:0] digits  // [0] is the last
);
  localparam int Digits = 11;  // of 2^34
  typedef logic [Digits-1:0][3:0] decimal_t;

  function automatic decimal_t decimal_of(input logic [63:0] number, input logic [3:0] more);
    logic [63:0] rest;
    rest = number;
    for (int i = 0; i < Digits; i++) begin
      decimal_of[i] = 4'(rest % 64'd10) + more;
      rest = rest / 64'd10;
    end
  endfunction

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

  // As wide as they have digits: those of a lower part have fewer.
  (* rom_style = "block" *) logic [11:0] table_0[512];
  (* rom_style = "block" *) logic [23:0] table_1[512];
  (* rom_style = "block" *) logic [31:0] table_2[256];
  (* rom_style = "block" *) logic [43:0] table_3[256];
  initial begin
    for (int i = 0; i < 512; i++) table_0[i] = 12'(decimal_of(64'(i), 4'd0));
    for (int i = 0; i < 512; i++) table_1[i] = 24'(decimal_of(64'(i) << 9, 4'd6));
    for (int i = 0; i < 256; i++) table_2[i] = 32'(decimal_of(64'(i) << 18, 4'd0));
    for (int i = 0; i < 256; i++) table_3[i] = decimal_of(64'(i) << 26, 4'd6);
  end

  localparam logic [19:0] Sixes = {5{4'd6}};
  logic [11:0] read_0, part_0;
  logic [23:0] read_1, part_1;
  logic [31:0] read_2, part_2;
  logic [43:0] read_3, part_3;
  decimal_t low, high, all;

  always_ff @(posedge clk) begin
    {read_0, read_1} <= {table_0[value[8:0]], table_1[value[17:9]]};
    {read_2, read_3} <= {table_2[value[25:18]], table_3[value[33:26]]};
    {part_0, part_1, part_2, part_3} <= {read_0, read_1, read_2, read_3};
    low <= sum_of({Sixes, part_1}, 44'(part_0), 1'b0);
    high <= sum_of(part_3, 44'(part_2), 1'b1);
    all <= sum_of(high, low, 1'b0);
  end

  assign digits = all[9:0];
  assign fits = all[10] == 4'd0;
endmodule

// Reads the price of a fill (LastPx) a character at a time, and brings it to the scale of the instruments' prices.
//
//   character ─ digits ─┬─ magnitude, sign
//                       └─ ends ─ zeros for the decimals that are missing
//
// `known` says that the price is a number of that scale below 2^32, without its sign; after rounding it would be another price, so that one with more
// decimals is none. `number` says that the characters are a number: digits, 18 at most, with a point and a minus sign first at most. Twin: crates/device, reports.
//
// Latency: `busy` is high from the cycle after `ends` for as many cycles as decimals are missing, and one; then the price stands until the next `begins`.
// Throughput: a character a cycle while it is not busy. No parameters. Overflow: none; a number that is too large is not known.
module fix_last_price (
    input logic       clk,
    input logic       rst,
    input logic [3:0] decimals,  // of the price: 15 at most

    input logic       begins,    // a value begins: what was read is forgotten
    input logic       present,   // a character of it
    input logic       ends,      // after its last
    input logic       is_digit,
    input logic       is_point,
    input logic       is_minus,
    input logic [3:0] digit,

    output logic        number,     // with `ends`
    output logic        busy,
    output logic        known,      // after it
    output logic        negative,
    output logic [31:0] magnitude
);
  localparam int MostDigits = 18;
  localparam int Bits = 36;  // 2^32 and a digit

  logic [Bits-1:0] value, times_ten;
  logic [Bits-2:0] four_times;
  logic [3:0] added, after;
  logic [4:0] digits;
  logic begun, has_point, wrong, beyond, adds, full;

  // 10 v + d: 5 v + d / 2 in one sum, where 4 v leaves room for the digit.
  assign added = busy ? 4'd0 : digit;
  assign four_times = {value[Bits-4:0], added[3] ? 2'b11 : added[2:1]};
  assign times_ten = {four_times + value[Bits-2:0] + (Bits - 1)'(added[3]), added[0]};

  assign full = after == decimals;
  assign adds = busy ? !full : present && is_digit && !(has_point && full);
  assign number = !wrong && digits != '0;
  assign known = !beyond && value[Bits-1:Bits-4] == '0;
  assign magnitude = value[31:0];

  always_ff @(posedge clk) begin
    if (present) begin
      begun <= 1'b1;
      if (is_minus && !begun) negative <= 1'b1;
      else if (is_point && !has_point) has_point <= 1'b1;
      else if (!is_digit || digits == 5'(MostDigits)) wrong <= 1'b1;
      if (is_digit) digits <= digits + 1'b1;
      // A digit that the scale has no place for.
      if (is_digit && has_point && full && digit != '0) beyond <= 1'b1;
    end
    if (adds) begin
      value <= times_ten;
      if (value[Bits-1:Bits-4] != '0) beyond <= 1'b1;
      if (busy || has_point) after <= after + 1'b1;
    end
    if (ends) busy <= 1'b1;
    if (busy && full) busy <= 1'b0;
    if (begins) {value, after, digits, begun, has_point, wrong, beyond, negative} <= '0;
    if (rst) {busy, value, beyond} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !busy || !(begins || present));
endmodule

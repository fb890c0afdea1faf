// The key of an instrument from a text of at most twelve characters: one of up to eight as it is, spaces after it; a longer one as a number of base 38 with the
// highest bit set (docs/reference/fast-events.md, "Keys"). fast_event_name makes the same of the microcode engine's fields.
//
//   text ─ s1 pairs of digits of base 38 ─ s2 fours ─ s3 the first eight ─ s4 all twelve
//
// Latency: 4 cycles to the key; `wrong3` is there after 3. Throughput: a text a cycle. No parameters. Overflow: a text that has no key is `wrong3`.
module fast_wire_name
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic [ValueBits-1:0] value,  // the last character lowest
    input logic [3:0] count,
    output logic wrong3,
    output logic [63:0] key4
);
  localparam int Short = 8;

  logic [Characters-1:0][6:0] characters;
  logic [Characters-1:0] used, in_name, printable, edge_space;
  logic [Characters-1:0][5:0] digit;
  logic [63:0] short_key, short1, short2, short3;
  logic is_long, long1, long2, long3, wrong, wrong1, wrong2;

  assign characters = value;
  assign is_long = count > 4'(Short);

  always_comb begin
    for (int i = 0; i < Characters; i++) begin
      used[i] = count > 4'(i);
      printable[i] = characters[i] inside {[7'h20 : 7'h7e]};
      edge_space[i] = characters[i] == 7'h20 && (i == 0 || count == 4'(i + 1));
      in_name[i] = 1'b1;
      digit[i] = 6'd37;
      if (characters[i] inside {[7'h41 : 7'h5a]}) digit[i] = 6'(characters[i] - 7'h40);
      else if (characters[i] inside {[7'h30 : 7'h39]}) digit[i] = 6'(characters[i] - 7'h30) + 6'd27;
      else in_name[i] = characters[i] == 7'h5f;
      if (!used[i]) digit[i] = '0;
    end
    // The first character is the highest byte.
    short_key = {Short{8'h20}};
    for (int n = 1; n <= Short; n++) begin
      if (count == 4'(n)) begin
        for (int i = 0; i < n; i++) short_key[8*(Short-n+i)+:8] = {1'b0, characters[i]};
      end
    end
    wrong = count == '0 || count > 4'(Characters);
    if (is_long ? (used & ~in_name) != '0 : (used & (~printable | edge_space)) != '0) wrong = 1'b1;
  end

  // Where the product is narrow a multiplier makes it. 38^4 = 2^21 - 2^14 + 2^12 + 2^8 + 2^4.
  logic [Characters/2-1:0][10:0] pair1;
  logic [Characters/4-1:0][20:0] four2;
  logic [41:0] high3;
  logic [20:0] low3;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Characters / 2; i++) pair1[i] <= 11'(digit[2*i+1]) * 11'd38 + 11'(digit[2*i]);
    short1 <= short_key;
    {long1, wrong1} <= {is_long, wrong};

    for (int i = 0; i < Characters / 4; i++) four2[i] <= 21'(pair1[2*i+1]) * 21'd1444 + 21'(pair1[2*i]);
    short2 <= short1;
    {long2, wrong2} <= {long1, wrong1};

    high3 <= (42'(four2[2]) << 21) - (42'(four2[2]) << 14) + (42'(four2[2]) << 12) + (42'(four2[2]) << 8) + (42'(four2[2]) << 4)
        + 42'(four2[1]);
    low3 <= four2[0];
    short3 <= short2;
    {long3, wrong3} <= {long2, wrong2};

    key4 <= short3;
    if (long3)
      key4 <= {1'b1, (63'(high3) << 21) - (63'(high3) << 14) + (63'(high3) << 12) + (63'(high3) << 8) + (63'(high3) << 4) + 63'(low3)};
  end
endmodule

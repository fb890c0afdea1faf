// The key of an instrument from a text of at most twelve characters: one of up to eight as it is, spaces after it; a longer one as a number of base 38 with the
// highest bit set (docs/reference/fast-events.md, "Keys"). fast_event_name makes the same of the microcode engine's fields.
//
//   text ─ s1 digits of base 38 ─ s2 threes ─ s3 each times its power of 38 ─ s4 their sum
//
// Latency: 4 cycles to the key; `wrong3`, and what the key will be, are there after 3. Throughput: a text a cycle. No parameters. Overflow: a text that has no key is `wrong3`.
module fast_wire_name
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic [ValueBits-1:0] value,  // the last character lowest, zeros above the first
    input logic [3:0] count,
    output logic wrong3,
    output logic [63:0] key3,  // not from flip-flops
    output logic [63:0] key4
);
  localparam int Short = 8;

  // A to Z are 1 to 26, and 0x5f, the underscore, is 37.
  function automatic logic [5:0] letter(logic [4:0] low);
    return low == 5'h1f ? 6'd37 : {1'b0, low};
  endfunction

  // 0 to 9 are 27 to 36.
  function automatic logic [5:0] numeral(logic [3:0] low);
    case (low)
      4'd0: return 6'd27;
      4'd1: return 6'd28;
      4'd2: return 6'd29;
      4'd3: return 6'd30;
      4'd4: return 6'd31;
      4'd5: return 6'd32;
      4'd6: return 6'd33;
      4'd7: return 6'd34;
      4'd8: return 6'd35;
      default: return 6'd36;
    endcase
  endfunction

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
      printable[i] = characters[i][6:5] != '0 && characters[i] != 7'h7f;
      edge_space[i] = characters[i] == 7'h20 && (i == 0 || count == 4'(i + 1));
      in_name[i] = characters[i][6] ? !characters[i][5] && !(characters[i][4:0] inside {5'd0, [5'd27 : 5'd30]}) :
          characters[i][5:4] == 2'b11 && characters[i][3:0] < 4'd10;
      // What has no digit is wrong, so that it may have any; what is not used is 0.
      digit[i] = characters[i][6] ? letter(characters[i][4:0]) : characters[i][5] ? numeral(characters[i][3:0]) : '0;
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

  // Products are of 17 bits at most, as multipliers are wide: 38^3 has 16, 38^6 and 38^9 come in parts of 16.
  localparam int Third = 16;
  localparam logic [Third-1:0] Cube = 16'd54_872;
  localparam logic [2*Third-1:0] Sixth = 32'd3_010_936_384;
  localparam logic [3*Third-1:0] Ninth = 48'd165_216_101_262_848;

  logic [Characters-1:0][5:0] digit1;
  logic [Characters/3-1:0][Third-1:0] three2;
  logic [Third-1:0] three3;
  logic [2*Third-1:0] cube3;
  logic [1:0][2*Third-1:0] sixth3;
  logic [2:0][2*Third-1:0] ninth3;
  logic [62:0] sum;

  // Of the products some have room for others beside them.
  assign sum = 63'({ninth3[2], ninth3[0]}) + (63'(ninth3[1]) << Third) + 63'({sixth3[1], three3}) + 63'(sixth3[0]) + 63'(cube3);

  assign key3 = long3 ? {1'b1, sum} : short3;

  always_ff @(posedge clk) begin
    digit1 <= digit;
    short1 <= short_key;
    {long1, wrong1} <= {is_long, wrong};

    for (int i = 0; i < Characters / 3; i++) three2[i] <= 16'(digit1[3*i+2]) * 16'd1444 + 16'(digit1[3*i+1]) * 16'd38 + 16'(digit1[3*i]);
    short2 <= short1;
    {long2, wrong2} <= {long1, wrong1};

    three3 <= three2[0];
    cube3 <= 32'(three2[1]) * 32'(Cube);
    for (int i = 0; i < 2; i++) sixth3[i] <= 32'(three2[2]) * 32'(Sixth[Third*i+:Third]);
    for (int i = 0; i < 3; i++) ninth3[i] <= 32'(three2[3]) * 32'(Ninth[Third*i+:Third]);
    short3 <= short2;
    {long3, wrong3} <= {long2, wrong2};

    key4 <= key3;
  end
endmodule

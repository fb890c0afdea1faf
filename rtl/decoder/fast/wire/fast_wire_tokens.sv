// Arranges the value of every token at the lane where it ends.
//
//   lanes ─ s8 whose each byte is ─ s9 counts, signs ─ s10 ─┬─ a token that begins in the beat: its bytes end in its lane, so that it needs a mask
//                                                        └─ the beat's first token, which may have begun before: those bytes shifted by its lane
//
// A token has twelve bytes of value at most; of a longer one the count is 15.
//
// Latency: 1 cycle from `lanes9`; what can be known before is worked out from the same lanes one and two cycles earlier. Throughput: a beat a cycle. Overflow: the count.
module fast_wire_tokens
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat9,
    input lane_t [Lanes-1:0] lanes7,  // those of two cycles later
    input lane_t [Lanes-1:0] lanes8,  // of the next cycle
    input lane_t [Lanes-1:0] lanes9,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic [Lanes-1:0][7*(Lanes-1)-1:0] values10,  // of tokens but the first, which may hold lane 0: of that 0
    output token_t [Lanes-1:0] tokens10,  // of all
    output logic [ValueBits-1:0] first10,
    output logic [Lanes-1:0] first_at10  // its lane, one-hot
);
  // ---- s8

  logic [Lanes-1:0] first_at, open, first_at8, open8;
  logic [Lanes-1:0][Lanes-1:0] mine, mine8;  // [j][g]: the byte g lanes before lane j is of the token that ends there

  always_comb begin
    logic holds;
    holds = lanes7[0].kept;
    for (int j = 0; j < Lanes; j++) begin
      first_at[j] = holds && lanes7[j].stop;
      holds = holds && !lanes7[j].stop;
    end
    holds = 1'b1;
    for (int j = Lanes - 1; j >= 0; j--) begin
      holds = holds && lanes7[j].kept && !lanes7[j].stop;
      open[j] = holds;
    end
    mine = '0;
    for (int j = 0; j < Lanes; j++) begin
      mine[j][0] = 1'b1;
      for (int g = 1; g <= j; g++) mine[j][g] = mine[j][g-1] && lanes7[j-g].kept && !lanes7[j-g].stop;
    end
  end
  always_ff @(posedge clk) {first_at8, open8, mine8} <= {first_at, open, mine};

  // ---- s9

  logic [Lanes-1:0] zero, all_ones, leads_zero, leads_sign;
  token_t [Lanes-1:0] tokens;
  token_t open_token;  // what is open at the beat's end, as far as this beat says it
  logic open_begins;  // it begins in this beat

  always_comb begin
    for (int j = 0; j < Lanes; j++) begin
      zero[j] = lanes8[j].bits == '0;
      all_ones[j] = &lanes8[j].bits;
      leads_zero[j] = lanes8[j].begins && !lanes8[j].stop && zero[j];
      leads_sign[j] = lanes8[j].begins && !lanes8[j].stop && j < Lanes - 1 &&
          (lanes8[(j+1)%8].bits[6] ? all_ones[j] : zero[j]);
    end
  end

  always_comb begin
    tokens = '0;
    for (int j = 0; j < Lanes; j++) begin
      for (int g = 0; g <= j; g++) begin
        if (mine8[j][g]) begin
          tokens[j].count = 4'(g + 1);
          if (lanes8[j-g].begins) begin
            tokens[j].negative   = lanes8[j-g].bits[6];
            tokens[j].leads_zero = leads_zero[j-g];
            tokens[j].leads_sign = leads_sign[j-g];
          end
        end
      end
    end
    open_token  = '0;
    open_begins = 1'b0;
    for (int g = 0; g < Lanes; g++) begin
      if (open8[Lanes-1-g]) begin
        open_token.count = 4'(g + 1);
        if (lanes8[Lanes-1-g].begins) begin
          open_begins = 1'b1;
          open_token.negative = lanes8[Lanes-1-g].bits[6];
          open_token.leads_zero = leads_zero[Lanes-1-g];
          open_token.leads_sign = leads_sign[Lanes-1-g];
        end
      end
    end
  end

  logic [Lanes-1:0][Lanes-1:0] mine9;
  logic [Lanes-1:0] first_at9, open9;
  token_t [Lanes-1:0] tokens9;
  token_t open_token9;
  logic negative9;  // of lane 0
  logic open_begins9, ends_zero9, ends_ones9;

  always_ff @(posedge clk) begin
    {first_at9, open9} <= {first_at8, open8};
    for (int j = 0; j < Lanes; j++) mine9[j] <= first_at8[j] ? '0 : mine8[j];
    tokens9 <= tokens;
    open_token9 <= open_token;
    open_begins9 <= open_begins;
    negative9 <= lanes8[0].bits[6];
    ends_zero9 <= open8[Lanes-1] && lanes8[Lanes-1].begins && zero[Lanes-1];
    ends_ones9 <= open8[Lanes-1] && lanes8[Lanes-1].begins && all_ones[Lanes-1];
  end

  // ---- s10

  // The token that is open at the beat's end.
  logic [ValueBits-1:0] held, held_next;
  token_t held_token, held_token_next;
  logic held_zero, held_ones;  // it is one byte so far, all zeros, or ones
  logic held_sign;  // with the first byte of this beat it is overlong

  assign held_sign = held_token.leads_sign || (negative9 ? held_ones : held_zero);

  // Bytes up to a lane, and what they say.
  function automatic logic [3:0] longer(logic [3:0] earlier, logic [3:0] more);
    logic [4:0] sum;
    sum = 5'(earlier) + 5'(more);
    return sum > 5'(Characters) ? 4'd15 : sum[3:0];
  endfunction

  logic [ValueBits-1:0] first_value;
  token_t [Lanes-1:0] all_tokens;
  always_comb begin
    first_value = '0;
    all_tokens = tokens9;
    for (int j = 0; j < Lanes; j++) begin
      logic [ValueBits-1:0] shifted;
      shifted = ValueBits'(held) << (7 * (j + 1));
      for (int g = 0; g <= j; g++) shifted[7*g+:7] = lanes9[j-g].bits;
      if (first_at9[j]) begin
        first_value |= shifted;
        all_tokens[j].count = longer(held_token.count, 4'(j + 1));
        if (!lanes9[0].begins) begin
          all_tokens[j].negative   = held_token.negative;
          all_tokens[j].leads_zero = held_token.leads_zero;
          all_tokens[j].leads_sign = held_sign;
        end
      end
    end
  end

  // Tokens that begin in the beat, and what is open at its end.
  logic [Lanes-1:0][7*(Lanes-1)-1:0] values;
  always_comb begin
    values = '0;
    for (int j = 0; j < Lanes; j++) begin
      for (int g = 0; g <= j; g++) if (g < Lanes - 1 && mine9[j][g]) values[j][7*g+:7] = lanes9[j-g].bits;
    end
    held_next = open9[0] ? held << (7 * Lanes) : '0;
    for (int g = 0; g < Lanes; g++) if (open9[Lanes-1-g]) held_next[7*g+:7] = lanes9[Lanes-1-g].bits;
    held_token_next = open_token9;
    if (open9[0] && !open_begins9) begin
      held_token_next = held_token;
      held_token_next.leads_sign = held_sign;
    end
    held_token_next.count = longer(open9[0] ? held_token.count : 4'd0, open_token9.count);
  end

  always_ff @(posedge clk) begin
    values10 <= values;
    tokens10 <= all_tokens;
    first10 <= first_value;
    first_at10 <= first_at9;
    if (beat9.valid) begin
      held <= held_next;
      held_token <= held_token_next;
      held_zero <= ends_zero9;
      held_ones <= ends_ones9;
    end
    if (rst || (beat9.valid && beat9.last)) begin
      held <= '0;
      held_token <= '0;
      held_zero <= 1'b0;
      held_ones <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !beat9.valid || $countones(first_at9) <= 1);
endmodule

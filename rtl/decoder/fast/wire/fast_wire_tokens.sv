// Arranges the value of every token at the lane where it ends.
//
//   lanes ─ s11 whose each byte is, counts, signs ─ s12 ─┬─ a token that begins in the beat: its bytes end in its lane, so that it needs a mask
//                                                        └─ the beat's first token, which may have begun before: those bytes shifted by its lane
//
// A token has twelve bytes of value at most; of a longer one the count is 15.
//
// Latency: 1 cycle from `lanes11`; what can be known before is worked out from the same lanes a cycle earlier. Throughput: a beat a cycle. Overflow: the count.
module fast_wire_tokens
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat11,
    input lane_t [Lanes-1:0] lanes10,  // those of the next cycle
    input lane_t [Lanes-1:0] lanes11,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic [Lanes-1:0][7*(Lanes-1)-1:0] values12,  // of tokens that do not hold lane 0
    output token_t [Lanes-1:0] tokens12,
    output logic [ValueBits-1:0] first12,
    output token_t first_token12,
    output logic [Lanes-1:0] first_at12  // its lane, one-hot
);
  // ---- s11

  logic [Lanes-1:0] zero, all_ones, leads_zero, leads_sign, first_at, open;
  logic [Lanes-1:0][Lanes-1:0] mine;  // [j][g]: the byte g lanes before lane j is of the token that ends there
  token_t [Lanes-1:0] tokens;
  token_t open_token;  // what is open at the beat's end, as far as this beat says it
  logic open_begins;  // it begins in this beat

  always_comb begin
    logic holds;
    for (int j = 0; j < Lanes; j++) begin
      zero[j] = lanes10[j].bits == '0;
      all_ones[j] = &lanes10[j].bits;
      leads_zero[j] = lanes10[j].begins && !lanes10[j].stop && zero[j];
      leads_sign[j] = lanes10[j].begins && !lanes10[j].stop && j < Lanes - 1 &&
          (lanes10[(j+1)%8].bits[6] ? all_ones[j] : zero[j]);
    end
    holds = lanes10[0].kept;
    for (int j = 0; j < Lanes; j++) begin
      first_at[j] = holds && lanes10[j].stop;
      holds = holds && !lanes10[j].stop;
    end
    holds = 1'b1;
    for (int j = Lanes - 1; j >= 0; j--) begin
      holds = holds && lanes10[j].kept && !lanes10[j].stop;
      open[j] = holds;
    end
    mine = '0;
    for (int j = 0; j < Lanes; j++) begin
      mine[j][0] = 1'b1;
      for (int g = 1; g <= j; g++) mine[j][g] = mine[j][g-1] && lanes10[j-g].kept && !lanes10[j-g].stop;
    end
  end

  always_comb begin
    tokens = '0;
    for (int j = 0; j < Lanes; j++) begin
      for (int g = 0; g <= j; g++) begin
        if (mine[j][g]) begin
          tokens[j].count = 4'(g + 1);
          if (lanes10[j-g].begins) begin
            tokens[j].negative   = lanes10[j-g].bits[6];
            tokens[j].leads_zero = leads_zero[j-g];
            tokens[j].leads_sign = leads_sign[j-g];
          end
        end
      end
    end
    open_token  = '0;
    open_begins = 1'b0;
    for (int g = 0; g < Lanes; g++) begin
      if (open[Lanes-1-g]) begin
        open_token.count = 4'(g + 1);
        if (lanes10[Lanes-1-g].begins) begin
          open_begins = 1'b1;
          open_token.negative = lanes10[Lanes-1-g].bits[6];
          open_token.leads_zero = leads_zero[Lanes-1-g];
          open_token.leads_sign = leads_sign[Lanes-1-g];
        end
      end
    end
  end

  logic [Lanes-1:0][Lanes-1:0] mine11;
  logic [Lanes-1:0] first_at11, open11;
  token_t [Lanes-1:0] tokens11;
  token_t open_token11;
  logic negative11, leads_zero11, leads_sign11;  // of lane 0
  logic open_begins11, ends_zero11, ends_ones11;

  always_ff @(posedge clk) begin
    mine11 <= mine;
    first_at11 <= first_at;
    open11 <= open;
    tokens11 <= tokens;
    open_token11 <= open_token;
    open_begins11 <= open_begins;
    {negative11, leads_zero11, leads_sign11} <= {lanes10[0].bits[6], leads_zero[0], leads_sign[0]};
    ends_zero11 <= open[Lanes-1] && lanes10[Lanes-1].begins && zero[Lanes-1];
    ends_ones11 <= open[Lanes-1] && lanes10[Lanes-1].begins && all_ones[Lanes-1];
  end

  // ---- s12

  // The token that is open at the beat's end.
  logic [ValueBits-1:0] held, held_next;
  token_t held_token, held_token_next;
  logic held_zero, held_ones;  // it is one byte so far, all zeros, or ones
  logic held_sign;  // with the first byte of this beat it is overlong

  assign held_sign = held_token.leads_sign || (negative11 ? held_ones : held_zero);

  // Bytes up to a lane, and what they say.
  function automatic logic [3:0] longer(logic [3:0] earlier, logic [3:0] more);
    logic [4:0] sum;
    sum = 5'(earlier) + 5'(more);
    return sum > 5'(Characters) ? 4'd15 : sum[3:0];
  endfunction

  logic [ValueBits-1:0] first_value;
  token_t first_token;
  always_comb begin
    first_value = '0;
    first_token = '0;
    for (int j = 0; j < Lanes; j++) begin
      logic [ValueBits-1:0] shifted;
      shifted = ValueBits'(held) << (7 * (j + 1));
      for (int g = 0; g <= j; g++) shifted[7*g+:7] = lanes11[j-g].bits;
      if (first_at11[j]) begin
        first_value |= shifted;
        first_token.count |= longer(held_token.count, 4'(j + 1));
      end
    end
    if (lanes11[0].begins) begin
      first_token.negative = negative11;
      first_token.leads_zero = leads_zero11;
      first_token.leads_sign = leads_sign11;
    end else begin
      first_token.negative = held_token.negative;
      first_token.leads_zero = held_token.leads_zero;
      first_token.leads_sign = held_sign;
    end
  end

  // Tokens that begin in the beat, and what is open at its end.
  logic [Lanes-1:0][7*(Lanes-1)-1:0] values;
  always_comb begin
    values = '0;
    for (int j = 0; j < Lanes; j++) begin
      for (int g = 0; g <= j; g++) if (g < Lanes - 1 && mine11[j][g]) values[j][7*g+:7] = lanes11[j-g].bits;
    end
    held_next = open11[0] ? held << (7 * Lanes) : '0;
    for (int g = 0; g < Lanes; g++) if (open11[Lanes-1-g]) held_next[7*g+:7] = lanes11[Lanes-1-g].bits;
    held_token_next = open_token11;
    if (open11[0] && !open_begins11) begin
      held_token_next = held_token;
      held_token_next.leads_sign = held_sign;
    end
    held_token_next.count = longer(open11[0] ? held_token.count : 4'd0, open_token11.count);
  end

  always_ff @(posedge clk) begin
    values12 <= values;
    tokens12 <= tokens11;
    first12 <= first_value;
    first_token12 <= first_token;
    first_at12 <= first_at11;
    if (beat11.valid) begin
      held <= held_next;
      held_token <= held_token_next;
      held_zero <= ends_zero11;
      held_ones <= ends_ones11;
    end
    if (rst || (beat11.valid && beat11.last)) begin
      held <= '0;
      held_token <= '0;
      held_zero <= 1'b0;
      held_ones <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !beat11.valid || $countones(first_at11) <= 1);
endmodule

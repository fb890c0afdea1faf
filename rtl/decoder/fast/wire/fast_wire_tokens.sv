// Arranges the value of every token at the lane where it ends.
//
//   lanes ─ s12 ─┬─ a token that begins in the beat: its bytes end in its lane, so that it needs a mask
//                └─ the beat's first token, which may have begun before: those bytes shifted by its lane
//
// A token has twelve bytes of value at most; of a longer one the count is 15.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Overflow: the count.
module fast_wire_tokens
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat11,
    /* verilator lint_on UNUSEDSIGNAL */
    input lane_t [Lanes-1:0] lanes11,

    output logic [Lanes-1:0][7*(Lanes-1)-1:0] values12,  // of tokens that do not hold lane 0
    output token_t [Lanes-1:0] tokens12,
    output logic [ValueBits-1:0] first12,
    output token_t first_token12,
    output logic [Lanes-1:0] first_at12  // its lane, one-hot
);
  // The token that is open at the beat's end.
  logic [ValueBits-1:0] held;
  token_t held_token;
  logic held_zero, held_ones;  // it is one byte so far, all zeros, or ones

  logic [Lanes-1:0] zero, all_ones, leads_zero, leads_sign, first_at, open;

  always_comb begin
    logic holds;
    for (int j = 0; j < Lanes; j++) begin
      zero[j] = lanes11[j].bits == '0;
      all_ones[j] = &lanes11[j].bits;
      leads_zero[j] = lanes11[j].begins && !lanes11[j].stop && zero[j];
      leads_sign[j] = lanes11[j].begins && !lanes11[j].stop && j < Lanes - 1 &&
          (lanes11[(j+1)%8].bits[6] ? all_ones[j] : zero[j]);
    end
    holds = lanes11[0].kept;
    for (int j = 0; j < Lanes; j++) begin
      first_at[j] = holds && lanes11[j].stop;
      holds = holds && !lanes11[j].stop;
    end
    holds = 1'b1;
    for (int j = Lanes - 1; j >= 0; j--) begin
      holds = holds && lanes11[j].kept && !lanes11[j].stop;
      open[j] = holds;
    end
  end

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
      if (first_at[j]) begin
        first_value |= shifted;
        first_token.count |= longer(held_token.count, 4'(j + 1));
      end
    end
    if (lanes11[0].begins) begin
      first_token.negative = lanes11[0].bits[6];
      first_token.leads_zero = leads_zero[0];
      first_token.leads_sign = leads_sign[0];
    end else begin
      first_token.negative = held_token.negative;
      first_token.leads_zero = held_token.leads_zero;
      first_token.leads_sign = held_token.leads_sign || (lanes11[0].bits[6] ? held_ones : held_zero);
    end
  end

  // Tokens that begin in the beat, and what is open at its end.
  logic [Lanes-1:0][7*(Lanes-1)-1:0] values;
  token_t [Lanes-1:0] tokens;
  logic [ValueBits-1:0] held_next;
  token_t held_token_next;

  always_comb begin
    logic mine;
    values = '0;
    tokens = '0;
    for (int j = 0; j < Lanes; j++) begin
      mine = 1'b1;
      for (int g = 0; g <= j; g++) begin
        if (g > 0) mine = mine && lanes11[j-g].kept && !lanes11[j-g].stop;
        if (mine) begin
          if (g < Lanes - 1) values[j][7*g+:7] = lanes11[j-g].bits;
          tokens[j].count = 4'(g + 1);
          if (lanes11[j-g].begins) begin
            tokens[j].negative   = lanes11[j-g].bits[6];
            tokens[j].leads_zero = leads_zero[j-g];
            tokens[j].leads_sign = leads_sign[j-g];
          end
        end
      end
    end
  end

  always_comb begin
    logic [3:0] count;
    held_next = open[0] ? held << (7 * Lanes) : '0;
    held_token_next = open[0] ? held_token : '0;
    count = '0;
    for (int g = 0; g < Lanes; g++) begin
      if (open[Lanes-1-g]) begin
        held_next[7*g+:7] = lanes11[Lanes-1-g].bits;
        count = 4'(g + 1);
        if (lanes11[Lanes-1-g].begins) begin
          held_token_next.negative   = lanes11[Lanes-1-g].bits[6];
          held_token_next.leads_zero = leads_zero[Lanes-1-g];
          held_token_next.leads_sign = leads_sign[Lanes-1-g];
        end
      end
    end
    if (open[0] && !lanes11[0].begins && (lanes11[0].bits[6] ? held_ones : held_zero)) held_token_next.leads_sign = 1'b1;
    held_token_next.count = longer(open[0] ? held_token.count : 4'd0, count);
  end

  always_ff @(posedge clk) begin
    values12 <= values;
    tokens12 <= tokens;
    first12 <= first_value;
    first_token12 <= first_token;
    first_at12 <= first_at;
    if (beat11.valid) begin
      held <= held_next;
      held_token <= held_token_next;
      held_zero <= open[Lanes-1] && lanes11[Lanes-1].begins && zero[Lanes-1];
      held_ones <= open[Lanes-1] && lanes11[Lanes-1].begins && all_ones[Lanes-1];
    end
    if (rst || (beat11.valid && beat11.last)) begin
      held <= '0;
      held_token <= '0;
      held_zero <= 1'b0;
      held_ones <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !beat11.valid || $countones(first_at) <= 1);
endmodule

// What the program of the strategy BestChange does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_best_change_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [1:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [0:0] state_before,
    input  value_t orders_before,
    input  value_t [0:0] leftover,
    output value_t [0:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // instrument
  value_t word_1;  // size
  value_t word_2;  // position[0]
  value_t word_3;  // position[1]
  value_t word_4;  // last
  value_t word_510;  // 0
  value_t orders, order, product, price, quantity;
  logic [9:0] at, found;
  logic flag, is_found, sent;
  logic [2:0] values;

  always_comb begin
    word_0 = parameters[0];
    word_1 = parameters[1];
    word_2 = positions[0];
    word_3 = positions[1];
    word_4 = state_before[0];
    word_510 = 64'sd0;
    orders = orders_before;
    outcome = '0;
    {order, product, price, quantity} = '0;
    {flag, is_found, found, sent, values} = '0;
    {at, ended} = {10'd1023, 1'b1};
    case (handler)
      HANDLER_BOOK: {at, ended} = {10'd0, 1'b0};
      default: ;
    endcase
    if (at == 10'd0) begin  // Equal, line 12
      at = 10'd1;
      flag = inputs[2] == word_0;
    end
    if (at == 10'd1) begin  // JumpUnless, line 12
      at = 10'd2;
      if (!flag) at = 10'd11;
    end
    if (at == 10'd2) begin  // Test, line 12
      at = 10'd3;
      flag = inputs[4] != 64'sd0;
    end
    if (at == 10'd3) begin  // JumpUnless, line 12
      at = 10'd4;
      if (!flag) at = 10'd11;
    end
    if (at == 10'd4) begin  // NotEqual, line 12
      at = 10'd5;
      flag = inputs[10] != word_510;
    end
    if (at == 10'd5) begin  // JumpUnless, line 12
      at = 10'd6;
      if (!flag) at = 10'd11;
    end
    if (at == 10'd6) begin  // NotEqual, line 12
      at = 10'd7;
      flag = inputs[8] != word_4;
    end
    if (at == 10'd7) begin  // JumpUnless, line 12
      at = 10'd8;
      if (!flag) at = 10'd11;
    end
    if (at == 10'd8) begin  // Move, line 13
      at = 10'd9;
      word_4 = inputs[8];
    end
    if (at == 10'd9) begin  // Terms, line 14
      at = 10'd10;
      {price, quantity} = {inputs[8], word_1};
    end
    if (at == 10'd10) begin  // New, line 14
      at = 10'd11;
      sent = outcome.count < MostIntents;
      if (sent) outcome.intents[outcome.count[1:0]] = new_order(orders + 64'sd1, 3'd0, 1'b1, 1'b0, inputs[2], price, quantity);
      if (sent) outcome.count += 3'd1;
      else outcome.intent_faults += 8'd1;
      order = sent ? orders + 64'sd1 : 64'sd0;
      if (sent) orders = order;
    end
    if (at == 10'd11) begin  // End, line 11
      at = 10'd12;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_4;
    orders_after = orders;
    kept = 1'b1 && word_0 == parameters[0] && word_1 == parameters[1] && word_2 == positions[0] && word_3 == positions[1];
  end
endmodule

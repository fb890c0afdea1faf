// What the program of the strategy TwoOrders does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_two_orders_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [1:0] state_before,
    input  value_t orders_before,
    input  value_t [2:0] leftover,
    output value_t [1:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // size
  value_t word_1;  // position[0]
  value_t word_2;  // position[1]
  value_t word_3;  // bought
  value_t word_4;  // active
  value_t word_5;  // t0
  value_t word_7;  // t2
  value_t word_8;  // t3
  value_t word_510;  // 0
  value_t orders, order, product, price, quantity;
  logic [9:0] at, found;
  logic flag, is_found, sent;
  logic [2:0] values;

  always_comb begin
    word_0 = parameters[0];
    word_1 = positions[0];
    word_2 = positions[1];
    word_3 = state_before[0];
    word_4 = state_before[1];
    word_5 = leftover[0];
    word_7 = leftover[1];
    word_8 = leftover[2];
    word_510 = 64'sd0;
    orders = orders_before;
    outcome = '0;
    {order, product, price, quantity} = '0;
    {flag, is_found, found, sent, values} = '0;
    {at, ended} = {10'd1023, 1'b1};
    case (handler)
      HANDLER_BOOK: {at, ended} = {10'd0, 1'b0};
      HANDLER_TRADE: {at, ended} = {10'd11, 1'b0};
      default: ;
    endcase
    if (at == 10'd0) begin  // Test, line 12
      at = 10'd1;
      flag = word_4 != 64'sd0;
    end
    if (at == 10'd1) begin  // JumpUnless, line 12
      at = 10'd2;
      if (!flag) at = 10'd10;
    end
    if (at == 10'd2) begin  // Terms, line 13
      at = 10'd3;
      {price, quantity} = {inputs[5], word_0};
    end
    if (at == 10'd3) begin  // New, line 13
      at = 10'd4;
      sent = outcome.count < MostIntents;
      if (sent) outcome.intents[outcome.count[1:0]] = new_order(orders + 64'sd1, 3'd3, 1'b1, 1'b0, inputs[2], price, quantity);
      if (sent) outcome.count += 3'd1;
      else outcome.intent_faults += 8'd1;
      order = sent ? orders + 64'sd1 : 64'sd0;
      if (sent) orders = order;
    end
    if (at == 10'd4) begin  // Wait, line 13
      at = 10'd5;
    end
    if (at == 10'd5) begin  // Wait, line 13
      at = 10'd6;
    end
    if (at == 10'd6) begin  // Move, line 13
      at = 10'd7;
      word_5 = order;
    end
    if (at == 10'd7) begin  // Move, line 13
      at = 10'd8;
      word_3 = word_5;
    end
    if (at == 10'd8) begin  // Terms, line 14
      at = 10'd9;
      {price, quantity} = {inputs[8], word_0};
    end
    if (at == 10'd9) begin  // New, line 14
      at = 10'd10;
      sent = outcome.count < MostIntents;
      if (sent) outcome.intents[outcome.count[1:0]] = new_order(orders + 64'sd1, 3'd0, 1'b1, 1'b1, inputs[2], price, quantity);
      if (sent) outcome.count += 3'd1;
      else outcome.intent_faults += 8'd1;
      order = sent ? orders + 64'sd1 : 64'sd0;
      if (sent) orders = order;
    end
    if (at == 10'd10) begin  // End, line 11
      at = 10'd11;
      {at, ended} = {10'd1023, 1'b1};
    end
    if (at == 10'd11) begin  // Equal, line 17
      at = 10'd12;
      flag = inputs[4] == word_510;
      word_7 = truth(flag);
    end
    if (at == 10'd12) begin  // Equal, line 17
      at = 10'd13;
      flag = word_4 == word_510;
      word_8 = truth(flag);
    end
    if (at == 10'd13) begin  // Or, line 17
      at = 10'd14;
      word_4 = word_7 | word_8;
    end
    if (at == 10'd14) begin  // End, line 16
      at = 10'd15;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_3;
    state_after[1] = word_4;
    orders_after = orders;
    kept = 1'b1 && word_0 == parameters[0] && word_1 == positions[0] && word_2 == positions[1];
  end
endmodule

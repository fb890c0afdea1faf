// What the program of the strategy EachInstrument does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_each_instrument_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [1:0] state_before,
    input  value_t orders_before,
    input  value_t [0:0] leftover,
    output value_t [1:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // most
  value_t word_1;  // position[0]
  value_t word_2;  // position[1]
  value_t word_3;  // highest[0]
  value_t word_4;  // highest[1]
  value_t word_6;  // t1
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
    word_6 = leftover[0];
    word_510 = 64'sd0;
    orders = orders_before;
    outcome = '0;
    {order, product, price, quantity} = '0;
    {flag, is_found, found, sent, values} = '0;
    {at, ended} = {10'd1023, 1'b1};
    case (handler)
      HANDLER_TRADE: {at, ended} = {10'd0, 1'b0};
      default: ;
    endcase
    if (at == 10'd0) begin  // Index, line 11
      at = 10'd1;
      is_found = is_index(inputs[2], 64'sd2);
      found = 10'd3 + 10'(inputs[2]);
      if (!is_found) outcome.index_faults += 8'd1;
    end
    if (at == 10'd1) begin  // Wait, line 11
      at = 10'd2;
    end
    if (at == 10'd2) begin  // Wait, line 11
      at = 10'd3;
    end
    if (at == 10'd3) begin  // Or, line 11
      at = 10'd4;
      word_6 = word_510 | (is_found ? (found == 10'd4 ? word_4 : found == 10'd3 ? word_3 : found == 10'd2 ? word_2 : found == 10'd1 ? word_1 : 64'sd0) : 64'sd0);
    end
    if (at == 10'd4) begin  // Greater, line 11
      at = 10'd5;
      flag = inputs[5] > word_6;
    end
    if (at == 10'd5) begin  // JumpUnless, line 11
      at = 10'd6;
      if (!flag) at = 10'd17;
    end
    if (at == 10'd6) begin  // Index, line 12
      at = 10'd7;
      is_found = is_index(inputs[2], 64'sd2);
      found = 10'd3 + 10'(inputs[2]);
      if (!is_found) outcome.index_faults += 8'd1;
    end
    if (at == 10'd7) begin  // Move, line 12
      at = 10'd8;
      if (is_found && found == 10'd1) word_1 = inputs[5];
      if (is_found && found == 10'd2) word_2 = inputs[5];
      if (is_found && found == 10'd3) word_3 = inputs[5];
      if (is_found && found == 10'd4) word_4 = inputs[5];
    end
    if (at == 10'd8) begin  // Index, line 13
      at = 10'd9;
      is_found = is_index(inputs[2], 64'sd2);
      found = 10'd1 + 10'(inputs[2]);
      if (!is_found) outcome.index_faults += 8'd1;
    end
    if (at == 10'd9) begin  // Wait, line 13
      at = 10'd10;
    end
    if (at == 10'd10) begin  // Wait, line 13
      at = 10'd11;
    end
    if (at == 10'd11) begin  // Or, line 13
      at = 10'd12;
      word_6 = word_510 | (is_found ? (found == 10'd4 ? word_4 : found == 10'd3 ? word_3 : found == 10'd2 ? word_2 : found == 10'd1 ? word_1 : 64'sd0) : 64'sd0);
    end
    if (at == 10'd12) begin  // Less, line 13
      at = 10'd13;
      flag = word_6 < word_0;
    end
    if (at == 10'd13) begin  // JumpUnless, line 13
      at = 10'd14;
      if (!flag) at = 10'd17;
    end
    if (at == 10'd14) begin  // Move, line 14
      at = 10'd15;
      word_6 = inputs[6];
    end
    if (at == 10'd15) begin  // Terms, line 14
      at = 10'd16;
      {price, quantity} = {inputs[5], word_6};
    end
    if (at == 10'd16) begin  // New, line 14
      at = 10'd17;
      sent = outcome.count < MostIntents;
      if (sent) outcome.intents[outcome.count[1:0]] = new_order(orders + 64'sd1, 3'd0, 1'b1, 1'b1, inputs[2], price, quantity);
      if (sent) outcome.count += 3'd1;
      else outcome.intent_faults += 8'd1;
      order = sent ? orders + 64'sd1 : 64'sd0;
      if (sent) orders = order;
    end
    if (at == 10'd17) begin  // End, line 10
      at = 10'd18;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_3;
    state_after[1] = word_4;
    orders_after = orders;
    kept = 1'b1 && word_0 == parameters[0] && word_1 == positions[0] && word_2 == positions[1];
  end
endmodule

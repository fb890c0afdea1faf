// What the program of the strategy Extremes does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_extremes_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [0:0] state_before,
    input  value_t orders_before,
    input  value_t [4:0] leftover,
    output value_t [0:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // limit
  value_t word_1;  // position[0]
  value_t word_2;  // position[1]
  value_t word_3;  // widest
  value_t word_4;  // t0
  value_t word_5;  // t1
  value_t word_7;  // t3
  value_t word_8;  // t4
  value_t word_9;  // t5
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
    word_4 = leftover[0];
    word_5 = leftover[1];
    word_7 = leftover[2];
    word_8 = leftover[3];
    word_9 = leftover[4];
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
    if (at == 10'd0) begin  // Move, line 11
      at = 10'd1;
      word_7 = inputs[5];
    end
    if (at == 10'd1) begin  // Subtract, line 11
      at = 10'd2;
      word_8 = inputs[8] - word_7;
    end
    if (at == 10'd2) begin  // Subtract, line 11
      at = 10'd3;
      word_9 = word_510 - word_8;
    end
    if (at == 10'd3) begin  // GreaterEqual, line 11
      at = 10'd4;
      flag = word_8 >= word_510;
    end
    if (at == 10'd4) begin  // Select, line 11
      at = 10'd5;
      word_4 = flag ? word_8 : word_9;
    end
    if (at == 10'd5) begin  // Greater, line 12
      at = 10'd6;
      flag = word_3 > word_4;
    end
    if (at == 10'd6) begin  // Select, line 12
      at = 10'd7;
      word_3 = flag ? word_3 : word_4;
    end
    if (at == 10'd7) begin  // Less, line 13
      at = 10'd8;
      flag = inputs[9] < word_0;
    end
    if (at == 10'd8) begin  // Select, line 13
      at = 10'd9;
      word_7 = flag ? inputs[9] : word_0;
    end
    if (at == 10'd9) begin  // Move, line 13
      at = 10'd10;
      word_8 = inputs[6];
    end
    if (at == 10'd10) begin  // Subtract, line 13
      at = 10'd11;
      word_9 = word_510 - word_8;
    end
    if (at == 10'd11) begin  // Test, line 13
      at = 10'd12;
      flag = inputs[3] != 64'sd0;
    end
    if (at == 10'd12) begin  // Select, line 13
      at = 10'd13;
      word_5 = flag ? word_7 : word_9;
    end
    if (at == 10'd13) begin  // Terms, line 14
      at = 10'd14;
      {price, quantity} = {word_510, word_5};
    end
    if (at == 10'd14) begin  // New, line 14
      at = 10'd15;
      sent = outcome.count < MostIntents;
      if (sent) outcome.intents[outcome.count[1:0]] = new_order(orders + 64'sd1, 3'd0, 1'b0, 1'b1, inputs[2], price, quantity);
      if (sent) outcome.count += 3'd1;
      else outcome.intent_faults += 8'd1;
      order = sent ? orders + 64'sd1 : 64'sd0;
      if (sent) orders = order;
    end
    if (at == 10'd15) begin  // End, line 10
      at = 10'd16;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_3;
    orders_after = orders;
    kept = 1'b1 && word_0 == parameters[0] && word_1 == positions[0] && word_2 == positions[1];
  end
endmodule

// What the program of the strategy Tells does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_tells_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [0:0] state_before,
    input  value_t orders_before,
    input  value_t [2:0] leftover,
    output value_t [0:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // position[0]
  value_t word_1;  // position[1]
  value_t word_2;  // seen
  value_t word_3;  // t0
  value_t word_4;  // t1
  value_t word_5;  // t2
  value_t word_508;  // 5
  value_t word_509;  // 0
  value_t word_510;  // 1
  value_t orders, order, product, price, quantity;
  logic [9:0] at, found;
  logic flag, is_found, sent;
  logic [2:0] values;

  always_comb begin
    word_0 = positions[0];
    word_1 = positions[1];
    word_2 = state_before[0];
    word_3 = leftover[0];
    word_4 = leftover[1];
    word_5 = leftover[2];
    word_508 = 64'sd5;
    word_509 = 64'sd0;
    word_510 = 64'sd1;
    orders = orders_before;
    outcome = '0;
    {order, product, price, quantity} = '0;
    {flag, is_found, found, sent, values} = '0;
    {at, ended} = {10'd1023, 1'b1};
    case (handler)
      HANDLER_BOOK: {at, ended} = {10'd0, 1'b0};
      HANDLER_ORDER: {at, ended} = {10'd12, 1'b0};
      default: ;
    endcase
    if (at == 10'd0) begin  // Add, line 10
      at = 10'd1;
      word_2 = word_2 + word_510;
    end
    if (at == 10'd1) begin  // Test, line 11
      at = 10'd2;
      flag = inputs[3] != 64'sd0;
    end
    if (at == 10'd2) begin  // JumpUnless, line 11
      at = 10'd3;
      if (!flag) at = 10'd10;
    end
    if (at == 10'd3) begin  // Move, line 12
      at = 10'd4;
      word_3 = inputs[10];
    end
    if (at == 10'd4) begin  // Subtract, line 12
      at = 10'd5;
      word_4 = inputs[7] - word_3;
    end
    if (at == 10'd5) begin  // Subtract, line 12
      at = 10'd6;
      word_5 = word_509 - word_2;
    end
    if (at == 10'd6) begin  // Value, line 12
      at = 10'd7;
      outcome.records[outcome.record_count[0]].values[values] = word_2;
      values = values + 3'd1;
    end
    if (at == 10'd7) begin  // Value, line 12
      at = 10'd8;
      outcome.records[outcome.record_count[0]].values[values] = word_4;
      values = values + 3'd1;
    end
    if (at == 10'd8) begin  // Value, line 12
      at = 10'd9;
      outcome.records[outcome.record_count[0]].values[values] = word_5;
      values = values + 3'd1;
    end
    if (at == 10'd9) begin  // Emit, line 12
      at = 10'd10;
      outcome.records[outcome.record_count[0]].tag = 8'd3;
      outcome.records[outcome.record_count[0]].count = values;
      outcome.record_count += 3'd1;
      values = '0;
    end
    if (at == 10'd10) begin  // Emit, line 13
      at = 10'd11;
      outcome.records[outcome.record_count[0]].tag = 8'd7;
      outcome.records[outcome.record_count[0]].count = values;
      outcome.record_count += 3'd1;
      values = '0;
    end
    if (at == 10'd11) begin  // End, line 9
      at = 10'd12;
      {at, ended} = {10'd1023, 1'b1};
    end
    if (at == 10'd12) begin  // NotEqual, line 16
      at = 10'd13;
      flag = inputs[9] != word_509;
    end
    if (at == 10'd13) begin  // JumpUnless, line 16
      at = 10'd14;
      if (!flag) at = 10'd19;
    end
    if (at == 10'd14) begin  // Greater, line 17
      at = 10'd15;
      flag = inputs[9] > word_508;
      word_3 = truth(flag);
    end
    if (at == 10'd15) begin  // Select, line 17
      at = 10'd16;
      word_4 = flag ? word_2 : word_509;
    end
    if (at == 10'd16) begin  // Value, line 17
      at = 10'd17;
      outcome.records[outcome.record_count[0]].values[values] = inputs[9];
      values = values + 3'd1;
    end
    if (at == 10'd17) begin  // Value, line 17
      at = 10'd18;
      outcome.records[outcome.record_count[0]].values[values] = word_4;
      values = values + 3'd1;
    end
    if (at == 10'd18) begin  // Emit, line 17
      at = 10'd19;
      outcome.records[outcome.record_count[0]].tag = 8'd255;
      outcome.records[outcome.record_count[0]].count = values;
      outcome.record_count += 3'd1;
      values = '0;
    end
    if (at == 10'd19) begin  // End, line 15
      at = 10'd20;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_2;
    orders_after = orders;
    kept = 1'b1 && word_0 == positions[0] && word_1 == positions[1];
  end
endmodule

// What the program of the strategy SmallArray does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module strategy_small_array_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [0:0] parameters,
    input  value_t [1:0] positions,
    input  value_t [2:0] state_before,
    input  value_t orders_before,
    input  value_t [2:0] leftover,
    output value_t [2:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
  value_t word_0;  // which
  value_t word_1;  // position[0]
  value_t word_2;  // position[1]
  value_t word_3;  // counts[0]
  value_t word_4;  // counts[1]
  value_t word_5;  // counts[2]
  value_t word_6;  // t0
  value_t word_7;  // t1
  value_t word_8;  // t2
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
    word_5 = state_before[2];
    word_6 = leftover[0];
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
      default: ;
    endcase
    if (at == 10'd0) begin  // Move, line 11
      at = 10'd1;
      word_6 = word_0;
    end
    if (at == 10'd1) begin  // Index, line 11
      at = 10'd2;
      is_found = is_index(word_6, 64'sd3);
      found = 10'd3 + 10'(word_6);
      if (!is_found) outcome.index_faults += 8'd1;
    end
    if (at == 10'd2) begin  // Wait, line 11
      at = 10'd3;
    end
    if (at == 10'd3) begin  // Wait, line 11
      at = 10'd4;
    end
    if (at == 10'd4) begin  // Or, line 11
      at = 10'd5;
      word_7 = word_510 | (is_found ? (found == 10'd5 ? word_5 : found == 10'd4 ? word_4 : found == 10'd3 ? word_3 : 64'sd0) : 64'sd0);
    end
    if (at == 10'd5) begin  // Add, line 11
      at = 10'd6;
      word_8 = inputs[7] + word_7;
    end
    if (at == 10'd6) begin  // Index, line 11
      at = 10'd7;
      is_found = is_index(word_6, 64'sd3);
      found = 10'd3 + 10'(word_6);
      if (!is_found) outcome.index_faults += 8'd1;
    end
    if (at == 10'd7) begin  // Move, line 11
      at = 10'd8;
      if (is_found && found == 10'd3) word_3 = word_8;
      if (is_found && found == 10'd4) word_4 = word_8;
      if (is_found && found == 10'd5) word_5 = word_8;
    end
    if (at == 10'd8) begin  // End, line 10
      at = 10'd9;
      {at, ended} = {10'd1023, 1'b1};
    end
    state_after = state_before;
    state_after[0] = word_3;
    state_after[1] = word_4;
    state_after[2] = word_5;
    orders_after = orders;
    kept = 1'b1 && word_0 == parameters[0] && word_1 == positions[0] && word_2 == positions[1];
  end
endmodule

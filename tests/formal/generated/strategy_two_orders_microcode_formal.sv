// Proves that the program of the strategy TwoOrders does with any event what its reference does, from any state, and whatever the handler before it left in
// temporary words. Written by verify/language_formal: do not edit, change the strategy.
module strategy_two_orders_microcode_formal
  import processor_pkg::*;
  import reference_pkg::*;
(
    input handler_e handler,
    input value_t [EventInputs-1:0] inputs,
    input value_t [0:0] parameters,
    input value_t [1:0] positions,
    input value_t [1:0] state_before,
    input value_t orders_before,
    input value_t [2:0] leftover
);
  value_t [1:0] state_due, state_found;
  value_t orders_due, orders_found;
  outcome_t due, outcome;
  logic ended, kept;

  strategy_two_orders_reference reference (
      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .state_after(state_due),
      .orders_after(orders_due),
      .outcome(due)
  );

  strategy_two_orders_microcode microcode (
      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .leftover,
      .state_after(state_found),
      .orders_after(orders_found),
      .outcome,
      .ended,
      .kept
  );

  always_comb begin
    assume (orders_before >= 0 && orders_before < 64'sh7fff_ffff);
    // `tradable`, `changed` and a side are 0 or 1.
    assume (inputs[4][63:1] == '0);
    assume (handler != HANDLER_BOOK || inputs[3][63:1] == '0);
    assume (state_before[1][63:1] == '0);
    assert (ended);
    assert (kept);
    assert (state_found == state_due);
    assert (orders_found == orders_due);
    assert (outcome == due);
    cover (due.count == 3'd2);
    cover (state_due != state_before);
  end
endmodule

// order_entry with flat ports.
module order_entry_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
  import config_pkg::*;
#(
    parameter int SLOTS = 8,
    parameter int COMPUTED = 0,
    localparam int Slot = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,

    input  logic            entry_valid,
    output logic            entry_ready,
    input  logic [     4:0] entry_code,
    input  logic [    15:0] entry_slot,
    input  logic            entry_enabled,
    input  logic            entry_single,
    input  logic [     1:0] entry_kind,
    input  logic            entry_limit,
    input  logic            entry_sell,
    input  logic [     7:0] entry_instrument,
    input  logic [    63:0] entry_trigger,
    input  logic [    63:0] entry_price,
    input  logic [    31:0] entry_quantity,
    input  logic [    31:0] entry_client_id,
    output logic            answer_valid,
    output logic            answer_done,
    output logic [     1:0] answer_previous,
    output logic [     1:0] answer_text,

    output logic        prepare_valid,
    input  logic        prepare_ready,
    output logic [ 8:0] prepare_handle,
    output logic [ 1:0] prepare_kind,
    output logic        prepare_limit,
    output logic        prepare_sell,
    output logic [ 7:0] prepare_instrument,
    output logic [47:0] prepare_price,
    output logic [31:0] prepare_quantity,
    output logic [31:0] prepare_client_id,
    output logic [35:0] prepare_original,
    output logic        prepare_collar,
    output logic        prepare_computed,
    output logic        prepare_strategy,
    input  logic        prepared,
    input  logic [ 1:0] prepared_text,
    output logic        commit,

    output logic            stop_valid,
    input  logic            stop_ready,
    output logic [     1:0] stop_operation,
    output logic [Slot-1:0] stop_slot,
    output logic            stop_sell,
    output logic [     7:0] stop_instrument,
    output logic [    47:0] stop_trigger,
    input  logic            stop_answer_valid,
    input  logic            stop_answer_done,
    input  logic [     1:0] stop_answer_previous,

    output logic       strategy_valid,
    input  logic       strategy_ready,
    output logic       strategy_enabled,
    output logic       strategy_single,
    input  logic        replace_valid,
    input  logic [35:0] replace_original,
    output logic        replace_done,
    output logic       strategy_sell,
    output logic [7:0] strategy_instrument,

    output logic       intent_valid,
    input  logic       intent_ready,
    output logic [8:0] intent_handle,
    output logic [7:0] intent_instrument
);
  intent_if intent ();
  config_if host ();
  prepare_if prepare ();
  stop_write_if stop ();
  strategy_write_if strategy ();
  logic busy_reg;

  assign host.valid = entry_valid;
  assign host.operation = config_operation_e'(entry_code);
  assign host.index = entry_slot;
  assign host.operand = {
    entry_client_id, entry_quantity, entry_price, entry_trigger, 16'h0, entry_instrument, 2'h0, entry_single, entry_enabled, entry_kind,
    entry_limit, entry_sell
  };
  assign entry_ready = !host.busy;
  always_ff @(posedge clk) busy_reg <= host.busy && !rst;
  assign answer_valid = busy_reg && !host.busy;
  assign {answer_done, answer_previous, answer_text} = host.answer;

  assign intent_valid = intent.valid;
  assign intent_handle = intent.handle;
  assign intent_instrument = intent.instrument;
  assign intent.ready = intent_ready;

  assign prepare_valid = prepare.valid;
  assign prepare.ready = prepare_ready;
  assign prepare_handle = prepare.handle;
  assign prepare_kind = prepare.order.kind;
  assign prepare_limit = prepare.order.order_type;
  assign prepare_sell = prepare.order.side;
  assign prepare_instrument = prepare.order.instrument;
  assign prepare_price = prepare.order.price;
  assign prepare_quantity = prepare.order.quantity;
  assign prepare_client_id = prepare.order.client_id;
  assign prepare_original = prepare.original;
  assign prepare_collar = prepare.collar;
  assign prepare_computed = prepare.order.computed;
  assign prepare_strategy = prepare.order.strategy;
  assign prepare.answer_valid = prepared;
  assign prepare.answer = text_answer_e'(prepared_text);
  assign commit = prepare.commit;

  assign stop_valid = stop.valid;
  assign stop.ready = stop_ready;
  assign stop_operation = stop.operation;
  assign stop_slot = stop.slot[Slot-1:0];
  assign {stop_sell, stop_instrument, stop_trigger} = stop.watch;
  assign stop.answer_valid = stop_answer_valid;
  assign stop.answer = '{done: stop_answer_done, previous: stop_state_e'(stop_answer_previous)};

  assign strategy_valid = strategy.valid;
  assign strategy.ready = strategy_ready;
  assign strategy_enabled = strategy.enabled;
  assign strategy_single = strategy.single;
  assign strategy.replace_valid = replace_valid;
  assign strategy.replace_original = replace_original;
  assign replace_done = strategy.replace_done;
  assign strategy_sell = strategy.side;
  assign strategy_instrument = strategy.instrument;

  order_entry #(
      .SLOTS(SLOTS),
      .COMPUTED(COMPUTED),
      .BEST_PRICE(COMPUTED != 0)
  ) dut (
      .clk,
      .rst,
      .host(host.snk),
      .prepare(prepare.src),
      .stop(stop.src),
      .strategy(strategy.src),
      .intent(intent.src)
  );
endmodule

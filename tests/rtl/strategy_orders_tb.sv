// strategy_orders and, before it, a prepare_merge that it shares with the host, with plain ports.
module strategy_orders_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import processor_pkg::*;
#(
    parameter int HANDLE = 16,
    parameter int ORDERS = 4,
    parameter bit OWN = 1'b0
) (
    input logic        clk,
    input logic        rst,
    input logic        restart,
    input logic [63:0] max_notional,

    input  logic        asked_valid,
    output logic        asked_ready,
    input  logic [ 1:0] asked_kind,
    input  logic        asked_fits,
    input  logic        asked_limit,
    input  logic        asked_sell,
    input  logic [ 2:0] asked_time_in_force,
    input  logic [ 7:0] asked_instrument,
    input  logic [47:0] asked_price,
    input  logic [31:0] asked_quantity,
    input  logic [35:0] asked_original,
    output logic        refused,

    input  logic        ahead_valid,
    input  logic [ 7:0] ahead_instrument,
    input  logic        ahead_market,
    input  logic        ahead_sell,
    input  logic [ 2:0] ahead_time_in_force,
    input  logic [31:0] ahead_quantity,
    output logic        ahead_done,
    output logic        ahead_prepared,

    // The host's.
    input  logic       host_busy,
    input  logic       host_valid,
    input  logic       host_commit,
    input  logic [8:0] host_handle,
    output logic       host_ready,
    output logic       host_answered,

    output logic        prepare_valid,
    input  logic        prepare_ready,
    output logic [ 8:0] prepare_handle,
    output logic [ 7:0] prepare_instrument,
    output logic        prepare_market,
    output logic        prepare_collar,
    output logic        prepare_sell,
    output logic [ 2:0] prepare_time_in_force,
    output logic [31:0] prepare_quantity,
    output logic        prepare_computed,
    output logic [ 1:0] prepare_kind,
    output logic [35:0] prepare_original,
    output logic        prepare_strategy,
    input  logic        prepared,
    input  logic [ 1:0] prepared_text,
    output logic        commit,

    output logic        intent_valid,
    input  logic        intent_ready,
    output logic        intent_soon,
    output logic [ 8:0] intent_handle,
    output logic [ 7:0] intent_instrument,
    output logic        intent_computed,
    output logic [31:0] intent_price,
    output logic [31:0] intent_price_soon
);
  processor_intent_t asked;
  prepare_if host ();
  prepare_if own ();
  prepare_if prepare ();
  intent_if intent ();

  always_comb begin
    asked = '0;
    asked.kind = processor_intent_e'(asked_kind);
    asked.fits = asked_fits;
    asked.limit = asked_limit;
    asked.sell = asked_sell;
    asked.time_in_force = asked_time_in_force;
    asked.instrument = asked_instrument;
    asked.price = asked_price;
    asked.quantity = asked_quantity;
  end

  assign {host.busy, host.valid, host.commit, host.handle} = {host_busy, host_valid, host_commit, host_handle};
  assign {host.order, host.original, host.time_in_force, host.collar} = '0;
  assign host_ready = host.ready;
  assign host_answered = host.answer_valid;

  strategy_orders #(
      .HANDLE(HANDLE),
      .ORDERS(ORDERS),
      .OWN(OWN)
  ) dut (
      .clk,
      .rst,
      .restart,
      .client_id(32'd7),
      .max_notional,
      .asked_valid,
      .asked_ready,
      .asked,
      .original(asked_original),
      .ahead_valid,
      .ahead_instrument,
      .ahead_type(ahead_market ? TYPE_MARKET : TYPE_LIMIT),
      .ahead_side(side_e'(ahead_sell)),
      .ahead_time_in_force,
      .ahead_quantity,
      .ahead_done,
      .ahead_prepared,
      .prepare(own.src),
      .intent(intent.src),
      .refused
  );

  prepare_merge prepare_merge (
      .clk,
      .rst,
      .first(host.snk),
      .second(own.snk),
      .out(prepare.src)
  );

  assign prepare_valid = prepare.valid;
  assign prepare.ready = prepare_ready;
  assign prepare_handle = prepare.handle;
  assign prepare_instrument = prepare.order.instrument;
  assign prepare_market = prepare.order.order_type == TYPE_MARKET;
  assign prepare_collar = prepare.collar;
  assign prepare_sell = prepare.order.side;
  assign prepare_time_in_force = prepare.time_in_force;
  assign prepare_quantity = prepare.order.quantity;
  assign prepare_computed = prepare.order.computed;
  assign prepare_kind = prepare.order.kind;
  assign prepare_original = prepare.original;
  assign prepare_strategy = prepare.order.strategy;
  assign prepare.answer_valid = prepared;
  assign prepare.answer = text_answer_e'(prepared_text);
  assign commit = prepare.commit;

  assign intent_valid = intent.valid;
  assign intent.ready = intent_ready;
  assign intent_soon = intent.soon;
  assign intent_handle = intent.handle;
  assign intent_instrument = intent.instrument;
  assign intent_computed = intent.computed;
  assign intent_price = intent.price;
  assign intent_price_soon = intent.price_soon;
endmodule

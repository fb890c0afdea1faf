// risk with plain ports: one instrument's limits are those of all, prices come with the limits.
module risk_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int W = 64,
    parameter int HANDLES = 9,
    parameter int COMPUTED = 0,
    parameter int TEXTS = 16,
    parameter int INSTRUMENTS = 4
) (
    input logic clk,
    input logic rst,

    input logic [ 7:0] instrument,      // that is given a price, decimals and limits
    input logic        price_valid,
    input logic signed [48:0] price,
    input logic        limit_write,
    input logic        decimals_write,
    input logic [ 3:0] decimals,
    input logic [63:0] max_notional,
    input logic        kill_clear,

    input  logic        prepare_valid,
    output logic        prepare_ready,
    input  logic [ 8:0] prepare_handle,
    input  logic [ 1:0] prepare_kind,
    input  logic        prepare_limit,
    input  logic        prepare_sell,
    input  logic [ 7:0] prepare_instrument,
    input  logic [47:0] prepare_price,
    input  logic [31:0] prepare_quantity,
    input  logic [31:0] prepare_client_id,
    input  logic [35:0] prepare_original,
    input  logic        prepare_collar,
    input  logic        prepare_computed,
    output logic        answer_valid,
    output logic [ 1:0] answer,
    input  logic        commit,

    input  logic       intent_valid,
    output logic       intent_ready,
    input  logic       intent_soon,
    input  logic [8:0] intent_handle,
    input  logic [7:0] intent_instrument,
    input  logic       intent_computed,
    input  logic [31:0] intent_price,
    input  logic [31:0] intent_price_soon,
    input  logic        intent_ahead,

    output logic        out_valid,
    input  logic        out_ready,
    output logic [ 1:0] out_kind,
    output logic        out_limit,
    output logic        out_sell,
    output logic [ 7:0] out_instrument,
    output logic [47:0] out_price,
    output logic [31:0] out_quantity,
    output logic [31:0] out_client_id,
    output logic [ 8:0] out_text,
    output logic        out_computed,
    output logic        out_strategy,
    output logic [31:0] out_price_ahead,
    output logic        refused_valid,
    output logic [ 3:0] refused_reason,

    input  logic        adjust_valid,
    output logic        adjust_ready,
    input  logic        sending,
    input  logic [                 8:0] sending_text,
    input  logic [                 8:0] text,
    input  logic [6-$clog2(W/8)-1:0] word,
    output logic [               W-1:0] data,
    output logic [                15:0] sum,
    output logic [                 7:0] byte_sum
);
  intent_if intent ();
  order_if out ();
  order_text_if #(.W(W)) texts ();
  order_t prepared, refused_order;
  text_answer_e text_answer;
  refusal_e reason;
  risk_config_t risk_config;
  logic [15:0] open_orders;
  kill_t killed_by;

  assign intent.valid = intent_valid;
  assign intent.soon = intent_soon;
  assign intent.handle = intent_handle;
  assign intent.instrument = intent_instrument;
  assign intent.computed = intent_computed;
  assign intent.price = intent_price;
  assign intent.price_soon = intent_price_soon;
  assign out_price_ahead = out.price_ahead;
  assign intent_ready = intent.ready;
  assign out_valid = out.valid;
  assign out.ready = out_ready;
  assign {out_kind, out_limit, out_sell, out_instrument, out_price, out_quantity, out_client_id} = out.order[$bits(out.order)-1:11];
  assign {out_text, out_computed, out_strategy} = out.order[10:0];
  assign answer = text_answer;
  assign refused_reason = reason;
  assign texts.sums_read = 1'b1;
  assign texts.sums_text = text;
  assign texts.read = 1'b1;
  assign texts.index = text;
  assign texts.word = word;
  assign data = texts.data;
  assign {sum, byte_sum} = texts.sums;

  always_comb begin
    prepared = '{
        kind: order_kind_e'(prepare_kind),
        order_type: order_type_e'(prepare_limit),
        side: side_e'(prepare_sell),
        instrument: prepare_instrument,
        price: prepare_price,
        quantity: prepare_quantity,
        client_id: prepare_client_id,
        text: '1,
        computed: prepare_computed,
        strategy: prepare_computed
    };
    risk_config = '0;
    risk_config.max_quantity = '1;
    risk_config.max_notional = max_notional;
    risk_config.rate_orders = '1;
    risk_config.rate_window = 32'd1;
    risk_config.max_open_orders = '1;
  end

  risk #(
      .W(W),
      .HANDLES(HANDLES),
      .COMPUTED(COMPUTED),
      .TEXTS(TEXTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .price_valid,
      .price_instrument(instrument),
      .price,
      .intent(intent.snk),
      .ahead(intent_ahead),
      .out(out.src),
      .prepare_valid,
      .prepare_ready,
      .prepare_handle,
      .prepare_order(prepared),
      .prepare_original,
      .prepare_time_in_force('0),
      .prepare_collar,
      .answer_valid,
      .answer(text_answer),
      .commit,
      .layout(
      '{
          side_at: 6'd0,
          quantity_at: 6'd1,
          quantity_width: 5'd10,
          price_at: 6'd11,
          price_width: 5'd17,
          original_at: 6'd28,
          has_time_in_force: 1'b0,
          time_in_force_at: 6'd0
      }
      ),
      .decimals_write,
      .decimals_instrument(instrument),
      .decimals,
      .text(texts.store),
      .sending,
      .sending_text,
      .refused_valid,
      .refused_reason(reason),
      .refused_order,
      .risk_config,
      .limit_write,
      .limit_instrument(instrument),
      .limit('{enable: 1'b1, sources: '0, collar: '1, position_limit: '1, has_reference: 1'b0, reference_price: '0}),
      .adjust_valid,
      .adjust_ready,
      .adjust('0),
      .open_orders,
      .session_up(1'b1),
      .stale('0),
      .gap(1'b0),
      .kill_clear,
      .killed_by
  );
endmodule

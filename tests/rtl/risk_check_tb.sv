// risk_check with plain ports.
module risk_check_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,

    input logic        price_valid,
    input logic [ 7:0] price_instrument,
    input logic [48:0] last_price,

    input  logic        request_valid,
    output logic        request_ready,
    input  logic [ 1:0] request_kind,
    input  logic        request_limit,
    input  logic        request_sell,
    input  logic [ 7:0] request_instrument,
    input  logic [47:0] request_price,
    input  logic [31:0] request_quantity,
    input  logic [31:0] request_client_id,
    input  logic [63:0] request_notional,
    input  logic        request_collar,
    input  logic        request_complete,
    input  logic        next_valid,
    input  logic [ 7:0] next_instrument,
    output logic [48:0] next_price,

    output logic                              order_valid,
    input  logic                              order_ready,
    output logic [        $bits(order_t)-1:0] order,
    output logic                              refused_valid,
    output logic [                       3:0] refused_reason,
    output logic [        $bits(order_t)-1:0] refused_order,
    output logic [        $bits(order_t)-1:0] request_order,   // the request's, packed like those two

    input  logic        kill,
    input  logic [ 2:0] kill_enable,       // session, feed, gap
    input  logic [31:0] max_quantity,
    input  logic [63:0] max_notional,
    input  logic [ 7:0] rate_orders,
    input  logic [31:0] rate_window,
    input  logic [15:0] max_open_orders,
    input  logic        limit_write,
    input  logic [ 7:0] limit_instrument,
    input  logic        limit_enable,
    input  logic [ 1:0] limit_sources,     // session, feed
    input  logic [46:0] limit_collar,
    input  logic [46:0] limit_position,
    input  logic        limit_has_reference,
    input  logic [48:0] limit_reference,
    input  logic        adjust_valid,
    output logic        adjust_ready,
    input  logic [ 7:0] adjust_instrument,
    input  logic [47:0] adjust_buy,
    input  logic [47:0] adjust_sell,
    input  logic [15:0] adjust_closed,
    output logic [15:0] open_orders,
    input  logic        session_up,
    input  logic [ 1:0] stale,             // session, feed
    input  logic        gap,
    input  logic        kill_clear,
    output logic [ 3:0] killed_by
);
  logic held, free;
  order_request_t request;
  order_t refused, passed;

  always_comb begin
    request = '{
        order: '{
            kind: order_kind_e'(request_kind),
            order_type: order_type_e'(request_limit),
            side: side_e'(request_sell),
            instrument: request_instrument,
            price: request_price,
            quantity: request_quantity,
            client_id: request_client_id,
            text: request_client_id[8:0],
            computed: 1'b0,
            strategy: 1'b0
        },
        notional: request_notional,
        limit: max_notional,
        collar: request_collar,
        complete: request_complete
    };
  end
  assign request_order = request.order;
  assign order = passed;
  assign refused_order = refused;

  risk_check #(
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .price_valid,
      .price_instrument,
      .last_price,
      .request_valid,
      .request_ready,
      .withdraw(1'b0),
      .request,
      .next_valid,
      .next_instrument,
      .next_price,
      .order_valid,
      .order_ready,
      .order(passed),
      .order_held(held),
      .free,
      .refused_valid,
      .refused_reason,
      .refused_order(refused),
      .risk_config('{
          kill: kill,
          kill_enable: '{host: 1'b0, session: kill_enable[2], feed: kill_enable[1], gap: kill_enable[0]},
          max_quantity: max_quantity,
          max_notional: max_notional,
          rate_orders: rate_orders,
          rate_window: rate_window,
          max_open_orders: max_open_orders
      }),
      .limit_write,
      .limit_instrument,
      .limit('{enable: limit_enable, sources: limit_sources, collar: limit_collar, position_limit: limit_position,
              has_reference: limit_has_reference, reference_price: limit_reference}),
      .adjust_valid,
      .adjust_ready,
      .adjust('{instrument: adjust_instrument, buy: adjust_buy, sell: adjust_sell, closed: adjust_closed}),
      .open_orders,
      .session_up,
      .stale,
      .gap,
      .kill_clear,
      .killed_by
  );
endmodule

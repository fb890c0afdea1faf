// Proves for risk_check, up to a depth in cycles, what it counts. For any requests, prices, limits, adjustments and causes of the kill switch:
// - at most `rate_orders` orders leave in any `rate_window` cycles, and none is refused for the rate unless so many left just before;
// - a new order leaves only if fewer than `max_open_orders` are open: all new ones that left, less those that the host reported as closed;
// - an order leaves only if it, with all that left on its side and what the host reported, is within its instrument's position limit;
// - an order leaves at most once for each request, unchanged, and what does not leave is refused, with its own record, within three cycles;
// - while the kill switch is on, nothing but a cancel leaves, and no cancel without a session.
// Quantity, notional, collar and the kill switch are proved for any length of time in risk_limits_formal.
//
// Only ports are used. The model counts what left and what the host reported, for one instrument, any.
module risk_check_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int INSTRUMENTS = 2
) (
    input logic clk,
    input logic any_instrument,

    input logic                                       any_kill,
    input logic              [                   3:0] any_kill_enable,
    input logic              [                   1:0] any_rate_orders,
    input logic              [                   4:0] any_rate_window,
    input logic              [                   1:0] any_max_open_orders,
    input logic              [     ExposureWidth-2:0] any_position_limit,
    input logic                                       price_valid,
    input logic                                       price_instrument,
    input logic                                       request_valid,
    input logic                                       request_early,
    input logic                                       withdraw,
    input order_kind_e                                request_kind,
    input side_e                                      request_side,
    input logic              [                   1:0] request_instrument,
    input logic              [OrderQuantityWidth-1:0] request_quantity,
    input logic              [                   1:0] request_client_id,
    input logic                                       request_complete,
    input logic                                       next_valid,
    input logic              [                   1:0] next_instrument,
    input logic                                       order_ready,
    input logic                                       limit_write,
    input logic                                       limit_instrument,
    input logic                                       adjust_valid,
    input logic                                       adjust_instrument,
    input logic signed       [     ExposureWidth-1:0] adjust_buy,
    input logic signed       [     ExposureWidth-1:0] adjust_sell,
    input logic              [                   1:0] adjust_closed,
    input logic                                       session_up,
    input sources_t                                   stale,
    input logic                                       gap,
    input logic                                       kill_clear
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // ---- any configuration, which stays -----------------------------------------------------------------

  logic instrument;
  logic [3:0] kill_enable;
  logic [1:0] rate_orders, max_open_orders;
  logic [4:0] rate_window;
  logic [ExposureWidth-2:0] position_limit;
  always_ff @(posedge clk) begin
    if (rst) begin
      instrument <= any_instrument;
      kill_enable <= any_kill_enable;
      rate_orders <= any_rate_orders;
      rate_window <= any_rate_window;
      max_open_orders <= any_max_open_orders;
      position_limit <= any_position_limit;
    end
  end

  order_request_t request;
  order_t order, refused_order;
  logic request_ready, order_valid, order_held, free, refused_valid, adjust_ready;
  refusal_e refused_reason;
  logic [15:0] open_orders;
  kill_t killed_by;
  risk_adjust_t adjust;
  risk_config_t risk_config;
  risk_limit_t limit;

  // Quantity, notional and collar allow all but a quantity of 0.
  always_comb begin
    request = '0;
    request.limit = risk_config.max_notional;
    request.order.kind = request_kind;
    request.order.order_type = TYPE_MARKET;
    request.order.side = request_side;
    request.order.instrument = InstrumentWidth'(request_instrument);
    request.order.quantity = request_quantity;
    request.order.client_id = 32'(request_client_id);
    request.complete = request_complete;
    risk_config = '0;
    risk_config.kill = any_kill;
    risk_config.kill_enable = kill_enable;
    risk_config.max_quantity = '1;
    risk_config.max_notional = '1;
    risk_config.rate_orders = 8'(rate_orders);
    risk_config.rate_window = 32'(rate_window);
    risk_config.max_open_orders = 16'(max_open_orders);
    limit = '0;
    limit.enable = 1'b1;
    limit.position_limit = position_limit;
    adjust = '{instrument: InstrumentWidth'(adjust_instrument), buy: adjust_buy, sell: adjust_sell, closed: 16'(adjust_closed)};
  end

  risk_check #(
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .price_valid,
      .price_instrument(InstrumentWidth'(price_instrument)),
      .last_price('0),
      .request_valid,
      .request_ready,
      .request,
      .withdraw,
      .next_valid,
      .next_instrument(InstrumentWidth'(next_instrument)),
      .order_valid,
      .order_ready,
      .order,
      .order_held,
      .free,
      .refused_valid,
      .refused_reason,
      .refused_order,
      .risk_config,
      .limit_write,
      .limit_instrument(InstrumentWidth'(limit_instrument)),
      .limit,
      .adjust_valid,
      .adjust_ready,
      .adjust,
      .open_orders,
      .session_up,
      .stale,
      .gap,
      .kill_clear,
      .killed_by
  );

  // ---- what risk may rely on ----------------------------------------------------------------------------

  logic [1:0] announced;  // the instrument, a cycle ahead
  logic was_early;  // only such a request is withdrawn, in the next cycle
  logic adjust_waiting;
  risk_adjust_t adjust_before;
  logic signed [7:0] buys, sells;  // exposure, as the model counts it
  always_ff @(posedge clk) begin
    announced <= next_instrument;
    adjust_waiting <= adjust_valid && !adjust_ready && !rst;
    adjust_before <= adjust;
  end
  always_comb begin
    assume (!rst || !(price_valid || request_valid || limit_write || adjust_valid));
    assume (!withdraw || was_early);
    assume (!request_valid || request_kind != order_kind_e'(2'd3));
    assume (!request_valid || announced == request_instrument);
    assume (!adjust_waiting || (adjust_valid && adjust == adjust_before));
    // Exposures and the rest of a limit stay within ExposureWidth bits, here 4.
    assume (!adjust_valid || (buys + 8'(adjust_buy) >= -8'sd3 && buys + 8'(adjust_buy) <= 8'sd7));
    assume (!adjust_valid || (sells + 8'(adjust_sell) >= -8'sd3 && sells + 8'(adjust_sell) <= 8'sd7));
    assume (position_limit <= (ExposureWidth - 1)'(4));
  end

  // ---- the model ------------------------------------------------------------------------------------------

  logic accepted, leaves;
  order_t held;
  logic held_complete;
  logic pending;  // accepted, neither left, refused nor withdrawn
  logic [1:0] lingers;  // for so many cycles it could not leave
  assign accepted = request_valid && request_ready;
  assign leaves = order_valid && order_ready;

  logic [7:0] open, still_open;
  logic [3:0] adjusting;  // the host's report has just been counted, or is being counted: it may be compared with or without it
  logic steady;
  always_comb begin
    still_open = open;
    if (adjust_valid && adjust_ready) still_open = open > 8'(adjust_closed) ? open - 8'(adjust_closed) : '0;
  end
  assign steady = adjusting == '0 && !adjust_valid;

  always_ff @(posedge clk) begin
    if (accepted) {held, held_complete} <= {request.order, request.complete};
    was_early <= accepted && request_early && !rst;
    pending <= (accepted && !leaves) || (pending && !leaves && !refused_valid && !withdraw);
    lingers <= pending && !order_valid && !refused_valid ? lingers + 1'b1 : '0;
    adjusting <= {adjusting[2:0], adjust_valid};
    open <= still_open + 8'(leaves && order.kind == ORDER_NEW);
    if (leaves && order.kind != ORDER_CANCEL && order.instrument == InstrumentWidth'(instrument)) begin
      if (order.side == SIDE_BUY) buys <= buys + 8'(order.quantity);
      else sells <= sells + 8'(order.quantity);
    end
    if (adjust_valid && adjust_ready && adjust_instrument == instrument) begin
      buys  <= buys + 8'(adjust_buy);
      sells <= sells + 8'(adjust_sell);
    end
    if (rst) begin
      pending <= 1'b0;
      lingers <= '0;
      adjusting <= '0;
      {open, buys, sells} <= '0;
    end
  end

  // How many cycles ago orders left, the last first.
  logic [2:0][6:0] since;
  logic [2:0] since_valid;
  always_ff @(posedge clk) begin
    for (int i = 0; i < 3; i++) if (!(&since[i])) since[i] <= since[i] + 1'b1;
    if (leaves) begin
      since <= {since[1] + 7'd1, since[0] + 7'd1, 7'd1};
      since_valid <= {since_valid[1:0], 1'b1};
    end
    if (rst) since_valid <= '0;
  end
  logic rate_used;  // `rate_orders` left in the last `rate_window` cycles
  logic rate_nearly;  // or a little before
  always_comb begin
    rate_used   = rate_orders == '0;
    rate_nearly = rate_orders == '0;
    for (int i = 0; i < 3; i++) begin
      if (int'(rate_orders) == i + 1) rate_used = since_valid[i] && since[i] < 7'(rate_window);
      if (int'(rate_orders) == i + 1) rate_nearly = since_valid[i] && since[i] < 7'(rate_window) + 7'd10;
    end
  end

  // A request is compared when it is accepted: what the host reports while it waits is for the next.
  logic room, room_now, place, place_now;
  assign room_now = !steady || request_instrument != {1'b0, instrument} ||
      (request_side == SIDE_BUY ? buys : sells) + $signed(8'(request_quantity)) <= $signed(8'(position_limit));
  assign place_now = !steady || open < 8'(max_open_orders);
  always_ff @(posedge clk) if (accepted) {room, place} <= {room_now, place_now};

  logic refused_for_rate, was_closed;
  always_ff @(posedge clk) begin
    if (rst) {refused_for_rate, was_closed} <= '0;
    else begin
      if (refused_valid && refused_reason == REFUSED_RATE && rate_orders == 2'd2) refused_for_rate <= 1'b1;
      if (adjust_valid && adjust_ready && adjust_closed != '0 && open == 8'(max_open_orders)) was_closed <= 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (order_valid) begin
        assert (pending);
        assert (order == held);
        assert (held_complete);
        assert (order.kind == ORDER_CANCEL ? !killed_by.session : killed_by == '0);
        assert (!rate_used);
      end
      if (order_valid && order.kind == ORDER_NEW) assert (place);
      if (order_valid && order.kind != ORDER_CANCEL) assert (room);
      if (order_valid && order.kind != ORDER_CANCEL) assert (order.quantity != '0 && order.instrument < InstrumentWidth'(INSTRUMENTS));
      if (refused_valid) assert (pending && refused_order == held);
      if (refused_valid && refused_reason == REFUSED_RATE) assert (rate_nearly);
      assert (lingers <= 2'd2);

      // A third order in the window is refused, and one leaves after it; the last place among open orders is taken, given back, taken again.
      cover (leaves && refused_for_rate && since_valid[1]);
      cover (leaves && order.kind == ORDER_NEW && was_closed && max_open_orders == 2'd2);
      cover (refused_valid && refused_reason == REFUSED_OPEN_ORDERS && open == 8'd2);
      cover (refused_valid && refused_reason == REFUSED_POSITION && buys == $signed(8'(position_limit)) && position_limit != '0);
      cover (leaves && order.kind == ORDER_CANCEL && killed_by.gap);
      cover (refused_valid && refused_reason == REFUSED_KILLED && since_valid[0]);
    end
  end

  logic unused;
  assign unused = &{1'b0, open_orders, order_held, free};
endmodule

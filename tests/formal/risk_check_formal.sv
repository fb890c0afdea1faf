// Proves of risk_check, up to a depth in cycles: nothing goes round it. For any requests, prices, limits, adjustments and causes of the kill switch:
// - an order leaves only if it was requested, unchanged, once for each request; what does not leave is refused with it, and told;
// - a new order that leaves is of an instrument with limits, and was within quantity, notional, collar, rate, open orders and position;
// - nothing but a cancel leaves while the kill switch is on, and not that without a session.
//
// The model keeps one instrument's last price and exposure, all that left, and when.
module risk_check_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int INSTRUMENTS = 2,
    parameter bit DIRECT = 1'b0
) (
    input logic         clk,
    input risk_config_t any_config,
    input risk_limit_t  any_limit,
    input logic         any_instrument,

    input logic              price_valid,
    input logic              price_instrument,
    input logic signed [3:0] last_price,
    input logic              request_valid,
    input logic        [1:0] request_kind,
    input logic              request_limit,
    input logic              request_sell,
    input logic        [1:0] request_instrument,
    input logic signed [3:0] request_price,
    input logic        [2:0] request_quantity,
    input logic        [3:0] request_notional,
    input logic              request_by_host,    // the collar counts for its market orders too
    input logic              request_complete,
    input logic        [1:0] request_client_id,
    input logic              next_valid,
    input logic        [1:0] next_instrument,
    input logic              order_ready,
    input logic              limit_write,
    input logic              limit_instrument,
    input logic              adjust_valid,
    input logic              adjust_instrument,
    input logic signed [3:0] adjust_buy,
    input logic signed [3:0] adjust_sell,
    input logic        [1:0] adjust_closed,
    input logic              session_up,
    input sources_t          stale,
    input logic              gap,
    input logic              kill_clear
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // Limits, the same for all instruments, are written while it runs, but do not change.
  risk_config_t risk_config, config_reg;
  risk_limit_t limit, limit_reg;
  logic instrument;
  always_ff @(posedge clk) begin
    if (rst) begin
      config_reg <= any_config;
      limit_reg  <= any_limit;
      instrument <= any_instrument;
    end
  end
  assign risk_config = rst ? any_config : config_reg;
  assign limit = rst ? any_limit : limit_reg;

  order_request_t request;
  order_t order, refused_order;
  logic request_ready, order_valid, order_held, free, refused_valid, adjust_ready;
  refusal_e refused_reason;
  logic [15:0] open_orders;
  kill_t killed_by;
  risk_adjust_t adjust;

  always_comb begin
    request = '0;
    request.order.kind = order_kind_e'(request_kind);
    request.order.order_type = order_type_e'(request_limit);
    request.order.side = side_e'(request_sell);
    request.order.instrument = InstrumentWidth'(request_instrument);
    request.order.price = OrderPriceWidth'(request_price);
    request.order.quantity = OrderQuantityWidth'(request_quantity);
    request.order.client_id = 32'(request_client_id);
    request.notional = NotionalWidth'(request_notional);
    request.collar = request_limit || request_by_host;
    request.complete = request_complete;
    adjust.instrument = InstrumentWidth'(adjust_instrument);
    adjust.buy = ExposureWidth'(adjust_buy);
    adjust.sell = ExposureWidth'(adjust_sell);
    adjust.closed = 16'(adjust_closed);
  end

  risk_check #(
      .INSTRUMENTS(INSTRUMENTS),
      .DIRECT(DIRECT)
  ) dut (
      .clk,
      .rst,
      .price_valid,
      .price_instrument(InstrumentWidth'(price_instrument)),
      .last_price(LastPriceWidth'(last_price)),
      .request_valid,
      .request_ready,
      .request,
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

  // What the strategy keeps to: it told the instrument a cycle before, and holds a request until it is taken; one of the host it may take back.
  logic [1:0] told_instrument;
  logic waiting;
  order_request_t waiting_request;
  logic waiting_by_host;
  always_ff @(posedge clk) begin
    told_instrument <= next_instrument;
    waiting <= request_valid && !request_ready && !rst;
    waiting_request <= request;
    waiting_by_host <= request_by_host;
  end
  always_comb begin
    assume (!rst || !(price_valid || request_valid || limit_write || adjust_valid));
    assume (!request_valid || request_kind != 2'd3);
    assume (!request_valid || told_instrument == request_instrument);
    assume (!waiting || waiting_by_host || (request_valid && request == waiting_request));
    // Small numbers all through: the proof is of who is held against what, the edges of the numbers are the tests'.
    assume (risk_config.rate_window < 32'd64);
    assume (risk_config.max_quantity < OrderQuantityWidth'(8) && risk_config.max_notional < NotionalWidth'(16));
    assume (risk_config.max_open_orders < 16'd4);
    assume (limit.collar < 47'd8 && limit.position_limit < 47'd16);
  end

  // ---- the model -------------------------------------------------------------------------------------

  logic accepted, leaves, ours;
  logic fresh;  // DIRECT: what stands at `order` is the request's of this cycle
  order_request_t held, due;  // accepted before; what stands there must be of this
  assign fresh = DIRECT && accepted;
  assign due = fresh ? request : held;
  assign accepted = request_valid && request_ready;
  assign leaves = order_valid && order_ready;
  assign ours = request_instrument == {1'b0, instrument};

  // A price is held against from the second cycle behind it, an adjustment or a limit from a little later, which only the proof must know.
  logic pending;  // accepted, neither left nor refused
  logic enabled;
  logic [2:0] priced;
  logic signed [2:0][4:0] price;
  logic signed [7:0] exposure_buy, exposure_sell;
  logic [3:0] adjusted;  // lately: what is held against may be before or after it
  logic [7:0] open;

  always_ff @(posedge clk) begin
    if (accepted) held <= request;
    pending <= (accepted && !leaves) || (pending && !leaves && !refused_valid);
    if (limit_write && limit_instrument == instrument) enabled <= limit.enable;
    priced <= {priced[1:0], priced[0]};
    price[2:1] <= price[1:0];
    if (price_valid && price_instrument == instrument) begin
      price[0]  <= 5'(last_price);
      priced[0] <= 1'b1;
    end
    adjusted <= {adjusted[2:0], adjust_valid};
    if (leaves && order.instrument == InstrumentWidth'(instrument) && order.kind != ORDER_CANCEL) begin
      if (order.side == SIDE_BUY) exposure_buy <= exposure_buy + 8'(order.quantity);
      else exposure_sell <= exposure_sell + 8'(order.quantity);
    end
    if (leaves && order.kind == ORDER_NEW) open <= open + 1'b1;
    if (rst) begin
      pending <= 1'b0;
      enabled <= 1'b0;
      priced <= '0;
      exposure_buy <= '0;
      exposure_sell <= '0;
      adjusted <= '0;
      open <= '0;
    end
  end

  // Without adjustments the exposure is what left.
  logic ever_adjusted;
  always_ff @(posedge clk) begin
    if (rst) ever_adjusted <= 1'b0;
    else if (adjust_valid) ever_adjusted <= 1'b1;
  end

  // When orders left: `since[i]` cycles ago, the last first.
  logic [3:0][7:0] since;
  logic [3:0] since_valid;
  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) since[i] <= since[i] + 1'b1;
    if (leaves) begin
      since <= {since[2] + 8'd1, since[1] + 8'd1, since[0] + 8'd1, 8'd1};
      since_valid <= {since_valid[2:0], 1'b1};
    end
    if (rst) since_valid <= '0;
  end

  logic killed_now;
  assign killed_now = killed_by != '0;

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (order_valid) begin
        assert (pending || fresh);
        assert (order == due.order);
        assert (due.complete);
        assert (order.kind == ORDER_CANCEL ? !killed_by.session : !killed_now);
        for (int i = 0; i < 4; i++) begin
          if (int'(risk_config.rate_orders) == i + 1 && since_valid[i]) assert (32'(since[i]) >= risk_config.rate_window);
        end
        assert (risk_config.rate_orders != '0);
      end
      if (order_valid && order.kind != ORDER_CANCEL) begin
        assert (order.quantity != '0 && order.quantity <= risk_config.max_quantity);
        assert (due.notional <= risk_config.max_notional);
        assert (order.instrument < InstrumentWidth'(INSTRUMENTS));
        if (order.kind == ORDER_NEW && !ever_adjusted) assert (16'(open) < risk_config.max_open_orders);
        if (order.instrument == InstrumentWidth'(instrument) && !ever_adjusted) begin
          assert (48'(order.side == SIDE_BUY ? exposure_buy : exposure_sell) + 48'(order.quantity) <= 48'(limit.position_limit));
        end
      end
      if (refused_valid) assert (refused_order == held.order);
      cover (leaves && order.kind == ORDER_NEW && since_valid[0]);
    end
  end

  // In the cycle of the check: its instrument is enabled, and priced two cycles before, with the price within the collar.
  logic was_accepted, was_enabled, was_priced, was_ours, was_collar;
  logic signed [4:0] was_price;
  logic [2:0] limits_written;
  always_ff @(posedge clk) begin
    limits_written <= {limits_written[1:0], limit_write};
    was_accepted <= accepted && !rst;
    was_ours <= ours;
    was_collar <= request.collar;
    was_enabled <= enabled;
    was_priced <= priced[1];
    was_price <= price[1];
    if (rst) limits_written <= '1;
    if (!rst && fresh && ours && order_valid && order.kind != ORDER_CANCEL && limits_written == '0 && !limit_write) begin
      assert (enabled && priced[1]);
      if (request.collar) begin
        assert (64'($signed(price[1])) - 64'(order.price) <= $signed({1'b0, limit.collar}));
        assert (64'(order.price) - 64'($signed(price[1])) <= $signed({1'b0, limit.collar}));
      end
    end
    if (!rst && !fresh && was_accepted && was_ours && order_valid && order.kind != ORDER_CANCEL && limits_written == '0) begin
      assert (was_enabled && was_priced);
      if (was_collar) begin
        assert (64'(was_price) - 64'(order.price) <= $signed({1'b0, limit.collar}));
        assert (64'(order.price) - 64'(was_price) <= $signed({1'b0, limit.collar}));
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, adjusted, refused_reason, open_orders, adjust_ready, priced[2], price[2]};
endmodule

// Proves for risk_check, for any length of time: no order leaves that breaks a limit, or while killed. For any requests, prices, limits,
// adjustments and causes of the kill switch:
// - an order leaves only if it was requested, unchanged, once for each request;
// - nothing but a cancel leaves while the kill switch is on, and not that without a session;
// - the kill switch is on from the cycle after the host's bit, and after a gap, a stale feed or a lost session that counts, until the host clears
//   it and the cause is over;
// - a new order or a replacement that leaves is within quantity and notional, and of an instrument that had limits when it was checked, and none
//   of whose sources was stale then; a limit order is within the collar around the last price then.
//
// Limits change at any time; an order is compared with the values of the cycle before it came. Rate, open orders and position are
// risk_check_formal's, up to a depth. In the core there is one risk_check and one order_stage, and `order_valid` and `order` of the one are
// those of the other; no other assignment drives them (two drivers would not elaborate): nothing bypasses what is proved here.
module risk_limits_formal
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int INSTRUMENTS = 2
) (
    input logic clk,
    input logic any_instrument,

    input risk_config_t                             any_config,
    input risk_limit_t                              limit,
    input logic                                     limit_write,
    input logic                                     limit_instrument,
    input logic                                     price_valid,
    input logic                                     price_instrument,
    input logic signed       [LastPriceWidth-1:0]   last_price,
    input logic                                     request_valid,
    input logic                                     request_early,
    input logic                                     withdraw,
    input order_kind_e                              request_kind,
    input order_type_e                              request_type,
    input side_e                                    request_side,
    input logic              [1:0]                  request_instrument,
    input logic signed       [OrderPriceWidth-1:0]  request_price,
    input logic              [OrderQuantityWidth-1:0] request_quantity,
    input logic              [NotionalWidth-1:0]    request_notional,
    input logic                                     request_by_host,
    input logic                                     request_complete,
    input logic                                     request_client_id,
    input logic                                     next_valid,
    input logic              [1:0]                  next_instrument,
    input logic                                     order_ready,
    input logic                                     adjust_valid,
    input logic                                     adjust_instrument,
    input logic signed       [ExposureWidth-1:0]    adjust_buy,
    input logic signed       [ExposureWidth-1:0]    adjust_sell,
    input logic                                     session_up,
    input sources_t                                 stale,
    input logic                                     gap,
    input logic                                     kill_clear
);
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic instrument;
  always_ff @(posedge clk) if (rst) instrument <= any_instrument;

  order_request_t request;
  order_t order, refused_order;
  logic request_ready, order_valid, order_held, free, refused_valid, adjust_ready;
  refusal_e refused_reason;
  logic [15:0] open_orders;
  kill_t killed_by;
  risk_config_t risk_config;

  always_comb begin
    request = '0;
    request.limit = risk_config.max_notional;
    request.order.kind = request_kind;
    request.order.order_type = request_type;
    request.order.side = request_side;
    request.order.instrument = InstrumentWidth'(request_instrument);
    request.order.price = request_price;
    request.order.quantity = request_quantity;
    request.order.client_id = 32'(request_client_id);
    request.notional = request_notional;
    request.collar = request_type == TYPE_LIMIT || request_by_host;
    request.complete = request_complete;
    risk_config = any_config;
    // The rate is not what is proved here: anything at all may be refused for it.
    risk_config.rate_window = 32'd1;
    risk_config.max_open_orders = '1;
  end

  risk_check #(
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .price_valid,
      .price_instrument(InstrumentWidth'(price_instrument)),
      .last_price,
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
      .adjust('{instrument: InstrumentWidth'(adjust_instrument), buy: adjust_buy, sell: adjust_sell, closed: '0}),
      .open_orders,
      .session_up,
      .stale,
      .gap,
      .kill_clear,
      .killed_by
  );

  // What the strategy guarantees: it gave the instrument a cycle before, and withdraws an early request in the next cycle or never.
  logic was_early;
  logic [1:0] told_instrument;
  always_ff @(posedge clk) told_instrument <= next_instrument;
  always_comb begin
    assume (!rst || !(price_valid || request_valid || limit_write || adjust_valid));
    assume (!withdraw || was_early);
    assume (!request_valid || request_kind != order_kind_e'(2'd3));
    assume (!request_valid || told_instrument == request_instrument);
  end

  // ---- the model: of one instrument, as it is, and as it was in the last two cycles ----------------------

  logic accepted, leaves;
  assign accepted = request_valid && request_ready;
  assign leaves = order_valid && order_ready;

  typedef struct packed {
    logic                             enabled;
    logic                             priced;
    sources_t                         sources;
    logic signed [LastPriceWidth-1:0] price;
    logic [CollarWidth-1:0]           collar;
  } known_t;

  known_t now, known_before;
  logic due;  // a price came with the limits, and none since
  logic signed [LastPriceWidth-1:0] reference;
  sources_t stale_before;
  kill_t cause, dead;  // of this cycle; of those before: nothing but a cancel may leave
  logic pending;  // accepted, neither left, refused nor withdrawn
  logic allowed, allowed_now;  // the pending order was within all limits when it came; the one that comes is
  order_request_t held;
  logic signed [LastPriceWidth+1:0] distance;
  logic in_collar, is_stale, fits;

  always_comb begin
    distance = (LastPriceWidth + 2)'(request_price) - (LastPriceWidth + 2)'(known_before.price);
    in_collar = distance <= $signed({1'b0, known_before.collar}) && -distance <= $signed({1'b0, known_before.collar});
    is_stale = (known_before.sources & stale_before) != '0;
    fits = known_before.enabled && known_before.priced && !is_stale && ((request_type == TYPE_MARKET && !request_by_host) || in_collar);
    allowed_now = request_quantity != '0 && request_quantity <= risk_config.max_quantity && request_notional <= risk_config.max_notional &&
        request_instrument < 2'(INSTRUMENTS) && (request_instrument != {1'b0, instrument} || fits);
  end

  assign cause = '{
          host: risk_config.kill,
          session: risk_config.kill_enable.session && !session_up,
          feed: risk_config.kill_enable.feed && stale.feed,
          gap: risk_config.kill_enable.gap && gap
      };

  // A request is compared with what was known a cycle before it came.
  always_ff @(posedge clk) begin
    known_before <= now;
    stale_before <= stale;
    dead <= cause | (kill_clear ? '0 : dead);
    dead.host <= cause.host;
    if (price_valid && price_instrument == instrument) begin
      now.price  <= last_price;
      now.priced <= 1'b1;
      due <= 1'b0;
    end else if (due && !price_valid) begin
      // The price that came with the limits, once no trade is written.
      now.price  <= reference;
      now.priced <= 1'b1;
      due <= 1'b0;
    end
    if (limit_write && limit_instrument == instrument) begin
      now.enabled <= limit.enable;
      now.priced  <= 1'b0;
      reference   <= limit.reference_price;
      due <= limit.has_reference;
      now.sources <= limit.sources;
      now.collar  <= limit.collar;
    end
    if (accepted) begin
      held <= request;
      allowed <= allowed_now;
    end
    was_early <= accepted && request_early && !rst;
    pending <= (accepted && !leaves) || (pending && !leaves && !refused_valid && !withdraw);
    if (rst) begin
      now <= '0;
      known_before <= '0;
      due <= 1'b0;
      pending <= 1'b0;
      dead <= '1;
    end
  end

  // A gap that counts, a refusal for it, and an order after the host has cleared it; a refusal of a stale instrument, and an order after it; an order after one that was withdrawn.
  logic had_gap, was_killed, was_stale, was_withdrawn;
  always_ff @(posedge clk) begin
    had_gap <= !rst && (had_gap || (cause.gap && dead == '0));
    was_killed <= !rst && (was_killed || (refused_valid && refused_reason == REFUSED_KILLED && had_gap));
    was_withdrawn <= !rst && (was_withdrawn || withdraw);
    was_stale <= !rst && (was_stale || (refused_valid && refused_reason == REFUSED_STALE));
  end

  always_ff @(posedge clk) begin
    if (!rst && order_valid) begin
      assert (pending);
      assert (order == held.order);
      assert (held.complete);
      assert (order.kind == ORDER_CANCEL ? !killed_by.session : killed_by == '0);
      assert (order.kind == ORDER_CANCEL ? !dead.session : dead == '0);
      assert (order.kind == ORDER_CANCEL || allowed);
    end
    if (!rst) begin
      cover (leaves && order.kind == ORDER_NEW);
      cover (leaves && order.kind == ORDER_NEW && was_killed);
      cover (leaves && order.kind == ORDER_NEW && was_withdrawn);
      cover (leaves && order.kind == ORDER_NEW && was_stale && order.instrument == InstrumentWidth'(instrument));
    end
  end

  logic unused;
  assign unused = &{1'b0, refused_order, open_orders, adjust_ready};
endmodule

// Compares an order with every limit in one cycle, and passes it on or refuses it with its reason.
//
//   last price ─ ± collar ──┐
//   exposure ── limit − ────┼─ looked up a cycle ahead ─ compare ─ order, or refusal
//   stamps of past orders ──┘
//
// An order whose record says so (`collar`) must be within the collar around the instrument's last price. The rules: docs/reference/rules.md.
// The rate is exact: not more than rate_orders leave in any rate_window cycles. The position counts as if all open orders were filled,
// on the side of the order; the host gives back what was not filled, and reports fills (risk_adjust_t). A cancel passes all limits but
// the rate and the loss of the session: it only reduces the risk. A replacement is compared with all limits like a new order, and adds its full
// quantity; the host gives back that of the replaced one. All limits are 0 and no instrument is enabled after rst: nothing passes.
//
// An order waiting for the order stage is refused if the kill switch comes on meanwhile: order_valid may fall before order_ready.
//
// Latency: 1 cycle, request to order. Throughput: an order every 6 cycles, a
// refusal every 2; an adjustment takes 6 cycles or more, and waits while a request is due and none stands at the output; one after a refusal
// may wait 2 cycles for it. Nothing is taken in the first INSTRUMENTS + 1 cycles after rst.
// Parameters: INSTRUMENTS. Overflow: exposures wrap at 2^47 (a limit cannot be that high); counters wrap.
module risk_check
  import tickwire_pkg::*;
  import order_pkg::*;
  import risk_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,

    // The events the strategy gets, in the same cycle.
    input logic                              price_valid,
    input logic        [InstrumentWidth-1:0] price_instrument,
    input logic signed [ LastPriceWidth-1:0] last_price,

    input  logic                                 request_valid,
    output logic                                 request_ready,
    input  order_request_t                       request,
    input  logic                                 withdraw,         // the request of the cycle before
    input  logic                                 next_valid,       // there may be a request in the next two cycles:
    input  logic           [InstrumentWidth-1:0] next_instrument,  // the instrument of the one in the next cycle
    output logic           [ LastPriceWidth-1:0] next_price,       // its last price, without its sign; 0: there is none

    output logic   order_valid,
    input  logic   order_ready,
    output order_t order,
    output logic   order_held,  // an order waits here
    output logic   free,        // no order waits, and all that left are added up

    output logic                          refused_valid,  // pulse
    output refusal_e                      refused_reason, // valid, like the order, until the next is refused
    output order_t                        refused_order,

    /* verilator lint_off UNUSEDSIGNAL */  // max_notional comes with the request
    input  risk_config_t                       risk_config,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic                               limit_write,
    input  logic         [InstrumentWidth-1:0] limit_instrument,
    input  risk_limit_t                        limit,
    input  logic                               adjust_valid,
    output logic                               adjust_ready,
    input  risk_adjust_t                       adjust,
    output logic         [               15:0] open_orders,

    input  logic  session_up,
    input  sources_t stale,
    input  logic  gap,         // pulse
    input  logic  kill_clear,  // pulse: causes that have ended are cleared
    output kill_t killed_by
);
  localparam int Index = $clog2(INSTRUMENTS);
  typedef logic [Index-1:0] index_t;
  typedef logic signed [ExposureWidth-1:0] exposure_t;
  typedef logic signed [LastPriceWidth:0] bound_t;

  // Without sign: a signed comparison is two chains of carries.
  function automatic logic below(input bound_t left, input bound_t right);
    localparam bound_t Sign = bound_t'(1) << LastPriceWidth;
    logic [LastPriceWidth:0] from, to;
    from = left ^ Sign;
    to   = right ^ Sign;
    return from < to;
  endfunction

  function automatic logic known(input logic [InstrumentWidth-1:0] instrument);
    return int'(instrument) < INSTRUMENTS;
  endfunction

  // ---- kill switch ---------------------------------------------------------------------------------

  kill_t kill_now, kill_next;
  logic killed, session_lost;
  assign kill_now = '{
          host: risk_config.kill,
          session: risk_config.kill_enable.session && !session_up,
          feed: risk_config.kill_enable.feed && stale.feed,
          gap: risk_config.kill_enable.gap && gap
      };

  always_comb begin
    kill_next = kill_now | (kill_clear ? '0 : killed_by);
    kill_next.host = risk_config.kill;
  end

  always_ff @(posedge clk) begin
    killed_by <= rst ? '1 : kill_next;
    killed <= rst || kill_next != '0;
  end
  assign session_lost = killed_by.session;

  // ---- around the last price -----------------------------------------------------------------------

  logic [INSTRUMENTS-1:0] enabled, priced;
  (* ram_style = "distributed" *)logic signed [LastPriceWidth-1:0] prices[INSTRUMENTS];
  (* ram_style = "distributed" *)logic [CollarWidth-1:0] collars[INSTRUMENTS];
  (* ram_style = "distributed" *)logic [ExposureWidth-2:0] position_limits[INSTRUMENTS];
  (* ram_style = "distributed" *)sources_t sources[INSTRUMENTS];

  // The price that came with limits waits until no trade is written.
  logic reference_due, price_known, price_write;
  index_t reference_index, price_index;
  logic signed [LastPriceWidth-1:0] reference_price;
  assign price_known = price_valid && known(price_instrument);
  assign price_write = price_known || reference_due;
  assign price_index = price_known ? index_t'(price_instrument) : reference_index;

  always_ff @(posedge clk) begin
    if (price_write) begin
      prices[price_index] <= price_known ? last_price : reference_price;
      priced[price_index] <= 1'b1;
      if (price_index == reference_index) reference_due <= 1'b0;
    end
    if (limit_write && known(limit_instrument)) begin
      enabled[index_t'(limit_instrument)] <= limit.enable;
      priced[index_t'(limit_instrument)] <= 1'b0;
      collars[index_t'(limit_instrument)] <= limit.collar;
      position_limits[index_t'(limit_instrument)] <= limit.position_limit;
      sources[index_t'(limit_instrument)] <= limit.sources;
      reference_due <= limit.has_reference;
      reference_index <= index_t'(limit_instrument);
      reference_price <= limit.reference_price;
    end
    if (rst) begin
      enabled <= '0;
      priced  <= '0;
      reference_due <= 1'b0;
    end
  end

  // ---- rate ----------------------------------------------------------------------------------------

  logic leaves, left, rate_full, stamps_empty, stamps_full, stamps_overflow, expired;
  logic [31:0] now, oldest, age;  // oldest: a cycle late
  logic [$clog2(RateDepth):0] recent;

  fifo #(
      .WIDTH(32),
      .DEPTH(RateDepth),
      .LATE(1'b1)
  ) stamps (
      .clk,
      .rst,
      .write(left),
      .write_data(now),
      .full(stamps_full),
      .overflow(stamps_overflow),
      .read(expired),
      .read_data(oldest),
      .empty(stamps_empty),
      .count(recent)
  );

  // `old_enough` lags four cycles, and after a read belongs to the entry before for four cycles: an order counts a little longer, never shorter.
  logic [31:0] oldest_late;
  logic [4:1] fresh;
  logic old_enough;
  assign expired = fresh == '1 && old_enough;

  always_ff @(posedge clk) begin
    now <= now + 1'b1;
    oldest_late <= oldest;
    age <= now - oldest_late;
    old_enough <= age >= risk_config.rate_window;
    fresh <= expired || stamps_empty ? '0 : {fresh[3:1], 1'b1};
    left <= leaves && !rst;
    rate_full <= recent >= ($bits(recent))'(risk_config.rate_orders);
    if (rst) now <= '0;
  end

  // ---- exposure ------------------------------------------------------------------------------------

  // Read for the next request and, separately, to be updated. Orders that left are added first, on their side; the host's adjustments come one
  // side after the other, while no request can need the port: if one may come after all, the side starts again. `stolen` delays a request that
  // comes anyway.
  (* ram_style = "distributed" *)exposure_t buys[INSTRUMENTS];
  (* ram_style = "distributed" *)exposure_t sells[INSTRUMENTS];
  logic sent, adding_sent, adding_adjustment, reading, reading_adjustment, adjusts, sell_due, stolen, clearing;
  side_e update_side;
  logic [InstrumentWidth-1:0] from_instrument;
  index_t next, update_index;
  exposure_t old, update, updated, room_buy, room_sell;
  logic update_known, update_now, quiet;
  logic held;  // an order stands at the output, passed or refused:
  order_t waiting;
  logic owed;  // an order left before the last cycle and is not yet added
  logic [2:1] settling;  // `left`, one and two cycles later: exposure and counts follow
  logic settled;
  logic [16:0] open_next;

  assign next = index_t'(next_instrument);
  assign quiet = held || (settled && !next_valid);
  // From registers, as `leaves` is the latest signal.
  assign sent = (left && waiting.kind != ORDER_CANCEL) || owed;
  assign adding_sent = sent && !update_now;  // no adjustment is taken meanwhile, as it is not quiet
  assign adding_adjustment = adjust_valid && !sent && !reading && !update_now && !clearing && quiet;
  assign adjusts = reading && reading_adjustment && quiet;
  assign adjust_ready = adjusts && update_side == SIDE_SELL;
  assign from_instrument = sent ? waiting.instrument : adjust.instrument;
  assign updated = old + update;
  assign open_next = {1'b0, open_orders} - {1'b0, adjust.closed};

  always_ff @(posedge clk) begin
    stolen <= reading || update_now;
    reading <= adding_sent || adding_adjustment;
    update_now <= reading && update_known && (!reading_adjustment || quiet);
    if (adjusts) sell_due <= !sell_due;
    // Whether anything is read comes late: where nothing is, these do no harm.
    if (!update_now && !clearing && (sent || !reading)) begin
      reading_adjustment <= !sent;
      update_index <= index_t'(from_instrument);
      update_known <= known(from_instrument);
      update_side <= sent ? waiting.side : sell_due ? SIDE_SELL : SIDE_BUY;
      update <= sent ? exposure_t'({1'b0, waiting.quantity}) : sell_due ? adjust.sell : adjust.buy;
    end
    old <= update_side == SIDE_SELL ? sells[update_index] : buys[update_index];
    if (clearing || (update_now && update_side == SIDE_BUY)) buys[update_index] <= updated;
    if (clearing || (update_now && update_side == SIDE_SELL)) sells[update_index] <= updated;
    if (clearing) begin
      update_index <= update_index + 1'b1;
      clearing <= update_index != index_t'(INSTRUMENTS - 1);
      old <= '0;
      update <= '0;
    end
    owed <= sent && !adding_sent;
    // If the host closes more than are open, by mistake, none is open then.
    if (adding_sent && waiting.kind == ORDER_NEW) open_orders <= open_orders + 1'b1;
    else if (adjust_ready) open_orders <= open_next[16] ? '0 : open_next[15:0];
    room_buy <= $signed({1'b0, position_limits[next]}) - buys[next];
    room_sell <= $signed({1'b0, position_limits[next]}) - sells[next];
    if (rst) begin
      {owed, sell_due, reading, update_now, stolen} <= '0;
      clearing <= 1'b1;
      update_index <= '0;
      old <= '0;
      update <= '0;
      open_orders <= '0;
    end
  end

  // ---- what the next request is compared with, looked up ahead --------------------------------------

  logic is_enabled, is_priced, is_stale, open_full;
  bound_t low, high;

  assign next_price = !priced[next] ? '0 : prices[next][LastPriceWidth-1] ? -prices[next] : prices[next];

  always_ff @(posedge clk) begin
    is_enabled <= known(next_instrument) && enabled[next] && !rst;
    is_priced <= priced[next];
    is_stale <= (sources[next] & stale) != '0;
    low <= bound_t'(prices[next]) - $signed({{LastPriceWidth + 1 - CollarWidth{1'b0}}, collars[next]});
    high <= bound_t'(prices[next]) + $signed({{LastPriceWidth + 1 - CollarWidth{1'b0}}, collars[next]});
    open_full <= open_orders >= risk_config.max_open_orders;
  end

  // ---- the check -----------------------------------------------------------------------------------

  logic [Refusals-1:0] found, against;
  logic in_collar, below_collar, above_collar, below_reg, above_reg;  // in_collar: the price must be within the collar
  logic beyond_buy, beyond_sell, beyond_buy_reg, beyond_sell_reg;

  function automatic logic beyond(input exposure_t room, input logic [OrderQuantityWidth-1:0] quantity);
    return room[ExposureWidth-1] || (room[ExposureWidth-2:OrderQuantityWidth] == '0 && quantity > room[OrderQuantityWidth-1:0]);
  endfunction

  assign in_collar = request.order.kind != ORDER_CANCEL && request.collar;
  assign below_collar = in_collar && below(bound_t'(request.order.price), low);
  assign above_collar = in_collar && below(high, bound_t'(request.order.price));
  assign beyond_buy = request.order.kind != ORDER_CANCEL && request.order.side == SIDE_BUY && beyond(room_buy, request.order.quantity);
  assign beyond_sell = request.order.kind != ORDER_CANCEL && request.order.side == SIDE_SELL && beyond(room_sell, request.order.quantity);

  always_comb begin
    found = '0;
    found[REFUSED_INSTRUMENT] = !is_enabled;
    found[REFUSED_STALE] = is_stale;
    found[REFUSED_QUANTITY] = request.order.quantity == '0 || request.order.quantity > risk_config.max_quantity;
    found[REFUSED_NOTIONAL] = request.notional > request.limit || &request.notional;
    found[REFUSED_NO_PRICE] = !is_priced;
    found[REFUSED_COLLAR] = below_collar || above_collar;
    found[REFUSED_OPEN_ORDERS] = request.order.kind == ORDER_NEW && open_full;
    found[REFUSED_POSITION] = beyond_buy || beyond_sell;
    if (request.order.kind == ORDER_CANCEL) found = '0;
    found[REFUSED_RECORD] = !request.complete;
    found[REFUSED_RATE] = rate_full;
  end

  logic blocked, refuses, lookup_against, good;
  logic [Refusals-1:0] reasons;
  assign blocked = waiting.kind == ORDER_CANCEL ? session_lost : killed;
  always_comb begin
    reasons = against;
    reasons[REFUSED_COLLAR] = below_reg || above_reg;
    reasons[REFUSED_POSITION] = beyond_buy_reg || beyond_sell_reg;
    reasons[REFUSED_KILLED] = blocked;
  end

  assign free = !held && settled;
  assign request_ready = free && !stolen;
  // The results looked up ahead come from one flip-flop.
  assign good = !lookup_against && !against[REFUSED_QUANTITY] && !against[REFUSED_NOTIONAL] && !below_reg && !above_reg &&
      !beyond_buy_reg && !beyond_sell_reg && !blocked;
  assign order = waiting;
  assign order_held = held;
  assign order_valid = held && good && !withdraw;
  assign leaves = order_valid && order_ready;
  assign refuses = held && !good && !withdraw;

  always_ff @(posedge clk) begin
    settling <= {settling[1], left};
    settled <= !leaves && !left && settling == '0 && !clearing;
    held <= ((request_valid && request_ready) || (held && !withdraw)) && !leaves && !refuses;
    // Whether there is a request comes late.
    if (free) begin
      waiting <= request.order;
      against <= found;
      {below_reg, above_reg} <= {below_collar, above_collar};  // separate: to combine them takes too long
      {beyond_buy_reg, beyond_sell_reg} <= {beyond_buy, beyond_sell};
      lookup_against <= found[REFUSED_RECORD] || found[REFUSED_INSTRUMENT] || found[REFUSED_STALE] || found[REFUSED_NO_PRICE] ||
          found[REFUSED_OPEN_ORDERS] || found[REFUSED_RATE];
    end

    refused_valid <= refuses;
    if (refuses) begin
      refused_order <= waiting;
      for (int i = Refusals - 1; i >= 0; i--) if (reasons[i]) refused_reason <= refusal_e'(i);
    end
    if (rst) begin
      held <= 1'b0;
      settling <= '0;
      settled <= 1'b0;
      refused_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !stamps_overflow && !(left && stamps_full));
  assert property (@(posedge clk) disable iff (rst) !leaves || reasons == '0);
  assert property (@(posedge clk) disable iff (rst) !held || good == (reasons == '0));
  assert property (@(posedge clk) disable iff (rst) !(sent && leaves));
endmodule

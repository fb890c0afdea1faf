// Everything between an intent and an order: strategies' and the host's intents one after the other, the order store, the limits, the kill switch.
//
//   stops ──────────┐
//   computed orders ┼─ intent_merge ─ risk ─ out
//   host ───────────┘                   │
//   prepare ────────────────────────┤
//   last price, sources ────────────┤
//   sent, reports ─ working_orders ─┘
//   csr ─ limits, kill switch, layout of an order's text, limits of instruments, status, counters
//
// Latency: intent to order 3 cycles, of a computed order 1. Throughput: an order every 9 cycles. Overflow: intents wait.
// Parameters: W; HANDLES, COMPUTED, TEXTS: see order_store; INSTRUMENTS; REPORTS: whether risk corrects exposures by the exchange's reports itself,
// before what the host corrects.
module risk_stage
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import risk_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int HANDLES = 65,
    parameter int COMPUTED = 0,
    parameter int TEXTS = 128,
    parameter int INSTRUMENTS = 16,
    parameter bit REPORTS = 1'b0
) (
    input logic          clk,
    input logic          rst,
    csr_if.stage         csr,

    market_if.last_price market,
    intent_if.snk        stops,            // in this order, where several have an intent
    intent_if.snk        computed_orders,
    intent_if.snk        host_orders,
    prepare_if.snk       prepare,
    order_if.src         out,
    order_text_if.store  text,

    input logic feed_alive,     // a good packet of the feed
    input logic session_alive,  // a good message of the session
    input logic connected,      // TCP
    input logic gap,            // the feed or the session lost something

    execution_report_if.snk reports,
    order_feedback_if.risk  feedback
);
  execution_fault_t fault;
  refused_t refused;
  assign {feedback.fault, feedback.refused} = {fault, refused};

  // ---- registers -------------------------------------------------------------------------------------

  setting_t written;
  status_t shown;
  logic [Counters-1:0] pulse;
  logic refused_reg;
  refusal_e reason_reg;
  risk_setting_t setting;
  text_layout_t layout;
  risk_status_t status;
  config_if host ();
  csr_if part[4] ();

  csr_split #(
      .N(4)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_settings #(
      .T(setting_t),
      .FIELDS(SettingFields),
      .MAP(SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(written)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(shown)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  csr_operations csr_operations (
      .csr(part[3].stage),
      .out(host.src)
  );

  assign setting = '{
          limits: '{
              kill: written.kill_switch.kill,
              kill_enable: '{
                  host: 1'b0,
                  session: written.kill_switch.on_session,
                  feed: written.kill_switch.on_feed,
                  gap: written.kill_switch.on_gap
              },
              max_quantity: written.max_quantity,
              max_notional: {written.max_notional_high, written.max_notional_low},
              rate_orders: written.rate_orders,
              rate_window: {1'b0, written.rate_window},
              max_open_orders: written.max_open_orders
          },
          stale_limit: written.stale_limit,
          session_stale_limit: written.session_stale_limit,
          logged_on: written.logged_on,
          clear: written.kill_switch.clear
      };
  assign layout = '{
          side_at: written.text_layout.side_at,
          quantity_at: written.text_layout.quantity_at,
          quantity_width: written.text_layout.quantity_width,
          price_at: written.text_layout_price.price_at,
          price_width: written.text_layout_price.price_width,
          original_at: written.text_layout_price.original_at,
          has_time_in_force: written.text_layout.has_time_in_force,
          time_in_force_at: written.text_layout.time_in_force_at
      };
  assign shown.risk_state = '{
          gap: status.killed_by.gap,
          feed: status.killed_by.feed,
          session: status.killed_by.session,
          host: status.killed_by.host,
          feed_stale: status.stale.feed,
          session_stale: status.stale.session,
          open_orders: status.open_orders
      };

  // Refusals a cycle later: they come out of a multiplexer.
  always_ff @(posedge clk) begin
    refused_reg <= refused.valid && !rst;
    reason_reg <= refused.reason;
    pulse <= '0;
    for (int i = 0; i < Refusals; i++) pulse[COUNT_REFUSED_KILLED+4'(i)] <= refused_reg && reason_reg == refusal_e'(i);
    pulse[COUNT_EXECUTION_UNKNOWN] <= fault.unknown;
    pulse[COUNT_EXECUTION_UNREADABLE] <= fault.unreadable;
    pulse[COUNT_EXECUTION_OVERFLOW] <= fault.overflow;
    pulse[COUNT_ORDER_FORGOTTEN] <= fault.forgotten;
    if (rst) pulse <= '0;
  end

  // ---- instruments -----------------------------------------------------------------------------------

  logic limit_write, adjust_valid, adjust_ready, decimals_write;
  logic [3:0] decimals;
  logic [InstrumentWidth-1:0] instrument;
  risk_limit_t limit;
  risk_adjust_t adjust, host_adjust;
  logic host_adjust_valid, host_adjust_ready;
  intent_if intent ();
  logic ahead, lost;

  risk_config_port #(
      .INSTRUMENTS(INSTRUMENTS)
  ) risk_config_port (
      .clk,
      .rst,
      .host(host.snk),
      .decimals_write,
      .decimals,
      .instrument,
      .limit_write,
      .limit,
      .adjust_valid(host_adjust_valid),
      .adjust_ready(host_adjust_ready),
      .adjust(host_adjust)
  );

  // ---- the exchange's reports ------------------------------------------------------------------------

  if (REPORTS) begin : gen_reports
    risk_adjust_t report_adjust;
    logic report_adjust_valid, report_turn;

    working_orders working_orders (
        .clk,
        .rst,
        .sent_valid(feedback.outcome.sent_valid),
        .sent(feedback.outcome.sent),
        .reports,
        .adjust_valid(report_adjust_valid),
        .adjust_ready(adjust_ready && report_turn),
        .adjust(report_adjust),
        .change(feedback.change),
        .unknown(fault.unknown),
        .overflow(fault.forgotten)
    );
    assign {fault.overflow, fault.unreadable} = {reports.overflow, reports.unreadable};
    // What is known of the orders is not complete.
    always_ff @(posedge clk) lost <= (fault.overflow || fault.unreadable || fault.forgotten) && !rst;

    // Whose adjustment it is stays until it is done: it is added in two parts.
    assign adjust_valid = report_turn ? report_adjust_valid : host_adjust_valid;
    assign adjust = report_turn ? report_adjust : host_adjust;
    assign host_adjust_ready = adjust_ready && !report_turn;
    always_ff @(posedge clk) begin
      if (!adjust_valid || adjust_ready) report_turn <= !report_turn;
      if (rst) report_turn <= 1'b0;
    end
  end else begin : gen_no_reports
    logic unused;
    assign unused = &{1'b0, feedback.outcome, reports.valid, reports.data, reports.overflow, reports.unreadable};
    assign {reports.ready, feedback.change, fault, lost} = '0;
    assign {adjust_valid, host_adjust_ready, adjust} = {host_adjust_valid, adjust_ready, host_adjust};
  end

  stale_source stale_feed (
      .clk,
      .rst,
      .limit(setting.stale_limit),
      .alive(feed_alive),
      .stale(status.stale.feed)
  );

  stale_source stale_session (
      .clk,
      .rst,
      .limit(setting.session_stale_limit),
      .alive(session_alive),
      .stale(status.stale.session)
  );

  intent_merge intent_merge (
      .clk,
      .rst,
      .first(stops),
      .second(computed_orders),
      .third(host_orders),
      .out(intent.src),
      .ahead
  );

  // It is known before an order that the trade fires, which takes longer.
  logic last_valid;
  logic [InstrumentWidth-1:0] last_instrument;
  logic signed [LastPriceWidth-1:0] last_price;
  always_ff @(posedge clk) begin
    {last_valid, last_instrument, last_price} <= {market.trade_valid && market.trade_ready, market.trade_instrument, market.trade_price};
  end

  risk #(
      .W(W),
      .HANDLES(HANDLES),
      .COMPUTED(COMPUTED),
      .TEXTS(TEXTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) risk (
      .clk,
      .rst,
      .price_valid(last_valid),
      .price_instrument(last_instrument),
      .price(last_price),
      .intent(intent.snk),
      .ahead,
      .out,
      .prepare_valid(prepare.valid),
      .prepare_ready(prepare.ready),
      .prepare_handle(prepare.handle),
      .prepare_order(prepare.order),
      .prepare_original(prepare.original),
      .prepare_time_in_force(prepare.time_in_force),
      .prepare_collar(prepare.collar),
      .answer_valid(prepare.answer_valid),
      .answer(prepare.answer),
      .commit(prepare.commit),
      .layout,
      .decimals_write,
      .decimals_instrument(instrument),
      .decimals,
      .text,
      .sending(text.sending),
      .sending_text(text.sending_text),
      .refused_valid(refused.valid),
      .refused_reason(refused.reason),
      .refused_order(refused.order),
      .risk_config(setting.limits),
      .limit_write,
      .limit_instrument(instrument),
      .limit,
      .adjust_valid,
      .adjust_ready,
      .adjust,
      .open_orders(status.open_orders),
      .session_up(connected && setting.logged_on),
      .stale(status.stale),
      .gap(gap || lost),
      .kill_clear(setting.clear),
      .killed_by(status.killed_by)
  );
endmodule

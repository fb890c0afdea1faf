// The only way to the order stage: risk owns the orders that may be sent (order_store), and passes or refuses each that is requested (risk_check).
//
//   intent ─ handle ─ order_store ─ record ─┐
//     │└ instrument ─ limits, exposure ─────┴ risk_check ─ out, or refused
//     └─ price of a computed order, a cycle ahead ─ out.price_ahead, two cycles before the order
//
// Latency: intent to order 3 cycles, if the order stage is ready. With `ahead` 1: the record and the price have been read, and are compared in
// the intent's cycle. Throughput: an order every 9 cycles.
// An intent that is withdrawn was never asked for: it is neither passed nor refused. Parameters: W; HANDLES, COMPUTED, TEXTS: see order_store; INSTRUMENTS. Overflow: intents wait.
module risk
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int W = 64,
    parameter int HANDLES = 65,
    parameter int COMPUTED = 0,
    parameter int TEXTS = 128,
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,

    input logic                              price_valid,
    input logic        [InstrumentWidth-1:0] price_instrument,
    input logic signed [ LastPriceWidth-1:0] price,

    intent_if.snk intent,
    input logic   ahead,   // handle, instrument and `computed` of this cycle stood in the two before too, and risk was ready
    order_if.src  out,

    // ---- orders are prepared: see order_store --------------------------------------------------------
    input  logic                           prepare_valid,
    output logic                           prepare_ready,
    input  logic         [HandleWidth-1:0] prepare_handle,
    input  order_t                         prepare_order,
    input  number_t                        prepare_original,
    input  time_in_force_t                 prepare_time_in_force,
    input  logic                           prepare_collar,
    output logic                           answer_valid,
    output text_answer_e                   answer,
    input  logic                           commit,
    input  text_layout_t                   layout,
    input  logic                           decimals_write,
    input  logic     [InstrumentWidth-1:0] decimals_instrument,
    input  logic                     [3:0] decimals,

    order_text_if.store          text,
    input logic                  sending,       // the order stage has an order, with this text
    input logic [TextWidth-1:0]  sending_text,

    // ---- limits: see risk_check ----------------------------------------------------------------------
    output logic                                refused_valid,
    output refusal_e                            refused_reason,
    output order_t                              refused_order,
    input  risk_config_t                        risk_config,
    input  logic                                limit_write,
    input  logic         [ InstrumentWidth-1:0] limit_instrument,
    input  risk_limit_t                         limit,
    input  logic                                adjust_valid,
    output logic                                adjust_ready,
    input  risk_adjust_t                        adjust,
    output logic         [                15:0] open_orders,
    input  logic                                session_up,
    input  sources_t                            stale,
    input  logic                                gap,
    input  logic                                kill_clear,
    output kill_t                               killed_by
);
  // One at a time: its record is read, waits until the check takes it, and stays there until it leaves.
  logic taken, at_once, reading, shown, soon, check_free, held, request_ready;
  logic [InstrumentWidth-1:0] instrument;
  logic computed;
  logic [ComputedPriceWidth-1:0] computed_price;
  logic [LastPriceWidth-1:0] market_price;
  order_request_t request;

  // From a flip-flop, for it is far from the strategies: a cycle after nothing is on its way any more.
  assign taken = intent.valid && intent.ready;
  assign at_once = taken && ahead;

  always_ff @(posedge clk) begin
    intent.ready <= check_free && !reading && !shown && !taken && !rst;
    soon <= intent.soon;
    reading <= taken && !ahead && !rst;
    shown <= ((at_once && !request_ready) || reading || (shown && !request_ready && !intent.withdraw)) && !rst;
    if (intent.ready) {instrument, computed, computed_price} <= {intent.instrument, intent.computed, intent.price};
  end

  // Steady from the cycle before the one in which the intent is taken until the order has left, or was refused.
  assign out.price_ahead = intent.ready ? intent.price_soon : computed_price;

  assert property (@(posedge clk) disable iff (rst) !intent.ready || (check_free && !reading && !shown));
  assert property (@(posedge clk) disable iff (rst) !(taken && intent.computed) || ahead);
  assert property (@(posedge clk) disable iff (rst) !intent.withdraw || $past(at_once));
  assert property (@(posedge clk) disable iff (rst) !(taken && intent.computed) || intent.price == $past(intent.price_soon));
  assert property (@(posedge clk) disable iff (rst) !(taken && intent.computed) || intent.price == intent.price_soon);

  order_store #(
      .W(W),
      .HANDLES(HANDLES),
      .COMPUTED(COMPUTED),
      .TEXTS(TEXTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) order_store (
      .clk,
      .rst,
      .layout,
      .decimals_write,
      .decimals_instrument,
      .decimals,
      .prepare_valid,
      .prepare_ready,
      .prepare_handle,
      .prepare_order,
      .prepare_original,
      .prepare_time_in_force,
      .prepare_collar,
      .answer_valid,
      .answer,
      .commit,
      .read(intent.ready),
      .read_handle(intent.handle),
      .read_instrument(instrument),
      .read_computed(computed),
      .read_price(intent.ready ? intent.price_soon : computed_price),
      .market_price,
      .max_notional(risk_config.max_notional),
      .request,
      .reading(at_once || reading || shown),
      .waiting(held),
      .waiting_text(out.order.text),
      .sending,
      .sending_text,
      .text
  );

  risk_check #(
      .INSTRUMENTS(INSTRUMENTS)
  ) risk_check (
      .clk,
      .rst,
      .price_valid,
      .price_instrument,
      .last_price(price),
      .request_valid(at_once || (shown && !intent.withdraw)),
      .request_ready,
      .withdraw(intent.withdraw),
      .request,
      .next_valid(soon || reading || shown),
      .next_instrument(instrument),
      .next_price(market_price),
      .free(check_free),
      .order_valid(out.valid),
      .order_ready(out.ready),
      .order(out.order),
      .order_held(held),
      .refused_valid,
      .refused_reason,
      .refused_order,
      .risk_config,
      .limit_write,
      .limit_instrument,
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
endmodule

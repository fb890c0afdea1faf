// From an intent to the wire, the same in every core that trades: risk, the order's message, the session that it leaves on.
//
//   stops, computed orders, host ─ risk_stage ─ order_stage ─┬─ order_transmit ─ MII
//   line ───────────────────────────────────── session_stage ┘
//   session_stage ─ prices of the session, the peer's bytes, reports ─ risk_stage
//   csr ─ each stage
//
// Latency, throughput, overflow: as the stages. Parameters: W; INSTRUMENTS; STOPS, handles of stop orders; COMPUTED, handles of orders whose price is
// computed: with some, what became of orders is read from the session, too; PRICES, DETAILS, GROUPS: as session_stage.
module order_path
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int STOPS = 0,
    parameter int COMPUTED = 0,
    parameter bit PRICES = 1'b0,
    parameter bit DETAILS = 1'b0,
    parameter bit GROUPS = 1'b1
) (
    input logic        clk,
    input logic        rst,
    csr_if.stage       csr,
    input logic [63:0] time_ns,
    input logic        tick,        // pulses: once in 256 us,
    input logic        millisecond,
    input logic        enable,      // frames are received
    input net_config_t net_config,

    line_if.snk          line,
    line_verdict_if.snk  verdict,
    market_if.last_price market,
    intent_if.snk        stops,
    intent_if.snk        computed_orders,
    intent_if.snk        host_orders,
    prepare_if.snk       prepare,
    input logic          feed_alive,       // a good packet of the feed
    input logic          gap,              // something was lost before risk

    mii_if.tx              tx,
    host_message_if.snk    messages,       // of the host, on the session
    tx_stream_if.src       session_bytes,  // what the peer sends: see byte_queue
    committed_event_if.src session_prices,
    output logic           price_wide,     // see decoder_fix
    order_feedback_if.source feedback,
    output logic           sent            // pulse: an order has passed risk
);
  localparam int Texts = 1 << $clog2(STOPS + COMPUTED + 5);  // of prepared orders: one a handle, and some for those that take their place

  // Stages that have registers.
  typedef enum int {
    CSR_RISK,
    CSR_ORDER,
    CSR_SESSION,
    CSR_TRANSMIT,
    CSR_STAGES
  } csr_e;
  csr_if part[CSR_STAGES] ();

  logic connected, session_alive, session_overflow, started_unused;
  order_if passed ();
  order_feedback_if own_feedback ();
  order_text_if #(.W(W)) text ();
  order_message_if #(.W(W)) order_message ();
  execution_report_if execution_reports ();
  tx_stream_if #(.W(W)) host_messages ();
  tx_stream_if #(.W(W)) orders ();
  tx_stream_if #(.W(W)) control ();

  csr_split #(
      .N(CSR_STAGES)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  risk_stage #(
      .W(W),
      .HANDLES(STOPS + COMPUTED + 1),
      .COMPUTED(COMPUTED),
      .TEXTS(Texts),
      .INSTRUMENTS(INSTRUMENTS),
      .REPORTS(COMPUTED != 0)
  ) risk_stage (
      .clk,
      .rst,
      .csr(part[CSR_RISK].stage),
      .market,
      .stops,
      .computed_orders,
      .host_orders,
      .prepare,
      .out(passed.src),
      .text(text.store),
      .feed_alive,
      .session_alive,
      .connected,
      .gap(gap || session_overflow),
      .reports(execution_reports.snk),
      .feedback(own_feedback.risk)
  );
  assign sent = passed.valid && passed.ready;
  assign {feedback.refused, feedback.outcome} = {own_feedback.refused, own_feedback.outcome};
  assign {feedback.change, feedback.fault} = {own_feedback.change, own_feedback.fault};

  order_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .COMPUTED(COMPUTED != 0)
  ) order_stage (
      .clk,
      .rst,
      .csr(part[CSR_ORDER].stage),
      .time_ns,
      .connected,
      .in(passed.snk),
      .text(text.reader),
      .message(order_message.src),
      .feedback(own_feedback.order),
      .messages,
      .host_messages(host_messages.src)
  );

  session_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .PRICES(PRICES),
      .REPORTS(COMPUTED != 0),
      .DETAILS(DETAILS),
      .GROUPS(GROUPS)
  ) session_stage (
      .clk,
      .rst,
      .csr(part[CSR_SESSION].stage),
      .enable,
      .tick,
      .millisecond,
      .net_config,
      .line,
      .verdict,
      .order(order_message.snk),
      .host_messages(host_messages.snk),
      .frames(orders.src),
      .control(control.src),
      .prices(session_prices),
      .price_wide,
      .reports(execution_reports.src),
      .host_bytes(session_bytes),
      .connected,
      .alive(session_alive),
      .overflow(session_overflow)
  );

  order_transmit #(
      .W(W)
  ) order_transmit (
      .clk,
      .rst,
      .csr(part[CSR_TRANSMIT].stage),
      .orders(orders.snk),
      .control(control.snk),
      .mii(tx),
      .started(started_unused)
  );
endmodule

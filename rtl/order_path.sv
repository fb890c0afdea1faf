// The path of orders: prices out of the FIX session, stop orders, risk, and the order on the same session, all without the host.
//
//   line ─ session_path ─┬─ stop_orders ─ intent_merge ─ risk ─ order_stage ─ session_path ─ frames
//                        │  order_entry ──────┘    message (from the host) ┘
//                        └─ session (to the host)
//   registers ─ order_operations ─ order_entry, templates, limits        order_reports ─ report
//
// The host logs on, sends heartbeats and answers resend requests by `message`; what the peer says it reads from `session`; what became of the orders, in
// `report`. Prices are trades: of the FIX session, and of the market data beside it (`trade`).
//
// Latency: last FCS byte of a segment with a trade to the order's first beat: docs/concepts/orders.md. Throughput: as the parts.
// Parameters: W; SLOTS, stops; INSTRUMENTS; BUFFER, bytes kept for retransmission; QUEUE, bytes kept for the host.
// Overflow: TCP's window closes when the host does not read; an order waits for risk, the order stage and TCP, whose `full` is in a register. Trades of the session that
// the stops do not take at once wait in a queue of 64; one that finds no room counts as a gap of the feed, and the kill switch comes on.
module order_path
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import order_entry_pkg::*;
  import stop_pkg::*;
  import risk_pkg::*;
  import tcp_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int SLOTS = 64,
    parameter int INSTRUMENTS = 16,
    parameter int BUFFER = 16384,
    parameter int QUEUE = 8192
) (
    input logic        clk,
    input logic        rst,
    input logic        tick,     // once in 256 us
    input logic [63:0] time_ns,
    input logic [47:0] local_mac,
    input logic [31:0] local_ip,

    line_if.snk  line,
    input logic  fcs_good,  // of the frame whose last beat was on the line in the cycle before
    input logic  line_busy,  // a frame is coming in, on any line: what may wait does

    output logic        resolve_valid,   // the next hop's MAC is wanted
    output logic [31:0] resolve_ip,
    output logic        pinned,          // and lived with
    input  logic        peer_mac_valid,
    input  logic [47:0] peer_mac,

    // The market-data feed: a good packet came, messages were lost.
    input logic feed_heard,
    input logic feed_gap,
    input logic trade_overflow,  // a trade found no room: a gap too
    // The trades it tells: see trade_select.
    output logic                              instrument_write,
    output logic        [InstrumentWidth-1:0] instrument_index,
    output logic                              instrument_used,
    output logic        [               63:0] instrument_symbol,
    input  logic                              trade_valid,
    output logic                              trade_ready,
    input  logic        [InstrumentWidth-1:0] trade_instrument,
    input  logic signed [     PriceWidth-1:0] trade_price,

    tx_stream_if.src frames,

    tx_stream_if.src session,  // the peer's bytes, in order; see byte_queue

    input  logic                message_valid,  // see host_message
    output logic                message_ready,
    input  logic         [ 7:0] message_data,
    input  logic                message_last,
    input  logic                message_numbered,
    input  logic         [10:0] message_number_at,
    output logic                answer_valid,
    output host_answer_e        answer,
    output number_t             answer_number,

    output logic          report_valid,
    input  logic          report_ready,
    output order_report_t report,

    input control_pkg::control_event_t control_events,

    input  order_registers_pkg::order_registers__out_t setting,
    output order_registers_pkg::order_registers__in_t  status
);
  localparam int Slot = $clog2(SLOTS);
  localparam int Instrument = $clog2(INSTRUMENTS);
  localparam int Message = 256;
  localparam int Template = 2 + Instrument;
  localparam int Beat = $clog2(Message * 8 / W);

  // ---- the session -------------------------------------------------------------------------------

  tcp_state_e state;
  tcp_event_t tcp_events;
  logic connected, connecting, order_full;
  logic [16:0] outstanding;
  logic tcp_order_valid, tcp_order_ready, order_payload_ready;
  logic [15:0] order_sum;
  logic [W-1:0] order_payload;
  logic fix_write, fix_busy;
  committed_event_if fix_events ();  // trades
  logic fix_event_wide;
  fix_instrument_t fix_instrument;
  logic [FixCauses-1:0] fix_cause;
  logic [InstrumentWidth-1:0] instrument;
  tx_stream_if #(.W(W)) host ();

  session_path #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .BUFFER(BUFFER),
      .QUEUE(QUEUE)
  ) session_path (
      .clk,
      .rst,
      .tick,
      .local_mac,
      .local_ip,
      .setting,
      .line,
      .fcs_good,
      .line_busy,
      .resolve_valid,
      .resolve_ip,
      .pinned,
      .peer_mac_valid,
      .peer_mac,
      .order_valid(tcp_order_valid),
      .order_ready(tcp_order_ready),
      .order_sum,
      .order_payload_ready,
      .order_payload,
      .host(host.snk),
      .frames,
      .session,
      .instrument_write(fix_write),
      .instrument_index(instrument[Instrument-1:0]),
      .instrument(fix_instrument),
      .instrument_busy(fix_busy),
      .events(fix_events.src),
      .event_wide(fix_event_wide),
      .state,
      .connected,
      .connecting,
      .outstanding,
      .order_full,
      .tcp_events,
      .fix_cause
  );

  // ---- prices ------------------------------------------------------------------------------------

  // Trades of the market data wait for those of the session, which are fewer; all wait where they were committed, until the stops can take them.
  logic price_valid, price_ready;
  logic [InstrumentWidth-1:0] price_instrument;
  logic signed [LastPriceWidth-1:0] price, fix_price;

  assign fix_events.ready = price_ready;
  assign trade_ready = price_ready && !fix_events.valid;
  assign price_valid = fix_events.valid || trade_valid;
  assign price_instrument = fix_events.valid ? fix_events.data.instrument : trade_instrument;
  // As last_price_of, which the decoder has looked at already.
  if (NarrowPrice != LastPriceWidth) begin : gen_width
    $fatal(1, "order_path: NarrowPrice must be LastPriceWidth");
  end
  assign fix_price = fix_event_wide ? {fix_events.data.price[PriceWidth-1], {LastPriceWidth - 1{!fix_events.data.price[PriceWidth-1]}}} :
      fix_events.data.price[LastPriceWidth-1:0];
  assign price = fix_events.valid ? fix_price : last_price_of(trade_price);

  assign instrument_index = instrument;

  // ---- stop orders, risk ---------------------------------------------------------------------------

  logic entry_valid, entry_ready, entry_answer_valid;
  entry_e entry_code;
  logic [Slot-1:0] entry_slot;
  entry_t entry;
  stop_answer_t entry_answer, stop_answer;
  text_answer_e entry_text, prepared_text;
  logic prepare_valid, prepare_ready, prepare_collar, prepared, commit;
  logic [HandleWidth-1:0] prepare_handle;
  order_t prepare_order;
  number_t prepare_original;
  logic stop_valid, stop_ready, stop_answer_valid;
  stop_operation_e stop_operation;
  logic [Slot-1:0] stop_slot;
  stop_watch_t stop_watch;
  logic [Slot:0] armed_count;
  logic busy;
  logic [TextWidth-1:0] busy_text;
  intent_if stop_intent ();
  intent_if host_intent ();
  intent_if intent ();
  order_if passed ();
  order_text_if #(.W(W)) text ();

  order_entry #(
      .SLOTS(SLOTS)
  ) order_entry (
      .clk,
      .rst,
      .entry_valid,
      .entry_ready,
      .entry_code,
      .entry_slot,
      .entry,
      .answer_valid(entry_answer_valid),
      .answer(entry_answer),
      .text(entry_text),
      .prepare_valid,
      .prepare_ready,
      .prepare_handle,
      .prepare_order,
      .prepare_original,
      .prepare_collar,
      .prepared,
      .prepared_text,
      .commit,
      .stop_valid,
      .stop_ready,
      .stop_operation,
      .stop_slot,
      .stop_watch,
      .stop_answer_valid,
      .stop_answer,
      .intent(host_intent.src)
  );

  // At W = 8 the bytes come slowly, and the part is small: the slots are compared in groups.
  stop_orders #(
      .SLOTS(SLOTS),
      .GROUP(W == 8 ? SLOTS / 8 : SLOTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) stop_orders (
      .clk,
      .rst,
      .event_valid(price_valid),
      .event_ready(price_ready),
      .event_instrument(price_instrument),
      .event_price(price),
      .write_valid(stop_valid),
      .write_ready(stop_ready),
      .write_operation(stop_operation),
      .write_slot(stop_slot),
      .write_watch(stop_watch),
      .answer_valid(stop_answer_valid),
      .answer(stop_answer),
      .intent(stop_intent.src),
      .armed_count
  );

  intent_merge intent_merge (
      .clk,
      .rst,
      .first(stop_intent.snk),
      .second(host_intent.snk),
      .out(intent.src)
  );

  sources_t stale;

  stale_source stale_feed (
      .clk,
      .rst,
      .limit(setting.stale_limit.value.value),
      .alive(feed_heard),
      .stale(stale.feed)
  );
  stale_source stale_session (
      .clk,
      .rst,
      .limit(setting.session_stale_limit.value.value),
      .alive(fix_cause[FIX_PRICES] || fix_cause[FIX_OTHER]),
      .stale(stale.session)
  );

  risk_config_t risk_config;
  risk_limit_t limit;
  risk_adjust_t adjust;
  kill_t killed_by;
  logic limit_write, adjust_valid, adjust_ready, refused_valid, decimals_write;
  refusal_e refused_reason;
  order_t refused_order;
  logic [15:0] open_orders;
  text_layout_t layout;
  logic [3:0] decimals;

  assign risk_config = '{
          kill: setting.kill_switch.kill.value,
          kill_enable: '{
              host: 1'b0,
              session: setting.kill_switch.on_session.value,
              feed: setting.kill_switch.on_feed.value,
              gap: setting.kill_switch.on_gap.value
          },
          max_quantity: setting.max_quantity.value.value,
          max_notional: {setting.max_notional_high.value.value, setting.max_notional_low.value.value},
          rate_orders: setting.rate_orders.value.value,
          rate_window: {1'b0, setting.rate_window.value.value},
          max_open_orders: setting.max_open_orders.value.value
      };
  assign layout = '{
          side_at: setting.text_layout.side_at.value,
          quantity_at: setting.text_layout.quantity_at.value,
          quantity_width: setting.text_layout.quantity_width.value,
          price_at: setting.text_layout_price.price_at.value,
          price_width: setting.text_layout_price.price_width.value,
          original_at: setting.text_layout_price.original_at.value
      };

  // At W = 64 an order is compared with its limits and its message started in one cycle; in the part for W = 8 that would be too much.
  risk #(
      .W(W),
      .HANDLES(SLOTS + 1),
      .TEXTS(2 * SLOTS),
      .INSTRUMENTS(INSTRUMENTS),
      .DIRECT(W != 8)
  ) risk (
      .clk,
      .rst,
      .price_valid(price_valid && price_ready),
      .price_instrument,
      .price,
      .intent(intent.snk),
      .out(passed.src),
      .prepare_valid,
      .prepare_ready,
      .prepare_handle,
      .prepare_order,
      .prepare_original,
      .prepare_collar,
      .answer_valid(prepared),
      .answer(prepared_text),
      .commit,
      .layout,
      .decimals_write,
      .decimals_instrument(instrument),
      .decimals,
      .text(text.store),
      .sending(busy),
      .sending_text(busy_text),
      .refused_valid,
      .refused_reason,
      .refused_order,
      .risk_config,
      .limit_write,
      .limit_instrument(instrument),
      .limit,
      .adjust_valid,
      .adjust_ready,
      .adjust,
      .open_orders,
      .session_up(connected && setting.logged_on.value.value),
      .stale,
      .gap(feed_gap || trade_overflow || fix_cause[FIX_OVERFLOW]),
      .kill_clear(setting.kill_switch.clear.value),
      .killed_by
  );

  // ---- order stage -----------------------------------------------------------------------------------

  logic template_write, template_set, template_clear, time_load, date_load, number_load;
  logic [Template+Beat-1:0] template_address;
  logic [9*W/8-1:0] template_data;
  logic [Template-1:0] template_index;
  template_t template_record;
  time_t load_time, utc_unused;
  logic [63:0] load_boundary;
  logic [7:0][3:0] load_date;
  number_t load_number, number;
  logic sent_valid, dropped_valid, date_known, report_overflow;
  order_sent_t sent;
  dropped_e dropped_reason;
  order_t dropped_order;
  stopped_t stopped;

  order_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .MESSAGE(Message)
  ) order_stage (
      .clk,
      .rst,
      .time_ns,
      .connected,
      .message_length(setting.message_length.value.value),
      .template_write,
      .template_address,
      .template_data,
      .template_set,
      .template_clear,
      .template_index,
      .template_record,
      .time_load,
      .load_time,
      .load_boundary,
      .date_load,
      .load_date,
      .number_load,
      .load_number,
      .in(passed.snk),
      .text(text.reader),
      .message_valid(tcp_order_valid),
      .message_ready(tcp_order_ready),
      .message_sum(order_sum),
      .payload_ready(order_payload_ready),
      .payload(order_payload),
      .sent_valid,
      .sent,
      .dropped_valid,
      .dropped_reason,
      .dropped_order,
      .busy,
      .busy_text,
      .in_valid(message_valid),
      .in_ready(message_ready),
      .in_data(message_data),
      .in_last(message_last),
      .numbered(message_numbered),
      .number_at(message_number_at),
      .host(host.src),
      .answer_valid,
      .answer,
      .answer_number,
      .stopped,
      .date_known,
      .number,
      .utc(utc_unused)
  );

  order_reports #(
      .DEPTH(SLOTS)
  ) order_reports (
      .clk,
      .rst,
      .time_ns,
      .sent_valid,
      .sent,
      .dropped_valid,
      .dropped_reason,
      .dropped_order,
      .refused_valid,
      .refused_reason,
      .refused_order,
      .report_valid,
      .report_ready,
      .report,
      .overflow(report_overflow)
  );

  // ---- host ------------------------------------------------------------------------------------------

  logic operation_busy, operation_done, operation_refused, counter_answer;
  logic [31:0] counter;
  stop_state_e operation_previous;
  text_answer_e operation_text;
  logic [6:0][31:0] operand;

  always_comb for (int i = 0; i < 7; i++) operand[i] = setting.operand[i].value.value;

  order_operations #(
      .W(W),
      .SLOTS(SLOTS),
      .INSTRUMENTS(INSTRUMENTS),
      .MESSAGE(Message)
  ) order_operations (
      .clk,
      .rst,
      .start(setting.operation.start.value),
      .code(setting.operation.code.value),
      .index(setting.operation.index.value),
      .operand,
      .busy(operation_busy),
      .done(operation_done),
      .previous(operation_previous),
      .text(operation_text),
      .refused(operation_refused),
      .entry_valid,
      .entry_ready,
      .entry_code,
      .entry_slot,
      .entry,
      .entry_answer_valid,
      .entry_answer,
      .entry_text,
      .template_write,
      .template_address,
      .template_data,
      .template_set,
      .template_clear,
      .template_index,
      .template_record,
      .decimals_write,
      .decimals,
      .time_load,
      .load_time,
      .load_boundary,
      .date_load,
      .load_date,
      .number_load,
      .load_number,
      .instrument,
      .limit_write,
      .limit,
      .adjust_valid,
      .adjust_ready,
      .adjust,
      .fix_write,
      .fix_busy,
      .fix_instrument,
      .feed_write(instrument_write),
      .feed_used(instrument_used),
      .feed_symbol(instrument_symbol)
  );

  order_status order_status (
      .clk,
      .rst,
      .tcp_events,
      .control_events,
      .fix_cause,
      .trade_overflow,
      .sent_valid,
      .dropped_valid,
      .report_overflow,
      .operation_refused,
      .refused_valid,
      .refused_reason,
      .request(setting.order_counters.req),
      .slot(setting.order_counters.addr[7:2]),
      .answer(counter_answer),
      .count(counter)
  );

  always_comb begin
    status.order_counters.rd_ack = counter_answer;
    status.order_counters.rd_data = counter;
    status.order_counters.wr_ack = 1'b0;
    status.session_state.tcp.next = state;
    status.session_state.next_hop.next = peer_mac_valid;
    status.session_state.full.next = order_full;
    status.session_state.connecting.next = connecting;
    status.outstanding.value.next = outstanding;
    status.order_state.connection.next = stopped.connection;
    status.order_state.number_missing.next = stopped.number;
    status.order_state.number_exhausted.next = stopped.number_exhausted;
    status.order_state.time_unknown.next = stopped.time_unknown;
    status.order_state.date_missing.next = stopped.date_missing;
    status.order_state.host_message.next = stopped.host_message;
    status.order_state.date_known.next = date_known;
    {status.next_number_high.value.next, status.next_number.value.next} = number;
    status.risk_state.gap.next = killed_by.gap;
    status.risk_state.feed.next = killed_by.feed;
    status.risk_state.session.next = killed_by.session;
    status.risk_state.host.next = killed_by.host;
    status.risk_state.feed_stale.next = stale.feed;
    status.risk_state.session_stale.next = stale.session;
    status.risk_state.open_orders.next = open_orders;
    status.operation_state.busy.next = operation_busy;
    status.operation_state.done.next = operation_done;
    status.operation_state.previous.next = operation_previous;
    status.operation_state.text.next = operation_text;
    status.operation_state.armed.next = 16'(armed_count);
  end
endmodule

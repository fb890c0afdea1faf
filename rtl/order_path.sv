// The path of orders: prices out of the FIX session, stop orders, risk, and the order on the same session, all without the host.
//
//   line ─ session_path ─┬─ stop_orders ─ risk_check ─ order_stage ─ session_path ─ frames
//                        └─ session (to the host)   message (from the host) ┘
//   registers ─ order_operations ─ stop_text, templates, limits          order_reports ─ report
//
// The host logs on, beats and answers resend requests by `message`; what the peer says it reads from `session`; what became of the orders it is told
// by `report`. Prices are trades: of the FIX session, and of the market data beside it (`trade`).
//
// Latency: last FCS byte of a segment with a trade to the order's first beat: docs/concepts/orders.md. Throughput: as the parts.
// Parameters: W; SLOTS, stops; INSTRUMENTS; BUFFER, bytes kept for retransmission; QUEUE, bytes kept for the host.
// Overflow: TCP's window closes when the host does not read; an order waits for risk, the order stage and TCP, whose `full` is told.
module order_path
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
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

  logic stale, heard;

  // Trades of the market data wait for those of the session, which are fewer.
  logic price_valid, price_ready;
  logic [InstrumentWidth-1:0] price_instrument;
  logic signed [LastPriceWidth-1:0] price, fix_price;

  assign fix_events.ready = price_ready;
  assign trade_ready = price_ready && !fix_events.valid;
  assign price_valid = (fix_events.valid || trade_valid) && price_ready;
  assign price_instrument = fix_events.valid ? fix_events.data.instrument : trade_instrument;
  // As last_price_of, which the decoder has looked at already.
  if (NarrowPrice != LastPriceWidth) begin : gen_width
    $fatal(1, "order_path: NarrowPrice must be LastPriceWidth");
  end
  assign fix_price = fix_event_wide ? {fix_events.data.price[PriceWidth-1], {LastPriceWidth - 1{!fix_events.data.price[PriceWidth-1]}}} :
      fix_events.data.price[LastPriceWidth-1:0];
  assign price = fix_events.valid ? fix_price : last_price_of(trade_price);

  // What waits does so where it was committed, until the stops can take it: in groups they take a price in Pause cycles.
  localparam int Pause = W == 8 ? 9 : 1;
  if (Pause == 1) begin : gen_ready
    assign price_ready = 1'b1;
  end else begin : gen_pause
    logic [$clog2(Pause)-1:0] pause;
    assign price_ready = pause == '0;
    always_ff @(posedge clk) begin
      if (price_valid) pause <= ($clog2(Pause))'(Pause - 1);
      else if (pause != '0) pause <= pause - 1'b1;
      if (rst) pause <= '0;
    end
  end

  assign instrument_index = instrument;
  assign heard = feed_heard || fix_cause[FIX_PRICES];

  stale_feed stale_feed (
      .clk,
      .rst,
      .limit(setting.stale_limit.value.value),
      .heard,
      .stale
  );

  // ---- stop orders, risk ---------------------------------------------------------------------------

  logic write_valid, write_ready, write_answer_valid;
  stop_operation_e write_operation;
  logic [Slot-1:0] write_slot;
  stop_t write_stop;
  stop_answer_t write_answer;
  text_answer_e write_text;
  logic text_valid, text_ready, text_answer_valid;
  logic [Slot:0] text_index;
  text_fields_t text_fields;
  text_answer_e text_given;
  logic stop_valid, stop_ready, stop_answer_valid;
  stop_operation_e stop_operation;
  logic [Slot-1:0] stop_slot, request_slot_unused;
  stop_t stop;
  stop_answer_t stop_answer;
  logic send_waits;
  logic request_valid, request_ready;
  order_request_t request;
  logic next_valid;
  logic [InstrumentWidth-1:0] next_instrument;
  logic [Slot:0] armed_count;
  logic order_valid, order_ready, order_held, busy;
  order_t order;
  logic [Slot:0] busy_text;

  stop_text #(
      .SLOTS(SLOTS)
  ) stop_text (
      .clk,
      .rst,
      .write_valid,
      .write_ready,
      .write_operation,
      .write_slot,
      .write_stop,
      .answer_valid(write_answer_valid),
      .answer(write_answer),
      .text_answer(write_text),
      .text_valid,
      .text_ready,
      .text_index,
      .text_fields,
      .text_answer_valid,
      .text_given,
      .stop_valid,
      .stop_ready,
      .stop_operation,
      .stop_slot,
      .stop,
      .stop_answer_valid,
      .stop_answer,
      .send_waits,
      .order_valid,
      .order_text(order.client_id[Slot:0]),
      .busy,
      .busy_text
  );

  // At W = 8 the bytes come slowly, and the part is small: the slots are compared in groups.
  stop_orders #(
      .SLOTS(SLOTS),
      .AT_ONCE(W == 8 ? SLOTS / 8 : SLOTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) stop_orders (
      .clk,
      .rst,
      .event_valid(price_valid),
      .event_instrument(price_instrument),
      .event_price(price),
      .write_valid(stop_valid),
      .write_ready(stop_ready),
      .write_operation(stop_operation),
      .write_slot(stop_slot),
      .write_stop(stop),
      .answer_valid(stop_answer_valid),
      .answer(stop_answer),
      .request_valid,
      .request_ready,
      .request,
      .request_slot(request_slot_unused),
      .next_valid,
      .next_instrument,
      .send_waits,
      .armed_count
  );

  risk_config_t risk_config;
  risk_limit_t limit;
  risk_adjust_t adjust;
  kill_t killed_by;
  logic limit_write, adjust_valid, adjust_ready, refused_valid;
  refusal_e refused_reason;
  order_t refused_order;
  logic [15:0] open_orders;

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

  // At W = 64 an order is held against its limits and its message started in one cycle; in the part for W = 8 that would be too much.
  risk_check #(
      .INSTRUMENTS(INSTRUMENTS),
      .DIRECT(W != 8)
  ) risk_check (
      .clk,
      .rst,
      .price_valid,
      .price_instrument,
      .last_price(price),
      .request_valid,
      .request_ready,
      .request,
      .next_valid,
      .next_instrument,
      .order_valid,
      .order_ready,
      .order,
      .order_held,
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
      .feed_stale(stale),
      .gap(feed_gap || trade_overflow || fix_cause[FIX_OVERFLOW]),
      .kill_clear(setting.kill_switch.clear.value),
      .killed_by
  );

  // ---- order stage -----------------------------------------------------------------------------------

  text_layout_t layout;
  logic template_write, template_set, template_clear, decimals_write, time_load, date_load, number_load;
  logic [Template+Beat-1:0] template_address;
  logic [9*W/8-1:0] template_data;
  logic [Template-1:0] template_index;
  template_t template_record;
  logic [3:0] decimals;
  time_t load_time, utc_unused;
  logic [63:0] load_boundary;
  logic [7:0][3:0] load_date;
  number_t load_number, number;
  logic sent_valid, dropped_valid, date_known, report_overflow;
  order_sent_t sent;
  dropped_e dropped_reason;
  order_t dropped_order;
  stopped_t stopped;

  assign layout = '{
          side_at: setting.text_layout.side_at.value,
          quantity_at: setting.text_layout.quantity_at.value,
          quantity_width: setting.text_layout.quantity_width.value,
          price_at: setting.text_layout_price.price_at.value,
          price_width: setting.text_layout_price.price_width.value,
          original_at: setting.text_layout_price.original_at.value
      };

  order_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .TEXTS(2 * SLOTS),
      .MESSAGE(Message)
  ) order_stage (
      .clk,
      .rst,
      .time_ns,
      .connected,
      .message_length(setting.message_length.value.value),
      .layout,
      .template_write,
      .template_address,
      .template_data,
      .template_set,
      .template_clear,
      .template_index,
      .template_record,
      .decimals_write,
      .decimals_instrument(instrument),
      .decimals,
      .time_load,
      .load_time,
      .load_boundary,
      .date_load,
      .load_date,
      .number_load,
      .load_number,
      .text_valid,
      .text_ready,
      .text_index,
      .text_fields,
      .text_answer_valid,
      .text_answer(text_given),
      .order_valid,
      .order_ready,
      .order,
      .order_held,
      .next_text(request.order.client_id[Slot:0]),
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
      .stop_valid(write_valid),
      .stop_ready(write_ready),
      .stop_operation(write_operation),
      .stop_slot(write_slot),
      .stop(write_stop),
      .stop_answer_valid(write_answer_valid),
      .stop_answer(write_answer),
      .stop_text_answer(write_text),
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
    status.risk_state.open_orders.next = open_orders;
    status.operation_state.busy.next = operation_busy;
    status.operation_state.done.next = operation_done;
    status.operation_state.previous.next = operation_previous;
    status.operation_state.text.next = operation_text;
    status.operation_state.armed.next = 16'(armed_count);
  end
endmodule

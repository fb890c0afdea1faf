// The order stage: orders that passed risk and the host's messages leave as FIX messages of one session.
//
//   in, text ──────────── order_messages ─┬─ message (TCP's order writer)
//   messages (the host) ────────┤         └─ host_frames (TCP's host writer)
//   csr ─ order_config_port ────┘
//       ─ settings, status, counters
//
// Latency: order to TCP's valid 1 cycle. Throughput: an order as soon as TCP takes one. Parameters: W; INSTRUMENTS; COMPUTED; MESSAGE, the most bytes of an
// order's message. Overflow: none, orders wait.
module order_stage
  import order_pkg::*;
  import order_template_pkg::*;
  import order_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit COMPUTED = 1'b0,
    parameter int MESSAGE = 256,
    localparam int Template = (COMPUTED ? 3 : 2) + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE * 8 / W)
) (
    input logic        clk,
    input logic        rst,
    csr_if.stage       csr,
    input logic [63:0] time_ns,
    input logic        connected,  // TCP accepts messages

    order_if.snk                 in,
    order_text_if.reader         text,
    order_message_if.src         message,
    order_feedback_if.order      feedback,

    host_message_if.snk messages,
    tx_stream_if.src    host_messages
);
  // ---- registers -------------------------------------------------------------------------------------

  setting_t setting;
  status_t shown;
  logic [Counters-1:0] pulse;
  order_status_t status;
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
      .value(setting)
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

  assign shown = '{
          order_state: '{
              connection: status.stopped.connection,
              number_missing: status.stopped.number,
              number_exhausted: status.stopped.number_exhausted,
              time_unknown: status.stopped.time_unknown,
              date_missing: status.stopped.date_missing,
              host_message: status.stopped.host_message,
              date_known: status.date_known
          },
          next_number: status.number[7:0],
          next_number_high: status.number[8]
      };

  always_ff @(posedge clk) begin
    pulse[COUNT_ORDER_SENT] <= feedback.outcome.sent_valid && !rst;
    pulse[COUNT_ORDER_DROPPED] <= feedback.outcome.dropped_valid && !rst;
  end

  // ---- messages --------------------------------------------------------------------------------------

  logic template_write, template_set, template_clear, time_load, date_load, number_load;
  logic [Template+Beat-1:0] template_address;
  logic [9*W/8-1:0] template_data;
  logic [Template-1:0] template_index;
  template_t template_record;
  time_t load_time, utc_unused;
  logic [63:0] load_boundary;
  logic [7:0][3:0] load_date;
  number_t load_number;

  order_config_port #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .COMPUTED(COMPUTED),
      .MESSAGE(MESSAGE)
  ) order_config_port (
      .clk,
      .rst,
      .host(host.snk),
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
      .load_number
  );

  order_messages #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .COMPUTED(COMPUTED),
      .MESSAGE(MESSAGE)
  ) order_messages (
      .clk,
      .rst,
      .time_ns,
      .connected,
      .message_length(setting.message_length),
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
      .in,
      .text,
      .message_valid(message.valid),
      .message_ready(message.ready),
      .message_sum(message.sum),
      .payload_ready(message.payload_ready),
      .payload(message.payload),
      .sent_valid(feedback.outcome.sent_valid),
      .sent(feedback.outcome.sent),
      .dropped_valid(feedback.outcome.dropped_valid),
      .dropped_reason(feedback.outcome.dropped_reason),
      .dropped_order(feedback.outcome.dropped_order),
      .busy(text.sending),
      .busy_text(text.sending_text),
      .in_valid(messages.valid),
      .in_ready(messages.ready),
      .in_data(messages.data),
      .in_last(messages.last),
      .numbered(messages.numbered),
      .number_at(messages.number_at),
      .host(host_messages),
      .answer_valid(messages.answer.valid),
      .answer(messages.answer.answer),
      .answer_number(messages.answer.number),
      .stopped(status.stopped),
      .date_known(status.date_known),
      .number(status.number),
      .utc(utc_unused)
  );
endmodule

// Sends orders that passed risk, and the host's session messages, as FIX messages numbered in one sequence.
//
//   order ─────────────── order_tx ─ order writer of TCP
//   text (order_store) ─────┤
//   time_ns ─ wall_clock ───┤
//   message_number ────────┤
//   host ──────────── host_message ─ host writer of TCP
//
// Nothing leaves without a connection, a number and a valid time: `stopped` says what is missing. For the rest see the modules.
//
// Latency: order to TCP's order_valid 1 cycle. Throughput: an order as soon as TCP takes one. Parameters: W; INSTRUMENTS; COMPUTED; MESSAGE,
// the most bytes of an order's message. Overflow: none, orders wait.
module order_messages
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit COMPUTED = 1'b0,
    parameter int MESSAGE = 256,
    localparam int Bytes = W / 8,
    localparam int Template = (COMPUTED ? 3 : 2) + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE / Bytes)
) (
    input logic clk,
    input logic rst,
    input logic [63:0] time_ns,
    input logic connected,  // TCP accepts messages

    // ---- from registers ----------------------------------------------------------------------------
    input logic         [                15:0] message_length,
    input logic                                template_write,
    input logic         [   Template+Beat-1:0] template_address,
    input logic         [         9*Bytes-1:0] template_data,
    input logic                                template_set,
    input logic                                template_clear,
    input logic         [        Template-1:0] template_index,
    input template_t                           template_record,
    input logic                                time_load,
    input time_t                               load_time,
    input logic         [                63:0] load_boundary,
    input logic                                date_load,
    input logic         [            7:0][3:0] load_date,
    input logic                                number_load,
    input number_t                             load_number,

    // ---- orders ------------------------------------------------------------------------------------
    order_if.snk                in,
    order_text_if.reader        text,
    output logic                message_valid,
    input  logic                message_ready,
    output logic        [ 15:0] message_sum,
    input  logic                payload_ready,
    output logic        [W-1:0] payload,
    output logic                sent_valid,
    output order_sent_t         sent,
    output logic                dropped_valid,
    output dropped_e            dropped_reason,
    output order_t              dropped_order,
    output logic                busy,            // an order waits for TCP or leaves:
    output logic [TextWidth-1:0] busy_text,      // its text, which must not be written meanwhile

    // ---- the host's messages: see host_message -----------------------------------------------------
    input  logic                in_valid,
    output logic                in_ready,
    input  logic         [ 7:0] in_data,
    input  logic                in_last,
    input  logic                numbered,
    input  logic         [10:0] number_at,
    tx_stream_if.src            host,
    output logic                answer_valid,
    output host_answer_e        answer,
    output number_t             answer_number,

    // ---- state -------------------------------------------------------------------------------------
    output stopped_t stopped,
    output logic     date_known,  // of the next day
    output number_t  number,      // of the next message, if there is one
    output time_t    utc
);
  logic number_valid, order_takes, host_takes, exhausted, time_valid, date_missing, hold, pending;
  digit_sums_t number_sums, time_sums;

  assign stopped = '{
          connection: !connected,
          number: !number_valid && !exhausted,
          number_exhausted: exhausted,
          time_unknown: !time_valid && !date_missing,
          date_missing: date_missing,
          host_message: hold
      };

  message_number message_number (
      .clk,
      .rst,
      .load(number_load),
      .load_number,
      .take(order_takes || host_takes),
      .valid(number_valid),
      .number,
      .sums(number_sums),
      .exhausted
  );

  wall_clock wall_clock (
      .clk,
      .rst,
      .time_ns,
      .load(time_load),
      .load_time,
      .load_boundary,
      .date_load,
      .load_date,
      .valid(time_valid),
      .utc,
      .sums(time_sums),
      .date_known,
      .date_missing
  );

  order_tx #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .COMPUTED(COMPUTED),
      .MESSAGE(MESSAGE)
  ) order_tx (
      .clk,
      .rst,
      .message_length,
      .template_write,
      .template_address,
      .template_data,
      .template_set,
      .template_clear,
      .template_index,
      .template_record,
      .in,
      .text,
      .connected,
      .number_valid(number_valid && !number_load),  // known a cycle before the message ends
      .number,
      .number_sums,
      .number_take(order_takes),
      .time_valid,
      .utc,
      .time_sums,
      .time_ns,
      .hold,
      .pending,
      .busy,
      .busy_text,
      .message_valid,
      .message_ready,
      .message_sum,
      .payload_ready,
      .payload,
      .sent_valid,
      .sent,
      .dropped_valid,
      .dropped_reason,
      .dropped_order
  );

  host_message #(
      .W(W)
  ) host_message (
      .clk,
      .rst,
      .in_valid,
      .in_ready,
      .in_data,
      .in_last,
      .numbered,
      .number_at,
      .connected,
      .hold,
      .pending,
      .number_valid,
      .number,
      .number_sums,
      .number_take(host_takes),
      .out(host),
      .answer_valid,
      .answer,
      .answer_number
  );

  assert property (@(posedge clk) disable iff (rst) !(order_takes && host_takes));
endmodule

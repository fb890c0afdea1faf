// order_stage with flat ports.
module order_stage_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 4,
    parameter int TEXTS = 16,
    parameter int MESSAGE = 256
) (
    input logic        clk,
    input logic        rst,
    input logic [63:0] time_ns,
    input logic        connected,

    input logic [15:0] message_length,
    input logic [5:0] side_at,
    input logic [5:0] quantity_at,
    input logic [4:0] quantity_width,
    input logic [5:0] price_at,
    input logic [4:0] price_width,
    input logic [5:0] original_at,

    input logic         template_write,
    input logic [ 15:0] template_address,
    input logic [ 71:0] template_data,
    input logic         template_set,
    input logic         template_clear,
    input logic [  7:0] template_index,
    input logic [ 15:0] template_sum,
    input logic [  7:0] template_byte_sum,
    input logic [  1:0] template_number_at,
    input logic [  1:0] template_time_at,
    input logic         template_check_odd,
    input logic         decimals_write,
    input logic [  7:0] decimals_instrument,
    input logic [  3:0] decimals,
    input logic         time_load,
    input logic [ 67:0] load_time,
    input logic [ 63:0] load_boundary,
    input logic         date_load,
    input logic [ 31:0] load_date,
    input logic         number_load,
    input logic [ 35:0] load_number,

    input  logic        text_valid,
    output logic        text_ready,
    input  logic [ 7:0] text_index,
    input  logic [ 1:0] text_kind,
    input  logic        text_type,
    input  logic        text_side,
    input  logic [ 7:0] text_instrument,
    input  logic [63:0] text_price,
    input  logic [31:0] text_quantity,
    input  logic [35:0] text_original,
    output logic        text_answer_valid,
    output logic [ 1:0] text_answer,

    input  logic         order_valid,
    output logic         order_ready,
    input  logic [  1:0] order_kind,
    input  logic         order_type,
    input  logic [  7:0] order_instrument,
    input  logic [ 31:0] order_client_id,
    output logic         message_valid,
    input  logic         message_ready,
    output logic [ 15:0] message_sum,
    input  logic         payload_ready,
    output logic [W-1:0] payload,
    output logic         sent_valid,
    output logic [ 31:0] sent_client_id,
    output logic [ 35:0] sent_number,
    output logic [ 67:0] sent_utc,
    output logic [ 63:0] sent_time_ns,
    output logic         dropped_valid,
    output logic [  2:0] dropped_reason,
    output logic [ 31:0] dropped_client_id,
    output logic         busy,
    output logic [$clog2(TEXTS)-1:0] busy_text,

    input  logic           in_valid,
    output logic           in_ready,
    input  logic [    7:0] in_data,
    input  logic           in_last,
    input  logic           numbered,
    input  logic [   10:0] number_at,
    output logic           host_valid,
    input  logic           host_ready,
    output logic [  W-1:0] host_data,
    output logic [W/8-1:0] host_keep,
    output logic           host_last,
    output logic           answer_valid,
    output logic [    1:0] answer,
    output logic [   35:0] answer_number,

    output logic [ 5:0] stopped,
    output logic        date_known,
    output logic [35:0] number,
    output logic [67:0] utc
);
  localparam int Bytes = W / 8;
  localparam int Text = $clog2(TEXTS);
  localparam int Template = 2 + $clog2(INSTRUMENTS);
  localparam int Beat = $clog2(MESSAGE / Bytes);

  order_t order, dropped_order;
  order_sent_t sent;
  template_t template_record;
  text_layout_t layout;
  text_fields_t text_fields;
  dropped_e reason;
  text_answer_e of_text;
  host_answer_e of_host;
  tx_stream_if #(.W(W)) host ();

  assign host_valid = host.valid;
  assign host.ready = host_ready;
  assign host_data = host.data;
  assign host_keep = host.keep;
  assign host_last = host.last;
  assign sent_client_id = sent.order.client_id;
  assign sent_number = sent.number;
  assign sent_utc = sent.utc;
  assign sent_time_ns = sent.time_ns;
  assign dropped_client_id = dropped_order.client_id;
  assign dropped_reason = reason;
  assign text_answer = of_text;
  assign answer = of_host;
  assign layout = '{
          side_at: side_at,
          quantity_at: quantity_at,
          quantity_width: quantity_width,
          price_at: price_at,
          price_width: price_width,
          original_at: original_at
      };
  assign template_record = '{
          sum: template_sum,
          byte_sum: template_byte_sum,
          number_at: occurrence_e'(template_number_at),
          time_at: occurrence_e'(template_time_at),
          check_odd: template_check_odd
      };
  assign text_fields = '{
          kind: order_kind_e'(text_kind),
          order_type: order_type_e'(text_type),
          side: side_e'(text_side),
          instrument: text_instrument,
          price: text_price,
          quantity: text_quantity,
          original: text_original
      };

  always_comb begin
    order = '0;
    order.kind = order_kind_e'(order_kind);
    order.order_type = order_type_e'(order_type);
    order.instrument = order_instrument;
    order.client_id = order_client_id;
  end

  order_stage #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .TEXTS(TEXTS),
      .MESSAGE(MESSAGE)
  ) dut (
      .clk,
      .rst,
      .time_ns,
      .connected,
      .message_length,
      .layout,
      .template_write,
      .template_address(template_address[Template+Beat-1:0]),
      .template_data(template_data[9*Bytes-1:0]),
      .template_set,
      .template_clear,
      .template_index(template_index[Template-1:0]),
      .template_record,
      .decimals_write,
      .decimals_instrument,
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
      .text_index(text_index[Text-1:0]),
      .text_fields,
      .text_answer_valid,
      .text_answer(of_text),
      .order_valid,
      .order_ready,
      .order,
      .message_valid,
      .message_ready,
      .message_sum,
      .payload_ready,
      .payload,
      .sent_valid,
      .sent,
      .dropped_valid,
      .dropped_reason(reason),
      .dropped_order,
      .busy,
      .busy_text,
      .in_valid,
      .in_ready,
      .in_data,
      .in_last,
      .numbered,
      .number_at,
      .host(host.src),
      .answer_valid,
      .answer(of_host),
      .answer_number,
      .stopped,
      .date_known,
      .number,
      .utc
  );
endmodule

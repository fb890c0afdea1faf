// order_messages, and the texts it sends, with flat ports; TCP = 1 puts tcp_tx and tcp_host_writer after it, in place of the ready inputs.
module order_messages_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 4,
    parameter int TEXTS = 16,
    parameter int MESSAGE = 256,
    parameter bit COMPUTED = 1'b0,
    parameter int TCP = 0
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
    input logic       has_time_in_force,
    input logic [5:0] time_in_force_at,

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
    input logic [  9:0] template_price_odd,
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
    input  logic [ 2:0] text_time_in_force,
    input  logic        text_computed,
    input  logic [ 7:0] text_instrument,
    input  logic [47:0] text_price,
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
    input  logic [  8:0] order_text,
    input  logic         order_computed,
    input  logic [ 31:0] order_price_ahead,
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
    output logic [67:0] utc,

    output logic           tx_valid,
    input  logic           tx_ready,
    output logic [  W-1:0] tx_data,
    output logic [W/8-1:0] tx_keep,
    output logic           tx_last
);
  localparam int Bytes = W / 8;
  localparam int Text = $clog2(TEXTS);
  localparam int Template = (COMPUTED ? 3 : 2) + $clog2(INSTRUMENTS);
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
          original_at: original_at,
          has_time_in_force: has_time_in_force,
          time_in_force_at: time_in_force_at
      };
  assign template_record = '{
          sum: template_sum,
          byte_sum: template_byte_sum,
          number_at: occurrence_e'(template_number_at),
          time_at: occurrence_e'(template_time_at),
          check_odd: template_check_odd,
          price_odd: template_price_odd
      };
  assign text_fields = '{
          kind: order_kind_e'(text_kind),
          order_type: order_type_e'(text_type),
          computed: text_computed,
          side: side_e'(text_side),
          time_in_force: text_time_in_force,
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
    order.text = order_text;
    order.computed = order_computed;
  end

  order_if passed ();
  order_text_if #(.W(W)) text ();
  logic [TextWidth-1:0] sending;

  assign passed.valid = order_valid;
  assign passed.order = order;
  assign passed.price_ahead = order_price_ahead;
  assign order_ready = passed.ready;
  assign busy_text = sending[Text-1:0];

  order_text #(
      .W(W),
      .TEXTS(TEXTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) texts (
      .clk,
      .rst,
      .layout,
      .decimals_write,
      .decimals_instrument,
      .decimals,
      .write_valid(text_valid),
      .write_ready(text_ready),
      .write_text(text_index[Text-1:0]),
      .write_fields(text_fields),
      .answer_valid(text_answer_valid),
      .answer(of_text),
      .text(text.store)
  );

  logic order_taken, payload_taken;

  if (TCP == 0) begin : gen_model
    assign order_taken = message_ready;
    assign payload_taken = payload_ready;
    assign host.ready = host_ready;
    assign {tx_valid, tx_data, tx_keep, tx_last} = '0;
  end else begin : gen_tcp
    typedef enum logic [2:0] {
      OPEN,
      CHOSEN,
      START,
      BUSY,
      SETTLE
    } state_e;

    state_e state;
    tcp_config_t tcp_config;
    tcp_frame_t frame;
    tx_stream_if #(.W(W)) out ();
    logic idle, ready, start, host_waiting, host_refused;
    logic [15:0] host_length, host_sum;
    logic [W-1:0] host_word;

    assign tx_valid = out.valid;
    assign tx_data = out.data;
    assign tx_keep = out.keep;
    assign tx_last = out.last;
    assign out.ready = tx_ready;
    assign order_taken = state == OPEN;
    assign start = (message_valid && order_taken) || state == START;
    assign payload_taken = ready && frame.kind == FRAME_ORDER;

    always_comb begin
      tcp_config = '0;
      tcp_config.local_mac = 48'h020000000001;
      tcp_config.local_ip = 32'h0a000001;
      tcp_config.local_port = 16'd40000;
      tcp_config.peer_ip = 32'h0a000002;
      tcp_config.peer_port = 16'd5001;
    end

    // As tcp_schedule, a frame of an order stands ready; a message of the host is sent when there is no order.
    always_ff @(posedge clk) begin
      unique case (state)
        OPEN: begin
          if (start) state <= BUSY;
          else if (host_waiting) begin
            state <= CHOSEN;
            frame.kind <= FRAME_HOST;
            frame.length <= host_length;
          end
        end
        CHOSEN: state <= START;
        START: state <= BUSY;
        BUSY: if (idle) state <= SETTLE;
        default: begin
          state <= OPEN;
          frame <= '0;
          frame.kind <= FRAME_ORDER;
          frame.length <= message_length;
          frame.sequence_number <= 32'h12345678;
          frame.ack <= 1'b1;
          frame.window <= 16'd1000;
        end
      endcase
      if (rst) state <= SETTLE;
    end

    tcp_tx #(
        .W(W)
    ) tx (
        .clk,
        .rst,
        .tcp_config,
        .peer_mac(48'h020000000002),
        .frame,
        .start,
        .idle,
        .sum(frame.kind == FRAME_ORDER ? message_sum : host_sum),
        .payload_ready(ready),
        .payload_data(frame.kind == FRAME_ORDER ? payload : host_word),
        .out(out.src)
    );

    tcp_host_writer #(
        .W(W)
    ) writer (
        .clk,
        .rst,
        .in(host.snk),
        .longest(16'd1460),
        .refused(host_refused),
        .waiting(host_waiting),
        .length(host_length),
        .sum(host_sum),
        .take(ready && frame.kind == FRAME_HOST),
        .data(host_word),
        .done(state == BUSY && idle && frame.kind == FRAME_HOST),
        .drop(1'b0)
    );
  end

  order_messages #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .COMPUTED(COMPUTED),
      .MESSAGE(MESSAGE)
  ) dut (
      .clk,
      .rst,
      .time_ns,
      .connected,
      .message_length,
      .template_write,
      .template_address(template_address[Template+Beat-1:0]),
      .template_data(template_data[9*Bytes-1:0]),
      .template_set,
      .template_clear,
      .template_index(template_index[Template-1:0]),
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
      .message_valid,
      .message_ready(order_taken),
      .message_sum,
      .payload_ready(payload_taken),
      .payload,
      .sent_valid,
      .sent,
      .dropped_valid,
      .dropped_reason(reason),
      .dropped_order,
      .busy,
      .busy_text(sending),
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

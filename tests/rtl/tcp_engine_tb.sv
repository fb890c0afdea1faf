// tcp_engine with plain ports, after fcs_check as in net_rx; MAC = 1 puts mac_tx after it; PRICES = 1 puts the receiver of the MII before it and
// decoder_fix beside it, as in the core, with one instrument: A, 2 decimals.
module tcp_engine_tb
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int BUFFER = 16384,
    parameter int MAC = 0,
    parameter int PRICES = 0
) (
    input logic clk,
    input logic rst,
    input logic tick,

    input logic [47:0] local_mac,
    input logic [31:0] local_ip,
    input logic [15:0] local_port,
    input logic [31:0] peer_ip,
    input logic [15:0] peer_port,
    input logic [15:0] mss,
    input logic [31:0] secret,
    input logic [17:0] rto_initial,
    input logic [17:0] rto_minimum,
    input logic [17:0] rto_maximum,
    input logic [17:0] keep_alive,
    input logic [17:0] time_wait,
    input logic [ 3:0] retries,
    input logic        connect,
    input logic        close,
    input logic        reset_session,
    input logic        peer_mac_valid,
    input logic [47:0] peer_mac,
    input logic [15:0] receive_window,

    input logic [  W-1:0] rx_data,
    input logic [W/8-1:0] rx_control,

    input logic                 line_valid,
    input logic [        W-1:0] line_data,
    input logic                 line_first,
    input logic                 line_offset,
    input logic [$clog2(W/8):0] line_stop,
    input logic                 line_last,
    input logic                 line_error,

    output logic           payload_valid,
    output logic [  W-1:0] payload_data,
    output logic [W/8-1:0] payload_keep,
    output logic           payload_last,
    output logic           payload_err,

    output logic           lanes_valid,
    output logic [  W-1:0] lanes_data,
    output logic [W/8-1:0] lanes_keep,
    output logic           lanes_last,
    output logic           lanes_err,

    input  logic         order_valid,
    output logic         order_ready,
    input  logic [ 15:0] order_length,
    input  logic [ 15:0] order_sum,
    output logic         order_payload_ready,
    input  logic [W-1:0] order_payload,

    input  logic           host_valid,
    output logic           host_ready,
    input  logic [  W-1:0] host_data,
    input  logic [W/8-1:0] host_keep,
    input  logic           host_last,

    output logic           out_valid,
    input  logic           out_ready,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,

    output logic        event_valid,
    output logic [63:0] event_price,
    output logic [31:0] messages,

    output logic [W-1:0] mii_data,
    output logic [W/8-1:0] mii_control,
    output logic underrun,

    output logic [          3:0] state,
    output logic [         16:0] outstanding,
    output logic                 order_full,
    output logic [         17:0] rto,
    output logic [TcpEvents-1:0] events
);
  line_if #(.W(W)) line ();
  stream_if #(.W(W)) payload ();
  stream_if #(.W(W)) lanes ();
  tx_stream_if #(.W(W)) host ();
  tx_stream_if #(.W(W)) out ();
  tcp_config_t tcp_config;
  tcp_state_e session_state;
  logic fcs_good;

  if (PRICES != 0) begin : g_prices
    import fix_pkg::*;
    if (W == 8) begin : g_gmii
      gmii_rx receiver (
          .clk,
          .rst,
          .data(rx_data),
          .valid(rx_control),
          .error(1'b0),
          .line(line.src)
      );
    end else begin : g_xgmii
      logic [63:0] data_copy_unused;
      xgmii_rx receiver (
          .clk,
          .rst,
          .data(rx_data),
          .control(rx_control),
          .enable(1'b1),
          .line(line.src),
          .data_copy(data_copy_unused)
      );
    end
    committed_event_if prices ();
    assign prices.ready = 1'b1;
    assign event_valid = prices.valid;
    logic [FixCauses-1:0] cause;
    logic written_reg, event_wide_unused;
    execution_report_if reports ();
    assign reports.ready = 1'b1;
    config_if host ();
    assign host.valid = !written_reg;
    assign host.operation = config_pkg::CONFIG_INSTRUMENT;
    assign host.index = '0;
    assign host.operand = {64'h0, 64'h41, 64'h0, 32'h212};  // used, a character, 2 decimals
    always_ff @(posedge clk) begin
      written_reg <= !rst;
      if (rst) messages <= '0;
      else if (cause[FIX_PRICES]) messages <= messages + 1'b1;
    end
    decoder_fix #(
        .W(W)
    ) decoder (
        .clk,
        .rst,
        .restart(1'b0),
        .in(lanes.snk),
        .host(host.snk),
        .events(prices.src),
        .event_wide(event_wide_unused),
        .cause,
        .reports(reports.src)
    );
    assign event_price = prices.data.price;
  end else begin : g_line
    assign line.valid = line_valid;
    assign line.data = line_data;
    assign line.first = line_first;
    assign line.offset = line_offset;
    assign line.stop = line_stop;
    assign line.last = line_last;
    assign line.error = line_error;
    if (W == 8) begin : g_tag_byte
      logic [7:0] before_reg;
      always_ff @(posedge clk) before_reg <= 8'(line_data);
      assign line.tag = {before_reg, 8'(line_data)} == 16'h8100;
    end else begin : g_tag_word
      assign line.tag = 16'(line_data >> (line_offset ? 0 : 32)) == 16'h0081;
    end
    assign event_valid = 1'b0;
    assign event_price = '0;
    assign messages = '0;
    logic unused;
    assign unused = &{1'b0, rx_data, rx_control};
  end
  assign payload_valid = payload.valid;
  assign payload_data = payload.data;
  assign payload_keep = payload.keep;
  assign payload_last = payload.last;
  assign payload_err = payload.err;
  assign lanes_valid = lanes.valid;
  assign lanes_data = lanes.data;
  assign lanes_keep = lanes.keep;
  assign lanes_last = lanes.last;
  assign lanes_err = lanes.err;
  assign host.valid = host_valid;
  assign host_ready = host.ready;
  assign host.data = host_data;
  assign host.keep = host_keep;
  assign host.last = host_last;
  assign out_valid = out.valid;
  assign out_data = out.data;
  assign out_keep = out.keep;
  assign out_last = out.last;
  assign state = session_state;

  assign tcp_config = '{
          local_mac: local_mac,
          local_ip: local_ip,
          local_port: local_port,
          peer_ip: peer_ip,
          peer_port: peer_port,
          mss: mss,
          secret: secret,
          rto_initial: rto_initial,
          rto_minimum: rto_minimum,
          rto_maximum: rto_maximum,
          keep_alive: keep_alive,
          time_wait: time_wait,
          retries: retries
      };

  fcs_check #(
      .W(W)
  ) fcs (
      .clk,
      .line(line.snk),
      .good(fcs_good)
  );

  tcp_engine #(
      .W(W),
      .BUFFER(BUFFER)
  ) dut (
      .clk,
      .rst,
      .tick,
      .tcp_config,
      .connect,
      .close,
      .abort(reset_session),
      .peer_mac_valid,
      .peer_mac,
      .receive_window,
      .line(line.snk),
      .fcs_good,
      .line_busy(line.valid),
      .payload(payload.src),
      .lanes(lanes.src),
      .order_valid,
      .order_ready,
      .order_length,
      .order_sum,
      .order_payload_ready,
      .order_payload,
      .host(host.snk),
      .out(out.src),
      .state(session_state),
      .outstanding,
      .order_full,
      .rto,
      .events
  );

  if (MAC != 0) begin : g_mac
    logic error_unused, started_unused;
    mac_tx #(
        .W(W)
    ) mac_tx (
        .clk,
        .rst,
        .in(out.snk),
        .mii_data,
        .mii_control,
        .mii_error(error_unused),
        .started(started_unused),
        .underrun
    );
  end else begin : g_bare
    assign out.ready = out_ready;
    assign mii_data = '0;
    assign mii_control = '0;
    assign underrun = 1'b0;
  end
endmodule

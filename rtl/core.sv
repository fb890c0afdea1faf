// The whole path: a market-data tick in on the MII, the statistics report of each second out on the MII.
//
//   MII rx ─ net_rx ─ decoder_itch ─ statistics_report ─ udp_tx ─ mac_tx ─ MII tx
//                                     registers ─ AXI4-Lite
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md; the same for every report.
// Throughput: line rate on receive, for ever. Parameters: W, bits in a beat: 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz);
// SYMBOLS, slots of the symbol table: a power of two, 16 to 256.
// Overflow: receive never waits; a heartbeat that comes while a report is still being read out counts report_missed.
module core
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int SYMBOLS = 16
) (
    input logic clk,
    input logic rst,

    // W = 8: GMII, control[0] is dv/en. W = 64: XGMII, control is a bit a byte.
    input  logic [  W-1:0] rx_data,
    input  logic [W/8-1:0] rx_control,
    input  logic           rx_error,
    output logic [  W-1:0] tx_data,
    output logic [W/8-1:0] tx_control,
    output logic           tx_error,

    // The clock may be set from outside (a simulation that skips idle time, a PTP servo).
    input logic        time_set,
    input logic [63:0] time_value,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [ 8:0] axil_awaddr,
    input  logic [ 2:0] axil_awprot,
    input  logic        axil_wvalid,
    output logic        axil_wready,
    input  logic [31:0] axil_wdata,
    input  logic [ 3:0] axil_wstrb,
    output logic        axil_bvalid,
    input  logic        axil_bready,
    output logic [ 1:0] axil_bresp,
    input  logic        axil_arvalid,
    output logic        axil_arready,
    input  logic [ 8:0] axil_araddr,
    input  logic [ 2:0] axil_arprot,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp
);
  localparam int Index = $clog2(SYMBOLS);

  registers_pkg::registers__in_t  status;
  registers_pkg::registers__out_t setting;

  // ---- network receive -------------------------------------------------------------------------

  logic [W-1:0] mii_data;
  logic [W/8-1:0] mii_control;
  net_config_t net_config;
  stream_if #(.W(W)) payload ();
  logic cause_valid, frame_start;
  net_cause_e cause;

  // Disabled, the core sees an idle line.
  assign mii_data = setting.control.enable.value ? rx_data : {W / 8{8'h07}};
  assign mii_control = setting.control.enable.value ? rx_control : W == 8 ? '0 : '1;

  always_comb begin
    net_config.local_mac = {setting.local_mac_high.value.value, setting.local_mac_low.value.value};
    net_config.local_ip = setting.local_ip.value.value;
    for (int i = 0; i < GroupSlots; i++) net_config.group[i] = setting.group[i].value.value;
    for (int i = 0; i < PortSlots; i++) net_config.port[i] = setting.port[i].value.value;
  end

  net_rx #(
      .W(W)
  ) net_rx (
      .clk,
      .rst,
      .mii_data,
      .mii_control,
      .mii_error(rx_error && setting.control.enable.value),
      .net_config,
      .out(payload.src),
      .cause_valid,
      .cause,
      .frame_start
  );

  // ---- decoder ---------------------------------------------------------------------------------

  logic event_valid, short_valid;
  event_t event_data, short_data;
  verdict_t verdict;
  feed_info_t feed;
  logic mold_cause_valid, new_session, gap;
  mold_cause_e mold_cause;
  logic [63:0] lost;
  logic [15:0] messages, unknown_type, bad_length;

  decoder_itch #(
      .W(W)
  ) decoder (
      .clk,
      .rst,
      .itch50(setting.control.itch50.value),
      .in(payload.snk),
      .event_valid,
      .event_data,
      .short_valid,
      .short_data,
      .verdict,
      .feed,
      .mold_cause_valid,
      .mold_cause,
      .new_session,
      .gap,
      .lost,
      .messages,
      .unknown_type,
      .bad_length
  );

  // ---- filter, statistics, report ----------------------------------------------------------------

  logic request_valid, request_ready;
  logic [15:0] payload_length;
  logic count_valid, heartbeat, report_sent, report_missed;
  logic [15:0] filter_hit, filter_miss, time_backwards;
  logic [63:0] symbol;
  tx_stream_if #(.W(W)) report ();

  assign symbol = {setting.symbol_high.value.value, setting.symbol_low.value.value};

  statistics_report #(
      .W(W),
      .SYMBOLS(SYMBOLS)
  ) strategy (
      .clk,
      .rst,
      .itch50(setting.control.itch50.value),
      .accumulate(setting.control.accumulate.value),
      .symbol_count(setting.control.symbol_count.value),
      .event_valid,
      .event_data,
      .short_valid,
      .short_data,
      .verdict,
      .feed,
      .hash_rotate({setting.hash_rotate.way1.value, setting.hash_rotate.way0.value}),
      .bucket_write(setting.symbol_command.write_bucket.value),
      .bucket_way(setting.symbol_command.way.value),
      .bucket_address(setting.symbol_command.bucket.value[Index:0]),
      .bucket_used(setting.symbol_command.used.value),
      .bucket_symbol(symbol),
      .bucket_index(setting.symbol_command.index.value[Index-1:0]),
      .name_write(setting.symbol_command.write_name.value),
      .name_symbol(symbol),
      .name_index(setting.symbol_command.index.value[Index-1:0]),
      .request_valid,
      .request_ready,
      .payload_length,
      .payload(report.src),
      .count_valid,
      .filter_hit,
      .filter_miss,
      .time_backwards,
      .heartbeat,
      .report_sent,
      .report_missed
  );

  // ---- network transmit --------------------------------------------------------------------------

  tx_stream_if #(.W(W)) queued ();
  tx_stream_if #(.W(W)) frame ();
  logic started, underrun;

  // At W = 8 there is time: the payload is asked for 41 cycles after the request. At W = 64 its second beat is just in time.
  if (W == 8) begin : g_report_register
    tx_register #(
        .W(W)
    ) report_register (
        .clk,
        .rst,
        .in (report.snk),
        .out(queued.src)
    );
  end else begin : g_report_direct
    assign queued.valid = report.valid;
    assign queued.data = report.data;
    assign queued.keep = report.keep;
    assign queued.last = report.last;
    assign report.ready = queued.ready;
  end

  udp_tx #(
      .W(W)
  ) udp_tx (
      .clk,
      .rst,
      .request_valid,
      .request_ready,
      .payload_length,
      .source_mac(net_config.local_mac),
      .destination_mac({setting.report_mac_high.value.value, setting.report_mac_low.value.value}),
      .source_ip(net_config.local_ip),
      .destination_ip(setting.report_ip.value.value),
      .source_port(setting.report_port.source.value),
      .destination_port(setting.report_port.destination.value),
      .payload(queued.snk),
      .out(frame.src)
  );

  mac_tx #(
      .W(W)
  ) mac_tx (
      .clk,
      .rst,
      .in(frame.snk),
      .mii_data(tx_data),
      .mii_control(tx_control),
      .mii_error(tx_error),
      .started,
      .underrun
  );

  // ---- host --------------------------------------------------------------------------------------

  host_status #(
      .W(W),
      .SYMBOLS(SYMBOLS)
  ) host_status (
      .clk,
      .rst,
      .time_load(time_set || setting.time_command.load.value),
      .time_value(time_set ? time_value : {setting.time_set_high.value.value, setting.time_set_low.value.value}),
      .frame_start,
      .cause_valid,
      .cause,
      .mold_cause_valid,
      .mold_cause,
      .new_session,
      .gap,
      .lost,
      .commit(verdict.valid && verdict.good),
      .messages,
      .unknown_type,
      .bad_length,
      .count_valid,
      .filter_hit,
      .filter_miss,
      .time_backwards,
      .heartbeat,
      .report_sent,
      .report_missed,
      .started,
      .underrun,
      .count_request(setting.counters.req),
      .count_slot(setting.counters.addr[7:2]),
      .status
  );

  registers registers (
      .clk,
      .rst,
      .s_axil_awvalid(axil_awvalid),
      .s_axil_awready(axil_awready),
      .s_axil_awaddr(axil_awaddr),
      .s_axil_awprot(axil_awprot),
      .s_axil_wvalid(axil_wvalid),
      .s_axil_wready(axil_wready),
      .s_axil_wdata(axil_wdata),
      .s_axil_wstrb(axil_wstrb),
      .s_axil_bvalid(axil_bvalid),
      .s_axil_bready(axil_bready),
      .s_axil_bresp(axil_bresp),
      .s_axil_arvalid(axil_arvalid),
      .s_axil_arready(axil_arready),
      .s_axil_araddr(axil_araddr),
      .s_axil_arprot(axil_arprot),
      .s_axil_rvalid(axil_rvalid),
      .s_axil_rready(axil_rready),
      .s_axil_rdata(axil_rdata),
      .s_axil_rresp(axil_rresp),
      .hwif_in(status),
      .hwif_out(setting)
  );
endmodule

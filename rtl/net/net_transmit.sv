// Sends what the core has to say: orders first, then reports and what the control plane answers, in turns.
//
//   orders ─────────────────────────────────┐
//   report ─ udp_tx ─┬─ tx_merge ─ register ─┴─ tx_priority ─ mac_tx ─ MII
//   control ─────────┘
//
// Latency: an order's first beat to the preamble 1 cycle (mac_tx); a report's request to the preamble as udp_tx. Throughput: line rate.
// Parameters: W; SESSIONS, 0: there are neither orders nor a control plane. Overflow: none, sources wait.
module net_transmit
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int SESSIONS = 1
) (
    input logic           clk,
    input logic           rst,
    /* verilator lint_off UNUSEDSIGNAL */  // the addresses only
    input net_config_t    net_config,
    /* verilator lint_on UNUSEDSIGNAL */
    csr_if.stage          csr,

    input  logic        report_request_valid,
    output logic        report_request_ready,
    input  logic [15:0] report_length,
    tx_stream_if.snk    report,  // payload

    tx_stream_if.snk orders,
    tx_stream_if.snk control,

    output logic [  W-1:0] mii_data,
    output logic [W/8-1:0] mii_control,
    output logic           mii_error,
    output logic           started     // pulse: the first byte of a frame leaves
);
  // ---- registers -------------------------------------------------------------------------------------

  net_transmit_csr_pkg::setting_t setting;
  report_config_t report_config;
  logic underrun;
  logic [net_transmit_csr_pkg::Counters-1:0] pulse;
  csr_if part[2] ();

  csr_split #(
      .N(2)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_settings #(
      .T(net_transmit_csr_pkg::setting_t),
      .FIELDS(net_transmit_csr_pkg::SettingFields),
      .MAP(net_transmit_csr_pkg::SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );

  csr_counters #(
      .AT(net_transmit_csr_pkg::CountersAt),
      .SLOTS(net_transmit_csr_pkg::Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[1].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  always_ff @(posedge clk) pulse <= underrun && !rst;
  assign report_config = '{
          destination_mac: {setting.report_mac_high, setting.report_mac_low},
          destination_ip: setting.report_ip,
          source_port: setting.report_port.source,
          destination_port: setting.report_port.destination
      };

  // ---- frames ----------------------------------------------------------------------------------------

  tx_stream_if #(.W(W)) queued ();
  tx_stream_if #(.W(W)) report_frame ();
  tx_stream_if #(.W(W)) frame ();

  // At W = 8 there is time: the payload is asked for 41 cycles after the request. At W = 64 its second beat is just in time, and only `ready` is held.
  if (W == 8) begin : gen_report_register
    tx_register #(
        .W(W)
    ) report_register (
        .clk,
        .rst,
        .in (report),
        .out(queued.src)
    );
  end else begin : gen_report_spare
    tx_spare #(
        .W(W)
    ) report_spare (
        .clk,
        .rst,
        .in (report),
        .out(queued.src)
    );
  end

  udp_tx #(
      .W(W)
  ) udp_tx (
      .clk,
      .rst,
      .request_valid(report_request_valid),
      .request_ready(report_request_ready),
      .payload_length(report_length),
      .source_mac(net_config.local_mac),
      .destination_mac(report_config.destination_mac),
      .source_ip(net_config.local_ip),
      .destination_ip(report_config.destination_ip),
      .source_port(report_config.source_port),
      .destination_port(report_config.destination_port),
      .payload(queued.snk),
      .out(report_frame.src)
  );

  if (SESSIONS != 0) begin : gen_priority
    tx_stream_if #(.W(W)) merged ();
    tx_stream_if #(.W(W)) others ();
    logic answer_unused, other_unused;

    // Orders come as they are; what may wait is cut off by a register, or its `ready` would be too late for where it is made.
    tx_merge other_merge (
        .clk,
        .rst,
        .a(report_frame.snk),
        .b(control),
        .from_b(answer_unused),
        .out(merged.src)
    );

    tx_register #(
        .W(W)
    ) other_register (
        .clk,
        .rst,
        .in (merged.snk),
        .out(others.src)
    );

    tx_priority tx_priority (
        .clk,
        .rst,
        .first(orders),
        .second(others.snk),
        .from_second(other_unused),
        .out(frame.src)
    );
  end else begin : gen_reports_only
    assign frame.valid = report_frame.valid;
    assign frame.data = report_frame.data;
    assign frame.keep = report_frame.keep;
    assign frame.last = report_frame.last;
    assign report_frame.ready = frame.ready;
    assign {orders.ready, control.ready} = '0;
    logic unused;
    assign unused = &{1'b0, orders.valid, orders.data, orders.keep, orders.last, control.valid, control.data, control.keep, control.last};
  end

  mac_tx #(
      .W(W)
  ) mac_tx (
      .clk,
      .rst,
      .in(frame.snk),
      .mii_data,
      .mii_control,
      .mii_error,
      .started,
      .underrun
  );
endmodule

// The transmit stage of a core that sends reports alone, with its registers.
//
//   report ─ register ─ udp_tx ─ mac_tx ─ MII
//   csr ─ where reports go, counters
//
// Latency: a report's request to the preamble as udp_tx, and 1 cycle (mac_tx). Throughput: line rate. Parameters: W. Overflow: none, the source waits.
module report_transmit
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input logic           clk,
    input logic           rst,
    csr_if.stage          csr,
    /* verilator lint_off UNUSEDSIGNAL */  // the addresses only
    input net_config_t    net_config,
    /* verilator lint_on UNUSEDSIGNAL */

    input  logic        request_valid,
    output logic        request_ready,
    input  logic [15:0] payload_length,
    tx_stream_if.snk    report,          // payload

    mii_if.tx    mii,
    output logic started  // pulse: the first byte of a frame leaves
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
      .request_valid,
      .request_ready,
      .payload_length,
      .source_mac(net_config.local_mac),
      .destination_mac(report_config.destination_mac),
      .source_ip(net_config.local_ip),
      .destination_ip(report_config.destination_ip),
      .source_port(report_config.source_port),
      .destination_port(report_config.destination_port),
      .payload(queued.snk),
      .out(frame.src)
  );

  mac_tx #(
      .W(W)
  ) mac_tx (
      .clk,
      .rst,
      .in(frame.snk),
      .mii_data(mii.data),
      .mii_control(mii.control),
      .mii_error(mii.error),
      .started,
      .underrun
  );
endmodule

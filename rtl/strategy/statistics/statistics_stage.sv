// Statistics with their registers: settings, the instruments that are written, counters.
//
//   csr ─┬─ settings, instruments ─ statistics_slot ─ requests, payloads
//        └─ counters ────────────────────┘
//
// Latency, throughput, overflow: as statistics_slot; pulses are counted two cycles later. Parameters: W; INSTRUMENTS.
module statistics_stage
  import tickwire_pkg::*;
  import statistics_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,

    market_if.changes market,
    feed_if.listener  feed,

    output logic        request_valid,
    input  logic        request_ready,
    output logic [15:0] payload_length,
    tx_stream_if.src    payload,
    output logic        heartbeat  // pulse: the first frame of a new second
);
  setting_t setting;
  statistics_status_t status;
  logic [Counters-1:0] pulse;
  logic [2:0][15:0] amount;
  config_if host ();
  csr_if part[3] ();

  csr_split #(
      .N(3)
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

  csr_operations csr_operations (
      .csr(part[1].stage),
      .out(host.src)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters),
      .AMOUNTS(3),
      .AMOUNT_BITS(16),
      .AMOUNT_SLOT({6'(COUNT_FILTER_HIT), 6'(COUNT_FILTER_MISS), 6'(COUNT_TIME_BACKWARDS)})
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse,
      .amount
  );

  always_ff @(posedge clk) begin
    {pulse[COUNT_FILTER_HIT], pulse[COUNT_FILTER_MISS], pulse[COUNT_TIME_BACKWARDS]} <= {3{status.count_valid}};
    amount <= {status.filter_hit, status.filter_miss, status.time_backwards};
    pulse[COUNT_HEARTBEAT] <= status.heartbeat;
    pulse[COUNT_REPORT_SENT] <= status.report_sent;
    pulse[COUNT_REPORT_MISSED] <= status.report_missed;
    if (rst) pulse <= '0;
  end
  assign heartbeat = status.heartbeat;

  statistics_slot #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) statistics_slot (
      .clk,
      .rst,
      .itch50(setting.control.itch50),
      .setting('{accumulate: setting.control.accumulate, symbol_count: setting.control.symbol_count}),
      .host(host.snk),
      .market,
      .feed(feed.info),
      .request_valid,
      .request_ready,
      .payload_length,
      .payload,
      .status
  );
endmodule

// order_log_strategy_trader whose strategy is a program of the strategy processor, loaded while it runs.
//
//   order_log_strategy_trader ─ strategy ─ processor_slot
//
// Latency, throughput, parameters, overflow: as order_log_strategy_trader, whose ports it has.
module order_log_processor_trader #(
    parameter int W = 64,
    parameter int LEVELS = 8,
    parameter int HOST_WORDS = 512
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // XGMII
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included
    tx_stream_if.src    session_bytes,      // what the peer sends: see byte_queue
    host_message_if.snk messages,
    order_report_if.src reports,
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  program_if strategy ();

  order_log_strategy_trader #(
      .W(W),
      .LEVELS(LEVELS),
      .HOST_WORDS(HOST_WORDS)
  ) order_log_strategy_trader (
      .clk,
      .rst,
      .rx_a,
      .tx,
      .axil,
      .host_frames,
      .session_bytes,
      .messages,
      .reports,
      .strategy(strategy.slot),
      .time_from_outside,
      .probe
  );

  processor_slot processor_slot (
      .clk,
      .rst,
      .slot(strategy.program_side)
  );
endmodule

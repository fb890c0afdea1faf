// itch_strategy_trader whose strategy is a program of the strategy processor, loaded while it runs.
//
//   itch_strategy_trader ─ strategy ─ processor_slot
//
// Latency, throughput, parameters, overflow: as itch_strategy_trader, whose ports it has.
module itch_processor_trader #(
    parameter int W = 64,
    parameter int BOOK_ORDERS = 6144,
    parameter int BOOK_LEVELS = 8,
    parameter int STOPS = 16,
    parameter int HOST_WORDS = 1024
) (
    input logic         clk,
    input logic         rst,
    mii_if.rx           rx_a,               // W = 8: GMII; W = 64: XGMII
    mii_if.rx           rx_b,
    mii_if.tx           tx,
    axil_if.snk         axil,
    tx_stream_if.src    host_frames,        // good frames that no module here takes, FCS included;
    output logic        host_line,          // of line B: 1
    tx_stream_if.src    session_bytes,      // what the peer sends: see byte_queue
    host_message_if.snk messages,
    order_report_if.src reports,
    axi_write_if.src    memory,             // the ring, in host memory
    time_set_if.snk     time_from_outside,
    probe_if.src        probe
);
  program_if strategy ();

  itch_strategy_trader #(
      .W(W),
      .BOOK_ORDERS(BOOK_ORDERS),
      .BOOK_LEVELS(BOOK_LEVELS),
      .STOPS(STOPS),
      .HOST_WORDS(HOST_WORDS)
  ) itch_strategy_trader (
      .clk,
      .rst,
      .rx_a,
      .rx_b,
      .tx,
      .axil,
      .host_frames,
      .host_line,
      .session_bytes,
      .messages,
      .reports,
      .memory,
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

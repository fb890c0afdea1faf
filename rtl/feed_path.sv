// The path of market data: lines A and B to the decoder, its events to the statistics, and their report each second as a frame.
//
//   line A ─┬─ arbiter ─┐
//           ├───────────┴─ feed_select ─ decoder_itch ─┬─ statistics_report ─ udp_tx ─ frames
//   line B ─┘                                          └─ trade_select ─ trade
//
// Latency: a payload's last beat to the report's first 9 cycles, 10 through the arbiter. Throughput: line rate, for ever.
// Parameters: as of core; INSTRUMENTS of the order path; TRADES kept for it, 0: none. Overflow: what finds no room or no time is dropped
// whole and told: `told`, by pulses but for what is said there.
module feed_path
  import tickwire_pkg::*;
  import feed_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int SYMBOLS = 16,
    parameter int PACKETS = 8,
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 0
) (
    input logic                                  clk,
    input logic                                  rst,
    /* verilator lint_off UNUSEDSIGNAL */  // the network's registers are not of use here
    input registers_pkg::registers__out_t        setting,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic                           [47:0] local_mac,
    input logic                           [31:0] local_ip,
    stream_if.snk                                line_a,
    stream_if.snk                                line_b,
    tx_stream_if.src                             frames,

    // The trades of instruments that orders wait for: see trade_select.
    input  logic                                  instrument_write,
    input  logic        [                    7:0] instrument_index,
    input  logic                                  instrument_used,
    input  logic        [                   63:0] instrument_symbol,
    output logic                                  trade_valid,
    input  logic                                  trade_ready,
    output logic        [                    7:0] trade_instrument,
    output logic signed [         PriceWidth-1:0] trade_price,

    output feed_told_t                           told
);
  localparam int Index = $clog2(SYMBOLS);

  // ---- arbitration -------------------------------------------------------------------------------

  stream_if #(.W(W)) low_latency ();
  stream_if #(.W(W)) high_reliability ();
  stream_if #(.W(W)) payload ();
  arbiter_pkg::arbiter_event_t arbiter_events;
  logic [1:0] line_gap;
  logic [1:0][Sequence-1:0] line_gap_from, line_gap_to;
  logic arbitrated, feed_overflow;

  if (LINES == 2) begin : g_arbiter
    arbiter #(
        .W(W),
        .PROTOCOL(arbiter_pkg::MoldUdp64),
        .PACKETS(PACKETS)
    ) arbiter (
        .clk,
        .rst,
        .a(line_a),
        .b(line_b),
        .mode(arbiter_pkg::window_e'(setting.arbitration.window.value)),
        .time_window(setting.time_window.value.value),
        .count_window(setting.count_window.value.value),
        .idle_limit(setting.idle_limit.value.value),
        .flush(setting.arbitration.flush.value),
        .low_latency(low_latency.src),
        .high_reliability(high_reliability.src),
        .events(arbiter_events),
        .gap(line_gap),
        .gap_from(line_gap_from),
        .gap_to(line_gap_to)
    );
  end else begin : g_no_arbiter
    assign {low_latency.valid, low_latency.data, low_latency.keep, low_latency.last, low_latency.err} = '0;
    assign {high_reliability.valid, high_reliability.data, high_reliability.keep, high_reliability.last, high_reliability.err} = '0;
    assign arbiter_events = '0;
    assign {line_gap, line_gap_from, line_gap_to} = '0;
  end

  // At W = 64 the strategy settles a frame later than the next could be there.
  feed_select #(
      .W(W),
      .SETTLE(W == 8 ? 0 : 9)
  ) feed_select (
      .clk,
      .rst,
      .source(LINES == 2 ? arbiter_pkg::source_e'(setting.arbitration.source.value) : arbiter_pkg::SOURCE_LINE_A),
      .a(line_a),
      .b(line_b),
      .low_latency(low_latency.snk),
      .high_reliability(high_reliability.snk),
      .arbitrated,
      .overflow(feed_overflow),
      .out(payload.src)
  );

  // ---- decoder ---------------------------------------------------------------------------------

  localparam int Events = W == 8 ? 1 : 2;  // a beat
  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  instrument_key_t key;
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
      .events(decoded.src),
      .key,
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

  // ---- trades for the order path -----------------------------------------------------------------

  logic trade_overflow;

  if (TRADES != 0) begin : g_trades
    instrument_stage #(
        .INSTRUMENTS(INSTRUMENTS)
    ) instrument_stage (
        .clk,
        .rst,
        .new_session,
        .key,
        .in(decoded.snk),
        .out(events.src),
        .write(instrument_write),
        .write_index(instrument_index),
        .write_used(instrument_used),
        .write_symbol(instrument_symbol)
    );

    trade_select #(
        .INSTRUMENTS(INSTRUMENTS),
        .TRADES(TRADES)
    ) trade_select (
        .clk,
        .rst,
        .events(events.snk),
        .trade_valid,
        .trade_ready,
        .trade_instrument,
        .trade_price,
        .overflow(trade_overflow)
    );
  end else begin : g_no_trades
    logic unused;
    assign unused = &{1'b0, instrument_write, instrument_index, instrument_used, instrument_symbol, trade_ready, key};
    assign {events.valid, events.data, events.verdict_valid, events.verdict_good} =
        {decoded.valid, decoded.data, decoded.verdict_valid, decoded.verdict_good};
    assign {trade_valid, trade_instrument, trade_price, trade_overflow} = '0;
  end

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
      .events(events.snk),
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

  // At W = 8 there is time: the payload is asked for 41 cycles after the request. At W = 64 its second beat is just in time,
  // and only `ready` is held.
  if (W == 8) begin : g_report_register
    tx_register #(
        .W(W)
    ) report_register (
        .clk,
        .rst,
        .in (report.snk),
        .out(queued.src)
    );
  end else begin : g_report_spare
    tx_spare #(
        .W(W)
    ) report_spare (
        .clk,
        .rst,
        .in (report.snk),
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
      .source_mac(local_mac),
      .destination_mac({setting.report_mac_high.value.value, setting.report_mac_low.value.value}),
      .source_ip(local_ip),
      .destination_ip(setting.report_ip.value.value),
      .source_port(setting.report_port.source.value),
      .destination_port(setting.report_port.destination.value),
      .payload(queued.snk),
      .out(frames)
  );

  assign told = '{
          payload_end: payload.valid && payload.last,
          arbitrated: arbitrated,
          mold_cause_valid: mold_cause_valid,
          mold_cause: mold_cause,
          new_session: new_session,
          gap: gap,
          trade_overflow: trade_overflow,
          lost: lost,
          commit: events.verdict_valid && events.verdict_good,
          messages: messages,
          unknown_type: unknown_type,
          bad_length: bad_length,
          first_sequence: feed.first_sequence,
          count_valid: count_valid,
          filter_hit: filter_hit,
          filter_miss: filter_miss,
          time_backwards: time_backwards,
          heartbeat: heartbeat,
          report_sent: report_sent,
          report_missed: report_missed,
          arbiter_events: arbiter_events,
          overflow: feed_overflow,
          line_gap: line_gap,
          line_gap_from: line_gap_from,
          line_gap_to: line_gap_to
      };
endmodule

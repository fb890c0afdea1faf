// System B: per instrument and side count, minimum, maximum, volume and sum of the add orders; at each new second one report.
//
//   event ─┬─ second_tracker ─ heartbeat ─┬─ report_tx ─ udp_tx
//          └─ register ─ statistics ──────┘
//
// The request to send leaves before the statistics are settled: header and addresses take longer on the wire than the pipelines here.
// In cycles from the verdict (v): heartbeat v+1, request v+3, second v+7 (W = 8: v+10), counters v+4, commit v+4, statistics readable v+9.
//
// Latency: verdict to request_valid 3 cycles, always. Throughput: an event and a short event a cycle, an add order every 4 cycles (8 at
// W = 8); the next frame's first event comes 8 cycles (11 at W = 8) after a verdict at the earliest. Parameters: W, bits in a beat of the
// payload; INSTRUMENTS: a power of two, 16 to 256. Overflow: a heartbeat while a report is being read out is counted in report_missed.
//
// When the host writes an instrument, its name in the report changes, and its statistics start again with the first event that
// instrument_stage gives it under the new symbol.
module statistics_slot
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16
) (
    input logic       clk,
    input logic       rst,
    input logic       itch50,
    input statistics_config_t setting,
    config_if.snk host,  // writes the instruments, while the core runs

    market_if.changes market,
    input feed_info_t feed,

    // A request and a payload for each part.
    output logic            request_valid,
    input  logic            request_ready,
    output logic [15:0]     payload_length,
    tx_stream_if.src payload,

    output statistics_status_t status
);
  localparam int Index = $clog2(INSTRUMENTS);
  localparam int Commit = 4;
  localparam int Clear = 3;  // cycles after an instrument was written

  if (INSTRUMENTS < 16 || INSTRUMENTS > 256 || INSTRUMENTS != 1 << Index) begin : g_instruments
    $fatal(1, "statistics_slot: INSTRUMENTS is a power of two, 16 to 256");
  end

  logic event_valid;
  /* verilator lint_off UNUSEDSIGNAL */  // an event has more than a stage needs
  event_t event_data;
  /* verilator lint_on UNUSEDSIGNAL */
  verdict_t verdict;

  assign event_valid = market.change_valid[0];
  assign event_data = market.change[0];
  assign verdict = '{valid: market.verdict_valid, good: market.verdict_good};

  typedef struct packed {
    logic valid;
    logic good;
    logic boundary;
  } frame_t;

  // ---- the second ---------------------------------------------------------------------------------

  logic after_boundary, new_second, missed, report_busy, report_start;
  logic [31:0] second;
  logic [63:0] sequence_number;
  feed_info_t boundary_feed;
  logic [15:0] backwards;

  second_tracker #(
      .DIGIT_BITS(W == 8 ? 2 : 3)
  ) second_tracker (
      .clk,
      .rst,
      .itch50,
      .market,
      .feed,
      .report_busy,
      .after_boundary,
      .heartbeat(new_second),
      .missed,
      .second,
      .sequence_number,
      .boundary_feed,
      .time_backwards(backwards)
  );

  always_ff @(posedge clk) begin
    report_start <= new_second && !missed && !rst;
    status.heartbeat <= new_second && !rst;
    status.report_missed <= new_second && missed && !rst;
  end

  // ---- the verdict, delayed like the frame's last event --------------------------------------------

  frame_t [Commit:1] frame;

  always_ff @(posedge clk) begin
    frame[1] <= '{valid: verdict.valid, good: verdict.good, boundary: 1'b0};
    frame[2] <= '{valid: frame[1].valid, good: frame[1].good, boundary: new_second && !missed};
    for (int i = 3; i <= Commit; i++) frame[i] <= frame[i-1];
    if (rst) for (int i = 1; i <= Commit; i++) frame[i].valid <= 1'b0;
  end

  // ---- the instrument -------------------------------------------------------------------------------

  logic add, added, add_valid, hit, sell, was_after_boundary;
  logic [Index-1:0] index;
  logic [31:0] price, quantity;

  assign add = event_valid && event_data.kind == KIND_ADD;

  always_ff @(posedge clk) begin
    added <= add && !rst;
    add_valid <= added && !rst;
    was_after_boundary <= after_boundary;
    {hit, index} <= {market.change_found.known, market.change_found.instrument[Index-1:0]};
    if (add) begin
      sell <= event_data.side == SIDE_SELL;
      price <= event_data.price[31:0];
      quantity <= event_data.quantity[31:0];
    end
  end

  logic name_write, clear, feed_used_unused;
  logic [Clear:1] name_written;
  /* verilator lint_off UNUSEDSIGNAL */  // only 256 instruments need all of it
  logic [7:0] name_index;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] name;
  logic [3:0] decimals_unused;
  fix_pkg::fix_instrument_t session_unused;

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) instrument_config (
      .clk,
      .rst,
      .host,
      .hold(|name_written),
      .write(name_write),
      .index(name_index),
      .feed_used(feed_used_unused),
      .feed_symbol(name),
      .session(session_unused),
      .decimals(decimals_unused)
  );

  // The last event under the old symbol comes with `name_write` and is an update two cycles later: the clear removes it, and no event after it.
  always_ff @(posedge clk) name_written <= rst ? '0 : {name_written[Clear-1:1], name_write};
  assign clear = name_written[Clear];

  // ---- statistics and report ----------------------------------------------------------------------------

  logic [Index:0] read_entry;
  logic read;
  logic [223:0] read_data;
  logic read_valid, read_none;

  statistics #(
      .INSTRUMENTS(INSTRUMENTS),
      .READ_STAGES(W == 8 ? 2 : 1)
  ) statistics (
      .clk,
      .rst,
      .accumulate(setting.accumulate),
      .update_valid(add_valid && hit),
      .update_index(index),
      .update_sell(sell),
      .after_boundary(was_after_boundary),
      .price,
      .quantity,
      .commit_valid(frame[Commit].valid),
      .commit_good(frame[Commit].good),
      .commit_boundary(frame[Commit].boundary),
      .clear,
      .clear_index(name_index[Index-1:0]),
      .read_entry,
      .read,
      .read_valid,
      .read_data,
      .read_none
  );

  report_tx #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) report_tx (
      .clk,
      .rst,
      .start(report_start),
      .itch50,
      .accumulate(setting.accumulate),
      .symbol_count(setting.symbol_count),
      .busy(report_busy),
      .sent(status.report_sent),
      .second,
      .sequence_number,
      .boundary_feed,
      .name_write(clear),
      .name_symbol(name),
      .name_index(name_index[Index-1:0]),
      .read_entry,
      .read,
      .read_valid,
      .read_data,
      .read_none,
      .request_valid,
      .request_ready,
      .payload_length,
      .payload
  );

  // ---- counters -------------------------------------------------------------------------------------

  logic [15:0] hits, misses;

  always_ff @(posedge clk) begin
    if (add_valid) begin
      hits   <= hits + 16'(hit);
      misses <= misses + 16'(!hit);
    end
    status.count_valid <= frame[Commit-1].valid && frame[Commit-1].good && !rst;
    if (frame[Commit-1].valid) begin
      status.filter_hit <= hits;
      status.filter_miss <= misses;
      status.time_backwards <= backwards;
    end
    if (rst || frame[Commit-1].valid) begin
      hits   <= '0;
      misses <= '0;
    end
  end
endmodule

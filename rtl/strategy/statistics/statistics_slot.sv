// System B: per symbol and side count, minimum, maximum, volume and sum of the add orders; at each new second one report.
//
//   event ─┬─ second_tracker ──────── heartbeat ─┬─ report_tx ─ udp_tx
//          └─ symbol_filter ─ statistics ────────┘
//
// The request to send leaves before the statistics are settled: header and addresses take longer on the wire than the pipelines here.
// In cycles from the verdict (v): heartbeat v+1, request v+3, second v+7 (W = 8: v+10), counters v+8, commit v+8, statistics readable v+12.
// The symbol's lookup takes 6 cycles and the update of its entry 6 more.
//
// Latency: verdict to request_valid 3 cycles, always. Throughput: an event and a short event a cycle, an add order every 4 cycles (8 at W = 8); the
// next
// frame's first event comes 8 cycles (11 at W = 8) after a verdict at the earliest. Parameters: W, bits in a beat of the payload; SYMBOLS, slots of the
// symbol table: a power of two, 16 to 256. Overflow: a heartbeat while a report is being read out is counted in report_missed.
//
// To move a slot to another symbol, the host takes the old symbol out of its bucket, writes the name (which clears the statistics) at least
// 8 cycles later, then puts the new symbol into a bucket.
module statistics_slot
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int SYMBOLS = 16
) (
    input logic       clk,
    input logic       rst,
    input logic       itch50,
    input statistics_config_t setting,  // the symbol table is written while the core runs

    market_if.changes market,
    input feed_info_t feed,

    // A request and a payload for each part.
    output logic            request_valid,
    input  logic            request_ready,
    output logic [15:0]     payload_length,
    tx_stream_if.src payload,

    output statistics_status_t status
);
  localparam int Index = $clog2(SYMBOLS);
  localparam int Hold = 4;  // add orders are at least this far apart
  localparam int Lookup = 6;  // latency of symbol_filter
  localparam int Commit = 8;

  if (SYMBOLS < 16 || SYMBOLS > 256 || SYMBOLS != 1 << Index) begin : g_symbols
    $fatal(1, "statistics_slot: SYMBOLS is a power of two, 16 to 256");
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
    side_e       side;
    logic [31:0] price;
    logic [31:0] quantity;
  } order_t;

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

  // ---- the symbol -----------------------------------------------------------------------------------

  logic add_valid, result_valid, hit;
  logic [Hold:1] add_stage;
  logic [Lookup-1:1] after_stage;
  order_t [1:0] order;  // [0] steady for cycles 1 to 4 after the event, [1] for 5 to 8
  logic [Index-1:0] index;

  assign add_valid = event_valid && event_data.kind == KIND_ADD;

  symbol_filter #(
      .SYMBOLS(SYMBOLS)
  ) symbol_filter (
      .clk,
      .rst,
      .lookup_valid (add_valid),
      .lookup_symbol(event_data.symbol),
      .result_valid,
      .hit,
      .index,
      .hash_rotate(setting.hash_rotate),
      .bucket_write(setting.bucket_write),
      .bucket_way(setting.bucket_way),
      .bucket_address(setting.bucket_address[Index:0]),
      .bucket_used(setting.bucket_used),
      .bucket_symbol(setting.symbol),
      .bucket_index(setting.index[Index-1:0])
  );

  always_ff @(posedge clk) begin
    add_stage   <= {add_stage[Hold-1:1], add_valid};
    after_stage <= {after_stage[Lookup-2:1], after_boundary};
    if (add_valid) order[0] <= '{side: event_data.side, price: event_data.price[31:0], quantity: event_data.quantity[31:0]};
    if (add_stage[Hold]) order[1] <= order[0];
    if (rst) add_stage <= '0;
  end

  // ---- statistics and report ----------------------------------------------------------------------------

  logic [Index:0] read_entry;
  logic read;
  logic [223:0] read_data;
  logic read_valid, read_none;

  statistics #(
      .SYMBOLS(SYMBOLS),
      .READ_STAGES(W == 8 ? 2 : 1)
  ) statistics (
      .clk,
      .rst,
      .accumulate(setting.accumulate),
      .update_valid(result_valid && hit),
      .update_index(index),
      .update_sell(order[1].side == SIDE_SELL),
      .after_boundary(after_stage[Lookup-1]),
      .price(order[1].price),
      .quantity(order[1].quantity),
      .commit_valid(frame[Commit].valid),
      .commit_good(frame[Commit].good),
      .commit_boundary(frame[Commit].boundary),
      .clear(setting.name_write),
      .clear_index(setting.index[Index-1:0]),
      .read_entry,
      .read,
      .read_valid,
      .read_data,
      .read_none
  );

  report_tx #(
      .W(W),
      .SYMBOLS(SYMBOLS)
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
      .name_write(setting.name_write),
      .name_symbol(setting.symbol),
      .name_index(setting.index[Index-1:0]),
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
    if (result_valid) begin
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

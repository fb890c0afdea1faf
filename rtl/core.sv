// The path: a market-data tick in on the MII; out on it the statistics of each second, and orders. Only stages and their connections.
//
//   MII ─ net_receive ─ arbiter ─ decoder_itch ─ instrument ─ book ─ market ─┬─ statistics ─ report ───────────────────┐
//              │                                            decoder_fix ─┘   └─ stops, strategy ─── risk ─ order ─┐    │
//              ├─────────────────────────────────────────┴─ tcp_session ────────────────────────┴─ orders ─ net_transmit ─ MII
//              └─ control_plane ───────────────────────────────────────────────────────────────────────────────┘
//   host: registers, what is written entry by entry, reports
//
// Latency: last FCS byte in to first preamble byte out, see docs/concepts/hardware.md. Throughput: line rate on receive, without limit.
// Parameters, of a preset (rtl/presets.toml): W, bits in a beat: 8 (GMII, 125 MHz) or 64 (XGMII, 156.25 MHz); LINES, 2, or 1: then there is no line
// B and no arbiter; FEED, 1: ITCH on the lines, 2: FAST, 0: no market data there, prices come on the FIX session alone; STATISTICS, 1, or 0: none, and no report
// packets; SESSIONS, 1, or 0: no orders and no control plane, their ports rest; SESSION_PRICES, 1: prices are read from the session's messages too;
// PACKETS the arbiter stores, of at most PACKET_BYTES;
// HOST_WORDS, beats stored for the host, by line;
// STOPS, 8 to 64, or 0: none, with SESSIONS; BOOK_ORDERS in the order book, 0: there is no book, and no strategy that needs one; BOOK_LEVELS of a side that it
// keeps ready, 8, or less: then it takes no feed of price levels; STRATEGY that acts on it: see strategy_slot; OWN_ORDERS, 1: the core follows the
// orders of a strategy in the language (strategy_own_orders); LEVEL_READS, 1: such a strategy may read deeper levels of the book;
// EACH_CHANGE, 1: it may be called at each change of the book; TRADES of the feed for stops and strategies, 1, or 0; TIMERS of a strategy in the language, 1, or 0;
// RING, 1: what FAST decodes, its packets and events, what goes wrong in the stages and what a strategy emits are written into host memory; WIRE_RATE, 1: FAST has its wire-rate engine, 2: with constant tables;
// FEEDS of FAST side by side, with RING, and neither session nor book; MEMORY, bits in a beat there.
// Overflow: receive never waits. What finds no room is dropped, counted by its stage, and where orders depend on it a gap to risk.
module core
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import report_pkg::*;
  import risk_pkg::*;
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter int FEED = 1,
    parameter int STATISTICS = 1,
    parameter int PACKET_BYTES = 9000,
    parameter int SESSIONS = 0,
    parameter int SESSION_PRICES = SESSIONS,
    parameter int PACKETS = 8,
    parameter int HOST_WORDS = 2048,
    parameter int BOOK_ORDERS = 0,
    parameter int BOOK_LEVELS = 8,
    parameter int STRATEGY = 1,
    parameter int OWN_ORDERS = 0,
    parameter int LEVEL_READS = 0,
    parameter int EACH_CHANGE = 0,
    parameter int TRADES = 1,
    parameter int TIMERS = 1,
    parameter int STOPS = 64,
    parameter int RING = 0,
    parameter int WIRE_RATE = 0,
    parameter int FEEDS = 1,
    parameter int MEMORY = 512
) (
    input logic clk,
    input logic rst,

    // W = 8: GMII, control[0] is dv/en. W = 64: XGMII, control is a bit a byte.
    input  logic [  W-1:0] rx_a_data,
    input  logic [W/8-1:0] rx_a_control,
    input  logic           rx_a_error,
    input  logic [  W-1:0] rx_b_data,
    input  logic [W/8-1:0] rx_b_control,
    input  logic           rx_b_error,
    output logic [  W-1:0] tx_data,
    output logic [W/8-1:0] tx_control,
    output logic           tx_error,

    // Good frames that no module here takes, FCS included, of either line.
    output logic           host_valid,
    input  logic           host_ready,
    output logic [  W-1:0] host_data,
    output logic [W/8-1:0] host_keep,
    output logic           host_last,
    output logic           host_line,   // 1 is B

    // What went into the decoder and proved good, for a simulation or a logic analyser: messages delivered, from the number of the first on.
    output logic           delivered_valid,
    output logic [   63:0] delivered_sequence,
    output logic [   15:0] delivered_messages,
    output path_t          path,  // how far packets and orders come

    // The FIX session: what the peer sends (see byte_queue), the host's messages (see host_message), what became of orders (see order_reports).
    output logic           session_valid,
    input  logic           session_ready,
    output logic [  W-1:0] session_data,
    output logic [W/8-1:0] session_keep,
    input  logic           message_valid,
    output logic           message_ready,
    input  logic [    7:0] message_data,
    input  logic           message_last,
    input  logic           message_numbered,
    input  logic [   10:0] message_number_at,
    output logic           answer_valid,
    output logic [    1:0] answer,
    output logic [   35:0] answer_number,
    output logic           report_valid,
    input  logic           report_ready,
    output logic [    1:0] report_what,
    output logic [    3:0] report_reason,
    output logic [   31:0] report_client_id,
    output logic [   35:0] report_number,
    output logic [   63:0] report_time,

    // The clock may be set from outside (a simulation that skips idle time, a PTP servo).
    input logic        time_set,
    input logic [63:0] time_value,
    // And with it the timers of TCP and of the control plane: pulses in addition to their own.
    input logic        time_tick,         // 256 us
    input logic        time_millisecond,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic        axil_wvalid,
    output logic        axil_wready,
    input  logic [31:0] axil_wdata,
    input  logic [ 3:0] axil_wstrb,
    output logic        axil_bvalid,
    input  logic        axil_bready,
    output logic [ 1:0] axil_bresp,
    input  logic        axil_arvalid,
    output logic        axil_arready,
    input  logic [10:0] axil_araddr,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp,

    // Host memory, AXI4 (write channels): the ring.
    output logic              memory_awvalid,
    input  logic              memory_awready,
    output logic [      63:0] memory_awaddr,
    output logic [       7:0] memory_awlen,
    output logic              memory_wvalid,
    input  logic              memory_wready,
    output logic [MEMORY-1:0] memory_wdata,
    output logic              memory_wlast,
    input  logic              memory_bvalid,
    output logic              memory_bready,
    input  logic [       1:0] memory_bresp,

    // A strategy outside (STRATEGY = 3): see program_if.
    output logic         strategy_event_valid,
    input  logic         strategy_event_ready,
    output logic [  1:0] strategy_event_handler,
    output logic [703:0] strategy_event_inputs,
    input  logic         strategy_intent_valid,
    output logic         strategy_intent_ready,
    input  logic [127:0] strategy_intent,
    input  logic [  2:0] strategy_fault,        // pulses: a division by zero, an index beyond an array, a fifth intent
    input  logic         strategy_stopped,
    output logic         strategy_hold,
    input  logic         strategy_held,
    output logic         strategy_load,
    output logic [  1:0] strategy_load_what,
    output logic [  9:0] strategy_load_address,
    output logic [ 63:0] strategy_load_value,
    input  logic         strategy_level_valid,
    input  logic         strategy_level_sell,
    input  logic [  3:0] strategy_level_number,
    output logic         strategy_level_answered,
    output logic [191:0] strategy_level,
    input  logic         strategy_record_value_valid,
    input  logic [ 63:0] strategy_record_value,
    input  logic         strategy_record_valid,
    input  logic [  7:0] strategy_record_tag
);
  localparam int Instruments = 16;
  localparam bit Book = BOOK_ORDERS != 0;
  localparam int Computed = Book && SESSIONS != 0 && STRATEGY != 0 ? Instruments : 0;  // handles of orders whose price is computed
  localparam bit Reports = Computed != 0;  // risk and the strategy learn from the session what became of orders
  localparam int OwnOrders = OWN_ORDERS != 0 ? 32 : 0;  // of a strategy in the language, that may be open
  localparam int Texts = 1 << $clog2(
      STOPS + Computed + 1 + 4
  );  // of prepared orders: one a handle, and some for those that take their place
  localparam int Events = W == 8 ? 1 : 2;  // a beat

  if (RING != 0 && FEED == 0) begin : gen_check_ring
    $fatal(1, "core: a ring needs market data on the lines");
  end

  if (FEEDS < 1 || FEEDS > MostFeeds || (FEEDS > 1 && (FEED != 2 || RING == 0 || SESSIONS != 0 || Book))) begin : gen_check
    $fatal(1, "core: feeds side by side are at most %0d, of FAST, with a ring, without a session and without a book", MostFeeds);
  end

  if ((OWN_ORDERS != 0 || LEVEL_READS != 0) && !(Reports && STRATEGY >= 2)) begin : gen_check_own_orders
    $fatal(1, "core: OWN_ORDERS and LEVEL_READS need a strategy in the language, with a session and a book");
  end

  // ---- host ------------------------------------------------------------------------------------------

  // Stages that have registers.
  typedef enum int {
    CSR_NET,
    CSR_NET_TRANSMIT,
    CSR_FEED,
    CSR_INSTRUMENT,
    CSR_BOOK,
    CSR_MARKET,
    CSR_STATISTICS,
    CSR_STOPS,
    CSR_STRATEGY,
    CSR_RING,
    CSR_SESSION,
    CSR_RISK,
    CSR_ORDER,
    CSR_STAGES
  } csr_e;
  csr_if csr[CSR_STAGES] ();

  logic enable, tick, millisecond;
  logic [63:0] time_ns;
  net_config_t net_config;
  prepare_if prepare ();
  stop_write_if stop_write ();
  strategy_write_if strategy_write ();
  intent_if host_intent ();

  receive_status_t receive_status;
  arbiter_pkg::arbiter_status_t [FEEDS-1:0] arbiter_status;
  feed_status_t [FEEDS-1:0] feed_statuses;
  /* verilator lint_off UNUSEDSIGNAL */  // the feed's registers have the rest
  feed_status_t feed_status;  // of the first, which alone goes on to other stages
  book_status_t book_status;
  /* verilator lint_on UNUSEDSIGNAL */
  order_feedback_if feedback ();
  order_report_t order_report;
  logic payload_end, arbitrated, heartbeat, started, trade_overflow;

  axil_if #(.ADDRESS(11)) axil ();

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  host_stage #(
      .W(W),
      .SESSIONS(SESSIONS),
      .INSTRUMENTS(Instruments),
      .SLOTS(STOPS),
      .COMPUTED(Computed),
      .BEST_PRICE(Computed != 0 && STRATEGY == 1),
      .BOOK(Book),
      .RING(RING != 0),
      .FEEDS(FEEDS),
      .STAGES(CSR_STAGES)
  ) host_stage (
      .clk,
      .rst,
      .axil(axil.snk),
      .csr,
      .time_set,
      .time_value,
      .time_tick,
      .time_millisecond,
      .time_ns,
      .tick,
      .millisecond,
      .payload_end,
      .arbitrated,
      .heartbeat,
      .started,
      .prepare(prepare.src),
      .stop(stop_write.src),
      .strategy(strategy_write.src),
      .intent(host_intent.src),
      .feedback(feedback.listener),
      .report_valid,
      .report_ready,
      .report(order_report)
  );

  assign {report_what, report_reason, report_client_id, report_number, report_time} = order_report;

  axi_write_if #(.DATA(MEMORY)) memory ();

  assign {memory_awvalid, memory_awaddr, memory_awlen} = {memory.awvalid, memory.awaddr, memory.awlen};
  assign {memory_wvalid, memory_wdata, memory_wlast, memory_bready} = {memory.wvalid, memory.wdata, memory.wlast, memory.bready};
  assign {memory.awready, memory.wready} = {memory_awready, memory_wready};
  assign {memory.bvalid, memory.bresp} = {memory_bvalid, memory_bresp};

  assign feed_status = feed_statuses[0];
  assign delivered_valid = feed_status.commit && feed_status.packet_valid && feed_status.packet == MOLD_PACKET;
  assign delivered_sequence = feed_status.first_sequence;
  assign delivered_messages = feed_status.messages;

  // ---- receive ---------------------------------------------------------------------------------------

  logic [FEEDS-1:0] feed_a, feed_b;
  stream_if #(.W(W)) data_a ();
  stream_if #(.W(W)) data_b ();
  line_if #(.W(W)) line_a ();
  line_verdict_if verdict ();
  tx_stream_if #(.W(W)) host_frames ();

  net_registers #(
      .W(W)
  ) net_registers (
      .clk,
      .rst,
      .csr(csr[CSR_NET].stage),
      .time_ns,
      .status(receive_status),
      .enable,
      .net_config
  );

  net_receive #(
      .W(W),
      .LINES(LINES),
      .FEEDS(FEEDS),
      .HOST_WORDS(HOST_WORDS)
  ) net_receive (
      .clk,
      .rst,
      .enable,
      .net_config,
      .a_data(rx_a_data),
      .a_control(rx_a_control),
      .a_error(rx_a_error),
      .b_data(rx_b_data),
      .b_control(rx_b_control),
      .b_error(rx_b_error),
      .data_a(data_a.src),
      .data_b(data_b.src),
      .feed_a,
      .feed_b,
      .line_a(line_a.src),
      .verdict(verdict.src),
      .host(host_frames.src),
      .host_line,
      .status(receive_status)
  );

  assign {host_valid, host_data, host_keep, host_last} = {host_frames.valid, host_frames.data, host_frames.keep, host_frames.last};
  assign host_frames.ready = host_ready;

  // ---- arbiter, decoder, instrument --------------------------------------------------------------------

  event_if #(.N(Events)) decoded ();
  event_if #(.N(Events)) events ();
  event_if #(.N(Events)) book_events ();  // for the book and the market
  feed_info_t feed;
  found_instrument_t found;
  instrument_write_t instrument_written;
  event_ahead_t ahead;
  record_pkg::ring_setting_t ring_setting;
  record_if feed_records[2*FEEDS] ();

  if (FEED != 2) begin : gen_no_feed_records
    for (genvar i = 0; i < 2 * FEEDS; i++) begin : gen_record
      assign {feed_records[i].valid, feed_records[i].record} = '0;
    end
    logic unused;
    assign unused = &{1'b0, ring_setting};
  end

  if (FEED != 0) begin : gen_feed
    instrument_key_t key;

    if (FEED == 1) begin : gen_itch
      itch_stage #(
          .W(W),
          .LINES(LINES),
          .PACKET_BYTES(PACKET_BYTES),
          .PACKETS(PACKETS)
      ) itch_stage (
          .clk,
          .rst,
          .csr(csr[CSR_FEED].stage),
          .line_a(data_a.snk),
          .line_b(data_b.snk),
          .events(decoded.src),
          .key,
          .ahead,
          .feed,
          .payload_end,
          .arbitrated,
          .status(feed_statuses[0]),
          .arbiter_status(arbiter_status[0])
      );
      logic unused;
      assign unused = &{1'b0, feed_a, feed_b, instrument_written};
    end else begin : gen_fast
      fast_stage #(
          .W(W),
          .LINES(LINES),
          .FEEDS(FEEDS),
          .PACKET_BYTES(PACKET_BYTES),
          .PACKETS(PACKETS),
          .RING(RING),
          .WIRE_RATE(WIRE_RATE)
      ) fast_stage (
          .clk,
          .rst,
          .csr(csr[CSR_FEED].stage),
          .instrument(instrument_written),
          .line_a(data_a.snk),
          .feed_a,
          .line_b(data_b.snk),
          .feed_b,
          .events(decoded.src),
          .key,
          .ahead,
          .feed,
          .payload_end,
          .arbitrated,
          .status(feed_statuses),
          .arbiter_status,
          .ring_setting,
          .records(feed_records)
      );
    end

    instrument_stage #(
        .INSTRUMENTS(Instruments),
        .LOCATES(Book && FEED == 1),
        .ADDS(Book && FEED == 1)
    ) instrument_stage (
        .clk,
        .rst,
        .new_session(feed_status.new_session),
        .key,
        .ahead,
        .in(decoded.snk),
        .out(events.src),
        .found,
        .written(instrument_written),
        .csr(csr[CSR_INSTRUMENT].stage)
    );
  end else begin : gen_no_feed
    logic unused;
    assign unused = &{data_a.valid, data_b.valid, feed_a, feed_b, instrument_written};
    assign {payload_end, arbitrated, arbiter_status, feed_statuses, feed, found, ahead, instrument_written} = '0;
    assign {events.valid, events.data, events.verdict_valid, events.verdict_good} = '0;
    csr_none no_feed (.csr(csr[CSR_FEED].stage));
    csr_none no_instrument (.csr(csr[CSR_INSTRUMENT].stage));
  end

  // ---- what stages tell the host -----------------------------------------------------------------------

  record_if strategy_record ();

  if (RING != 0) begin : gen_ring
    ring_stage #(
        .FEEDS(FEEDS),
        .EVENTS(FEED == 2),
        .MEMORY(MEMORY)
    ) ring_stage (
        .clk,
        .rst,
        .csr(csr[CSR_RING].stage),
        .setting(ring_setting),
        .feeds(feed_records),
        .events(events.snk),
        .found,
        .strategy(strategy_record.snk),
        .receive_status,
        .arbiter_status,
        .feed_status(feed_statuses),
        .book_status,
        .execution_fault(feedback.fault),
        .trade_overflow,
        .refused(feedback.refused.valid),
        .not_sent(feedback.outcome.dropped_valid),
        .time_ns,
        .memory(memory.src)
    );
  end else begin : gen_no_ring
    csr_none no_ring (.csr(csr[CSR_RING].stage));
    assign ring_setting = '0;
    assign {memory.awvalid, memory.awaddr, memory.awlen, memory.wvalid, memory.wdata, memory.wlast, memory.bready} = '0;
    for (genvar i = 0; i < 2 * FEEDS; i++) begin : gen_record
      logic unused;
      assign unused = &{1'b0, feed_records[i].valid, feed_records[i].record};
    end
    logic unused;
    assign unused = &{
      1'b0, memory.awready, memory.wready, memory.bvalid, memory.bresp, strategy_record.valid, strategy_record.record,
      arbiter_status
    };
  end

  // ---- book --------------------------------------------------------------------------------------------

  book_top_t book_top;
  book_trades_t book_trades;
  book_level_if level_reads ();
  logic direct_trades, book_begins_session;
  logic each_change;  // the strategy is called at each change of the book
  logic intent_overflow, program_fault, program_refused;  // of the strategy that acts on the book

  if (Book && FEED != 0) begin : gen_book
    localparam int Ways = 8;

    book_if #(.K(BOOK_LEVELS)) book ();
    book_host_if book_host ();
    book_walk_if book_walk ();
    logic [book_pkg::SequenceBits-1:0] next;
    logic count_fault, count_not_ours, count_undone, count_overflow;
    book_pkg::book_cause_e count_cause;

    book_registers book_registers (
        .clk,
        .rst,
        .csr(csr[CSR_BOOK].stage),
        .status(book_status),
        .book(book_host.src),
        .walk(book_walk.src)
    );

    logic after_gap, from_first, gap, new_session, taken, waiting_overflow;
    book_pkg::id_t early_id;
    logic [book_pkg::SequenceBits-1:0] first_sequence;

    if (EACH_CHANGE != 0) begin : gen_each_change
      if (LEVEL_READS == 0 || STATISTICS != 0) begin : gen_check
        $fatal(1, "core: EACH_CHANGE needs LEVEL_READS, and no STATISTICS");
      end
      event_by_event #(
          .N(Events)
      ) event_by_event (
          .clk,
          .rst,
          .enabled(each_change),
          .taken,
          .events(events.snk),
          .early_id(ahead.order_id[book_pkg::IdBits-1:0]),
          .after_gap(feed_status.after_gap),
          .begins_session(feed_status.begins_session),
          .from_first(feed_status.from_first),
          .gap(feed_status.gap),
          .new_session(feed_status.new_session),
          .first_sequence(book_pkg::SequenceBits'(feed_status.first_sequence)),
          .out(book_events.src),
          .out_early_id(early_id),
          .out_after_gap(after_gap),
          .out_begins_session(book_begins_session),
          .out_from_first(from_first),
          .out_gap(gap),
          .out_new_session(new_session),
          .out_first_sequence(first_sequence),
          .overflow(waiting_overflow)
      );
    end else begin : gen_each_frame
      assign {book_events.valid, book_events.data} = {events.valid, events.data};
      assign {book_events.verdict_valid, book_events.verdict_good} = {events.verdict_valid, events.verdict_good};
      assign early_id = ahead.order_id[book_pkg::IdBits-1:0];
      assign {after_gap, book_begins_session} = {feed_status.after_gap, feed_status.begins_session};
      assign {from_first, gap, new_session} = {feed_status.from_first, feed_status.gap, feed_status.new_session};
      assign first_sequence = book_pkg::SequenceBits'(feed_status.first_sequence);
      assign waiting_overflow = 1'b0;
      logic unused_each;
      assign unused_each = &{1'b0, each_change, taken};
    end

    // A quarter of the slots stays free, or orders would not find one.
    book_stage #(
        .WAYS(Ways),
        .SETS_LOG2($clog2(BOOK_ORDERS * 4 / 3 / Ways)),
        .LEVEL_SETS_LOG2(BOOK_ORDERS > 12288 ? 13 : 10),
        .ORDERS(BOOK_ORDERS),
        .K(BOOK_LEVELS),
        .LEVELS(FEED == 2 && BOOK_LEVELS >= 8),
        .LEVEL_READS(LEVEL_READS != 0)
    ) book_stage (
        .clk,
        .rst,
        .events(book_events.snk),
        .early_id,
        .direct_trades,
        .after_gap,
        .begins_session(book_begins_session),
        .from_first,
        .gap,
        .gap_next(first_sequence),
        .new_session,
        .session_first(first_sequence),
        .book(book.src),
        .host(book_host.snk),
        .walk(book_walk.snk),
        .level_reads(level_reads.book),
        .taken,
        .next,
        .count_fault,
        .count_cause,
        .count_not_ours,
        .count_undone,
        .count_overflow
    );

    assign book_top = book.top;
    assign book_trades = book.trades;
    assign book_status = '{
            tradable: 16'(book.all_tradable),
            next: next[31:0],
            fault: count_fault,
            not_ours: count_not_ours,
            undone: count_undone,
            overflow: count_overflow || waiting_overflow,
            intent_overflow: intent_overflow,
            program_fault: program_fault,
            program_refused: program_refused
        };
    logic unused;
    assign unused = &{1'b0, ahead, count_cause, next};
  end else begin : gen_no_book
    logic unused;
    assign unused = &{
      1'b0, ahead, intent_overflow, program_fault, program_refused, direct_trades, each_change,
      level_reads.one_by_one, level_reads.busy, level_reads.valid, level_reads.instrument, level_reads.side, level_reads.number
    };
    assign {level_reads.answered, level_reads.level} = '0;
    assign {book_events.valid, book_events.data} = {events.valid, events.data};
    assign {book_events.verdict_valid, book_events.verdict_good} = {events.verdict_valid, events.verdict_good};
    assign book_begins_session = feed_status.begins_session;
    csr_none no_book (.csr(csr[CSR_BOOK].stage));
    assign {book_top, book_trades, book_status} = '0;
  end

  // ---- how far packets and orders come -------------------------------------------------------------------

  logic intended, passed_order;
  assign path = '{
          received: payload_end,
          decoded: events.verdict_valid,
          booked: book_top.verdict_valid,
          intended: intended,
          passed: passed_order
      };

  // ---- market ------------------------------------------------------------------------------------------

  committed_event_if session_events ();
  market_if #(.N(Events)) market ();
  logic session_wide;

  market_stage #(
      .INSTRUMENTS(Instruments),
      .TRADES(SESSIONS == 0 || FEED == 0 || TRADES == 0 ? 0 : 256),
      .BOOK(Book)
  ) market_stage (
      .clk,
      .rst,
      .csr(csr[CSR_MARKET].stage),
      .events(book_events.snk),
      .begins_session(book_begins_session),
      .found,
      .session(session_events.snk),
      .session_wide,
      .book_top,
      .book_trades,
      .direct_trades,
      .market(market.src),
      .overflow(trade_overflow)
  );

  // ---- strategies: statistics --------------------------------------------------------------------------

  logic report_request_valid, report_request_ready;
  logic [15:0] report_length;
  tx_stream_if #(.W(W)) report ();

  if (FEED == 1 && STATISTICS == 1) begin : gen_statistics
    statistics_stage #(
        .W(W),
        .INSTRUMENTS(Instruments)
    ) statistics_stage (
        .clk,
        .rst,
        .csr(csr[CSR_STATISTICS].stage),
        .market(market.changes),
        .feed,
        .request_valid(report_request_valid),
        .request_ready(report_request_ready),
        .payload_length(report_length),
        .payload(report.src),
        .heartbeat
    );
  end else begin : gen_no_statistics
    logic unused;
    assign unused = &{1'b0, feed, report_request_ready, report.ready};
    csr_none no_statistics (.csr(csr[CSR_STATISTICS].stage));
    assign {heartbeat, report_request_valid, report_length} = '0;
    assign {report.valid, report.data, report.keep, report.last} = '0;
  end

  // ---- transmit ----------------------------------------------------------------------------------------

  tx_stream_if #(.W(W)) orders ();
  tx_stream_if #(.W(W)) control ();

  net_transmit #(
      .W(W),
      .SESSIONS(SESSIONS)
  ) net_transmit (
      .clk,
      .rst,
      .csr(csr[CSR_NET_TRANSMIT].stage),
      .net_config,
      .report_request_valid,
      .report_request_ready,
      .report_length,
      .report(report.snk),
      .orders(orders.snk),
      .control(control.snk),
      .mii_data(tx_data),
      .mii_control(tx_control),
      .mii_error(tx_error),
      .started
  );

  // ---- a strategy outside ----------------------------------------------------------------------------

  program_if outside ();

  assign {strategy_event_valid, strategy_event_handler, strategy_event_inputs} = {
    outside.event_valid, outside.event_handler, outside.event_inputs
  };
  assign outside.event_ready = strategy_event_ready;
  assign outside.intent_valid = strategy_intent_valid;
  assign outside.intent = strategy_intent;
  assign strategy_intent_ready = outside.intent_ready;
  assign {outside.fault_division, outside.fault_index, outside.fault_intents} = strategy_fault;
  assign {outside.stopped, outside.held} = {strategy_stopped, strategy_held};
  assign {strategy_hold, strategy_load, strategy_load_what} = {outside.hold, outside.load, outside.load_what};
  assign {strategy_load_address, strategy_load_value} = {outside.load_address, outside.load_value};
  assign outside.level_valid = strategy_level_valid;
  assign {outside.level_sell, outside.level_number} = {strategy_level_sell, strategy_level_number};
  assign {strategy_level_answered, strategy_level} = {outside.level_answered, outside.level};
  assign {outside.record_value_valid, outside.record_value} = {strategy_record_value_valid, strategy_record_value};
  assign {outside.record_valid, outside.record_tag} = {strategy_record_valid, strategy_record_tag};
  assign outside.done = 1'b0;  // no slot uses it

  // ---- the session: its prices, stops, risk, orders, TCP -------------------------------------------------

  if (SESSIONS == 1) begin : gen_session
    logic connected, session_alive, session_overflow, session_last_unused;
    message_answer_t message_answer;
    intent_if stops ();
    intent_if computed_orders ();
    prepare_if prepared ();
    execution_report_if execution_reports ();
    order_if passed ();
    assign intended = computed_orders.valid && computed_orders.ready;
    assign passed_order = passed.valid && passed.ready;
    order_text_if #(.W(W)) text ();
    order_message_if #(.W(W)) order_message ();
    tx_stream_if #(.W(W)) host_messages ();
    tx_stream_if #(.W(W)) session ();

    if (STOPS != 0) begin : gen_stops
      stops_slot #(
          .W(W),
          .SLOTS(STOPS),
          .INSTRUMENTS(Instruments)
      ) stops_slot (
          .clk,
          .rst,
          .csr(csr[CSR_STOPS].stage),
          .market(market.trades),
          .write(stop_write.snk),
          .intent(stops.src)
      );
    end else begin : gen_no_stops
      assign market.trade_ready = 1'b1;
      csr_none no_stops (.csr(csr[CSR_STOPS].stage));
      stops_none stops_none (
          .write (stop_write.snk),
          .intent(stops.src)
      );
      logic unused_stops;
      assign unused_stops = &{1'b0, market.trade_valid, market.trade_instrument, market.trade_side, market.trade_price};
    end

    strategy_slot #(
        .STRATEGY(Computed == 0 ? 0 : STRATEGY),
        .HANDLE(STOPS),
        .ORDERS(Instruments),
        .OWN_ORDERS(OwnOrders),
        .WITH_TRADES(TRADES != 0),
        .WITH_TIMERS(TIMERS != 0),
        .INSTRUMENTS(Instruments),
        .N(Events),
        .WITH_SECONDS(FEED == 1)
    ) strategy_slot (
        .clk,
        .rst,
        .market(market.book),
        .levels(level_reads.strategy),
        .each_change,
        .csr(csr[CSR_STRATEGY].stage),
        .write(strategy_write.snk),
        .outside(outside.slot),
        .feedback(feedback.listener),
        .host_prepare(prepare.snk),
        .prepare(prepared.src),
        .intent(computed_orders.src),
        .record(strategy_record.src),
        .overflow(intent_overflow),
        .program_fault,
        .program_refused
    );

    risk_stage #(
        .W(W),
        .HANDLES(STOPS + Computed + 1),
        .COMPUTED(Computed),
        .TEXTS(Texts),
        .INSTRUMENTS(Instruments),
        .REPORTS(Reports)
    ) risk_stage (
        .clk,
        .rst,
        .csr(csr[CSR_RISK].stage),
        .market(market.last_price),
        .stops(stops.snk),
        .computed_orders(computed_orders.snk),
        .host_orders(host_intent.snk),
        .prepare(prepared.snk),
        .out(passed.src),
        .text(text.store),
        .feed_alive(feed_status.commit),
        .session_alive,
        .connected,
        .gap(feed_status.gap || trade_overflow || book_status.overflow || intent_overflow || session_overflow),
        .reports(execution_reports.snk),
        .feedback(feedback.risk)
    );

    order_stage #(
        .W(W),
        .INSTRUMENTS(Instruments),
        .COMPUTED(Computed != 0)
    ) order_stage (
        .clk,
        .rst,
        .csr(csr[CSR_ORDER].stage),
        .time_ns,
        .connected,
        .in(passed.snk),
        .text(text.reader),
        .message(order_message.src),
        .feedback(feedback.order),
        .message_valid,
        .message_ready,
        .message_data,
        .message_last,
        .message_numbered,
        .message_number_at,
        .host_messages(host_messages.src),
        .answer(message_answer)
    );

    session_stage #(
        .W(W),
        .INSTRUMENTS(Instruments),
        .PRICES(SESSION_PRICES != 0),
        .REPORTS(Reports),
        .DETAILS(OwnOrders != 0)
    ) session_stage (
        .clk,
        .rst,
        .csr(csr[CSR_SESSION].stage),
        .enable,
        .tick,
        .millisecond,
        .net_config,
        .line(line_a.snk),
        .verdict(verdict.snk),
        .order(order_message.snk),
        .host_messages(host_messages.snk),
        .frames(orders.src),
        .control(control.src),
        .prices(session_events.src),
        .price_wide(session_wide),
        .reports(execution_reports.src),
        .host_bytes(session.src),
        .connected,
        .alive(session_alive),
        .overflow(session_overflow)
    );

    assign {answer_valid, answer, answer_number} = message_answer;
    assign {session_valid, session_data, session_keep} = {session.valid, session.data, session.keep};
    assign session.ready = session_ready;
    assign session_last_unused = session.last;
  end else begin : gen_no_session
    logic unused;
    assign unused = &{
      1'b0, session_ready, message_valid, message_data, message_last, message_numbered, message_number_at, verdict.fcs_good,
      verdict.busy, verdict.cause_valid, verdict.cause, line_a.valid, tick, millisecond, time_ns, trade_overflow,
      prepare.busy, prepare.valid, prepare.handle, prepare.order, prepare.original, prepare.time_in_force, prepare.collar,
      prepare.commit,
      stop_write.valid, stop_write.operation, stop_write.slot, stop_write.watch,
      strategy_write.valid, strategy_write.enabled, strategy_write.single, strategy_write.instrument, strategy_write.side,
      strategy_write.replace_done, market.top, market.book_trades,
      host_intent.valid, host_intent.withdraw, host_intent.soon, host_intent.handle, host_intent.instrument,
      host_intent.computed, host_intent.price, host_intent.price_soon,
      market.trade_valid, market.trade_instrument, market.trade_side, market.trade_price, session_events.ready, orders.ready, control.ready
    };
    assign {verdict.claimed, feedback.refused, feedback.outcome, feedback.change, feedback.fault} = '0;
    assign {session_valid, session_data, session_keep, message_ready, answer_valid, answer, answer_number} = '0;
    assign {session_events.valid, session_events.data, session_wide, market.trade_ready} = '0;
    assign {intended, passed_order, strategy_record.valid, strategy_record.record} = '0;
    assign {orders.valid, orders.data, orders.keep, orders.last, control.valid, control.data, control.keep, control.last} = '0;
    for (genvar i = CSR_SESSION; i <= CSR_ORDER; i++) begin : gen_none
      csr_none none (.csr(csr[i].stage));
    end
    csr_none no_strategy (.csr(csr[CSR_STRATEGY].stage));
    csr_none no_stops (.csr(csr[CSR_STOPS].stage));
    assign {prepare.ready, prepare.answer_valid, prepare.answer, stop_write.ready, stop_write.answer_valid, stop_write.answer} = '0;
    assign {host_intent.ready, strategy_write.ready, strategy_write.replace_valid, strategy_write.replace_original, intent_overflow} = '0;
    assign {program_fault, program_refused} = '0;
    assign {outside.event_valid, outside.event_inputs, outside.intent_ready, outside.level_answered, outside.level} = '0;
    assign {outside.hold, outside.load, outside.load_address, outside.load_value} = '0;
    assign outside.event_handler = processor_pkg::HANDLER_BOOK;
    assign outside.load_what = processor_pkg::LOAD_DATA;
    assign {level_reads.one_by_one, level_reads.busy, level_reads.valid, level_reads.instrument, level_reads.number} = '0;
    assign level_reads.side = SIDE_BUY;
    assign each_change = 1'b0;
  end
endmodule

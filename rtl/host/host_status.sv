// Everything the core reports to the host through registers: counters by cause, time stamps, latency.
//
// Latency: pulses are registered once here, so that no counter's carry chain hangs on the path; a counter that is asked for is
// answered within 68 cycles (counters). Throughput: one pulse of each kind a cycle. Parameters: W, INSTRUMENTS as in core; BOOK,
// whether there is one; RING, whether there is a ring; FEEDS, side by side.
// Overflow: counters wrap at 2^32.
module host_status
  import tickwire_pkg::*;
  import counters_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int STOPS = 0,
    parameter bit BOOK = 1'b0,
    parameter bit RING = 1'b0,
    parameter int FEEDS = 1,
    parameter bit ORDER_LOG = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic        time_load,
    input logic [63:0] time_value,

    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is counted here
    input receive_status_t    receive_status,
    input logic               payload_end,    // the decoder is given a packet's last beat,
    input logic         [7:0] payload_delay,  // so many cycles after the last FCS byte
    input feed_status_t       feed_status,
    input statistics_status_t statistics_status,
    input book_status_t       book_status,
    /* verilator lint_on UNUSEDSIGNAL */
    input record_pkg::ring_status_t ring_status,
    input logic               started,
    input logic               underrun,

    input logic       count_request,
    input logic [5:0] count_slot,

    // From feed_counters: not the first feed is shown.
    input logic        other_answer,
    input logic [31:0] other_count,
    input logic        other_shown,
    input logic [63:0] other_lost,

    // From line_status, or feed_counters.
    input logic        line_answer,
    input logic [31:0] line_count,
    input logic [63:0] last_gap_from,
    input logic [63:0] last_gap_to,

    // From fast_counters.
    input logic        fast_answer,
    input logic [31:0] fast_count,

    // From config_port.
    input registers_pkg::registers__operation_state__in_t operation_state,

    output registers_pkg::registers__in_t status
);
  // net_rx: frame_start follows the first byte after the SFD by this many cycles, the cause its last byte.
  localparam int StartDelay = 1;
  localparam int VerdictDelay = 3;
  localparam int Amounts = 6;  // counters that add more than 1

  function automatic logic [63:0] nanoseconds(input int cycles);
    return W == 8 ? 64'(8 * cycles) : 64'((32 * cycles) / 5);
  endfunction

  logic [63:0] now, first_time, last_time;
  logic [31:0] latency_last, latency_minimum, latency_maximum;
  logic [NetCauses-1:0] net_pulse;
  logic [MoldCauses-1:0] mold_pulse;

  clock_ns #(
      .W(W)
  ) clock_ns (
      .clk,
      .rst,
      .load(time_load),
      .load_value(time_value),
      .now
  );

  latency_meter latency_meter (
      .clk,
      .rst,
      .verdict(payload_end),
      .verdict_delay(payload_delay),
      .heartbeat(statistics_status.heartbeat),
      .started,
      .last(latency_last),
      .minimum(latency_minimum),
      .maximum(latency_maximum)
  );

  always_ff @(posedge clk) begin
    if (receive_status.frame_start != '0) first_time <= now - nanoseconds(StartDelay);
    if (receive_status.cause_valid != '0) last_time <= now - nanoseconds(VerdictDelay);
    for (int i = 0; i < NetCauses; i++) net_pulse[i] <= receive_status.cause_valid[0] && receive_status.cause[0] == net_cause_e'(i) && !rst;
    for (int i = 0; i < MoldCauses; i++) mold_pulse[i] <= feed_status.packet_valid && feed_status.packet == mold_cause_e'(i) && !rst;
    if (rst) begin
      first_time <= '0;
      last_time <= '0;
    end
  end

  logic
      commit_reg,
      count_valid_reg,
      new_session_reg,
      gap_reg,
      overflow_reg,
      wire_rate_reg,
      handed_over_reg,
      unrecorded_reg,
      heartbeat_reg,
      report_sent_reg,
      report_missed_reg,
      underrun_reg;
  logic [Amounts-1:0][15:0] amount;
  logic [Slots-1:0] pulse;
  logic own_answer;
  logic [31:0] own_count;
  book_status_t book_reg;

  always_ff @(posedge clk) begin
    amount <= {
      feed_status.messages,
      feed_status.unknown_type,
      feed_status.bad_length,
      statistics_status.filter_hit,
      statistics_status.filter_miss,
      statistics_status.time_backwards
    };
    commit_reg <= feed_status.commit && !rst;
    count_valid_reg <= statistics_status.count_valid && !rst;
    new_session_reg <= feed_status.new_session && !rst;
    gap_reg <= feed_status.gap && !rst;
    overflow_reg <= feed_status.overflow && !rst;
    wire_rate_reg <= feed_status.fast.wire_rate && !rst;
    handed_over_reg <= feed_status.fast.handed_over && !rst;
    unrecorded_reg <= feed_status.fast.unrecorded && !rst;
    heartbeat_reg <= statistics_status.heartbeat && !rst;
    report_sent_reg <= statistics_status.report_sent && !rst;
    report_missed_reg <= statistics_status.report_missed && !rst;
    underrun_reg <= underrun && !rst;
    book_reg <= rst ? '0 : book_status;
  end

  always_comb begin
    pulse = '0;
    pulse[COUNT_MII_ERROR] = net_pulse[CAUSE_MII_ERROR];
    pulse[COUNT_FCS_ERROR] = net_pulse[CAUSE_FCS_ERROR];
    pulse[COUNT_RUNT] = net_pulse[CAUSE_RUNT];
    pulse[COUNT_OVERSIZE] = net_pulse[CAUSE_OVERSIZE];
    pulse[COUNT_OTHER_MAC] = net_pulse[CAUSE_OTHER_MAC];
    pulse[COUNT_OTHER_ETHERTYPE] = net_pulse[CAUSE_OTHER_ETHERTYPE];
    pulse[COUNT_IP_HEADER_ERROR] = net_pulse[CAUSE_IP_HEADER_ERROR];
    pulse[COUNT_IP_OPTIONS] = net_pulse[CAUSE_IP_OPTIONS];
    pulse[COUNT_IP_CHECKSUM_ERROR] = net_pulse[CAUSE_IP_CHECKSUM_ERROR];
    pulse[COUNT_IP_LENGTH_ERROR] = net_pulse[CAUSE_IP_LENGTH_ERROR];
    pulse[COUNT_FRAGMENT] = net_pulse[CAUSE_FRAGMENT];
    pulse[COUNT_OTHER_IP] = net_pulse[CAUSE_OTHER_IP];
    pulse[COUNT_OTHER_PROTOCOL] = net_pulse[CAUSE_OTHER_PROTOCOL];
    pulse[COUNT_UDP_LENGTH_ERROR] = net_pulse[CAUSE_UDP_LENGTH_ERROR];
    pulse[COUNT_OTHER_PORT] = net_pulse[CAUSE_OTHER_PORT];
    pulse[COUNT_UDP_CHECKSUM_ERROR] = net_pulse[CAUSE_UDP_CHECKSUM_ERROR];
    pulse[COUNT_ACCEPTED] = net_pulse[CAUSE_ACCEPTED];
    pulse[COUNT_MOLD_MALFORMED] = mold_pulse[MOLD_MALFORMED];
    pulse[COUNT_MOLD_OLD] = mold_pulse[MOLD_OLD];
    pulse[COUNT_MOLD_HEARTBEAT] = mold_pulse[MOLD_HEARTBEAT];
    pulse[COUNT_MOLD_END_OF_SESSION] = mold_pulse[MOLD_END_OF_SESSION];
    pulse[COUNT_MOLD_PACKET] = mold_pulse[MOLD_PACKET];
    pulse[COUNT_ITCH_MESSAGES] = commit_reg;
    pulse[COUNT_ITCH_UNKNOWN_TYPE] = commit_reg;
    pulse[COUNT_ITCH_BAD_LENGTH] = commit_reg;
    pulse[COUNT_FILTER_HIT] = count_valid_reg;
    pulse[COUNT_FILTER_MISS] = count_valid_reg;
    pulse[COUNT_TIME_BACKWARDS] = count_valid_reg;
    pulse[COUNT_MOLD_NEW_SESSION] = new_session_reg;
    pulse[COUNT_MOLD_GAP] = gap_reg;
    pulse[COUNT_FAST_OVERFLOW] = overflow_reg;
    pulse[COUNT_FAST_WIRE_RATE] = wire_rate_reg;
    pulse[COUNT_FAST_HANDED_OVER] = handed_over_reg;
    pulse[COUNT_FAST_UNRECORDED] = unrecorded_reg;
    pulse[COUNT_HEARTBEAT] = heartbeat_reg;
    pulse[COUNT_REPORT_SENT] = report_sent_reg;
    pulse[COUNT_REPORT_MISSED] = report_missed_reg;
    pulse[COUNT_TRANSMIT_UNDERRUN] = underrun_reg;
    pulse[COUNT_BOOK_FAULT] = book_reg.fault;
    pulse[COUNT_BOOK_NOT_OURS] = book_reg.not_ours;
    pulse[COUNT_BOOK_UNDONE] = book_reg.undone;
    pulse[COUNT_BOOK_OVERFLOW] = book_reg.overflow;
    pulse[COUNT_INTENT_OVERFLOW] = book_reg.intent_overflow;
    pulse[COUNT_PROGRAM_FAULT] = book_reg.program_fault;
    pulse[COUNT_PROGRAM_REFUSED] = book_reg.program_refused;
  end

  counters #(
      .AMOUNTS(Amounts),
      .AMOUNT_SLOT({
        COUNT_ITCH_MESSAGES, COUNT_ITCH_UNKNOWN_TYPE, COUNT_ITCH_BAD_LENGTH, COUNT_FILTER_HIT, COUNT_FILTER_MISS, COUNT_TIME_BACKWARDS
      })
  ) counters (
      .clk,
      .rst,
      .pulse,
      .amount,
      .request(count_request),
      .request_slot(count_slot),
      .answer(own_answer),
      .answer_count(own_count)
  );
  assign status.counters.rd_ack = own_answer || other_answer;
  assign status.counters.rd_data = other_answer ? other_count : own_count;

  assign status.fast_counters.rd_ack = fast_answer;
  assign status.fast_counters.rd_data = fast_count;
  assign status.fast_counters.wr_ack = 1'b0;

  // What line_status reports.
  assign status.line_counters.rd_ack = line_answer;
  assign status.line_counters.rd_data = line_count;
  assign status.line_counters.wr_ack = 1'b0;
  assign {status.gap_from_high.value.next, status.gap_from_low.value.next} = last_gap_from;
  assign {status.gap_to_high.value.next, status.gap_to_low.value.next} = last_gap_to;

  assign status.operation_state = operation_state;

  assign status.counters.wr_ack = 1'b0;  // a write is no access to the counters: the register block answers it

  assign status.build.width.next = 8'(W);
  assign status.build.instruments.next = 9'(INSTRUMENTS);
  assign status.build.book.next = BOOK;
  assign status.build.stops.next = 8'(STOPS);
  assign status.build.ring.next = RING;
  assign status.build.more_feeds.next = 2'(FEEDS - 1);
  assign status.build.order_log.next = ORDER_LOG;
  assign status.ring_written.value.next = ring_status.written;
  assign status.ring_lost.value.next = ring_status.lost;
  assign status.ring_errors.value.next = ring_status.errors;
  assign status.book_state.tradable.next = book_reg.tradable;
  assign status.book_next.value.next = book_reg.next;
  assign status.book_level.tick.next = book_reg.level.tick;
  assign status.book_level.orders.next = book_reg.level.orders;
  assign status.book_level_quantity.value.next = book_reg.level.shares;
  assign {status.time_high.value.next, status.time_low.value.next} = now;
  assign {status.frame_first_time_high.value.next, status.frame_first_time_low.value.next} = first_time;
  assign {status.frame_last_time_high.value.next, status.frame_last_time_low.value.next} = last_time;
  assign status.latency_last.value.next = latency_last;
  assign status.latency_minimum.value.next = latency_minimum;
  assign status.latency_maximum.value.next = latency_maximum;
  assign {status.mold_lost_high.value.next, status.mold_lost_low.value.next} = other_shown ? other_lost : feed_status.lost;
endmodule

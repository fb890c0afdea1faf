// Everything the core tells the host through registers: counters by cause, time stamps, latency.
//
// Latency: pulses are registered once here, so that no counter's carry chain hangs on the path.
// Throughput: one pulse of each kind a cycle. Parameters: W, SYMBOLS as in core.
// Overflow: counters wrap at 2^32 (registers.rdl).
module host_status
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int SYMBOLS = 16
) (
    input logic clk,
    input logic rst,

    input logic        time_load,
    input logic [63:0] time_value,
    input logic        frame_start,

    input logic        cause_valid,
    input net_cause_e  cause,
    input logic        mold_cause_valid,
    input mold_cause_e mold_cause,
    input logic        new_session,
    input logic        gap,
    input logic [63:0] lost,

    input logic        commit,
    input logic [15:0] messages,
    input logic [15:0] unknown_type,
    input logic [15:0] bad_length,

    input logic        count_valid,
    input logic [15:0] filter_hit,
    input logic [15:0] filter_miss,
    input logic [15:0] time_backwards,
    input logic        heartbeat,
    input logic        report_sent,
    input logic        report_missed,
    input logic        started,
    input logic        underrun,

    output registers_pkg::registers__in_t status
);
  // net_rx: frame_start follows the first byte behind the SFD by this many cycles, the cause its last byte.
  localparam int StartDelay = 1;
  localparam int VerdictDelay = 3;

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

  latency_meter #(
      .VERDICT_DELAY(VerdictDelay)
  ) latency_meter (
      .clk,
      .rst,
      .verdict(cause_valid),
      .heartbeat,
      .started,
      .last(latency_last),
      .minimum(latency_minimum),
      .maximum(latency_maximum)
  );

  always_ff @(posedge clk) begin
    if (frame_start) first_time <= now - nanoseconds(StartDelay);
    if (cause_valid) last_time <= now - nanoseconds(VerdictDelay);
    for (int i = 0; i < NetCauses; i++) net_pulse[i] <= cause_valid && cause == net_cause_e'(i) && !rst;
    for (int i = 0; i < MoldCauses; i++) mold_pulse[i] <= mold_cause_valid && mold_cause == mold_cause_e'(i) && !rst;
    if (rst) begin
      first_time <= '0;
      last_time <= '0;
    end
  end

  // A count that comes with its increment.
  typedef struct packed {
    logic        incr;
    logic [15:0] value;
  } add_t;

  add_t messages_add, unknown_type_add, bad_length_add, filter_hit_add, filter_miss_add, time_backwards_add;
  logic new_session_reg, gap_reg, heartbeat_reg, report_sent_reg, report_missed_reg, underrun_reg;

  always_ff @(posedge clk) begin
    messages_add <= '{commit && !rst, messages};
    unknown_type_add <= '{commit && !rst, unknown_type};
    bad_length_add <= '{commit && !rst, bad_length};
    filter_hit_add <= '{count_valid && !rst, filter_hit};
    filter_miss_add <= '{count_valid && !rst, filter_miss};
    time_backwards_add <= '{count_valid && !rst, time_backwards};
    new_session_reg <= new_session && !rst;
    gap_reg <= gap && !rst;
    heartbeat_reg <= heartbeat && !rst;
    report_sent_reg <= report_sent && !rst;
    report_missed_reg <= report_missed && !rst;
    underrun_reg <= underrun && !rst;
  end

  assign status.build.width.next = 8'(W);
  assign status.build.symbols.next = 9'(SYMBOLS);
  assign {status.time_high.value.next, status.time_low.value.next} = now;
  assign {status.frame_first_time_high.value.next, status.frame_first_time_low.value.next} = first_time;
  assign {status.frame_last_time_high.value.next, status.frame_last_time_low.value.next} = last_time;
  assign status.latency_last.value.next = latency_last;
  assign status.latency_minimum.value.next = latency_minimum;
  assign status.latency_maximum.value.next = latency_maximum;
  assign {status.mold_lost_high.value.next, status.mold_lost_low.value.next} = lost;

  assign status.mii_error.count.incr = net_pulse[CAUSE_MII_ERROR];
  assign status.fcs_error.count.incr = net_pulse[CAUSE_FCS_ERROR];
  assign status.runt.count.incr = net_pulse[CAUSE_RUNT];
  assign status.oversize.count.incr = net_pulse[CAUSE_OVERSIZE];
  assign status.other_mac.count.incr = net_pulse[CAUSE_OTHER_MAC];
  assign status.other_ethertype.count.incr = net_pulse[CAUSE_OTHER_ETHERTYPE];
  assign status.ip_header_error.count.incr = net_pulse[CAUSE_IP_HEADER_ERROR];
  assign status.ip_options.count.incr = net_pulse[CAUSE_IP_OPTIONS];
  assign status.ip_checksum_error.count.incr = net_pulse[CAUSE_IP_CHECKSUM_ERROR];
  assign status.ip_length_error.count.incr = net_pulse[CAUSE_IP_LENGTH_ERROR];
  assign status.fragment.count.incr = net_pulse[CAUSE_FRAGMENT];
  assign status.other_ip.count.incr = net_pulse[CAUSE_OTHER_IP];
  assign status.other_protocol.count.incr = net_pulse[CAUSE_OTHER_PROTOCOL];
  assign status.udp_length_error.count.incr = net_pulse[CAUSE_UDP_LENGTH_ERROR];
  assign status.other_port.count.incr = net_pulse[CAUSE_OTHER_PORT];
  assign status.udp_checksum_error.count.incr = net_pulse[CAUSE_UDP_CHECKSUM_ERROR];
  assign status.accepted.count.incr = net_pulse[CAUSE_ACCEPTED];

  assign status.mold_malformed.count.incr = mold_pulse[MOLD_MALFORMED];
  assign status.mold_old.count.incr = mold_pulse[MOLD_OLD];
  assign status.mold_heartbeat.count.incr = mold_pulse[MOLD_HEARTBEAT];
  assign status.mold_end_of_session.count.incr = mold_pulse[MOLD_END_OF_SESSION];
  assign status.mold_packet.count.incr = mold_pulse[MOLD_PACKET];

  assign status.itch_messages.count.incr = messages_add.incr;
  assign status.itch_messages.count.incrvalue = messages_add.value;
  assign status.itch_unknown_type.count.incr = unknown_type_add.incr;
  assign status.itch_unknown_type.count.incrvalue = unknown_type_add.value;
  assign status.itch_bad_length.count.incr = bad_length_add.incr;
  assign status.itch_bad_length.count.incrvalue = bad_length_add.value;
  assign status.filter_hit.count.incr = filter_hit_add.incr;
  assign status.filter_hit.count.incrvalue = filter_hit_add.value;
  assign status.filter_miss.count.incr = filter_miss_add.incr;
  assign status.filter_miss.count.incrvalue = filter_miss_add.value;
  assign status.time_backwards.count.incr = time_backwards_add.incr;
  assign status.time_backwards.count.incrvalue = time_backwards_add.value;
  assign status.mold_new_session.count.incr = new_session_reg;
  assign status.mold_gap.count.incr = gap_reg;
  assign status.heartbeat.count.incr = heartbeat_reg;
  assign status.report_sent.count.incr = report_sent_reg;
  assign status.report_missed.count.incr = report_missed_reg;
  assign status.transmit_underrun.count.incr = underrun_reg;
endmodule

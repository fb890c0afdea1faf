// Everything that is reported to the host about the second line and the arbiter: counters by line, and the last gap.
//
// Latency: pulses are registered twice here, as they come from far away; a counter that is asked for is answered within 68 cycles (counters).
// Throughput: one pulse of each kind a cycle. Parameters: S, bits of a sequence number. Overflow: counters wrap at 2^32.
module line_status
  import tickwire_pkg::*, line_counters_pkg::*;
#(
    parameter int S = 64
) (
    input logic clk,
    input logic rst,

    input logic       b_cause_valid,
    input net_cause_e b_cause,

    // By line: 0 is A.
    input logic [1:0] host_frame,
    input logic [1:0] host_overflow,

    input arbiter_pkg::arbiter_event_t arbiter_events,

    input logic feed_overflow,  // feed_select

    // By output: 0 is low latency.
    input logic [1:0]        gap,
    input logic [1:0][S-1:0] gap_from,
    input logic [1:0][S-1:0] gap_to,

    input  logic        count_request,
    input  logic [ 5:0] count_slot,
    output logic        count_answer,
    output logic [31:0] count,

    output logic [S-1:0] last_gap_from,  // on the high-reliability output
    output logic [S-1:0] last_gap_to
);
  localparam int LostBits = arbiter_pkg::NearBits;  // a gap is shorter than this
  localparam int Kinds = 12;

  logic [NetCauses-1:0] b_pulse;
  logic [1:0][Kinds-1:0] line_pulse, line_pulse_reg;  // in the order of the register map
  logic [1:0] host_frame_reg, host_overflow_reg, gap_reg, gap_late;
  logic [1:0][LostBits-1:0] from_reg, to_reg, lost;
  logic released_reg, session_reset_reg, feed_overflow_reg;
  logic [Slots-1:0] pulse;

  always_ff @(posedge clk) begin
    for (int i = 0; i < NetCauses; i++) b_pulse[i] <= b_cause_valid && b_cause == net_cause_e'(i) && !rst;
    for (int i = 0; i < 2; i++) begin
      line_pulse[i] <= {
        arbiter_events.line_silent[i],
        arbiter_events.overflow[i],
        arbiter_events.too_long[i],
        arbiter_events.kept[i],
        arbiter_events.cut_through[i],
        arbiter_events.stale[i],
        arbiter_events.distant[i],
        arbiter_events.malformed[i],
        arbiter_events.bad[i],
        arbiter_events.missed[i],
        arbiter_events.refused[i],
        arbiter_events.passed[i]
      };
      from_reg[i] <= gap_from[i][LostBits-1:0];
      to_reg[i]   <= gap_to[i][LostBits-1:0];
      lost[i]     <= to_reg[i] - from_reg[i];
    end
    line_pulse_reg <= line_pulse;
    host_frame_reg <= host_frame;
    host_overflow_reg <= host_overflow;
    released_reg <= arbiter_events.released;
    session_reset_reg <= arbiter_events.session_reset;
    feed_overflow_reg <= feed_overflow;
    gap_reg <= gap;
    gap_late <= gap_reg;
    if (gap[1]) begin
      last_gap_from <= gap_from[1];
      last_gap_to   <= gap_to[1];
    end
    if (rst) begin
      line_pulse <= '0;
      line_pulse_reg <= '0;
      {host_frame_reg, host_overflow_reg, gap_reg, gap_late} <= '0;
      {released_reg, session_reset_reg, feed_overflow_reg} <= '0;
      last_gap_from <= '0;
      last_gap_to   <= '0;
    end
  end

  always_comb begin
    pulse = '0;
    pulse[COUNT_B_MII_ERROR+:NetCauses] = b_pulse;
    pulse[COUNT_A_PASSED+:Kinds] = line_pulse_reg[0];
    pulse[COUNT_B_PASSED+:Kinds] = line_pulse_reg[1];
    {pulse[COUNT_B_HOST_FRAME], pulse[COUNT_A_HOST_FRAME]} = host_frame_reg;
    {pulse[COUNT_B_HOST_OVERFLOW], pulse[COUNT_A_HOST_OVERFLOW]} = host_overflow_reg;
    pulse[COUNT_RELEASED] = released_reg;
    pulse[COUNT_SESSION_RESET] = session_reset_reg;
    pulse[COUNT_FEED_OVERFLOW] = feed_overflow_reg;
    {pulse[COUNT_HIGH_GAP], pulse[COUNT_LOW_GAP]} = gap_late;
    {pulse[COUNT_HIGH_LOST], pulse[COUNT_LOW_LOST]} = gap_late;
  end

  counters #(
      .AMOUNTS(2),
      .AMOUNT_BITS(LostBits),
      .AMOUNT_SLOT({COUNT_HIGH_LOST, COUNT_LOW_LOST})
  ) counters (
      .clk,
      .rst,
      .pulse,
      .amount(lost),
      .request(count_request),
      .request_slot(count_slot),
      .answer(count_answer),
      .answer_count(count)
  );
endmodule

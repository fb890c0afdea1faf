// Counters of the feeds after the first, for the feed that the host has asked to be shown: those of its decoder and of its arbiter, its last gap, how much it lost.
//
//   status of feed 1 ─ counters, line_status ─┐
//   status of feed 2 ─ counters, line_status ─┴ shown ─ answer
//
// Slots, and what they count, are those of host_status and line_status, which have the first feed's and all that is no feed's.
//
// Latency: a counter that is asked for is answered within 68 cycles (counters). Throughput: one pulse of each kind a cycle. Parameters: FEEDS, 2 to 4.
// Overflow: counters wrap at 2^32.
module feed_counters
  import tickwire_pkg::*, counters_pkg::*;
#(
    parameter int FEEDS = 2
) (
    input logic clk,
    input logic rst,

    /* verilator lint_off UNUSEDSIGNAL */  // the first is counted elsewhere
    input feed_status_t                 [FEEDS-1:0] feed_status,
    input arbiter_pkg::arbiter_status_t [FEEDS-1:0] arbiter_status,
    /* verilator lint_on UNUSEDSIGNAL */

    input logic [1:0] shown,

    // Whether a counter that the host asks for is one of these; if so, it is answered here.
    input  logic        count_request,
    input  logic [ 5:0] count_slot,
    output logic        count_taken,
    output logic        count_answer,
    output logic [31:0] count,
    input  logic        line_request,
    input  logic [ 5:0] line_slot,
    output logic        line_taken,
    output logic        line_answer,
    output logic [31:0] line_count,

    output logic        other,          // not the first is shown: so these count
    output logic [63:0] last_gap_from,
    output logic [63:0] last_gap_to,
    output logic [63:0] lost
);
  logic [FEEDS-1:1] count_answers, line_answers;
  logic [FEEDS-1:1][31:0] counts, line_counts;
  logic [FEEDS-1:1][63:0] gap_from, gap_to;

  assign other = shown != '0 && int'(shown) < FEEDS;
  assign count_taken = other && count_slot >= COUNT_MOLD_MALFORMED && count_slot <= COUNT_FAST_HANDED_OVER;
  assign line_taken = other && line_slot >= line_counters_pkg::COUNT_A_PASSED;

  for (genvar i = 1; i < FEEDS; i++) begin : gen_feed
    logic [MoldCauses-1:0] causes;
    logic new_session, gap, commit, overflow;
    logic [15:0] messages;
    logic [Slots-1:0] pulse;

    always_ff @(posedge clk) begin
      for (int j = 0; j < MoldCauses; j++) causes[j] <= feed_status[i].packet_valid && feed_status[i].packet == mold_cause_e'(j) && !rst;
      new_session <= feed_status[i].new_session && !rst;
      gap <= feed_status[i].gap && !rst;
      commit <= feed_status[i].commit && !rst;
      overflow <= feed_status[i].overflow && !rst;
      messages <= feed_status[i].messages;
    end

    always_comb begin
      pulse = '0;
      pulse[COUNT_MOLD_MALFORMED+:MoldCauses] = causes;
      pulse[COUNT_MOLD_NEW_SESSION] = new_session;
      pulse[COUNT_MOLD_GAP] = gap;
      pulse[COUNT_ITCH_MESSAGES] = commit;
      pulse[COUNT_FAST_OVERFLOW] = overflow;
    end

    counters #(
        .AMOUNTS(1),
        .AMOUNT_SLOT(COUNT_ITCH_MESSAGES)
    ) counters (
        .clk,
        .rst,
        .pulse,
        .amount(messages),
        .request(count_request && count_taken && shown == 2'(i)),
        .request_slot(count_slot),
        .answer(count_answers[i]),
        .answer_count(counts[i])
    );

    line_status line_status (
        .clk,
        .rst,
        .b_cause_valid(1'b0),
        .b_cause(CAUSE_MII_ERROR),
        .host_frame('0),
        .host_overflow('0),
        .arbiter_events(arbiter_status[i].events),
        .feed_overflow(arbiter_status[i].overflow),
        .gap(arbiter_status[i].gap),
        .gap_from(arbiter_status[i].gap_from),
        .gap_to(arbiter_status[i].gap_to),
        .count_request(line_request && line_taken && shown == 2'(i)),
        .count_slot(line_slot),
        .count_answer(line_answers[i]),
        .count(line_counts[i]),
        .last_gap_from(gap_from[i]),
        .last_gap_to(gap_to[i])
    );
  end

  // A feed that answers may no longer be the one shown.
  always_comb begin
    {count_answer, line_answer} = {count_answers != '0, line_answers != '0};
    {count, line_count, last_gap_from, last_gap_to, lost} = '0;
    for (int i = 1; i < FEEDS; i++) begin
      if (count_answers[i]) count = counts[i];
      if (line_answers[i]) line_count = line_counts[i];
      if (shown == 2'(i)) {last_gap_from, last_gap_to, lost} = {gap_from[i], gap_to[i], feed_status[i].lost};
    end
  end
endmodule

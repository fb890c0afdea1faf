// second_tracker with flat ports.
module second_tracker_tb
  import tickwire_pkg::*;
#(
    parameter int DIGIT_BITS = 3
) (
    input logic clk,
    input logic rst,
    input logic itch50,
    input logic report_busy,

    input logic        event_valid,
    input logic [ 3:0] event_kind,
    input logic [31:0] event_seconds,
    input logic [47:0] event_nanoseconds,
    input logic [63:0] event_sequence,
    input logic        short_valid,
    input logic [ 3:0] short_kind,
    input logic [31:0] short_seconds,
    input logic [47:0] short_nanoseconds,
    input logic [63:0] short_sequence,
    input logic        verdict_valid,
    input logic        verdict_good,
    input logic        new_session,
    input logic [63:0] lost,

    output logic        after_boundary,
    output logic        heartbeat,
    output logic        missed,
    output logic [31:0] second,
    output logic [63:0] sequence_number,
    output logic [63:0] boundary_lost,
    output logic [15:0] time_backwards
);
  event_t event_data, short_data;
  market_if #(.N(2)) market ();
  assign market.change_valid = {short_valid, event_valid};
  assign market.change = {short_data, event_data};
  assign market.verdict_valid = verdict_valid;
  assign market.verdict_good = verdict_good;
  feed_info_t boundary_feed;

  always_comb begin
    event_data = '0;
    event_data.kind = event_kind_e'(event_kind);
    event_data.seconds = event_seconds;
    event_data.nanoseconds = event_nanoseconds;
    event_data.sequence_number = event_sequence;
    short_data = '0;
    short_data.kind = event_kind_e'(short_kind);
    short_data.seconds = short_seconds;
    short_data.nanoseconds = short_nanoseconds;
    short_data.sequence_number = short_sequence;
  end

  assign boundary_lost = boundary_feed.lost;

  second_tracker #(
      .DIGIT_BITS(DIGIT_BITS)
  ) dut (
      .clk,
      .rst,
      .itch50,
      .market(market.changes),
      .feed('{session: '0, first_sequence: '0, lost: lost, new_session: new_session}),
      .report_busy,
      .after_boundary,
      .heartbeat,
      .missed,
      .second,
      .sequence_number,
      .boundary_feed,
      .time_backwards
  );
endmodule

// decoder_itch with its interface and structs as plain ports.
module decoder_itch_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64
) (
    input  logic                          clk,
    input  logic                          rst,
    input  logic                          itch50,
    input  logic                          in_valid,
    input  logic [                 W-1:0] in_data,
    input  logic [               W/8-1:0] in_keep,
    input  logic                          in_last,
    input  logic                          in_err,
    output logic                          activity,
    output logic                          event_valid,
    output logic [    $bits(event_t)-1:0] event_data,
    output logic                          short_valid,
    output logic [    $bits(event_t)-1:0] short_data,
    output logic                          verdict_valid,
    output logic                          verdict_good,
    output logic [$bits(feed_info_t)-1:0] feed,
    output logic                          mold_cause_valid,
    output logic [                   2:0] mold_cause,
    output logic                          new_session,
    output logic                          gap,
    output logic                          after_gap,
    output logic [                  63:0] lost,
    output logic [                  15:0] messages,
    output logic [                  15:0] unknown_type,
    output logic [                  15:0] bad_length
);

  stream_if #(.W(W)) in ();
  assign in.valid = in_valid;
  assign in.data  = in_data;
  assign in.keep  = in_keep;
  assign in.last  = in_last;
  assign in.err   = in_err;

  event_t event_struct, short_struct;
  verdict_t    verdict;
  feed_info_t  feed_struct;
  feed_status_t status;
  instrument_key_t key_unused;  // itch_decoder asserts what it is
  event_ahead_t ahead_unused;  // and instrument_stage what that is
  localparam int N = W == 8 ? 1 : 2;
  event_if #(.N(N)) events ();
  assign event_valid = events.valid[0];
  assign event_struct = events.data[0];
  assign short_valid = N > 1 && events.valid[N-1];
  assign short_struct = events.data[N-1];
  assign verdict = '{valid: events.verdict_valid, good: events.verdict_good};
  assign event_data    = event_struct;
  assign short_data    = short_struct;
  assign feed          = feed_struct;
  assign verdict_valid = verdict.valid;
  assign verdict_good  = verdict.good;
  assign mold_cause_valid = status.packet_valid;
  assign mold_cause    = status.packet;
  assign new_session   = status.new_session;
  assign gap           = status.gap;
  assign after_gap     = status.after_gap;
  assign lost          = status.lost;
  assign messages      = status.messages;
  assign unknown_type  = status.unknown_type;
  assign bad_length    = status.bad_length;
  assign activity      = event_valid | short_valid | verdict.valid | mold_cause_valid | new_session | gap;

  decoder_itch #(
      .W(W)
  ) dut (
      .clk,
      .rst,
      .itch50,
      .in(in.snk),
      .events(events.src),
      .key(key_unused),
      .ahead(ahead_unused),
      .feed(feed_struct),
      .status
  );

endmodule

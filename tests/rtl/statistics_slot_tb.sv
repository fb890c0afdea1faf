// statistics_slot with flat ports.
module statistics_slot_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int SYMBOLS = 16
) (
    input logic       clk,
    input logic       rst,
    input logic       itch50,
    input logic       accumulate,
    input logic [8:0] symbol_count,

    input logic        event_valid,
    input logic [ 3:0] event_kind,
    input logic        event_side,
    input logic [63:0] event_symbol,
    input logic [63:0] event_price,
    input logic [63:0] event_quantity,
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
    input logic [79:0] session,
    input logic [63:0] first_sequence,
    input logic [63:0] lost,
    input logic        new_session,

    input logic [4:0]                     rotate0,
    input logic [4:0]                     rotate1,
    input logic                           bucket_write,
    input logic                           bucket_way,
    input logic [$clog2(2*SYMBOLS)-1:0]   bucket_address,
    input logic                           bucket_used,
    input logic [63:0]                    bucket_symbol,
    input logic [$clog2(SYMBOLS)-1:0]     bucket_index,
    input logic                           name_write,
    input logic [63:0]                    name_symbol,
    input logic [$clog2(SYMBOLS)-1:0]     name_index,

    output logic           request_valid,
    input  logic           request_ready,
    output logic [   15:0] payload_length,
    output logic           payload_valid,
    input  logic           payload_ready,
    output logic [  W-1:0] payload_data,
    output logic [W/8-1:0] payload_keep,
    output logic           payload_last,

    output logic        count_valid,
    output logic [15:0] filter_hit,
    output logic [15:0] filter_miss,
    output logic [15:0] time_backwards,
    output logic        heartbeat,
    output logic        report_sent,
    output logic        report_missed
);
  event_t event_data, short_data;
  market_if #(.N(2)) market ();
  statistics_status_t status;
  assign market.change_valid = {short_valid, event_valid};
  assign market.change = {short_data, event_data};
  assign market.verdict_valid = verdict_valid;
  assign market.verdict_good = verdict_good;
  assign {count_valid, filter_hit, filter_miss, time_backwards, heartbeat, report_sent, report_missed} = status;
  tx_stream_if #(.W(W)) payload ();

  always_comb begin
    event_data = '0;
    event_data.kind = event_kind_e'(event_kind);
    event_data.side = side_e'(event_side);
    event_data.symbol = event_symbol;
    event_data.price = event_price;
    event_data.quantity = event_quantity;
    event_data.seconds = event_seconds;
    event_data.nanoseconds = event_nanoseconds;
    event_data.sequence_number = event_sequence;
    short_data = '0;
    short_data.kind = event_kind_e'(short_kind);
    short_data.seconds = short_seconds;
    short_data.nanoseconds = short_nanoseconds;
    short_data.sequence_number = short_sequence;
  end

  assign payload_valid = payload.valid;
  assign payload.ready = payload_ready;
  assign payload_data  = payload.data;
  assign payload_keep  = payload.keep;
  assign payload_last  = payload.last;

  statistics_slot #(
      .W(W),
      .SYMBOLS(SYMBOLS)
  ) dut (
      .clk,
      .rst,
      .itch50,
      .setting('{
          accumulate: accumulate,
          symbol_count: symbol_count,
          hash_rotate: {rotate1, rotate0},
          bucket_write: bucket_write,
          name_write: name_write,
          bucket_way: bucket_way,
          bucket_address: 9'(bucket_address),
          bucket_used: bucket_used,
          index: name_write ? 8'(name_index) : 8'(bucket_index),
          symbol: name_write ? name_symbol : bucket_symbol
      }),
      .market(market.changes),
      .feed('{session: session, first_sequence: first_sequence, lost: lost, new_session: new_session}),
      .request_valid,
      .request_ready,
      .payload_length,
      .payload(payload.src),
      .status
  );
endmodule

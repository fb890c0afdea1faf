// statistics_slot after instrument_stage, with flat ports. The key comes late, with the event: the symbol of an add order may come with its last bytes.
module statistics_slot_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16
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

    input logic        instrument_write,
    input logic [ 7:0] instrument_index,
    input logic        instrument_used,
    input logic [63:0] instrument_symbol,

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
  event_if #(.N(2)) decoded ();
  event_if #(.N(2)) events ();
  market_if #(.N(2)) market ();
  tx_stream_if #(.W(W)) payload ();
  csr_if instrument_host ();
  config_if statistics_host ();
  feed_info_t feed;
  statistics_status_t status;

  assign {instrument_host.write, instrument_host.read, instrument_host.address, instrument_host.data} = '0;
  assign instrument_host.valid = instrument_write;
  assign instrument_host.operation = config_pkg::CONFIG_INSTRUMENT;
  assign instrument_host.index = 16'(instrument_index);
  assign instrument_host.operand = {128'h0, instrument_symbol, 20'h0, 4'd4, 7'h0, instrument_used};
  assign statistics_host.valid = instrument_host.valid;
  assign statistics_host.operation = instrument_host.operation;
  assign statistics_host.index = instrument_host.index;
  assign statistics_host.operand = instrument_host.operand;

  always_ff @(posedge clk) begin
    decoded.valid <= rst ? '0 : {short_valid, event_valid};
    decoded.data <= '0;
    decoded.data[0].kind <= event_kind_e'(event_kind);
    decoded.data[0].side <= side_e'(event_side);
    decoded.data[0].has_symbol <= event_kind_e'(event_kind) == KIND_ADD;
    decoded.data[0].symbol <= event_symbol;
    decoded.data[0].price <= event_price;
    decoded.data[0].quantity <= event_quantity;
    decoded.data[0].seconds <= event_seconds;
    decoded.data[0].nanoseconds <= event_nanoseconds;
    decoded.data[0].sequence_number <= event_sequence;
    decoded.data[1].kind <= event_kind_e'(short_kind);
    decoded.data[1].seconds <= short_seconds;
    decoded.data[1].nanoseconds <= short_nanoseconds;
    decoded.data[1].sequence_number <= short_sequence;
    decoded.verdict_valid <= verdict_valid && !rst;
    decoded.verdict_good <= verdict_good;
    feed <= '{session: session, first_sequence: first_sequence, lost: lost, new_session: new_session};
  end

  instrument_key_t key;
  always_comb begin
    key = '0;
    key.late = decoded.valid[0] && decoded.data[0].has_symbol;
    key.symbol = decoded.data[0].symbol;
  end

  instrument_write_t written_unused;
  feed_if feed_of_decoder ();
  assign feed_of_decoder.key = key;
  assign feed_of_decoder.ahead = '0;
  always_comb begin
    feed_of_decoder.status = '0;
    feed_of_decoder.status.new_session = new_session;
  end

  instrument_stage #(
      .INSTRUMENTS(INSTRUMENTS)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feed_of_decoder.listener),
      .in(decoded.snk),
      .out(events.src),
      .found(market.change_found),
      .written(written_unused),
      .csr(instrument_host.stage)
  );

  assign market.change_valid = events.valid;
  assign market.change = events.data;
  assign market.verdict_valid = events.verdict_valid;
  assign market.verdict_good = events.verdict_good;
  assign {count_valid, filter_hit, filter_miss, time_backwards, heartbeat, report_sent, report_missed} = status;

  assign payload_valid = payload.valid;
  assign payload.ready = payload_ready;
  assign payload_data  = payload.data;
  assign payload_keep  = payload.keep;
  assign payload_last  = payload.last;

  statistics_slot #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS)
  ) dut (
      .clk,
      .rst,
      .itch50,
      .setting('{accumulate: accumulate, symbol_count: symbol_count}),
      .host(statistics_host.snk),
      .market(market.changes),
      .feed,
      .request_valid,
      .request_ready,
      .payload_length,
      .payload(payload.src),
      .status
  );
endmodule

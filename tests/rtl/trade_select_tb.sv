// trade_select behind instrument_stage, with plain ports. The key goes straight in; its event and the verdict are a cycle later, as from the decoder.
module trade_select_tb
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 4,
    parameter int TRADES = 8
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        new_session,
    input  logic        event_valid,
    input  logic [ 3:0] event_kind,
    input  logic        event_has_symbol,
    input  logic [63:0] event_symbol,
    input  logic        event_has_locate,
    input  logic [15:0] event_locate,
    input  logic [63:0] event_price,
    input  logic        verdict_valid,
    input  logic        verdict_good,
    input  logic        instrument_write,
    input  logic [ 7:0] instrument_index,
    input  logic        instrument_used,
    input  logic [63:0] instrument_symbol,
    output logic        known_valid,       // an event a cycle after it is given: which instrument's it is
    output logic        known,
    output logic [ 7:0] known_instrument,
    output logic        trade_valid,
    input  logic        trade_ready,
    output logic [ 7:0] trade_instrument,
    output logic signed [63:0] trade_price,
    output logic        overflow
);
  event_if #(.N(1)) decoded ();
  event_if #(.N(1)) events ();

  always_ff @(posedge clk) begin
    decoded.valid <= event_valid && !rst;
    decoded.data <= '0;
    decoded.data[0].kind <= event_kind_e'(event_kind);
    decoded.data[0].price <= event_price;
    decoded.verdict_valid <= verdict_valid && !rst;
    decoded.verdict_good <= verdict_good;
  end

  assign known_valid = events.valid[0];
  assign known = events.data[0].known;
  assign known_instrument = events.data[0].instrument;

  instrument_stage #(
      .INSTRUMENTS(INSTRUMENTS),
      .LOCATES(1'b1)
  ) instrument_stage (
      .clk,
      .rst,
      .new_session,
      .key('{has_symbol: event_has_symbol, symbol: event_symbol, has_locate: event_has_locate, locate: event_locate}),
      .in(decoded.snk),
      .out(events.src),
      .write(instrument_write),
      .write_index(instrument_index),
      .write_used(instrument_used),
      .write_symbol(instrument_symbol)
  );

  trade_select #(
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES(TRADES)
  ) dut (
      .clk,
      .rst,
      .events(events.snk),
      .trade_valid,
      .trade_ready,
      .trade_instrument,
      .trade_price,
      .overflow
  );
endmodule

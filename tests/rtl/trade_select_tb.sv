// trade_select with plain ports.
module trade_select_tb
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 4,
    parameter int TRADES = 8,
    parameter int SPACING = 2
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        event_valid,
    input  logic [ 3:0] event_kind,
    input  logic        event_has_symbol,
    input  logic [63:0] event_symbol,
    input  logic [63:0] event_price,
    input  logic        verdict_valid,
    input  logic        verdict_good,
    input  logic        instrument_write,
    input  logic [ 7:0] instrument_index,
    input  logic        instrument_used,
    input  logic [63:0] instrument_symbol,
    output logic        trade_valid,
    input  logic        trade_ready,
    output logic [ 7:0] trade_instrument,
    output logic [63:0] trade_price,
    output logic        overflow
);
  event_t   event_data;
  verdict_t verdict;

  always_comb begin
    event_data = '0;
    event_data.kind = event_kind_e'(event_kind);
    event_data.has_symbol = event_has_symbol;
    event_data.symbol = event_symbol;
    event_data.price = event_price;
  end
  assign verdict = '{valid: verdict_valid, good: verdict_good};

  trade_select #(
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES(TRADES),
      .SPACING(SPACING)
  ) dut (
      .clk,
      .rst,
      .event_valid,
      .event_data,
      .verdict,
      .instrument_write,
      .instrument_index,
      .instrument_used,
      .instrument_symbol,
      .trade_valid,
      .trade_ready,
      .trade_instrument,
      .trade_price,
      .overflow
  );
endmodule

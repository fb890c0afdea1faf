// trade_select with plain ports. The symbol goes straight in; its event and the verdict are a cycle behind, as in the decoder.
module trade_select_tb
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 4,
    parameter int TRADES = 8
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        event_valid,
    input  logic [ 3:0] event_kind,
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
    output logic signed [63:0] trade_price,
    output logic        overflow
);
  event_t   event_data;
  verdict_t verdict;

  logic valid;

  always_ff @(posedge clk) begin
    valid <= event_valid && !rst;
    event_data <= '0;
    event_data.kind <= event_kind_e'(event_kind);
    event_data.price <= event_price;
    verdict <= '{valid: verdict_valid && !rst, good: verdict_good};
  end

  trade_select #(
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES(TRADES)
  ) dut (
      .clk,
      .rst,
      .event_valid(valid),
      .event_data,
      .next_symbol(event_symbol),
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

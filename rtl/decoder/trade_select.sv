// Trades of the instruments that orders wait for, out of the market data's events, once their frame has proved good: in order.
//
//   symbol ─ = table ─ register ─┐
//                        event ──┴─ event_commit ─ trade
//
// Only messages that tell a trade's price and symbol count (KIND_TRADE): an execution of an order in the book has its price only there.
// A trade's symbol comes a cycle before its event, and is compared then.
//
// Latency: verdict to the first trade 1 cycle. Throughput: an event a cycle; a trade in two cycles, as whoever takes it is `ready`.
// Parameters: INSTRUMENTS; TRADES kept, a power of two: the longest frame has at most 248 (ITCH 4.1 `Q`, 36 bytes each in 8,952).
// Overflow: as event_commit: a trade that finds no room is lost, counted, and a gap of the feed to those who trade on it.
module trade_select
  import tickwire_pkg::*;
  import order_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 256,
    localparam int Instrument = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    input logic     event_valid,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    input event_t   event_data,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [63:0] next_symbol,  // of the trade whose event comes in the next cycle
    input verdict_t verdict,

    input logic                  instrument_write,
    input logic [InstrumentWidth-1:0] instrument_index,
    input logic                  instrument_used,
    input logic [          63:0] instrument_symbol,  // first character in [63:56], filled up with spaces

    output logic                              trade_valid,
    input  logic                              trade_ready,
    output logic        [InstrumentWidth-1:0] trade_instrument,
    output logic signed [     PriceWidth-1:0] trade_price,
    output logic                              overflow          // pulse
);
  localparam int Entry = Instrument + PriceWidth;

  // ---- which instrument ----------------------------------------------------------------------------

  logic [INSTRUMENTS-1:0] used;
  logic [63:0] symbols[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] match;  // the symbol of this cycle's event, if it is a trade
  logic hit;
  logic [Instrument-1:0] index, trade_index;

  always_comb begin
    hit   = |match && event_valid && event_data.kind == KIND_TRADE;
    index = '0;
    for (int i = 0; i < INSTRUMENTS; i++) if (match[i]) index |= Instrument'(i);  // a symbol stands once
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < INSTRUMENTS; i++) begin
      match[i] <= used[i] && symbols[i] == next_symbol;
      if (instrument_write && instrument_index == InstrumentWidth'(i)) begin
        used[i] <= instrument_used;
        symbols[i] <= instrument_symbol;
      end
    end
    if (rst) used <= '0;
  end

  event_commit #(
      .WIDTH(Entry),
      .DEPTH(TRADES)
  ) commit (
      .clk,
      .rst,
      .write(hit),
      .write_data({index, event_data.price}),
      .verdict_valid(verdict.valid),
      .verdict_good(verdict.good),
      .out_valid(trade_valid),
      .out_ready(trade_ready),
      .out_data({trade_index, trade_price}),
      .overflow
  );
  assign trade_instrument = InstrumentWidth'(trade_index);
endmodule

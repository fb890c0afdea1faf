// The trades of our instruments out of the market data's events, once their frame has proved good: in order.
//
//   events ─ is it a trade of ours? ─ event_commit ─ trade
//
// Only messages that tell a trade's price and symbol count (KIND_TRADE): an execution of an order in the book has its price only there.
//
// Latency: verdict to the first trade 1 cycle. Throughput: a beat a cycle; a trade in two cycles, as whoever takes it is `ready`.
// Parameters: INSTRUMENTS; TRADES kept, a power of two: the longest frame has at most 248 (ITCH 4.1 `Q`, 36 bytes each in 8,952).
// Overflow: as event_commit: a trade that finds no room is lost, counted, and a gap of the feed to those who trade on it.
module trade_select
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 256,
    localparam int Instrument = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    event_if.snk events,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic                         trade_valid,
    input  logic                         trade_ready,
    output logic        [           7:0] trade_instrument,
    output logic signed [PriceWidth-1:0] trade_price,
    output logic                         overflow          // pulse
);
  /* verilator lint_off UNUSEDSIGNAL */
  event_t event_data;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Instrument-1:0] index;
  assign event_data = events.data[0];  // no other is a trade

  event_commit #(
      .WIDTH(Instrument + PriceWidth),
      .DEPTH(TRADES)
  ) commit (
      .clk,
      .rst,
      .write(events.valid[0] && event_data.known && event_data.kind == KIND_TRADE),
      .write_data({event_data.instrument[Instrument-1:0], event_data.price}),
      .verdict_valid(events.verdict_valid),
      .verdict_good(events.verdict_good),
      .out_valid(trade_valid),
      .out_ready(trade_ready),
      .out_data({index, trade_price}),
      .overflow
  );
  assign trade_instrument = 8'(index);
endmodule

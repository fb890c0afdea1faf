// Trades of the instruments that orders wait for, out of the market data's events: held until the verdict on their frame, then out, in order.
//
//   symbol ─ = table ─ register ─┬─ memory ─┬─ head register ─ trade, once it is committed
//                        event ──┘──────────┘
//
// Only messages that tell a trade's price and symbol count (KIND_TRADE): an execution of an order in the book has its price only there.
//
// A trade's symbol comes a cycle before its event, and is compared then. The next trade waits in `head` before its verdict is there, so that what
// compares it starts from registers.
//
// Latency: verdict to the first trade 1 cycle. Throughput: an event a cycle; a trade every SPACING cycles, as whoever takes it is `ready`.
// Parameters: INSTRUMENTS; TRADES kept, a power of two; SPACING, at least 2. Overflow: a trade that finds no room is lost, and `overflow` pulses: the
// strategy is not to be trusted any more (core makes it a gap of the feed).
module trade_select
  import tickwire_pkg::*;
  import order_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter int TRADES = 256,
    parameter int SPACING = 2,
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
  localparam int Address = $clog2(TRADES);
  localparam int Entry = Instrument + PriceWidth;

  if (TRADES != 1 << Address || SPACING < 2 || SPACING > 255) begin : g_check
    $fatal(1, "trade_select: TRADES must be a power of two, SPACING 2 to 255");
  end

  // ---- which instrument ----------------------------------------------------------------------------

  logic [INSTRUMENTS-1:0] used;
  logic [63:0] symbols[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] match;  // the symbol of this cycle's event, if it is a trade
  logic hit;
  logic [Instrument-1:0] index;

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

  // ---- held until the verdict ------------------------------------------------------------------------

  (* no_rw_check *) logic [Entry-1:0] memory[TRADES];  // what is written where it is being read is in `newest`
  logic [Entry-1:0] incoming, from_memory, newest, head;
  logic front_is_newest, incoming_is_head, write, taken, good, bad, waiting;
  logic full, no_room, last_room, wrote, freed;  // all but `full` as of the cycle before
  logic [Address:0] written, written_next, committed, read, next_read;
  logic [7:0] wait_left;

  assign incoming = {index, event_data.price};
  assign full = (no_room || (last_room && wrote)) && !freed;
  assign write = hit && !full;
  assign written_next = write ? written + 1'b1 : written;
  assign incoming_is_head = written == read;
  assign good = verdict.valid && verdict.good;
  assign bad = verdict.valid && !verdict.good;
  assign waiting = read != committed || (good && (write || !incoming_is_head));  // for whoever takes it, in the next cycle
  assign taken = trade_valid && trade_ready;
  assign next_read = taken ? read + 1'b1 : read;
  assign trade_instrument = InstrumentWidth'(head[Entry-1:PriceWidth]);
  assign trade_price = head[PriceWidth-1:0];

  always_ff @(posedge clk) begin
    if (!full) memory[written[Address-1:0]] <= incoming;  // no trade: the next one goes there too
    newest <= incoming;
    from_memory <= memory[next_read[Address-1:0]];
    front_is_newest <= write && written == next_read;
    head <= incoming_is_head ? incoming : front_is_newest ? newest : from_memory;
    written <= bad ? committed : written_next;
    if (good) committed <= written_next;
    read <= next_read;
    // TRADES apart: the highest bits differ, the others do not.
    no_room <= ((bad ? committed : written) ^ read) == (Address + 1)'(TRADES);
    last_room <= ((written + 1'b1) ^ read) == (Address + 1)'(TRADES);
    wrote <= write && !bad;
    freed <= taken;
    wait_left <= taken ? 8'(SPACING - 1) : wait_left - 8'(wait_left != '0);
    // Behind one that was taken the head is the next from the second cycle on.
    trade_valid <= taken ? 1'b0 : trade_valid || (waiting && wait_left <= 8'd1);
    overflow <= hit && !write;
    if (rst) begin
      written <= '0;
      committed <= '0;
      read <= '0;
      wait_left <= '0;
      front_is_newest <= 1'b0;
      no_room <= 1'b0;
      wrote <= 1'b0;
      trade_valid <= 1'b0;
      overflow <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) (Address + 1)'(committed - read) <= (Address + 1)'(TRADES));
  assert property (@(posedge clk) disable iff (rst) full == ((Address + 1)'(written - read) == (Address + 1)'(TRADES)));
endmodule

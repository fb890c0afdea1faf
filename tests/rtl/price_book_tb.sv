// price_book with plain ports: an entry as the decoder gives it, from flip-flops, a cycle late; the host's requests, what strategies see.
module price_book_tb
  import tickwire_pkg::*;
  import book_pkg::*;
  import price_tick_pkg::*;
#(
    parameter int K = 8
) (
    input logic clk,
    input logic rst,

    input logic entry,
    input logic steps,
    input logic adds,
    input logic sells,
    input price_t price,
    input tick_t tick,  // of the price, as the decoder has it
    input logic clears,
    input logic wrong,
    input logic verdict,  // with the packet's last entry, or later
    input logic good,
    input logic between,
    input logic [SequenceBits-1:0] next,
    input logic lost,
    input logic [SequenceBits-1:0] lost_next,
    input logic new_session,
    input logic from_first,
    output logic listens,

    input logic host_valid,
    output logic host_ready,
    output logic host_done,
    input logic [1:0] host_request,
    input logic [1:0] host_restore,
    input instrument_t host_instrument,
    input logic host_sells,
    input shares_t host_shares,
    input price_t host_price,
    input logic [SequenceBits-1:0] host_next,
    input price_t low_price,
    input price_t end_price,
    input logic [ShiftBits-1:0] shift,
    input logic [InverseBits-1:0] inverse,
    input logic [SizeBits-1:0] size,

    output logic top_valid,
    output logic top_tradable,
    output logic top_complete,
    output logic top_verdict,
    output logic top_good,
    output logic top_judged,
    output logic [31:0] bid,
    output logic [11:0] bid_orders,
    output logic [31:0] ask,
    output logic [11:0] ask_orders,
    output logic comes,
    output logic [31:0] comes_bid,
    output logic [31:0] comes_ask,
    output logic tradable,
    output logic fault,

    output logic factor_valid,
    output logic [$clog2(Powers)-1:0] factor_at,
    output part_t factor,
    output part_t low_part
);
  book_host_if host ();
  book_top_t top;
  logic [2:0] verdicts, goods;

  assign host.valid = host_valid;
  assign {host_ready, host_done} = {host.ready, host.done};
  assign host.request = host_request_e'(host_request);
  assign host.restore = host_restore_e'(host_restore);
  assign host.instrument = host_instrument;
  assign host.side = side_e'(host_sells);
  assign {host.id, host.shares, host.price, host.next} = {id_t'('0), host_shares, host_price, host_next};
  assign host.window = '{
          low_price: low_price,
          low_tick: '0,
          end_price: end_price,
          shift: shift,
          inverse: inverse,
          size: size,
          depth: '0
      };

  always_ff @(posedge clk) begin
    verdicts <= {verdicts[1:0], verdict};
    goods <= {goods[1:0], good};
    if (rst) verdicts <= '0;
  end

  logic booked;
  assign booked = entry && listens;

  price_entry_if entries ();
  always_ff @(posedge clk) begin
    entries.steps <= {2{booked && steps}} & {sells, !sells};
    entries.steps_add <= {2{adds}};
    entries.rank <= {tick, ~tick};
    entries.entry <= booked && steps;
    entries.entry_adds <= adds;
    entries.entry_sells <= sells;
    entries.entry_price <= price;
    entries.entry_tick <= tick;
    entries.changes <= booked;
    entries.clears <= booked && clears;
    entries.wrong <= booked && wrong;
    entries.missed <= entry && !listens;
    if (rst) {entries.steps, entries.entry, entries.changes, entries.clears, entries.wrong, entries.missed} <= '0;
  end
  assign entries.verdict_valid2 = verdicts[2];
  assign entries.verdict_good2 = goods[2];
  assign entries.between = between;
  assign entries.next = next;
  assign entries.lost = lost;
  assign entries.lost_next = lost_next;
  assign entries.new_session = new_session;
  assign entries.from_first = from_first;
  assign listens = entries.listens;
  assign {factor_valid, factor_at, factor, low_part} = {entries.factor_valid, entries.factor_at, entries.factor, entries.low};

  price_book #(
      .K(K)
  ) dut (
      .clk,
      .rst,
      .entries(entries.snk),
      .host(host.snk),
      .top,
      .tradable,
      .fault
  );

  assign {top_valid, top_tradable, top_complete} = {top.valid, top.tradable, top.complete};
  assign {top_verdict, top_good, top_judged} = {top.verdict_valid, top.verdict_good, top.judged};
  assign {bid, bid_orders, ask, ask_orders} = {top.bid.price, top.bid.orders, top.ask.price, top.ask.orders};
  assign {comes, comes_bid, comes_ask} = {top.comes, top.comes_bid, top.comes_ask};

  logic unused;
  assign unused = &{1'b0, top, host.ready};
endmodule

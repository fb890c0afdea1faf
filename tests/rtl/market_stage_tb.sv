// market_stage after instrument_stage, with plain ports. The key goes straight in; its event and the verdict are a cycle later, as from the decoder.
module market_stage_tb
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 4,
    parameter int TRADES = 8,
    parameter bit BOOK = 1'b0
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
    input  logic        event_sell,
    input  logic        event_non_printable,
    input  logic        event_without_key,  // its symbol comes with its last bytes
    output logic        known_valid,       // an event a cycle after it is given: which instrument's it is
    output logic        known,
    output logic [ 7:0] known_instrument,
    output logic        found_known,       // and a cycle later
    output logic [ 7:0] found_instrument,
    output logic        trade_valid,
    input  logic        trade_ready,
    output logic [ 7:0] trade_instrument,
    output logic               trade_sell,
    output logic signed [48:0] trade_price,
    // The order book.
    output logic               direct_trades,
    input  logic               book_valid,
    input  logic               book_priced,
    input  logic        [ 7:0] book_instrument,
    input  logic               book_sell,
    input  logic        [31:0] book_price,
    input  logic               book_verdict_valid,
    input  logic               book_verdict_good,
    input  logic               book_settled,
    input  logic               session_valid,
    output logic               session_ready,
    input  logic        [ 7:0] session_instrument,
    input  logic signed [63:0] session_price,
    input  logic               session_nothing,  // it trades nothing
    output logic        overflow
);
  event_if #(.N(2)) decoded ();
  event_if #(.N(2)) events ();
  csr_if host ();
  found_instrument_t found;

  assign {host.write, host.read, host.address, host.data} = '0;
  assign host.valid = instrument_write;
  assign host.operation = config_pkg::CONFIG_INSTRUMENT;
  assign host.index = 16'(instrument_index);
  assign host.operand = {128'h0, instrument_symbol, 20'h0, 4'd4, 7'h0, instrument_used};

  always_ff @(posedge clk) begin
    decoded.valid <= {1'b0, event_valid && !rst};
    decoded.data <= '0;
    decoded.data[0].kind <= event_kind_e'(event_kind);
    decoded.data[0].has_symbol <= event_has_symbol && event_without_key;  // else events may come closer than a feed's
    decoded.data[0].symbol <= event_symbol;
    decoded.data[0].side <= side_e'(event_sell);
    decoded.data[0].non_printable <= event_non_printable;
    decoded.data[0].price <= event_price;
    decoded.verdict_valid <= verdict_valid && !rst;
    decoded.verdict_good <= verdict_good;
  end

  assign known_valid = events.valid[0];
  assign {found_known, found_instrument} = found;
  assign known = events.data[0].known;
  assign known_instrument = events.data[0].instrument;

  instrument_key_t key;
  always_comb begin
    key = '{
        has_symbol: event_has_symbol && !event_without_key,
        late: decoded.valid[0] && decoded.data[0].has_symbol,
        symbol: event_symbol,
        has_locate: event_has_locate,
        locate: event_locate,
        default: '0
    };
    if (key.late) {key.has_symbol, key.symbol} = {1'b0, decoded.data[0].symbol};
  end

  instrument_write_t written_unused;
  feed_if feed_of_decoder ();
  assign feed_of_decoder.key = key;
  assign feed_of_decoder.ahead = '{
              order_id: '0,
              adds: event_has_symbol && event_without_key && event_kind_e'(event_kind) == KIND_ADD,
              add_symbol: event_symbol
          };
  always_comb begin
    feed_of_decoder.status = '0;
    feed_of_decoder.status.new_session = new_session;
  end

  instrument_stage #(
      .INSTRUMENTS(INSTRUMENTS),
      .LOCATES(1'b1),
      .ADDS(1'b1)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feed_of_decoder.listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(written_unused),
      .csr(host.stage)
  );

  committed_event_if session ();
  market_if #(.N(2)) market ();
  event_t session_event;

  always_comb begin
    session_event = '0;
    session_event.source = EVENT_SESSION;
    session_event.kind = session_nothing ? KIND_STATUS : KIND_TRADE;
    session_event.instrument = session_instrument;
    session_event.price = session_price;
  end
  assign session.valid = session_valid;
  assign session.data = session_event;
  assign session_ready = session.ready;
  assign trade_valid = market.trade_valid;
  assign trade_instrument = market.trade_instrument;
  assign trade_sell = market.trade_side;
  assign trade_price = market.trade_price;
  assign market.trade_ready = trade_ready;

  book_trades_t book_trades;
  assign book_trades = '{
          valid: book_valid,
          every: book_valid,
          priced: book_priced,
          instrument: book_instrument,
          side: side_e'(book_sell),
          price: book_price,
          quantity: '0,
          verdict_valid: book_verdict_valid,
          verdict_good: book_verdict_good,
          settled: book_settled
      };

  csr_if csr ();
  csr_idle idle (.csr(csr.host));

  market_stage #(
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES(TRADES),
      .BOOK(BOOK)
  ) dut (
      .clk,
      .rst,
      .csr(csr.stage),
      .events(events.snk),
      .begins_session(1'b0),
      .found,
      .session(session.snk),
      .session_wide(session_price[63:48] != '0 && session_price[63:48] != '1),
      .book_top('0),
      .book_trades,
      .direct_trades,
      .market(market.src),
      .overflow
  );
endmodule

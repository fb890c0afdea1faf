// Reads one level of a side for a strategy.
//
//   number ─ OP_READ ─ line of best levels ─┬─ it is in the line, or there are no others ──────── level
//                └──────────────────────────┴─ book_refill's search after the line ─ its price ───┘
//
// Nothing changes the book meanwhile but the search itself, which fills a short line up before it reads on: then the level may be in the line after
// all, and is read again.
//
// Latency: of a level in the line about 15 cycles, one after it as the search has it (book_refill). Throughput: a level at a time. Parameter: K.
// Nothing overflows.
module book_level_reader
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int K = 8
) (
    input logic clk,
    input logic rst,

    book_level_if.book ask,

    output logic op_valid,  // OP_READ
    output op_t  op,
    input  logic op_taken,

    input logic           line_reads6,  // the line of an OP_READ, of this reader's where one of its own is on its way
    input level_t [K-1:0] line6,
    input logic           incomplete6,

    book_walk_if.src walk,

    input logic        window_write,
    input instrument_t window_instrument,
    input window_t     window
);
  localparam int PriceCycles = 3;

  typedef enum logic [2:0] {
    IDLE,
    READ,
    LINE,
    CHOOSE,
    SEARCH,
    PRICE
  } state_e;

  state_e state;
  logic [$clog2(PriceCycles+1)-1:0] waits;
  level_t line_level;
  logic in_line, complete;
  rank_t rank;
  sums_t sums;
  price_t price;
  logic known;

  // A cycle after the request: what is asked for is in registers.
  logic asked;
  instrument_t instrument;
  side_e side;
  logic [WalkBits-1:0] number;

  assign op_valid = state == READ;
  assign op = read_of(instrument, side);

  assign walk.valid = state == SEARCH;
  assign walk.after_line = 1'b1;
  assign walk.instrument = instrument;
  assign walk.side = side;

  always_ff @(posedge clk) begin
    asked <= ask.valid && !ask.answered && !rst;
    {instrument, side, number} <= {ask.instrument[InstrumentBits-1:0], ask.side, ask.number};
    ask.answered <= 1'b0;
    waits <= waits + 1'b1;

    unique case (state)
      IDLE: if (asked && ask.valid && !ask.answered) state <= READ;
      READ: if (op_taken) state <= LINE;
      LINE:
      if (line_reads6) begin
        line_level <= line6[number[$clog2(K)-1:0]];
        in_line <= int'(number) < K && line6[number[$clog2(K)-1:0]].live;
        complete <= !incomplete6;
        state <= CHOOSE;
      end
      CHOOSE:
      if (in_line || complete) begin
        ask.answered <= 1'b1;
        ask.level <= in_line && !line_level.outside ? '{1'b1, line_level.price, line_level.shares, line_level.orders} : '0;
        state <= IDLE;
      end else state <= SEARCH;
      SEARCH: begin
        waits <= '0;
        rank <= side == SIDE_BUY ? ~walk.tick : walk.tick;
        sums <= walk.level;
        if (walk.level_valid && walk.place >= number) state <= walk.place == number ? PRICE : READ;
        if (walk.done) begin
          // The line may be longer than it was.
          state <= walk.count > {1'b0, number} ? READ : IDLE;
          ask.answered <= walk.count <= {1'b0, number};
          ask.level <= '0;
        end
      end
      default:
      if (int'(waits) == PriceCycles) begin
        ask.answered <= 1'b1;
        ask.level <= known ? '{1'b1, price, sums.shares, sums.orders} : '0;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      ask.answered <= 1'b0;
    end
  end

  book_price prices (
      .clk,
      .write(window_write),
      .write_instrument(window_instrument),
      .write_window(window),
      .instrument,
      .side,
      .rank,
      .given_valid(1'b0),
      .given_wide(1'b0),
      .given('0),
      .price,
      .known
  );

  logic unused;
  assign unused = &{1'b0, ask.one_by_one, ask.busy, line_level};

  assert property (@(posedge clk) disable iff (rst) !ask.valid || int'(ask.instrument) < Instruments);
endmodule

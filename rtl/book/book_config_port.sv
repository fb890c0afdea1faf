// Carries out what the host writes into the order book (CONFIG_BOOK): windows and rebuilds, a request at a time.
//
//   index     [7:0] instrument, [9:8] request: 0 window, 1 clear, 2 restore, 3 tradable (book_host_if)
//   window    operand 0 low_price, 1 low_tick, 2 end_price, 3 inverse [17:0] and shift [26:24], 4 size
//   restore   operand 0, 1 id (48 bits) and side [31] of 1, 2 shares, 3 price
//   tradable  operand 0, 1 next (48 bits)
//
// Latency: 1 cycle to the book, and the book's; `done` is the book's. Throughput: a request at a time. No parameters. Overflow: none. A request for
// an instrument that is not there is not done.
module book_config_port
  import tickwire_pkg::*;
  import config_pkg::*;
  import book_pkg::*;
(
    input logic      clk,
    input logic      rst,
    config_if.snk    host,
    book_host_if.src book
);
  assign host.busy = book.valid;
  assign book.request = host_request_e'(host.index[9:8]);
  assign book.instrument = host.index[InstrumentBits-1:0];
  assign book.side = side_e'(host.operand[1][31]);
  assign book.id = {host.operand[1][IdBits-33:0], host.operand[0]};
  assign book.shares = host.operand[2][SharesBits-1:0];
  assign book.price = host.operand[3];
  assign book.next = {host.operand[1][SequenceBits-33:0], host.operand[0]};
  assign book.window = '{
          low_price: host.operand[0],
          low_tick: host.operand[1],
          end_price: host.operand[2],
          shift: host.operand[3][24+:ShiftBits],
          inverse: host.operand[3][InverseBits-1:0],
          size: host.operand[4][SizeBits-1:0]
      };

  always_ff @(posedge clk) begin
    if (host.valid) host.answer <= '0;
    if (host.valid && host.operation == CONFIG_BOOK) book.valid <= host.index[7:0] < 8'(Instruments);
    if (book.valid && book.ready) begin
      book.valid <= 1'b0;
      host.answer.done <= book.done;
    end
    if (rst) begin
      book.valid  <= 1'b0;
      host.answer <= '0;
    end
  end
endmodule

// Carries out what the host writes into the order book (CONFIG_BOOK): windows, rebuilds and reads of levels, a request at a time.
//
//   index     [7:0] instrument, [10:8] request: 0 window, 1 clear, 2 restore, 3 tradable (book_host_if), 4 read, 5 show
//   window    operand 0 low_price, 1 low_tick, 2 end_price, 3 inverse [23:0] and shift [26:24],
//             4 size [17:0] and depth [20:18]
//   restore   index [12:11] how (host_restore_e), operand 0, 1 id (48 bits) and side [31] of 1, 2 shares, 3 price
//   tradable  operand 0, 1 next (48 bits)
//   read      index [11] side: its best levels (book_walk), of which
//   show      index [15:12] this one is shown to the host, from 0 on
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
    book_host_if.src book,
    book_walk_if.src walk,

    output book_level_t level  // the one that is shown
);
  logic starts, ours, reads, reading, read_done, was_read;
  logic [WalkBits-1:0] place;

  assign ours = host.valid && host.operation == CONFIG_BOOK && host.index[7:0] < 8'(Instruments);
  assign reads = host.index[10:8] == 3'd4;
  assign starts = ours && reads;

  book_walk book_walk (
      .clk,
      .rst,
      .start(starts),
      .instrument(host.index[InstrumentBits-1:0]),
      .side(side_e'(host.index[11])),
      .busy(reading),
      .done(read_done),
      .place,
      .level,
      .walk
  );

  assign host.busy = book.valid || reading || was_read;
  assign book.request = host_request_e'(host.index[9:8]);
  assign book.restore = host_restore_e'(host.index[12:11]);
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
          size: host.operand[4][SizeBits-1:0],
          depth: host.operand[4][SizeBits+:DepthBits]
      };

  always_ff @(posedge clk) begin
    if (host.valid) host.answer <= '0;
    if (ours && !host.index[10]) book.valid <= 1'b1;
    if (ours && host.index[10] && !reads) {place, host.answer.done} <= {host.index[15:12], 1'b1};
    was_read <= reading;
    if (was_read && !reading) host.answer.done <= read_done;
    if (book.valid && book.ready) begin
      book.valid <= 1'b0;
      host.answer.done <= book.done;
    end
    if (rst) begin
      {book.valid, was_read, place} <= '0;
      host.answer <= '0;
    end
  end
endmodule

// An order log in FAST at line rate, straight to the prices of one instrument: packets in, an order at a price a cycle out, and no event in between.
//
//   in ─ order_log_number ─ fast_wire_engine (constants) ─┬─ action, side, symbol: ours? ─┬─ steps
//                  └─ packets ─────────────────────────┐  └─ order_log_price ─────────────┘
//                                         verdict ─────┴─ status
//
// The log says side and price with every order that enters or leaves (template X-OLR-CURR, desks/fast/moex-order-log.toml), so that a book of prices needs no record of an
// order. What an entry cannot say is `wrong`; a packet that the engine cannot read, and a bad frame, are `lost`. A packet that says nothing of orders is counted, and nothing more.
//
// Latency, from the beat with a packet's last byte: 12 cycles to `steps` of its last entry, 14 to the verdict. A digit at the end of a name is the engine's stage, as in
// fast_wire_engine, where three take no cycle. Throughput: a beat a cycle, an entry a cycle, for a packet is one message: of
// one that has more, `lost`. Parameter: SCALE, decimals of every price. Overflow: none.
module order_log_decoder
  import tickwire_pkg::*;
  import fast_wire_pkg::*;
  import book_pkg::SequenceBits;
#(
    parameter int SCALE = 4
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,  // as udp_rx has it with AT_ONCE
    input logic judged,  // pulse: the verdict on a frame,
    input logic accepted,
    csr_if.stage csr,
    price_entry_if.src entries,  // to price_book
    output feed_status_t status
);
  localparam constants_t Tables = fast_wire_constants_pkg::Constants;

  // The time of sending and the orders' names are not looked at.
  function automatic constants_t looked_at(constants_t all);
    looked_at = all;
    looked_at.headers[TimeAt] = '0;
    looked_at.fields[OrderIdAt] = '0;
  endfunction

  // ---- registers

  logic shown, itch50_unused;
  config_if instrument ();
  config_if decoder ();
  csr_if part[4] ();

  csr_split #(
      .N(4)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  feed_registers feed_registers (
      .clk,
      .rst,
      .csr(part[0].stage),
      .status,
      .itch50(itch50_unused),
      .shown
  );

  fast_registers fast_registers (
      .clk,
      .rst,
      .csr(part[1].stage),
      .shown,
      .status(status.fast)
  );

  csr_operations instrument_operations (
      .csr(part[2].stage),
      .out(instrument.src)
  );

  csr_operations decoder_operations (
      .csr(part[3].stage),
      .out(decoder.src)
  );

  // ---- packets

  stream_if #(.W(64)) coded ();
  logic [ValueBits-1:0] symbol;
  logic [3:0] symbol_count;
  logic fits, restart, some, old, first, good, harmless, idle, spoilt;
  logic [31:0] number, gap;
  fast_wire_pkg::verdict_t verdict, verdict1;

  order_log_config #(
      .FINGERPRINT(Tables.fingerprint)
  ) config_of (
      .clk,
      .rst,
      .instrument(instrument.snk),
      .decoder(decoder.snk),
      .symbol,
      .symbol_count,
      .fits,
      .restart
  );

  order_log_number numbers (
      .clk,
      .rst,
      .restart,
      .in,
      .judged,
      .accepted,
      .out(coded.src),
      .verdict(verdict.valid),
      .some,
      .number,
      .gap,
      .old,
      .first,
      .good,
      .harmless
  );

  // ---- entries: s13

  logic entry_valid, entry_last;
  value_t [EventFields-1:0] fields;
  logic [EventNumbers+1:0][6:0] exponents_ahead;
  value_t [1:0] texts_ahead;
  logic [1:0][63:0] header;
  logic [1:0] header_absent;

  fast_wire_engine #(
      .TEMPLATES(1),
      .NUMBERS(EventNumbers),
      .HEADERS(EventHeaders),
      .WATCHES(EventWatches),
      .CONSTANT(1'b1),
      .CONSTANTS(looked_at(Tables)),
      .SEVERAL(1'b0),
      .ZEROS(2'b10)  // the quantity
  ) engine (
      .clk,
      .rst,
      .in(coded.snk),
      .load('0),
      .idle,
      .restart,
      .several(1'b0),
      .entry_valid,
      .entry_last,
      .entry(fields),
      .exponents_ahead,
      .texts_ahead,
      .header,
      .header_absent,
      .spoilt,
      .verdict
  );

  // ---- s14, s15: what an entry says. Without an action it is an add, as the map has it.

  localparam logic [7:0] Add = 8'd0, Change = 8'd1, Delete = 8'd2;  // MDUpdateAction
  localparam logic [6:0] Bid = 7'h30, Ask = 7'h31, Empty = 7'h4A;  // MDEntryType: '0', '1', 'J'

  logic [2:0] same13;  // parts of the symbol
  logic
      same_count13,
      valid14,
      adds14,
      steps14,
      changes14,
      zero14,
      sells14,
      clears14,
      odd14,
      priced14,
      after_gap14,
      ours14,
      moves14,
      wrong_price15;
  logic valid15, steps15, odd15, unpriced15;
  logic [7:0] action;
  logic [6:0] kind;
  (* keep *) logic [1:0] sides15, adds15;
  assign action = fields[CodedAt].value[7:0];
  assign kind   = fields[CodedAt+1].value[6:0];

  order_log_price #(
      .SCALE(SCALE)
  ) scaled (
      .clk,
      .exponent0(exponents_ahead[PriceAt]),
      .mantissa1(fields[PriceAt].value[63:0]),
      .factor_valid(entries.factor_valid),
      .factor_at(entries.factor_at),
      .factor(entries.factor),
      .low(entries.low),
      .wrong3(wrong_price15),
      .price3(entries.entry_price),
      .tick3(entries.entry_tick),
      .rank3(entries.rank)
  );

  assign ours14  = valid14 && !spoilt;
  assign moves14 = steps14 || (changes14 && zero14);

  always_ff @(posedge clk) begin
    for (int i = 0; i < 3; i++) same13[i] <= texts_ahead[1].value[28*i+:28] == symbol[28*i+:28];
    same_count13 <= texts_ahead[1].count == symbol_count && !texts_ahead[1].absent;

    valid14 <= entry_valid && &same13 && same_count13 && fits && !old;
    adds14 <= fields[CodedAt].absent || action == Add;
    steps14 <= fields[CodedAt].absent || action == Add || action == Delete;
    // A change moves no level, unless nothing is left.
    changes14 <= !fields[CodedAt].absent && action == Change;
    zero14 <= !fields[QuantityAt].absent && fields[QuantityAt].value[63:0] == '0;
    sells14 <= kind == Ask;
    clears14 <= kind == Empty;
    odd14 <= !(kind inside {Bid, Ask, Empty}) || fields[CodedAt+1].absent || (!fields[CodedAt].absent && action > Delete);
    priced14 <= !fields[PriceAt].absent;
    after_gap14 <= gap != '0;

    for (int s = 0; s < 2; s++) sides15[s] <= ours14 && entries.listens && moves14 && !clears14 && sells14 == 1'(s) && !rst;
    adds15 <= {2{adds14}};
    entries.entry_adds <= adds14;
    entries.entry_sells <= sells14;
    valid15 <= ours14;
    steps15 <= ours14 && entries.listens && moves14 && !clears14;
    entries.changes <= ours14 && entries.listens;
    entries.clears <= ours14 && entries.listens && clears14;
    odd15 <= ours14 && entries.listens && ((odd14 && !clears14) || after_gap14);
    unpriced15 <= !priced14;
    if (rst) {valid14, valid15, steps15, entries.changes, entries.clears, odd15} <= '0;
  end
  assign entries.steps = sides15;
  assign entries.steps_add = adds15;
  assign entries.entry = steps15;
  assign entries.wrong = odd15 || (steps15 && (unpriced15 || wrong_price15));
  assign entries.missed = valid15 && !entries.changes;

  // ---- s15 to s17: the verdict

  logic status_valid2, harmless1, read1, other1, old1, first1, frame_good1, frame_good2, readable2, other2, first2, ours2;
  logic [31:0] number1, gap1, gap2, number2;
  logic [15:0] messages, messages1, messages2;
  logic [63:0] lost_so_far;

  assign entries.between = idle && !some && !in.valid;
  assign other1 = !verdict1.good && verdict1.reason == WIRE_TEMPLATE && harmless1;
  assign read1 = frame_good1 && (verdict1.good || other1) && fits;

  always_ff @(posedge clk) begin
    messages <= (verdict.valid ? '0 : messages) + 16'(entry_valid);
    verdict1 <= verdict;
    {number1, gap1, old1, first1, frame_good1, harmless1, messages1} <= {number, gap, old, first, good, harmless, messages};

    entries.verdict_valid2 <= verdict1.valid && !old1;
    entries.verdict_good2 <= verdict1.valid && !old1 && read1;
    frame_good2 <= frame_good1;
    readable2 <= read1;
    {other2, first2, ours2} <= {other1, first1, !old1};
    {number2, gap2} <= {number1, gap1};
    messages2 <= other1 ? '0 : messages1;
    // Also of a packet without entries. The next one's come later.
    if (entries.verdict_good2) entries.next <= SequenceBits'(number2) + 1'b1;
    else if (entry_valid && !old) entries.next <= SequenceBits'(number) + 1'b1;
    if (entries.verdict_valid2 && frame_good2) lost_so_far <= lost_so_far + 64'(gap2);
    status_valid2 <= verdict1.valid;
    if (rst) begin
      verdict1.valid <= 1'b0;
      {entries.verdict_valid2, entries.verdict_good2, status_valid2, lost_so_far, messages, entries.next} <= '0;
    end
  end

  // A bad frame has left its mark on the book, and its number is not known.
  assign entries.lost = entries.verdict_valid2 && (gap2 != '0 || !readable2);
  assign entries.lost_next = !frame_good2 ? entries.next : SequenceBits'(number2) + SequenceBits'(!readable2);
  assign entries.new_session = entries.verdict_valid2 && frame_good2 && readable2 && first2;
  assign entries.from_first = number2 == 32'd1;

  always_comb begin
    status = '0;
    status.packet_valid = status_valid2 && frame_good2;
    status.packet = !ours2 ? MOLD_OLD : readable2 ? MOLD_PACKET : MOLD_MALFORMED;
    status.new_session = entries.new_session;
    status.gap = entries.lost && frame_good2;
    status.commit = entries.verdict_good2;
    status.messages = messages2;
    status.unknown_type = 16'(other2);
    status.first_sequence = 64'(number2) + 64'(!readable2);
    status.lost = lost_so_far;  // a cycle later
    status.fast.wire_rate = entries.verdict_good2 && !other2;
    status.fast.unread = entries.verdict_valid2 && frame_good2 && !readable2;
    status.fast.restarted = restart;
  end

  logic unused;
  assign unused = &{1'b0, entry_last, texts_ahead, header, header_absent};

  assert property (@(posedge clk) disable iff (rst) !entry_valid || some);
endmodule

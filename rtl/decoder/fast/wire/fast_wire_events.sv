// Entries of the wire-rate engine to events: the members' places are fixed; what their values mean is in the table of fast_events, which is loaded here too.
//
//   order id, symbol, time: a cycle before ─┬─────────────────────────────────────────────────────────┐
//   entry ─┬─ price, quantity: s1-s3 ───────┴─────────────────────────────────────────────────────────┼─ event s3
//          ├─ action, entry type, side ─ s1 meanings (RAM) ─ s2 which kind, side ─ what it needs ───────┤
//   verdict ─────────────────────────────────────────────────────────────────── and all entries good ─┴─ verdict s3
//
// Of what an event cannot be made of, whatever the reason, the verdict is not good: the microcode engine does the packet, and says what is wrong with it. So
// an entry that the map ignores, a time that is neither in the second of the last packet nor in the next one (fast_wire_second), a price of more than seven powers of ten
// are done there too.
//
// Latency: 3 cycles from an entry to its event; 1 from the engine's verdict, so that it comes with the packet's last event or after it. Throughput: an entry a
// cycle. Parameters: TEMPLATES, of the engine's set; CONSTANT, the members are MEMBERS and are not loaded. Nothing overflows.
//
// Tables are loaded while no packet is in the engine.
module fast_wire_events
  import tickwire_pkg::*;
  import fast_events_pkg::*;
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 1,
    parameter bit CONSTANT = 1'b0,
    parameter members_t MEMBERS = '0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input fast_wire_pkg::load_t load,
    input event_load_t event_load,
    /* verilator lint_on UNUSEDSIGNAL */
    input second_t second,
    input logic listens,  // the microcode engine has packets that are its own to do

    input template_at_t template_ahead2,  // of the entry of two cycles later
    input logic entry_valid,
    input logic entry_last,
    /* verilator lint_off UNUSEDSIGNAL */
    input value_t [EventFields-1:0] entry,
    input value_t [1:0] texts_ahead,  // order id and symbol of the entry of the next cycle
    input logic [1:0][63:0] header,  // of the entry of this cycle and of the next one
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [1:0] header_absent,
    input logic spoilt1,  // what the engine found up to this entry's beat makes the packet bad: a cycle after it
    input fast_wire_pkg::verdict_t verdict,  // 2 cycles after the packet's last entry

    output logic valid3,
    output event_t event3,
    output logic [63:0] symbol2,    // the event's, a cycle before it, not from flip-flops
    output logic [63:0] order_id2,
    output fast_wire_pkg::verdict_t verdict3
);
  // ---- tables

  // A digit says how long after the entry. Its time comes a cycle ahead.
  /* verilator lint_off UNUSEDSIGNAL */
  members_t members_ahead, members0, members1, members3;
  /* verilator lint_on UNUSEDSIGNAL */

  if (CONSTANT) begin : gen_constant
    assign members_ahead = MEMBERS;
  end else begin : gen_loaded
    fast_wire_table #(
        .WIDTH($bits(members_t)),
        .TEMPLATES(TEMPLATES)
    ) table_of (
        .clk,
        .rst,
        .write(load.valid && load.what == WIRE_LOAD_MEMBERS),
        .write_at(load.template_at),
        .data(load.data[$bits(members_t)-1:0]),
        .at(template_ahead2),
        .word(members_ahead)
    );
  end
  fast_wire_later #(
      .WIDTH ($bits(members_t)),
      .STAGES(1),
      .MOVES (TEMPLATES > 1)
  ) to0 (
      .clk,
      .word (members_ahead),
      .later(members0)
  );
  fast_wire_later #(
      .WIDTH ($bits(members_t)),
      .STAGES(1),
      .MOVES (TEMPLATES > 1)
  ) to1 (
      .clk,
      .word (members0),
      .later(members1)
  );
  fast_wire_later #(
      .WIDTH ($bits(members_t)),
      .STAGES(2),
      .MOVES (TEMPLATES > 1)
  ) to3 (
      .clk,
      .word (members1),
      .later(members3)
  );

  // ---- what an entry says: action, entry type, side

  meaning_e [2:0] code1, meaning1;
  logic [2:0] single, absent1, single1;

  for (genvar i = 0; i < 3; i++) begin : gen_codes
    (* no_rw_check, ram_style = "block" *) logic [3:0] codes[EventTemplates*256];
    logic [7:0] value;
    assign value = members0.coded_text[i] ? {1'b0, entry[CodedAt+i].value[6:0]} : entry[CodedAt+i].value[7:0];
    // A value of more than a byte, or a text that is not one character, has no meaning.
    assign single[i] = members0.coded_text[i] ? entry[CodedAt+i].count == 4'd1 : entry[CodedAt+i].value[63:8] == '0;
    always_ff @(posedge clk) begin
      if (event_load.valid && event_load.what == EVENT_CODE && event_load.index[9:8] == 2'(i))
        codes[{event_load.index[12:10], event_load.index[7:0]}] <= event_load.data[3:0];
      code1[i] <= meaning_e'(codes[{members0.row, value}]);
      absent1[i] <= !members0.coded[i] || entry[CodedAt+i].absent;
      single1[i] <= single[i];
    end
    assign meaning1[i] = absent1[i] ? members1.template_row.absent[i] : single1[i] ? code1[i] : MEANING_UNKNOWN;
  end

  logic [2:0] is_side, is_kind;
  meaning_e kind_of1, meaning2;
  logic unclear1, unclear2, buys1, has_side2;
  side_e side2;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      is_side[i] = meaning1[i] inside {MEANING_BUY, MEANING_SELL} && (members1.coded[i]);
      is_kind[i] = !(meaning1[i] inside {MEANING_UNKNOWN, MEANING_BUY, MEANING_SELL}) && members1.coded[i];
    end
    unclear1 = 1'b0;
    buys1 = 1'b0;
    for (int i = 0; i < 3; i++) begin
      if (members1.coded[i] && (meaning1[i] == MEANING_IGNORE || (meaning1[i] == MEANING_UNKNOWN && !absent1[i]))) unclear1 = 1'b1;
      if (is_side[i] && meaning1[i] == MEANING_BUY) buys1 = 1'b1;
    end
    // Of two that say the same thing the later field would count: which one that is, is not known here.
    if ($countones(is_side) > 1 || (is_kind[0] && is_kind[2])) unclear1 = 1'b1;
    kind_of1 = is_kind[1] ? meaning1[1] : is_kind[0] ? meaning1[0] : is_kind[2] ? meaning1[2] : members1.template_row.kind;
  end

  always_ff @(posedge clk) begin
    meaning2 <= kind_of1;
    unclear2 <= unclear1;
    has_side2 <= is_side != '0;
    side2 <= buys1 ? SIDE_BUY : SIDE_SELL;
  end

  // ---- what is there, and what is needed

  typedef struct packed {
    logic valid;
    logic last;
    logic symbol;
    logic order_id;
    logic price;
    logic quantity;
    logic sending_time;
    logic sequence_number;
    logic number_wrong;
    logic [63:0] number;
  } there_t;
  there_t there, there1, there2, there3;

  // ---- values

  logic name_wrong2, digits_wrong2, price_wrong2, quantity_wrong2, time_wrong2, quantity_zero2, quantity_negative2;
  logic [63:0] key2, number2, symbol3, order_id3;
  logic signed [63:0] price3, quantity3;
  logic [47:0] nanoseconds3;
  logic price_zero2;
  /* verilator lint_off UNUSEDSIGNAL */
  logic price_negative2;
  /* verilator lint_on UNUSEDSIGNAL */

  // These begin a cycle before the entry.
  fast_wire_name symbol (
      .clk,
      .value (texts_ahead[SymbolAt-OrderIdAt].value),
      .count (texts_ahead[SymbolAt-OrderIdAt].count),
      .wrong3(name_wrong2),
      .key3  (key2),
      .key4  (symbol3)
  );

  fast_wire_digits order_id (
      .clk,
      .value  (texts_ahead[0].value),
      .count  (texts_ahead[0].count),
      .wrong3 (digits_wrong2),
      .number3(number2),
      .number4(order_id3)
  );

  second_t now;
  logic next_known, steady, in_next2, in_next3;
  logic [63:0] next_digits;
  logic [47:0] next_nanoseconds;

  fast_wire_second second_now (
      .clk,
      .rst,
      .forget(event_load.valid),
      .worked_out(second),
      .listens,
      // A good packet in the next second, as it was when its last entry was looked at.
      .advance(verdict3.valid && verdict3.good && there3.valid && there3.last && there3.sending_time && in_next3 && steady),
      .now,
      .next_known,
      .next_digits,
      .next_nanoseconds,
      .steady
  );

  fast_wire_time sending_time (
      .clk,
      .value(header[TimeAt]),
      .decimals(members_ahead.template_row.time_decimals),
      .now,
      .next_known,
      .next_digits,
      .next_nanoseconds,
      .wrong3(time_wrong2),
      .in_next3(in_next2),
      .nanoseconds4(nanoseconds3)
  );

  fast_wire_scale price (
      .clk,
      .mantissa(entry[PriceAt].value[63:0]),
      .exponent(entry[PriceAt].exponent),
      .scale(members0.price_scale),
      .wrong2(price_wrong2),
      .zero2(price_zero2),
      .negative2(price_negative2),
      .value3(price3)
  );

  fast_wire_scale quantity (
      .clk,
      .mantissa(entry[QuantityAt].value[63:0]),
      .exponent(entry[QuantityAt].exponent),
      .scale(members0.quantity_scale),
      .wrong2(quantity_wrong2),
      .zero2(quantity_zero2),
      .negative2(quantity_negative2),
      .value3(quantity3)
  );

  always_comb begin
    there = '{
        valid: entry_valid,
        last: entry_last,
        symbol: members0.symbol && !entry[SymbolAt].absent,
        order_id: members0.order_id && !entry[OrderIdAt].absent,
        price: members0.price && !entry[PriceAt].absent,
        quantity: members0.quantity && !entry[QuantityAt].absent,
        sending_time: members0.sending_time && !header_absent[TimeAt],
        sequence_number: members0.sequence_number && !header_absent[SequenceAt],
        number_wrong: header[SequenceAt][63],
        number: header[SequenceAt]
    };
  end

  needs_t need2, need3;
  logic lacks2, wrong2, spoils, spoilt;
  logic zero3, price_zero3, side_there3;
  side_e side3;

  always_comb begin
    need2 = needs(meaning2);
    lacks2 = unclear2 || need2.none || (need2.takes_side && !has_side2) || (need2.takes_symbol && !there2.symbol)
        || (need2.takes_order_id && !there2.order_id) || (need2.takes_price && !there2.price) || (need2.takes_quantity && !there2.quantity);
    wrong2 = lacks2 || (there2.symbol && name_wrong2) || (there2.order_id && digits_wrong2) || (there2.price && price_wrong2)
        || (there2.quantity && (quantity_wrong2 || quantity_negative2)) || (there2.sending_time && time_wrong2)
        || (there2.sequence_number && there2.number_wrong);
    spoils = there2.valid && wrong2;
  end

  always_ff @(posedge clk) begin
    there1 <= there;
    there2 <= there1;
    there2.valid <= there1.valid && !spoilt1;
    there3 <= there2;
    need3 <= need2;
    side_there3 <= has_side2;
    side3 <= side2;
    zero3 <= quantity_zero2;
    price_zero3 <= price_zero2;
    in_next3 <= in_next2;
    valid3 <= there2.valid && !wrong2 && !spoilt;
    spoilt <= (spoilt || spoils) && !verdict.valid;
    verdict3 <= verdict;
    verdict3.good <= verdict.good && !spoils && !spoilt;
    if (rst) {there1.valid, there2.valid, valid3, spoilt, verdict3.valid} <= '0;
  end

  assign symbol2 = there2.symbol ? key2 : '0;
  assign order_id2 = need2.may_order_id && there2.order_id ? number2 : '0;

  always_comb begin
    event3 = '0;
    event3.kind = need3.kind;
    if (need3.kind == KIND_MODIFY && zero3) event3.kind = KIND_DELETE;  // nothing is left of it
    if (need3.kind == KIND_TRADE) event3.kind = trade_kind(price_zero3, zero3);
    event3.source = EVENT_FEED;
    event3.message_type = members3.template_row.message_type;
    event3.side = need3.may_side && side_there3 ? side3 : SIDE_BUY;
    event3.has_symbol = there3.symbol;
    event3.symbol = there3.symbol ? symbol3 : '0;
    event3.price = need3.may_price && there3.price ? price3 : '0;
    event3.quantity = need3.may_quantity && there3.quantity ? quantity3 : '0;
    event3.order_id = need3.may_order_id && there3.order_id ? order_id3 : '0;
    event3.nanoseconds = there3.sending_time ? nanoseconds3 : '0;
    event3.sequence_number = there3.sequence_number ? there3.number : '0;
    event3.last = there3.last;
  end

  assert property (@(posedge clk) disable iff (rst) !valid3 || $past({symbol2, order_id2}) == {event3.symbol, event3.order_id});

  // What makes numbers of texts relies on it.
  for (genvar i = 0; i < 2; i++) begin : gen_texts
    logic zeros;
    assign zeros = texts_ahead[i].count > 4'(Characters) || (texts_ahead[i].value >> (7 * texts_ahead[i].count)) == '0;
    assert property (@(posedge clk) disable iff (rst) !entry_valid || $past(zeros));
  end

  logic unused;
  assign unused = &{1'b0, there3, need3, template_ahead2};
endmodule

// Entries of the wire-rate engine to events: the members' places are fixed, what they mean is in the table of fast_events, which is loaded here too.
//
//   entry ─┬─ order id, symbol, price, quantity, time: s1-s5 ──────────────────────────────────────────┬─ event s5
//          ├─ action, entry type, side ─ s1 meanings (RAM) ─ s2 which kind, side ─ s3 what it needs ─ s4 ┤
//   verdict ──────────────────────────────────────────────────────────────────── and all entries good ─┴─ verdict s5
//
// Of what an event cannot be made of, whatever the reason, the verdict is not good: the microcode engine does the packet, and says what is wrong with it. So
// an entry that the map ignores, a time of another second than that of the last packet that the microcode engine did, a price of more than seven powers of ten
// are done there too.
//
// Latency: 5 cycles from an entry to its event; 3 from the engine's verdict, so that it comes with the packet's last event or after it. Throughput: an entry a
// cycle. No parameters. Nothing overflows.
//
// Tables are loaded while no packet is in the engine.
module fast_wire_events
  import tickwire_pkg::*;
  import fast_events_pkg::*;
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input fast_wire_pkg::load_t load,
    input event_load_t event_load,
    /* verilator lint_on UNUSEDSIGNAL */
    input second_t second,

    input logic entry_valid,
    input logic entry_last,
    /* verilator lint_off UNUSEDSIGNAL */
    input value_t [EventFields-1:0] entry,
    input logic [1:0][63:0] header,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic [1:0] header_absent,
    input logic spoilt1,  // what the engine found up to this entry's beat makes the packet bad: a cycle after it
    input fast_wire_pkg::verdict_t verdict,  // 2 cycles after the packet's last entry

    output logic valid5,
    output event_t event5,
    output fast_wire_pkg::verdict_t verdict5
);
  // ---- tables

  members_t members;
  event_row_t rows[EventTemplates];
  event_row_t loaded, row;
  logic [4:0] price_scale, quantity_scale;

  assign loaded = event_row_t'(event_load.data[$bits(event_row_t)-1:0]);

  always_ff @(posedge clk) begin
    if (load.valid && load.what == WIRE_LOAD_MEMBERS) members <= load.data[$bits(members_t)-1:0];
    if (event_load.valid && event_load.what == EVENT_ROW) rows[event_load.index[EventRowBits-1:0]] <= loaded;
    if (event_load.valid && event_load.what == EVENT_SCALES) {quantity_scale, price_scale} <= event_load.data[9:0];
    row <= rows[members.row];
  end

  // ---- what an entry says: action, entry type, side

  meaning_e [2:0] code1, meaning1;
  logic [2:0] single, absent1, single1;

  for (genvar i = 0; i < 3; i++) begin : gen_codes
    (* no_rw_check, ram_style = "block" *) logic [3:0] codes[EventTemplates*256];
    logic [7:0] value;
    assign value = members.coded_text[i] ? {1'b0, entry[CodedAt+i].value[6:0]} : entry[CodedAt+i].value[7:0];
    // A value of more than a byte, or a text that is not one character, has no meaning.
    assign single[i] = members.coded_text[i] ? entry[CodedAt+i].count == 4'd1 : entry[CodedAt+i].value[63:8] == '0;
    always_ff @(posedge clk) begin
      if (event_load.valid && event_load.what == EVENT_CODE && event_load.index[9:8] == 2'(i))
        codes[{event_load.index[12:10], event_load.index[7:0]}] <= event_load.data[3:0];
      code1[i] <= meaning_e'(codes[{members.row, value}]);
      absent1[i] <= !members.coded[i] || entry[CodedAt+i].absent;
      single1[i] <= single[i];
    end
    assign meaning1[i] = absent1[i] ? row.absent[i] : single1[i] ? code1[i] : MEANING_UNKNOWN;
  end

  logic [2:0] is_side, is_kind;
  meaning_e kind_of1, meaning2;
  logic unclear1, unclear2, buys1, has_side2;
  side_e side2;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      is_side[i] = meaning1[i] inside {MEANING_BUY, MEANING_SELL} && (members.coded[i]);
      is_kind[i] = !(meaning1[i] inside {MEANING_UNKNOWN, MEANING_BUY, MEANING_SELL}) && members.coded[i];
    end
    unclear1 = 1'b0;
    buys1 = 1'b0;
    for (int i = 0; i < 3; i++) begin
      if (members.coded[i] && (meaning1[i] == MEANING_IGNORE || (meaning1[i] == MEANING_UNKNOWN && !absent1[i]))) unclear1 = 1'b1;
      if (is_side[i] && meaning1[i] == MEANING_BUY) buys1 = 1'b1;
    end
    // Of two that say the same thing the later field would count: which one that is, is not known here.
    if ($countones(is_side) > 1 || (is_kind[0] && is_kind[2])) unclear1 = 1'b1;
    kind_of1 = is_kind[1] ? meaning1[1] : is_kind[0] ? meaning1[0] : is_kind[2] ? meaning1[2] : row.kind;
  end

  always_ff @(posedge clk) begin
    meaning2 <= kind_of1;
    unclear2 <= unclear1;
    has_side2 <= is_side != '0;
    side2 <= buys1 ? SIDE_BUY : SIDE_SELL;
  end

  // ---- values

  logic name_wrong4, digits_wrong4, price_wrong4, quantity_wrong4, time_wrong4, quantity_zero4, quantity_negative4;
  logic [63:0] symbol5, order_id5;
  logic signed [63:0] price5, quantity5;
  logic [47:0] nanoseconds5;
  /* verilator lint_off UNUSEDSIGNAL */
  logic price_zero4, price_negative4;
  /* verilator lint_on UNUSEDSIGNAL */

  fast_wire_name symbol (
      .clk,
      .value(entry[SymbolAt].value),
      .count(entry[SymbolAt].count),
      .wrong4(name_wrong4),
      .key5(symbol5)
  );

  fast_wire_digits order_id (
      .clk,
      .value(entry[OrderIdAt].value),
      .count(entry[OrderIdAt].count),
      .wrong4(digits_wrong4),
      .number5(order_id5)
  );

  fast_wire_scale price (
      .clk,
      .mantissa(entry[PriceAt].value[63:0]),
      .exponent(entry[PriceAt].exponent),
      .scale(price_scale),
      .wrong4(price_wrong4),
      .zero4(price_zero4),
      .negative4(price_negative4),
      .value5(price5)
  );

  fast_wire_scale quantity (
      .clk,
      .mantissa(entry[QuantityAt].value[63:0]),
      .exponent(entry[QuantityAt].exponent),
      .scale(quantity_scale),
      .wrong4(quantity_wrong4),
      .zero4(quantity_zero4),
      .negative4(quantity_negative4),
      .value5(quantity5)
  );

  fast_wire_time sending_time (
      .clk,
      .value(header[TimeAt]),
      .decimals(row.time_decimals),
      .second,
      .wrong4(time_wrong4),
      .nanoseconds5
  );

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
  there_t there, there1, there2, there3, there4;

  always_comb begin
    there = '{
        valid: entry_valid,
        last: entry_last,
        symbol: members.symbol && !entry[SymbolAt].absent,
        order_id: members.order_id && !entry[OrderIdAt].absent,
        price: members.price && !entry[PriceAt].absent,
        quantity: members.quantity && !entry[QuantityAt].absent,
        sending_time: members.sending_time && !header_absent[TimeAt],
        sequence_number: members.sequence_number && !header_absent[SequenceAt],
        number_wrong: header[SequenceAt][63],
        number: header[SequenceAt]
    };
  end

  needs_t need3, need4;
  logic unclear3, lacks4, side_there3, side_there4, wrong4, spoils, spoilt;
  side_e side3, side4;
  fast_wire_pkg::verdict_t verdict3, verdict4;

  assign spoils = there4.valid && wrong4;

  always_comb begin
    wrong4 = lacks4 || (there4.symbol && name_wrong4) || (there4.order_id && digits_wrong4) || (there4.price && price_wrong4)
        || (there4.quantity && (quantity_wrong4 || quantity_negative4)) || (there4.sending_time && time_wrong4)
        || (there4.sequence_number && there4.number_wrong);
  end

  logic zero5;
  needs_t need5;
  side_e side5;
  logic side_there5;
  there_t there5;

  always_ff @(posedge clk) begin
    there1 <= there;
    there2 <= there1;
    there2.valid <= there1.valid && !spoilt1;
    there3 <= there2;
    need3 <= needs(meaning2);
    unclear3 <= unclear2;
    side_there3 <= has_side2;
    side3 <= side2;
    there4 <= there3;
    need4 <= need3;
    side_there4 <= side_there3;
    side4 <= side3;
    lacks4 <= unclear3 || need3.none || (need3.takes_side && !side_there3) || (need3.takes_symbol && !there3.symbol)
        || (need3.takes_order_id && !there3.order_id) || (need3.takes_price && !there3.price) || (need3.takes_quantity && !there3.quantity);

    there5 <= there4;
    need5 <= need4;
    side_there5 <= side_there4;
    side5 <= side4;
    zero5 <= quantity_zero4;
    valid5 <= there4.valid && !wrong4 && !spoilt;
    spoilt <= (spoilt && !verdict4.valid) || (spoils && !verdict4.valid);
    verdict3 <= verdict;
    verdict4 <= verdict3;
    verdict5 <= verdict4;
    verdict5.good <= verdict4.good && !spoils && !spoilt;
    if (rst) begin
      {there1.valid, there2.valid, there3.valid, there4.valid, valid5, spoilt} <= '0;
      {verdict3.valid, verdict4.valid, verdict5.valid} <= '0;
    end
  end

  always_comb begin
    event5 = '0;
    event5.kind = need5.kind == KIND_MODIFY && zero5 ? KIND_DELETE : need5.kind;  // nothing is left of it
    event5.source = EVENT_FEED;
    event5.message_type = row.message_type;
    event5.side = need5.may_side && side_there5 ? side5 : SIDE_BUY;
    event5.has_symbol = there5.symbol;
    event5.symbol = there5.symbol ? symbol5 : '0;
    event5.price = need5.may_price && there5.price ? price5 : '0;
    event5.quantity = need5.may_quantity && there5.quantity ? quantity5 : '0;
    event5.order_id = need5.may_order_id && there5.order_id ? order_id5 : '0;
    event5.nanoseconds = there5.sending_time ? nanoseconds5 : '0;
    event5.sequence_number = there5.sequence_number ? there5.number : '0;
    event5.last = there5.last;
  end

  logic unused;
  assign unused = &{1'b0, row, there5, need5};
endmodule

// The members of an entry as its fields come, and the event that they make: what its kind needs, what it may have, and what is wrong with
// it.
//
// Latency: a member is there a cycle after its field; an action, an entry's type and a side two, for what a value means comes out of a RAM. No
// parameters. Nothing overflows.
module fast_event_entry
  import tickwire_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic begins_message,  // this field is a template's identifier
    /* verilator lint_off UNUSEDSIGNAL */
    input event_word_t word,
    input event_row_t row,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic mapped,
    input meaning_e code,  // what its value means,
    input logic single,  // if it is a byte or one character
    input event_value_t value,
    input logic [47:0] nanoseconds,
    input logic time_bad,

    output logic settles,  // an action, an entry's type or a side is not there yet
    output event_t out,  // when the entry is complete
    output logic out_ignored,
    output logic out_wrong,
    output logic out_keyless,  // its symbol is there, and has no key, as all of ours have
    output fault_e out_fault
);
  localparam int Faults = 15;

  logic [Members-1:0] has;
  meaning_e action, entry_type;
  logic ignored, ignored_header;
  side_e side;
  logic [63:0] sequence_number, price, quantity, orders, status;
  logic [Faults-1:0] message_faults, entry_faults, faults;

  logic is_text, is_negative;
  assign is_text = word.kind == FIELD_TEXT;
  assign is_negative = word.kind == FIELD_SIGNED && word.value[63];

  logic member_done, failing;  // the field of this cycle is a member; it is a fault
  fault_e failing_code;
  logic coded;

  assign coded = word.member inside {MEMBER_ACTION, MEMBER_ENTRY_TYPE, MEMBER_SIDE};

  // Of the coded field of the cycle before.
  logic coded_done, coded_fails, is_absent, is_single, is_unfinished;
  member_e coded_member;
  meaning_e coded_code, meant;
  fault_e coded_fault;

  always_ff @(posedge clk) begin
    settles <= value.begins && mapped && coded && !word.is_verdict && !(word.kind inside {FIELD_MARK, FIELD_MESSAGE});
    is_absent <= word.kind == FIELD_ABSENT;
    is_unfinished <= is_text && !word.last;
    is_single <= single;
    coded_member <= word.member;
    coded_code <= code;
  end

  always_comb begin
    meant = is_single ? coded_code : MEANING_UNKNOWN;
    case (coded_member)
      MEMBER_ACTION: begin
        if (is_absent) meant = row.absent[0];
        coded_fault = FAULT_UNKNOWN_ACTION;
      end
      MEMBER_ENTRY_TYPE: begin
        if (is_absent) meant = row.absent[1];
        coded_fault = FAULT_UNKNOWN_ENTRY_TYPE;
      end
      default: begin
        if (is_absent) meant = row.absent[2];
        coded_fault = FAULT_UNKNOWN_SIDE;
      end
    endcase
    coded_done = settles && !(is_absent && meant == MEANING_UNKNOWN);
    coded_fails = coded_done && meant == MEANING_UNKNOWN && !is_unfinished;
  end

  always_comb begin
    member_done = 1'b0;
    failing = 1'b0;
    failing_code = FAULT_NUMBER;
    if (mapped && !word.is_verdict && !(word.kind inside {FIELD_MARK, FIELD_MESSAGE})) begin
      if (value.begins && word.member inside {MEMBER_SEQUENCE, MEMBER_ORDERS, MEMBER_STATUS} && word.kind != FIELD_ABSENT) begin
        member_done = 1'b1;
        failing = is_negative;
      end else if (value.begins && word.member == MEMBER_TIME && word.kind != FIELD_ABSENT) begin
        member_done = value.time_taken;
        failing = is_negative;
        failing_code = FAULT_TIME;
      end else if (value.finishes) begin
        member_done = 1'b1;
        if (word.member == MEMBER_PRICE) begin
          failing_code = FAULT_PRICE_SCALE;
          failing = value.wrong || (value.negative ? value.value > 64'h8000_0000_0000_0000 : value.value[63]);
        end else begin
          failing_code = FAULT_QUANTITY_SCALE;
          failing = value.wrong || value.value[63] || (value.negative && value.value != '0);
        end
      end
    end
  end

  meaning_e meaning;
  needs_t need;

  always_comb begin
    meaning = entry_type != MEANING_UNKNOWN ? entry_type : action != MEANING_UNKNOWN ? action : row.kind;
    need = needs(meaning);

    out_wrong = 1'b1;
    faults = message_faults | entry_faults;
    if (has[MEMBER_TIME] && time_bad) faults[FAULT_TIME] = 1'b1;
    out_keyless = faults[FAULT_SYMBOL] && !has[MEMBER_SYMBOL];
    // Of several the one with the lowest number.
    out_fault = FAULT_NUMBER;
    for (int i = Faults - 1; i >= 0; i--) if (faults[i]) out_fault = fault_e'(4'(i));
    if (faults != '0) out_wrong = 1'b1;
    else if (need.none) out_fault = FAULT_NO_ACTION;
    else if (need.takes_side && !has[MEMBER_SIDE]) out_fault = FAULT_NO_SIDE;
    else if (need.takes_symbol && !has[MEMBER_SYMBOL]) out_fault = FAULT_NO_SYMBOL;
    else if (need.takes_order_id && !has[MEMBER_ORDER_ID]) out_fault = FAULT_NO_ORDER_ID;
    else if (need.takes_price && !has[MEMBER_PRICE]) out_fault = FAULT_NO_PRICE;
    else if (need.takes_quantity && !has[MEMBER_QUANTITY]) out_fault = FAULT_NO_QUANTITY;
    else begin
      out_wrong = 1'b0;
      out_fault  = FAULT_NUMBER;
    end

    out = '0;
    out.kind = need.kind;
    if (need.kind == KIND_MODIFY && quantity == '0) out.kind = KIND_DELETE;  // nothing is left of it
    if (need.kind == KIND_TRADE) out.kind = trade_kind(price == '0, quantity == '0);
    out.source = EVENT_FEED;
    out.message_type = row.message_type;
    out.side = need.may_side && has[MEMBER_SIDE] ? side : SIDE_BUY;
    out.has_symbol = has[MEMBER_SYMBOL];
    out.symbol = has[MEMBER_SYMBOL] ? value.symbol.value : '0;
    out.price = need.may_price && has[MEMBER_PRICE] ? price : '0;
    out.quantity = need.may_quantity && has[MEMBER_QUANTITY] ? quantity : '0;
    out.order_id = need.may_order_id && has[MEMBER_ORDER_ID] ? value.order_id.value : '0;
    out.nanoseconds = has[MEMBER_TIME] ? nanoseconds : '0;
    out.sequence_number = has[MEMBER_SEQUENCE] ? sequence_number : '0;
    if (need.kind == KIND_STATUS) out.quantity = has[MEMBER_STATUS] ? status : '0;
    if (need.kind == KIND_LEVEL && out.quantity != '0) out.order_id = has[MEMBER_ORDERS] ? orders : '0;
  end

  assign out_ignored = ignored || ignored_header;

  always_ff @(posedge clk) begin
    if (member_done) begin
      if (!failing) begin
        has[word.member] <= 1'b1;
        case (word.member)
          MEMBER_SEQUENCE: sequence_number <= word.value;
          MEMBER_ORDERS: orders <= word.value;
          MEMBER_STATUS: status <= word.value;
          MEMBER_PRICE: price <= value.negative ? -value.value : value.value;
          MEMBER_QUANTITY: quantity <= value.value;
          default: ;
        endcase
      end else if (row.in_entry[word.member]) entry_faults[failing_code] <= 1'b1;
      else message_faults[failing_code] <= 1'b1;
    end
    if (coded_fails) begin
      if (row.in_entry[coded_member]) entry_faults[coded_fault] <= 1'b1;
      else message_faults[coded_fault] <= 1'b1;
    end else if (coded_done) begin
      if (meant inside {MEANING_BUY, MEANING_SELL}) begin
        has[MEMBER_SIDE] <= 1'b1;
        side <= meant == MEANING_BUY ? SIDE_BUY : SIDE_SELL;
      end else if (meant == MEANING_IGNORE) begin
        if (row.in_entry[coded_member]) ignored <= 1'b1;
        else ignored_header <= 1'b1;
      end else if (coded_member == MEMBER_ENTRY_TYPE) entry_type <= meant;
      else action <= meant;
    end
    // Symbol and order id are done when other fields are here.
    if (value.symbol.done) begin
      if (!value.symbol.wrong) has[MEMBER_SYMBOL] <= 1'b1;
      else if (row.in_entry[MEMBER_SYMBOL]) entry_faults[FAULT_SYMBOL] <= 1'b1;
      else message_faults[FAULT_SYMBOL] <= 1'b1;
    end
    if (value.order_id.done) begin
      if (!value.order_id.wrong) has[MEMBER_ORDER_ID] <= 1'b1;
      else if (row.in_entry[MEMBER_ORDER_ID]) entry_faults[FAULT_ORDER_ID] <= 1'b1;
      else message_faults[FAULT_ORDER_ID] <= 1'b1;
    end
    if (value.complete) begin
      has <= has & ~row.in_entry;
      // Each of the three may say a side or an action; the host loads no table in which only some of them are in the entry.
      if (|row.in_entry[MEMBER_SIDE:MEMBER_ACTION]) begin
        has[MEMBER_SIDE] <= 1'b0;
        {action, entry_type} <= {MEANING_UNKNOWN, MEANING_UNKNOWN};
      end
      ignored <= 1'b0;
      entry_faults <= '0;
    end
    if (begins_message) begin
      has <= '0;
      {action, entry_type} <= {MEANING_UNKNOWN, MEANING_UNKNOWN};
      {ignored, ignored_header, message_faults, entry_faults} <= '0;
    end
  end
endmodule

// The table of fast_events, and what its parts tell each other (docs/reference/fast-events.md). crates/decoder/src/fast has the same
// numbers.
package fast_events_pkg;

  localparam int EventTemplates = 8;
  localparam int EventRowBits = 3;

  // What a field is: bits 31:28 of its number in the program.
  typedef enum logic [3:0] {
    MEMBER_NONE       = 4'd0,
    MEMBER_SEQUENCE   = 4'd1,
    MEMBER_TIME       = 4'd2,
    MEMBER_SYMBOL     = 4'd3,
    MEMBER_ORDER_ID   = 4'd4,
    MEMBER_PRICE      = 4'd5,
    MEMBER_QUANTITY   = 4'd6,
    MEMBER_ORDERS     = 4'd7,
    MEMBER_STATUS     = 4'd8,
    MEMBER_ACTION     = 4'd9,
    MEMBER_ENTRY_TYPE = 4'd10,
    MEMBER_SIDE       = 4'd11
  } member_e;

  localparam int Members = 12;

  // What a value of an action, an entry's type or a side means.
  typedef enum logic [3:0] {
    MEANING_UNKNOWN      = 4'd0,
    MEANING_ADD          = 4'd1,
    MEANING_MODIFY       = 4'd2,
    MEANING_EXECUTE      = 4'd3,
    MEANING_REDUCE       = 4'd4,
    MEANING_DELETE       = 4'd5,
    MEANING_TRADE        = 4'd6,
    MEANING_STATUS       = 4'd7,
    MEANING_CLEAR        = 4'd8,
    MEANING_LEVEL        = 4'd9,
    MEANING_REMOVE_LEVEL = 4'd10,
    MEANING_BUY          = 4'd11,
    MEANING_SELL         = 4'd12,
    MEANING_IGNORE       = 4'd13
  } meaning_e;

  // Why an entry is no event. The order is that of the software: of several faults the first of these counts.
  typedef enum logic [3:0] {
    FAULT_UNKNOWN_ACTION     = 4'd0,
    FAULT_UNKNOWN_ENTRY_TYPE = 4'd1,
    FAULT_UNKNOWN_SIDE       = 4'd2,
    FAULT_NO_ACTION          = 4'd3,
    FAULT_NO_SIDE            = 4'd4,
    FAULT_NO_SYMBOL          = 4'd5,
    FAULT_NO_ORDER_ID        = 4'd6,
    FAULT_NO_PRICE           = 4'd7,
    FAULT_NO_QUANTITY        = 4'd8,
    FAULT_SYMBOL             = 4'd9,
    FAULT_ORDER_ID           = 4'd10,
    FAULT_PRICE_SCALE        = 4'd11,
    FAULT_QUANTITY_SCALE     = 4'd12,
    FAULT_TIME               = 4'd13,
    FAULT_NUMBER             = 4'd14,
    FAULT_OVERFLOW           = 4'd15   // fields found no room: the hardware's own
  } fault_e;

  // A template.
  typedef struct packed {
    logic used;
    logic [31:0] id;
    logic [7:0] message_type;
    meaning_e kind;  // of an entry whose fields do not say it
    meaning_e [2:0] absent;  // what an absent action, type, side means; unknown: nothing
    logic [Members-1:0] in_entry;  // members that end with the entry
    logic per_entry;  // an event an entry; else one a message
    logic [1:0] time_decimals;  // of the second, in groups of three
  } event_row_t;

  // A field that waits, or a verdict.
  typedef struct packed {
    logic is_verdict;
    logic good;
    logic lost;  // fields before it found no room
    member_e member;
    fast_pkg::field_e kind;
    logic [63:0] value;
    logic [6:0] exponent;
    logic [3:0] count;
    logic first;
    logic last;
    logic entry_end;
    logic message_end;
  } event_word_t;

  // What a word is, known a cycle before it is worked on.
  typedef struct packed {
    logic message;  // a template's identifier
    logic time_value;  // values of these members
    logic order_id;
    logic symbol;
    logic number;  // a price or a quantity
    logic entry_end;  // ends a field, not a verdict
    logic message_end;
  } event_class_t;

  /* verilator lint_off UNUSEDSIGNAL */  // its value
  function automatic event_class_t class_of(event_word_t word);
    logic is_value;
    is_value = !word.is_verdict && !(word.kind inside {fast_pkg::FIELD_MESSAGE, fast_pkg::FIELD_ABSENT, fast_pkg::FIELD_MARK});
    class_of.message = !word.is_verdict && word.kind == fast_pkg::FIELD_MESSAGE;
    class_of.time_value = is_value && word.member == MEMBER_TIME;
    class_of.order_id = is_value && word.member == MEMBER_ORDER_ID;
    class_of.symbol = is_value && word.member == MEMBER_SYMBOL;
    class_of.number = is_value && word.member inside {MEMBER_PRICE, MEMBER_QUANTITY};
    class_of.entry_end = !word.is_verdict && word.entry_end;
    class_of.message_end = !word.is_verdict && word.message_end;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // What an event of a meaning is, needs, and may have.
  typedef struct packed {
    logic none;  // it says nothing that an entry can do
    tickwire_pkg::event_kind_e kind;
    logic takes_side, takes_symbol, takes_order_id, takes_price, takes_quantity;
    logic may_side, may_order_id, may_price, may_quantity;
  } needs_t;

  function automatic needs_t needs(meaning_e meaning);
    needs = '0;
    needs.none = meaning inside {MEANING_UNKNOWN, MEANING_BUY, MEANING_SELL, MEANING_IGNORE};
    case (meaning)
      MEANING_ADD: needs.kind = tickwire_pkg::KIND_ADD;
      MEANING_MODIFY: needs.kind = tickwire_pkg::KIND_MODIFY;
      MEANING_EXECUTE: needs.kind = tickwire_pkg::KIND_EXECUTE;
      MEANING_REDUCE: needs.kind = tickwire_pkg::KIND_REDUCE;
      MEANING_DELETE: needs.kind = tickwire_pkg::KIND_DELETE;
      MEANING_TRADE: needs.kind = tickwire_pkg::KIND_TRADE;
      MEANING_CLEAR: needs.kind = tickwire_pkg::KIND_CLEAR;
      MEANING_LEVEL, MEANING_REMOVE_LEVEL: needs.kind = tickwire_pkg::KIND_LEVEL;
      default: needs.kind = tickwire_pkg::KIND_STATUS;
    endcase
    needs.takes_side = meaning inside {MEANING_ADD, MEANING_LEVEL, MEANING_REMOVE_LEVEL};
    needs.takes_symbol = needs.takes_side || meaning inside {MEANING_TRADE, MEANING_CLEAR};
    needs.takes_order_id = meaning inside {MEANING_ADD, MEANING_MODIFY, MEANING_EXECUTE, MEANING_REDUCE, MEANING_DELETE};
    needs.takes_price = needs.takes_side || meaning == MEANING_TRADE;
    needs.takes_quantity = meaning inside
        {MEANING_ADD, MEANING_MODIFY, MEANING_EXECUTE, MEANING_REDUCE, MEANING_TRADE, MEANING_LEVEL};
    needs.may_side = needs.takes_side || meaning inside {MEANING_MODIFY, MEANING_TRADE};
    needs.may_order_id = needs.takes_order_id || meaning == MEANING_TRADE;
    needs.may_price = needs.takes_price || meaning inside {MEANING_MODIFY, MEANING_EXECUTE};
    needs.may_quantity = needs.takes_quantity;
  endfunction

  // A symbol or an order id.
  typedef struct packed {
    logic done;  // pulse
    logic wrong;
    logic [63:0] value;  // until another one begins
  } text_value_t;

  // What has come of a field.
  typedef struct packed {
    logic begins;  // its first cycle
    logic finishes;  // the value of a price or a quantity is there
    logic complete;  // the event that ends with it is
    logic time_taken;  // it is a time, and being worked out
    logic wrong;  // it is no number
    logic negative;  // `value` is that without its sign
    logic [63:0] value;
    text_value_t symbol;  // whatever the field is now
    text_value_t order_id;
  } event_value_t;

  typedef enum logic [1:0] {
    EVENT_ROW    = 2'd0,
    EVENT_CODE   = 2'd1,  // index: row, which of the three, value
    EVENT_SCALES = 2'd2   // of the quantity, of the price: 5 bits each
  } event_load_e;

  typedef struct packed {
    logic valid;
    event_load_e what;
    logic [12:0] index;
    logic [95:0] data;
  } event_load_t;

endpackage

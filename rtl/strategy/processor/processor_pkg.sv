// Types of the strategy processor. Operations, addresses and waits are those of crates/language_processor/src/instruction.rs; docs/reference/strategy-processor.md explains them.
package processor_pkg;
  localparam int ValueWidth = 64;
  localparam int AddressWidth = 9;  // of a word of data
  localparam int PlaceWidth = 10;  // of an instruction
  localparam int FieldWidth = 10;  // of an operand: an address, or INDEXED or an input

  typedef logic signed [ValueWidth-1:0] value_t;
  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [PlaceWidth-1:0] place_t;

  // In place of an address its highest bit: the word that `index` found, as `b` and `to`; an input, as `a`.
  localparam int Special = FieldWidth - 1;
  localparam address_t Nowhere = '1;

  typedef enum logic [5:0] {
    PROCESSOR_WAIT,
    PROCESSOR_MOVE,
    PROCESSOR_ADD,
    PROCESSOR_SUBTRACT,
    PROCESSOR_AND,
    PROCESSOR_OR,
    PROCESSOR_XOR,
    PROCESSOR_HALF,
    PROCESSOR_SELECT,
    PROCESSOR_TEST,
    PROCESSOR_EQUAL,
    PROCESSOR_NOT_EQUAL,
    PROCESSOR_LESS,
    PROCESSOR_GREATER_EQUAL,
    PROCESSOR_GREATER,
    PROCESSOR_LESS_EQUAL,
    PROCESSOR_JUMP,
    PROCESSOR_JUMP_IF,
    PROCESSOR_JUMP_UNLESS,
    PROCESSOR_INDEX,
    PROCESSOR_MULTIPLY,
    PROCESSOR_DIVIDE,
    PROCESSOR_MODULO,
    PROCESSOR_SHIFT_LEFT,
    PROCESSOR_SHIFT_RIGHT,
    PROCESSOR_LEVEL,
    PROCESSOR_TERMS,
    PROCESSOR_NEW,
    PROCESSOR_CANCEL,
    PROCESSOR_REPLACE,
    PROCESSOR_VALUE,
    PROCESSOR_EMIT,
    PROCESSOR_END
  } operation_e;

  typedef struct packed {
    operation_e operation;
    logic [FieldWidth-1:0] to;
    logic [FieldWidth-1:0] a;
    logic [FieldWidth-1:0] b;
  } instruction_t;

  // What a handler sees of its event; events have members in the same place where none has both.
  localparam int EventInputs = 11;
  // After them: what the units have.
  localparam int ProductInput = 11;
  localparam int QuotientInput = 12;
  localparam int OrderInput = 13;
  localparam int LevelInput = 14;  // price, quantity, orders
  localparam int Inputs = 17;

  typedef enum logic [1:0] {
    HANDLER_BOOK,
    HANDLER_TRADE,
    HANDLER_ORDER,
    HANDLER_TIMER
  } handler_e;

  typedef enum logic [1:0] {
    INTENT_NEW,
    INTENT_CANCEL,
    INTENT_REPLACE
  } processor_intent_e;

  // What a strategy asks for. A member that does not fit makes the whole unfit: it is to be refused.
  typedef struct packed {
    processor_intent_e        kind;
    logic               fits;
    logic [31:0]        order;          // its number
    logic [2:0]         time_in_force;  // FIX's TimeInForce (59)
    logic               limit;          // it has a price
    logic               sell;
    logic [7:0]         instrument;
    logic signed [47:0] price;
    logic [31:0]        quantity;
  } processor_intent_t;

  // What the host writes, while nothing runs.
  typedef enum logic [1:0] {
    LOAD_DATA,         // a word
    LOAD_INSTRUCTION,  // of the program
    LOAD_ENTRY,        // [9:0] place of a handler's first instruction, [10] there is that handler, [63:16] of a timer its interval in ns;
                       // of the book [11] it reads levels, [12] it is called at each change; the address is the handler's number
    LOAD_CONTROL       // [0] a fault stops the strategy; what was stopped goes on
  } processor_load_e;

  // Whether nothing of a value is lost in so many bits without a sign.
  function automatic logic is_small(input value_t value, input int width);
    return (value >>> width) == '0;
  endfunction

  // An intent of values as strategies have them. A cancel has no terms, and only a new order an instrument; its number always fits.
  function automatic processor_intent_t narrowed(input processor_intent_e kind, input value_t order, input logic [2:0] time_in_force,
                                                 input logic limit, input logic sell, input value_t instrument, input value_t price,
                                                 input value_t quantity);
    logic order_fits, terms_fit;
    order_fits = kind == INTENT_NEW ? is_small(instrument, 8) : is_small(order, 32);
    terms_fit = is_small(quantity, 32) && (!limit || value_t'($signed(price[47:0])) == price);
    return
    '{
        kind: kind,
        fits: order_fits && (kind == INTENT_CANCEL || terms_fit),
        order: order[31:0],
        time_in_force: time_in_force,
        limit: limit,
        sell: sell,
        instrument: kind == INTENT_NEW ? instrument[7:0] : '0,
        price: limit ? price[47:0] : '0,
        quantity: quantity[31:0]
    }
    ;
  endfunction

  function automatic logic writes(input operation_e operation);
    return operation inside {PROCESSOR_MOVE, PROCESSOR_ADD, PROCESSOR_SUBTRACT, PROCESSOR_AND, PROCESSOR_OR, PROCESSOR_XOR, PROCESSOR_HALF,
                             PROCESSOR_SELECT, PROCESSOR_EQUAL, PROCESSOR_NOT_EQUAL, PROCESSOR_LESS, PROCESSOR_GREATER_EQUAL,
                             PROCESSOR_GREATER, PROCESSOR_LESS_EQUAL};
  endfunction

  function automatic logic sets_flag(input operation_e operation);
    return operation inside {PROCESSOR_TEST, PROCESSOR_EQUAL, PROCESSOR_NOT_EQUAL, PROCESSOR_LESS, PROCESSOR_GREATER_EQUAL,
                             PROCESSOR_GREATER, PROCESSOR_LESS_EQUAL};
  endfunction

  // Nothing goes on until a unit answers.
  function automatic logic is_long(input operation_e operation);
    return operation inside {PROCESSOR_DIVIDE, PROCESSOR_MODULO, PROCESSOR_SHIFT_LEFT, PROCESSOR_SHIFT_RIGHT, PROCESSOR_LEVEL};
  endfunction
endpackage

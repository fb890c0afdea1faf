// What the parts of the wire-rate FAST engine tell each other, and the words of its tables.
//
// A digit at the end of a name is the stage that has it in a register: `count3` is known three cycles after the beat came in.
//
// `r` is how many tokens are left in the entry, an optional decimal counted as two. While the header is read it is HeaderRow + the tokens that are left of it,
// so that one table has both.
package fast_wire_pkg;
  localparam int Lanes = 8;
  localparam int MapBits = 14;  // of an entry's presence map, at most
  localparam int NullRows = 32;  // a null exponent is looked for with r below this
  localparam int EndRows = 12;  // with r below this an entry can end in a beat: 7 tokens, 4 of them null exponents
  localparam int HeaderRow = 40;
  localparam int HeaderRows = 16;
  localparam int Rows = HeaderRow + HeaderRows;
  localparam int MostNulls = 4;  // null exponents in a beat
  localparam int Characters = 12;  // of the longest value
  localparam int ValueBits = 7 * Characters;
  localparam int NumberBytes = 5;  // of a 32-bit integer
  localparam int LongBytes = 9;  // of a longer one: 63 bits

  typedef logic [5:0] row_t;

  // Why a packet is not done: what goes wrong in the first beat that has something, for after it the walk is lost. Of that the lowest number, and the
  // first two in any case.
  typedef enum logic [3:0] {
    WIRE_GOOD     = 4'd0,
    WIRE_FRAME    = 4'd1,  // the frame's verdict was bad
    WIRE_TEMPLATE = 4'd2,  // another template; a message's presence map that is not the usual one; no Reset where one is needed
    WIRE_HEADER   = 4'd3,  // a value of the header
    WIRE_LATE     = 4'd4,  // a null exponent that the walk did not reckon with, or one that it took something else for
    WIRE_STARTS   = 4'd5,  // two entries begin in one beat, or an entry is shorter than a beat where that matters
    WIRE_NULLS    = 4'd6,  // more than four null exponents in a beat
    WIRE_MAP      = 4'd7,  // an entry's presence map is too long, or has bits that nothing takes
    WIRE_VALUE    = 4'd8,  // a wanted value: outside its type, longer than its place, overlong, or not there
    WIRE_END      = 4'd9,  // the packet ends inside an entry
    WIRE_LENGTH   = 4'd10  // the sequence's length is not the number of entries
  } reason_e;
  localparam int Reasons = 11;

  // ---- tables

  localparam int MostTemplates = 8;
  localparam int WordStages = 11;  // stages 0 to 10 of the engine have the template's word
  typedef logic [$clog2(MostTemplates)-1:0] template_at_t;

  // Which template of the set a packet is of.
  typedef struct packed {
    logic known;  // one of them
    template_at_t at;
  } choice_t;

  typedef struct packed {
    logic used;
    logic [MapBits-1:0] one;  // bits of the presence map that each add a token
    logic [MapBits-1:0] two;  // those of them that add another one: decimals
    logic [MapBits-1:0] known;  // all that a field takes
    row_t tokens;  // that need no bit; one less where entries have no presence map
    logic no_map;
    logic [NullRows-1:0] exponents;  // bit r: the next token is the exponent of an optional decimal,
    logic guessed;  // or likely is: every null exponent has to be where one is watched
    logic [MapBits-1:0] late;  // the one bit that a field after exponents needs,
    logic [4:0] late_row;  // and that field's r, if it is there: exponents before it are a row higher then
    logic [3:0] header;  // tokens before the first entry
    logic [6:0] header_map;  // the message's presence map: with another one the packet is not done
    logic [1:0] id_bytes;
    logic [20:0] id;
    logic [7:0] reset_id;  // a message before it that is its presence map and this byte; 0: none
    logic needs_reset;  // a packet without one is not done: the engine has no dictionary for what outlives a packet
    logic outlives;  // the wanted fields' dictionary entries outlive a packet
    logic [3:0] length_at;  // which token of the header
    logic length_nullable;
  } template_t;

  // Where a field is: at position base + bits before it in the presence map, if it is there.
  typedef struct packed {
    logic used;
    row_t base;
    logic [MapBits-1:0] one;  // of fields before it
    logic [MapBits-1:0] two;
    logic [MapBits-1:0] bit_mask;  // its own
    logic always_there;
  } place_t;

  typedef enum logic [2:0] {
    WIRE_NONE      = 3'd0,
    WIRE_DEFAULT   = 3'd1,
    WIRE_COPY      = 3'd2,
    WIRE_INCREMENT = 3'd3,
    WIRE_DELTA     = 3'd4
  } operator_e;

  typedef struct packed {
    place_t place;
    logic nullable;
    logic is_signed;  // the token
    logic type_signed;  // the value
    logic [1:0] size;  // of an integer: 8, 16, 32, 64 bits
    logic text;
    logic decimal;  // an exponent, and then this
    operator_e op;
  } field_t;

  typedef struct packed {
    logic present;  // there is an initial value
    logic [3:0] count;
    logic [6:0] exponent;
    logic [ValueBits-1:0] value;
  } initial_t;

  // A wanted integer of the header.
  typedef struct packed {
    logic used;
    logic [3:0] at;  // which token
    logic nullable;
    logic is_signed;  // a delta, of a dictionary that is empty
    logic type_signed;
    logic [1:0] size;
  } header_t;

  typedef enum logic [2:0] {
    WIRE_LOAD_TEMPLATE = 3'd0,
    WIRE_LOAD_FIELD    = 3'd1,
    WIRE_LOAD_INITIAL  = 3'd2,
    WIRE_LOAD_HEADER   = 3'd3,
    WIRE_LOAD_WATCH    = 3'd4,  // the place of an exponent that is only watched
    WIRE_LOAD_MEMBERS  = 3'd5   // which places are members of an event, and the words' fingerprint
  } load_e;

  typedef struct packed {
    logic valid;
    load_e what;
    template_at_t template_at;
    logic [3:0] index;
    logic [159:0] data;
  } load_t;

  // ---- members of an event, each with its place: the engine's with three numbers, two longs, two texts (order id, symbol), two of the header (number, time)

  localparam int EventNumbers = 3;
  localparam int EventFields = EventNumbers + 4;
  localparam int CodedAt = 0;  // action, entry type, side: the numbers
  localparam int PriceAt = 3;
  localparam int QuantityAt = 4;
  localparam int OrderIdAt = 5;
  localparam int TimeAt = 1;  // in the header

  // ---- tables as constants: of one template, for a core that is built for it (fast_wire_constants_pkg)

  localparam int EventHeaders = 2;
  localparam int EventWatches = 2;

  typedef struct packed {
    logic [31:0] fingerprint;  // CRC-32 of the words as the host loads them: it loads it beside the members
    template_t template_word;
    field_t [EventFields-1:0] fields;
    initial_t [EventFields-1:0] initials;
    header_t [EventHeaders-1:0] headers;
    place_t [EventWatches-1:0] watches;
  } constants_t;

  // ---- what leaves

  typedef struct packed {
    logic absent;
    logic [6:0] exponent;
    logic [3:0] count;  // characters of a text
    logic [ValueBits-1:0] value;  // an integer or mantissa, its sign extended to 64 bits; a text's last character in the lowest seven
  } value_t;

  typedef struct packed {
    logic valid;
    logic good;
    reason_e reason;
  } verdict_t;

  // Another message begins in a beat, after the last entry of the one before.
  typedef struct packed {
    logic valid;
    logic [2:0] lane;
  } further_t;

  // ---- between the stages

  // In which cycle a stage has its beat. With SHORT three stages take none: what constants leave of stages 3, 8 and 12 fits into the cycle of the stage
  // that follows.
  function automatic int cycle_of(int stage, bit at_short);
    return at_short ? stage - int'(stage >= 3) - int'(stage >= 8) - int'(stage >= 12) : stage;
  endfunction

  typedef struct packed {
    logic valid;
    logic last;
    logic err;
  } beat_t;

  // A byte of a beat.
  typedef struct packed {
    logic [6:0] bits;
    logic kept;
    logic stop;
    logic begins;  // a token
    logic is_null;  // the token is the single byte 0x80
    logic [2:0] ordinal;  // of the token that it belongs to, in the beat
  } lane_t;

  // A token, at the lane where it ends.
  typedef struct packed {
    logic [3:0] count;  // bytes; 15: more than can be counted
    logic negative;  // its highest bit, if it is a signed number
    logic leads_zero;  // more than one byte, and the first is 0: an overlong unsigned number
    logic leads_sign;  // an overlong signed one
  } token_t;

  function automatic logic [3:0] ones(logic [6:0] bits);
    logic [1:0] low, high;
    low  = 2'(bits[0]) + 2'(bits[1]) + 2'(bits[2]);
    high = 2'(bits[3]) + 2'(bits[4]) + 2'(bits[5]);
    return 4'(low) + 4'(high) + 4'(bits[6]);
  endfunction
endpackage

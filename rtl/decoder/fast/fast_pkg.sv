// What the parts of the FAST engine tell each other, and the words of its program (docs/reference/fast-microcode.md).
package fast_pkg;

  localparam int GroupSize = 4;  // instructions
  localparam int MapBytes = 5;  // of a presence map, at most
  localparam int MapBits = 7 * MapBytes;
  localparam int Window = 10;  // bytes of a token that are seen at once: the longest integer
  localparam int HashedBits = 14;  // of a template identifier: two bytes
  localparam int RowBits = 9;  // rows of the jump table
  localparam int LongestText = 64;  // bytes of a string in the dictionary, of an initial value, of a constant
  localparam int Texts = 32;  // dictionary entries that may be strings: the first ones
  localparam int TextBits = $clog2(4 * Texts * LongestText / 8);  // of an address in the text memory

  // What is wrong with a packet. The codes of the specification, then the engine's own.
  typedef enum logic [4:0] {
    FAST_GOOD      = 5'd0,
    FAST_D2        = 5'd1,   // integer outside its type
    FAST_D4        = 5'd2,   // previous value of another type
    FAST_D5        = 5'd3,   // no value, none before, no initial value
    FAST_D6        = 5'd4,   // the previous value is empty
    FAST_D7        = 5'd5,   // subtraction length
    FAST_D9        = 5'd6,   // unknown template
    FAST_R1        = 5'd7,   // decimal out of range
    FAST_R2        = 5'd8,   // not UTF-8
    FAST_R4        = 5'd9,   // sum outside the type
    FAST_R6        = 5'd10,  // overlong integer
    FAST_R7        = 5'd11,  // overlong presence map
    FAST_R8        = 5'd12,  // presence-map bits that no field takes
    FAST_R9        = 5'd13,  // overlong string
    FAST_TRUNCATED = 5'd16,  // the packet ends inside a message
    FAST_FRAME     = 5'd17,  // the frame's verdict was bad
    FAST_OVERFLOW  = 5'd18,  // the packet buffer was full
    FAST_TOO_LONG  = 5'd19,  // a string that the dictionary has no room for
    FAST_TOO_DEEP  = 5'd20   // a template reference inside too many others, sequences and groups
  } fast_error_e;

  // ---- tokens

  // The lowest data bits of a token that may be a template identifier.
  typedef struct packed {
    logic single;  // it has one byte: the bits above 7 are not its own
    logic [HashedBits-1:0] bits;
  } ahead_t;

  // Up to eight bytes that belong together: an entity that ends with its stop bit, or a piece of a longer one.
  typedef struct packed {
    logic [Window-1:0][7:0] data;  // the last bytes, byte 0 the last: those before `count` are of earlier pieces, or none of it
    logic [3:0] count;  // bytes in this piece, 1 to 8
    logic first;  // the first piece of its entity
    logic last;  // it has the stop bit; not with `finish`
    logic is_null;  // the single byte 0x80
    logic finish;  // no token: the packet is over
    fast_error_e error;  // of a packet that is over: bad frame, or overflow
    logic [13:0] offset;  // of the byte after it, from the packet's first
  } token_t;

  // A beat, and what is known of its stop bits. Of W = 8 the first byte and lane are used.
  typedef struct packed {
    logic [7:0][7:0] data;  // bytes that are not kept have no stop bit
    logic [7:0] first;  // the lowest byte with a stop bit, one-hot
    logic has_stop;
    logic only;  // one
    logic breaks;  // the packet ends before it: it has no byte
    logic [2:0] trailing;  // bytes after the last stop bit
    logic last;  // of its packet
    logic cut;  // the packet's last byte has no stop bit, and is given one, so that it leaves
    fast_error_e error;  // of the packet
  } beat_t;

  // ---- the program

  // What an instruction means for the walk.
  typedef enum logic [2:0] {
    WALK_FIELD    = 3'd0,  // an integer, a mantissa
    WALK_VALUE    = 3'd1,  // no token, whatever its bit: a constant
    WALK_TEXT     = 3'd2,  // a string: every piece is given on; where it takes no token a byte vector, whose length came before it
    WALK_EXPONENT = 3'd3,  // if it is absent, the next instruction is skipped; the length of a byte vector too
    WALK_MAP      = 3'd4,  // the presence map of an entry
    WALK_LENGTH   = 3'd5,  // of the sequence that begins in the next group; none: go on at the target
    WALK_GROUP    = 3'd6,  // presence map of a group, which replaces the open one until its end; absent: go on at the target
    WALK_BRANCH   = 3'd7   // a group without a map: absent: go on at the target
  } walk_e;

  typedef struct packed {
    logic unconditional;  // it has no bit in the presence map, as if that were set
    logic [1:0] bit_index;  // of its bit, from the first that the group takes
    logic act_set;  // with its bit set there is something to do
    logic act_clear;  // without it too
    walk_e kind;
    logic takes;  // with its bit set it takes a token
    // An exponent: the token NULL makes it absent. A string with copy: its pieces go as they come, and the walk waits where there is none, if the entry may have
    // one of more than eight bytes.
    logic by_kind;
    logic waits_set;  // with its bit set the walk waits for its value
    logic waits_clear;  // without it
    logic [7:0] slot;  // dictionary entry
  } walk_t;

  // Of a group's instructions that have something to do, the first.
  typedef struct packed {
    logic [GroupSize-1:0] chosen;  // which one it is, one-hot; none
    logic alone;  // it is the only one
    logic alone_but_skipped;  // it would be if the next instruction were skipped
    logic needs;  // a token
    logic skips;  // the next instruction, if its token is NULL
    logic waits;  // for its value
    logic copies;  // a string with copy, in the stream
    logic recalls;  // one that is not
    logic [2:0] place;  // of its dictionary entry, modulo 8
  } first_t;

  typedef enum logic [2:0] {
    END_NONE      = 3'd0,
    END_MESSAGE   = 3'd1,
    END_ENTRY     = 3'd2,  // of a sequence whose entries have no map of their own
    END_ENTRY_MAP = 3'd3,  // of one whose entries have one
    END_GROUP     = 3'd4,  // of a group with a map
    END_REFERENCE = 3'd5   // nothing: a template reference comes after it
  } end_e;

  typedef struct packed {
    walk_t [GroupSize-1:0] walk;
    logic begins_map;  // the first instruction takes the presence map of the others
    logic [2:0] map_bits;  // how many they take, but for the last one
    logic takes_more;  // one more, unless the exponent among them is absent
    end_e ends;  // what ends after it
    logic has_length;  // the last instruction gives a sequence's length
    logic nullable_length;
    logic [8:0] target;  // a group
  } group_t;

  // A row of the jump table, at the hash of a template's identifier.
  typedef struct packed {
    logic used;
    logic reset;  // of all dictionaries
    logic empty;  // no instructions
    logic [31:0] id;
    logic [8:0] follows;  // the group after the first
    group_t group;  // the first
  } row_t;

  typedef enum logic [2:0] {
    OPERATOR_NONE      = 3'd0,
    OPERATOR_CONSTANT  = 3'd1,
    OPERATOR_DEFAULT   = 3'd2,
    OPERATOR_COPY      = 3'd3,
    OPERATOR_INCREMENT = 3'd4,
    OPERATOR_DELTA     = 3'd5,
    OPERATOR_TAIL      = 3'd6
  } operator_e;

  typedef enum logic [2:0] {
    VALUE_NONE     = 3'd0,
    VALUE_UNSIGNED = 3'd1,
    VALUE_SIGNED   = 3'd2,
    VALUE_EXPONENT = 3'd3,
    VALUE_MANTISSA = 3'd4,  // the exponent came before it
    VALUE_DECIMAL  = 3'd5,  // a constant
    VALUE_TEXT     = 3'd6,
    VALUE_GROUP    = 3'd7   // an absent group
  } value_e;

  localparam logic [3:0] TypeSubtraction = 4'd12;  // of an exponent that is the subtraction length of a string's delta

  typedef struct packed {
    logic [31:0] tag;
    logic [63:0] initial_value;  // of a string of more than eight bytes: where it begins in the text memory
    logic [6:0] extra;  // of the initial value: a decimal's exponent, a string's length
    operator_e operation;
    value_e kind;
    logic [1:0] width;  // 8, 16, 32, 64 bits
    logic [3:0] value_type;  // fields that share a dictionary entry must agree on it (D4)
    logic nullable;
    logic has_initial;
    logic wanted;
    logic whole;  // exponent and mantissa: of a decimal whose parts have no operators of their own
    logic signed_token;
    logic signed_value;
  } execute_t;

  // ---- from the walk to the execution

  // What is known of the entity that a token belongs to.
  typedef struct packed {
    logic [3:0] total;  // bytes up to the token's end; 15: as many or more
    logic       zero_first;  // the seven data bits of its first byte are 0; of its second; of its third
    logic       zero_second;
    logic       zero_third;
    logic       has_third;
    logic       ones_first;  // those of its first byte are ones
    logic       sign_first;  // bit 6 of its first byte; of its second
    logic       sign_second;
  } entity_t;

  typedef struct packed {
    logic valid;
    logic idle;  // it has no instruction: a template identifier, the end of an entry or a message, the end of the packet
    logic take;  // it has a token
    logic set;  // its presence-map bit
    logic is_null;
    logic text;
    logic raw;  // its bytes have no stop bits
    logic first;  // piece of a string
    logic last;
    logic gathers;  // the pieces of the string are kept until all are there
    logic message;  // a template identifier, in the stream or copied
    logic inner;  // of a template that is referred to
    logic copied;
    logic reset;  // the dictionaries, before what follows
    logic finish;  // the packet is over
    logic replies;  // the walk waits for its value
    logic entry_end;
    logic message_end;
    fast_error_e early;  // found before anything else that may be wrong with it
    fast_error_e late;  // after it
    logic [7:0] slot;
    logic [3:0] count;  // bytes in this piece
    entity_t entity;
    logic [13:0] offset;
    logic [Window-1:0][7:0] data;
  } step_t;

  typedef struct packed {
    logic valid;
    logic absent;
    logic [13:0] value;
    logic beyond;  // of more than 14 bits
  } reply_t;

  // What a string is put together from (6.3.7.3, 6.3.8), besides its bytes in the stream.
  typedef struct packed {
    logic from_entry;  // the base is the previous value; the initial one
    logic from_initial;
    logic [6:0] entry_length;
    logic [TextBits-1:0] entry_place;  // in the text memory, if it has more than eight bytes
    logic [1:0] bank;  // where the result goes
    logic negative;  // the subtraction length: off the front
    logic [6:0] subtracted;  // characters taken off
    logic too_many;  // more than that
    logic wrong;  // there is an error already
  } text_base_t;

  // A piece of the result.
  typedef struct packed {
    logic valid;
    logic [63:0] data;
    logic [3:0] count;
    logic first;
    logic last;
    logic [6:0] length;  // of all pieces together
    logic [1:0] bank;
    fast_error_e error;
  } text_piece_t;

  // ---- dictionary

  typedef enum logic [1:0] {
    STATE_UNDEFINED = 2'd0,
    STATE_EMPTY     = 2'd1,
    STATE_ASSIGNED  = 2'd2
  } state_e;

  typedef struct packed {
    logic [63:0] value;  // of a string of more than eight bytes nothing: it is in the text memory
    logic [6:0] length;  // of a string
    logic [1:0] bank;  // of the text memory, with the entry's last long string
    logic [1:0] kept;  // the bank before the packet that changed it last
    logic [3:0] value_type;
    state_e state;
    logic [21:0] generation;  // it is undefined unless this is the number of resets so far
    logic [9:0] packet;  // the packet that changed it last
  } entry_t;

  // ---- out

  typedef enum logic [2:0] {
    FIELD_MARK      = 3'd0,  // no value: the end of an entry or a message
    FIELD_MESSAGE   = 3'd1,  // a message begins: its template's identifier
    FIELD_ABSENT    = 3'd2,
    FIELD_UNSIGNED  = 3'd3,
    FIELD_SIGNED    = 3'd4,
    FIELD_DECIMAL   = 3'd5,
    FIELD_TEXT      = 3'd6,
    FIELD_REFERENCE = 3'd7   // the identifier of a template that is referred to: its fields follow
  } field_e;

  typedef struct packed {
    field_e kind;
    logic [31:0] tag;
    logic [63:0] value;  // of a string its characters, the last lowest
    logic [6:0] exponent;  // of a decimal, signed
    logic [3:0] count;  // characters in this piece
    logic first;
    logic last;
    logic entry_end;  // an entry of a sequence ends after it
    logic message_end;
  } field_t;

  typedef struct packed {
    logic valid;
    logic good;
    logic frame_good;  // if not, the error may be of bytes that were not sent
    fast_error_e code;
    logic [13:0] offset;  // where the field ends that the error was found in
  } fast_verdict_t;

  // ---- packets

  // What a packet's preamble says, at its end.
  typedef struct packed {
    logic good;
    logic first;  // no number was expected
    logic [31:0] number;
    logic [31:0] lost;  // packets before it
  } packet_t;

  // ---- loading

  typedef enum logic [2:0] {
    LOAD_GROUP   = 3'd0,
    LOAD_EXECUTE = 3'd1,
    LOAD_ROW     = 3'd2,
    LOAD_HASH    = 3'd3,
    LOAD_TEXT    = 3'd7   // eight bytes of an initial value or a constant; 4 to 6 are of the events' table
  } load_e;

  typedef struct packed {
    logic valid;
    load_e what;
    logic [10:0] index;
    logic [159:0] data;
  } load_t;

endpackage

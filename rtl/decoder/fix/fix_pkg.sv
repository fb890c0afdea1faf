// Types that the parts of decoder_fix share. FIX 4.4 tag=value encoding; twin: crates/formats/src/fix.
package fix_pkg;
  import tickwire_pkg::*;

  localparam logic [7:0] Soh = 8'h01;

  // Tags that matter, as positions in a one-hot vector; all zero: any other.
  localparam int TagBegin = 0;  // 8 BeginString
  localparam int TagLength = 1;  // 9 BodyLength
  localparam int TagChecksum = 2;  // 10 CheckSum
  localparam int TagType = 3;  // 35 MsgType
  localparam int TagSymbol = 4;  // 55 Symbol, 48 SecurityID
  localparam int TagEntries = 5;  // 268 NoMDEntries
  localparam int TagEntryType = 6;  // 269 MDEntryType
  localparam int TagEntryPrice = 7;  // 270 MDEntryPx
  localparam int TagEntrySize = 8;  // 271 MDEntrySize
  localparam int TagAction = 9;  // 279 MDUpdateAction
  localparam int TagSequence = 10;  // 34 MsgSeqNum
  localparam int TagDuplicate = 11;  // 43 PossDupFlag
  localparam int Tags = 12;
  typedef logic [Tags-1:0] tag_t;

  localparam int NumberChars = 16;  // of a number at most, sign and point included
  localparam int NumberBits = 55;  // of a number below 10^16, with its sign
  localparam int SymbolChars = 8;
  localparam int MaxScale = 8;
  localparam int ScaleBits = 4;
  localparam int LengthBits = 17;  // of a position in a message; longer ones are malformed
  localparam int EntryBits = 10;
  localparam int NarrowPrice = 49;  // bits of the prices that are compared with stops
  localparam int InstrumentBits = 8;

  // MsgSeqNum: [0] is the last digit, and missing digits are 0. Such numbers compare as they are.
  localparam int SequenceDigits = 9;
  typedef logic [SequenceDigits-1:0][3:0] sequence_t;

  function automatic logic [29:0] binary_of(input sequence_t digits);
    binary_of = '0;
    for (int i = SequenceDigits - 1; i >= 0; i--) binary_of = 30'd10 * binary_of + 30'(digits[i]);
  endfunction

  // W=64: what a byte is to tags and numbers: a digit's value, or one of these. "=" has a bit of its own: it is looked for everywhere at once.
  typedef logic [3:0] code_t;
  localparam code_t CodePoint = 4'hB;
  localparam code_t CodeMinus = 4'hC;
  localparam code_t CodeSoh = 4'hD;
  localparam code_t CodeOther = 4'hF;

  typedef struct packed {
    logic       equals;
    code_t      code;
    logic [7:0] data;
  } byte_t;

  function automatic byte_t byte_of(input logic [7:0] b);
    byte_of = '{equals: b == "=", code: CodeOther, data: b};
    if (b[7:4] == 4'h3 && (!b[3] || b[2:1] == 2'd0)) byte_of.code = b[3:0];
    if (b == ".") byte_of.code = CodePoint;
    if (b == "-") byte_of.code = CodeMinus;
    if (b == Soh) byte_of.code = CodeSoh;
  endfunction

  function automatic logic is_digit(input code_t code);
    return code < 4'd10;
  endfunction

  // The last NumberChars + 1 characters before a field's SOH, [0] the last.
  typedef struct packed {
    logic  equals;
    code_t code;
  } number_char_t;
  typedef number_char_t [NumberChars:0] number_chars_t;

  // What the characters of a number say: where its digits and its point are. The value ends at "=".
  typedef struct packed {
    logic [NumberChars-1:0]      digit;
    logic [NumberChars-1:0]      point;
    logic [NumberChars-1:0]      left;    // of a point, or in its place
    logic [NumberChars-1:0]      second;  // point
    logic [NumberChars-1:0]      other;   // what a number does not have
    logic [NumberChars-1:0]      minus;   // in front of it: at most one
    logic                        closed;  // there is a "="
    logic [NumberChars-1:0][3:0] value;   // 0 where there is no digit
  } number_marks_t;

  // W=64: a number's digits without the point. It is good if the last five are set, and its digits fit at the scale.
  typedef struct packed {
    logic [NumberChars-1:0][3:0] digits;
    logic [ScaleBits-1:0]        decimals;
    logic                        minus;
    logic                        some_digit;
    logic                        plain;         // no character that a number does not have
    logic                        one_point;     // at most
    logic                        few_decimals;  // not more than any scale
    logic                        closed;        // its "=" is there: it is not longer than NumberChars
  } fix_digits_t;

  // An instrument of the table.
  typedef struct packed {
    logic                     used;
    logic [8*SymbolChars-1:0] symbol;          // last character in [7:0]
    logic [3:0]               symbol_length;   // 1 to 8
    logic [ScaleBits-1:0]     price_scale;     // decimals, 0 to 8
    logic [ScaleBits-1:0]     quantity_scale;
  } fix_instrument_t;

  // Sums of the lower and the upper two lanes of a half.
  typedef logic [1:0][7:0] pair_t;

  // W=8: a beat on its way, and what its byte is.
  typedef struct packed {
    logic       valid;
    logic       last;
    logic       err;
    logic       present;  // it has a byte
    logic       soh;      // which is ...
    logic       equals;
    logic       digit;
    logic       point;
    logic       minus;
    logic [7:0] data;
  } fix_byte_t;

  // W=8: what the bytes since the last SOH say; the value is what stands after the "=".
  typedef struct packed {
    tag_t                  tag;
    logic                  bare;           // TagBegin not after an SOH
    logic                  brief;          // less than three characters
    logic                  w;              // the value is "W"
    logic                  x;              // "X"
    logic                  n;              // "N"
    logic                  a4;             // "A" or "4"
    logic                  single;         // one digit
    logic                  three;          // three digits
    logic                  integer_good;   // one to five digits
    logic                  sequence_good;  // one to nine digits
    logic                  number;         // shaped like one
    logic                  minus;
    logic [           4:0] digits;         // of the number, without leading zeros
    logic [ ScaleBits-1:0] decimals;
    logic [LengthBits-1:0] integer_value;  // of the digits
  } fix_field_t;

  // The numbers of an entry, at their instrument's scales.
  typedef struct packed {
    logic        wide;      // the price does not fit into NarrowPrice bits, or is the lowest that does
    logic        price_zero;     // the price is there, and 0
    logic        quantity_zero;
    logic [NumberBits-1:0] price;       // two's complement
    logic [NumberBits-1:0] quantity;
  } fix_numbers_t;

  // W=64: a field and what it means in its message, from fix_messages to fix_entries. At most one of the first nine is set.
  typedef struct packed {
    logic begins;                       // a message
    logic finish;                       // or ends it, with its CheckSum
    logic symbol;                       // these of 35=W and 35=X only:
    logic entries;
    logic action;
    logic entry_type;
    logic price;
    logic size;
    logic number;                       // MsgSeqNum
    logic opens;                        // an entry: action, or entry_type of 35=W
    logic type_x;
    logic prices;                       // of 35=W or X
    logic duplicate;                    // PossDupFlag is not N
    logic malformed;                    // the message is malformed, up to the end of this field
    logic malformed_after;             // and from there on
    logic none;                         // the value is 0
    logic digit;                        // 0 to 3:
    logic [1:0] code;
    logic hit;                          // the symbol of
    logic [InstrumentBits-1:0] index;
    logic [ScaleBits-1:0] price_scale;
    logic [ScaleBits-1:0] quantity_scale;
  } entry_field_t;

  // W=64: a beat and the messages in it, from fix_messages to fix_checks.
  typedef struct packed {
    logic [1:0] begins;  // a message begins, with the 8=FIX found last
    logic finish_half;   // it ends in this half
    logic length;        // BodyLength is in this beat
    logic length_half;
    logic entries;       // NoMDEntries is
    logic prices;        // the message that ends is 35=W or X
    logic begins_anew;   // or one after which MsgSeqNum restarts: 35=A or 4
  } message_beat_t;

  // What a beat means for the message it lies in, from fix_byte_parser (W=8) or fix_entries to fix_commit.
  typedef struct packed {
    logic                  push;              // an entry is complete, and becomes an event
    logic                  unknown;           // one that would, if its instrument were in the table
    event_kind_e           kind;
    logic                  type_x;            // 35=X, else W
    side_e                 side;
    logic [InstrumentBits-1:0] instrument;
    logic                  price;             // a price is in this beat
    logic                  price_first;       // before an entry begins in it
    logic                  quantity;
    logic                  quantity_first;
    logic                  clear;             // an entry begins: it has no numbers yet
    logic                  length;            // BodyLength is in this beat
    logic                  entries;           // NoMDEntries is
    logic                  finish;            // the message ends with its CheckSum
    logic                  finish_half;       // in this half
    logic [1:0]            begins;            // a message begins, with the 8=FIX found last
    logic                  length_half;
    logic                  prices;            // it is 35=W or X
    logic                  begins_anew;       // or one after which MsgSeqNum restarts: 35=A or 4
    logic                  malformed;
    logic                  truncated;         // another began before it ended, or it is too long
    logic                  skipped;           // bytes outside messages begin
    logic [EntryBits-1:0]  entry_count;
  } fix_beat_t;

  // What fix_repeated needs of a beat, a cycle before fix_commit has it.
  typedef struct packed {
    logic valid;
    logic last;
    logic err;
    logic begins;     // a message does
    logic number;     // MsgSeqNum of 35=W or X is in the beat
    logic duplicate;  // PossDupFlag, and is not N
  } fix_number_beat_t;

  // What became of a message, or of an entry in a good one.
  typedef enum logic [3:0] {
    FIX_PRICES,              // messages whose entries became events
    FIX_OTHER,               // good messages of other types: the host's
    FIX_BAD_CHECKSUM,
    FIX_BAD_LENGTH,          // BodyLength is not the body's
    FIX_MALFORMED,           // fields missing, twice, empty or out of order
    FIX_BAD_NUMBER,          // no digits, other characters, too many, or more decimals than the scale
    FIX_OVERFLOW,            // more entries than there was room for
    FIX_TRUNCATED,           // another message began within it, or it went on for 2^16 bytes
    FIX_SKIPPED,             // runs of bytes outside messages
    FIX_UNKNOWN_INSTRUMENT,  // entries, in good messages and bad
    FIX_REPEATED             // good messages with prices that are sent again: see fix_repeated
  } fix_cause_e;
  localparam int FixCauses = 11;

endpackage

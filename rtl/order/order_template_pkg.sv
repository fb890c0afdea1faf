// How an order's message is stored and what is filled in as it leaves.
//
// A template is a complete FIX message, nine bits a byte. Bit 8 is 0: the low eight are the byte. Bit 8 is 1:
//
//   bits 7, 6
//   00   byte [5:0] of the order's text (Side, TimeInForce, OrderQty, Price, number of the original order): see order_text
//   01   digit [4:0]: 0 to 16 of the time YYYYMMDDHHMMSSmmm, 17 to 25 of MsgSeqNum, 26 to 28 of CheckSum
//   10   digit [3:0] of the price of a computed order, 0 the last of ten
//
// A compiled template (the host's work) keeps these rules; all messages have the same length:
//   - every time stands as YYYYMMDD-HH:MM:SS.mmm, its separators literal; exactly two: SendingTime (52), TransactTime (60);
//   - the number stands exactly twice, all nine digits: MsgSeqNum (34), the end of ClOrdID (11);
//   - byte k of the text stands at an offset that is k modulo 8, each byte the text has exactly once;
//   - CheckSum's digits stand once, in the last bytes but one;
//   - a computed order's price stands once, all ten digits; nothing stands there of the text's price.
package order_template_pkg;
  import tickwire_pkg::*;
  import order_pkg::*;

  localparam int NumberDigits = 9;
  localparam int TimeDigits = 17;
  localparam int TextBytes = 64;

  localparam int FirstNumberDigit = TimeDigits;
  localparam int FirstCheckDigit = FirstNumberDigit + NumberDigits;
  localparam int PriceDigits = 10;

  typedef logic [NumberDigits-1:0][3:0] number_t;  // the first digit highest
  typedef logic [TimeDigits-1:0][3:0] time_t;

  typedef struct packed {
    logic       dynamic;
    logic [7:0] value;
  } template_code_t;

  // Which of the templates of an instrument an order is sent with.
  typedef enum logic [2:0] {
    FORM_LIMIT,             // NewOrderSingle with a price
    FORM_CANCEL,
    FORM_REPLACE,
    FORM_MARKET,            // NewOrderSingle without a price
    FORM_COMPUTED,          // NewOrderSingle, its price computed
    FORM_COMPUTED_REPLACE
  } order_form_e;

  // Where the two occurrences of a field begin in the message, for the checksum of TCP.
  typedef enum logic [1:0] {
    BOTH_EVEN,
    ONE_EACH,
    BOTH_ODD
  } occurrence_e;

  // What is known of a template, computed by the host. Sums of the literal bytes, with 48 for each digit: of number, times and price, and in
  // `sum` also of CheckSum.
  typedef struct packed {
    logic [15:0] sum;        // ones' complement, of 16-bit words
    logic [7:0]  byte_sum;   // modulo 256; without CheckSum's field, "10=" to the end
    occurrence_e number_at;
    occurrence_e time_at;
    logic        check_odd;  // CheckSum's first digit is at an odd offset
    logic [PriceDigits-1:0] price_odd;  // which digits of a computed price are
  } template_t;

  // Sums of a field's digits: of those at even offsets from its first byte, at odd ones, of all.
  typedef struct packed {
    logic [6:0] even;
    logic [6:0] odd;
    logic [7:0] both;
  } digit_sums_t;

  // ---- the text of an order ----------------------------------------------------------------------

  // Where its fields begin, and how long they are, in bytes. Steady while orders are sent.
  typedef struct packed {
    logic [5:0] side_at;
    logic [5:0] quantity_at;
    logic [4:0] quantity_width;
    logic [5:0] price_at;
    logic [4:0] price_width;    // with sign and point
    logic [5:0] original_at;    // the nine digits of OrigClOrdID
    logic       has_time_in_force;  // the text has it; else it is the template's, if it is anywhere
    logic [5:0] time_in_force_at;
  } text_layout_t;

  typedef struct packed {
    order_kind_e                   kind;
    order_type_e                   order_type;
    logic                          computed;    // without a price
    side_e                         side;
    time_in_force_t                time_in_force;
    logic [InstrumentWidth-1:0]    instrument;
    logic signed [OrderPriceWidth-1:0] price;
    logic [OrderQuantityWidth-1:0] quantity;
    number_t                       original;    // of the order to cancel or to replace
  } text_fields_t;

  typedef enum logic [1:0] {
    TEXT_WHOLE,
    TEXT_QUANTITY_TOO_WIDE,
    TEXT_PRICE_TOO_WIDE,
    TEXT_INSTRUMENT          // there are not that many
  } text_answer_e;

  typedef struct packed {
    logic [15:0] sum;       // ones' complement
    logic [7:0]  byte_sum;  // modulo 256
  } text_record_t;

  // ---- reported to the host --------------------------------------------------------------------------

  typedef enum logic [2:0] {
    DROPPED_TEMPLATE = 3'd0,  // none for its instrument and form
    DROPPED_SESSION = 3'd2,   // the connection is gone
    DROPPED_NUMBER = 3'd3,    // MsgSeqNum is gone
    DROPPED_TIME = 3'd4       // the time is gone
  } dropped_e;

  typedef struct packed {
    order_t  order;
    number_t number;
    time_t   utc;
    logic [63:0] time_ns;  // when TCP took it
  } order_sent_t;

  // Why no order leaves at present.
  typedef struct packed {
    logic connection;
    logic number;            // the host has loaded none yet, or it is being incremented
    logic number_exhausted;
    logic time_unknown;      // the host has loaded none yet, or the clock is catching up milliseconds
    logic date_missing;      // midnight came, and the host had not loaded the date
    logic host_message;      // one of the host's is being sent
  } stopped_t;

  typedef enum logic [1:0] {
    HOST_MESSAGE_SENT,        // it left, or TCP has thrown it away (counted in its events)
    HOST_MESSAGE_TOO_LONG,
    HOST_MESSAGE_MALFORMED,   // no zeros where the number goes, or not "10=000" and SOH at the end
    HOST_MESSAGE_NO_SESSION
  } host_answer_e;

  // What becomes of an order in the order stage: pulses, and their data.
  typedef struct packed {
    logic        sent_valid;
    order_sent_t sent;
    logic        dropped_valid;
    dropped_e    dropped_reason;
    order_t      dropped_order;
  } order_outcome_t;

  // For the host.
  typedef struct packed {
    stopped_t stopped;     // why nothing leaves at present
    logic     date_known;  // of the next day
    number_t  number;      // of the next message, if there is one
  } order_status_t;

  // What became of a message of the host.
  typedef struct packed {
    logic         valid;   // pulse
    host_answer_e answer;
    number_t      number;  // its MsgSeqNum
  } message_answer_t;

endpackage

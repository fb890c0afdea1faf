// What a stage tells the host: a line of its ring, but for the phase (docs/reference/ring.md).
package record_pkg;

  localparam int RecordValues = 7;

  typedef enum logic [1:0] {
    RECORD_FIELDS = 2'd0,  // of a FAST message; tags are those of the program
    RECORD_EVENT  = 2'd1,
    RECORD_BYTES  = 2'd2,  // of a frame's payload
    RECORD_STATUS = 2'd3   // of the packet, or of the ring
  } record_class_e;

  // Tags of RECORD_STATUS; of RECORD_BYTES the tags are counts.
  localparam logic [7:0] TagVerdict = 8'd1;  // of a packet: error code, offset, good
  localparam logic [7:0] TagLost = 8'd2;  // records that found no room, in all
  localparam logic [7:0] TagIncidents = 8'd3;  // of the stages: incidents_t, and the time
  localparam logic [7:0] TagStrategy = 8'd4;  // what a strategy emits; tag 1 is its own
  localparam logic [7:0] TagEvents = 8'd5;  // the verdict on the events before it: 1 is good

  // In the tag of a value: the next one is of the same field.
  localparam logic [7:0] TagContinues = 8'h80;

  localparam int FeedBits = 2;  // of a feed's number

  typedef struct packed {
    record_class_e                  kind;
    logic [FeedBits-1:0]            feed;         // whose
    logic                           entry_end;    // after the last value
    logic                           message_end;  // of a frame: these are its last bytes
    logic [2:0]                     count;        // of values
    logic [RecordValues-1:0][7:0]   tags;
    logic [RecordValues-1:0][63:0]  values;
  } record_t;

  // What the host says of its ring (ring_config).
  typedef struct packed {
    logic        enable;
    logic        fields;     // what is written into it: fields of FAST,
    logic        frames;     // frames,
    logic        events;     // events,
    logic        stages;     // what happened in the stages, and what a strategy emits
    logic [63:0] base;       // its address, a multiple of 64
    logic [4:0]  size_log2;  // of its lines, 1 to 24
    logic [31:0] position;   // lines that the host has read, modulo 2^32
  } ring_setting_t;

  // What went wrong in the stages, each with a counter of its own besides: pulses. The order is that of the bits in the ring, the last lowest.
  typedef struct packed {
    logic host_overflow;  // a frame for the host found no room
    logic bad_frame;      // MII, FCS, length or a checksum
  } line_incidents_t;

  typedef struct packed {
    logic decoder_overflow;  // a packet found no room in the decoder,
    logic arbiter_overflow;  // or in the arbiter
    logic malformed;         // a good frame that cannot be read
    logic gap;               // messages are missing
  } feed_incidents_t;

  typedef struct packed {
    logic not_sent;         // an order that risk had passed
    logic refused;          // risk refused one
    logic program_refused;  // a program asked for what cannot be an order,
    logic program_fault;    // or did what is not defined
    logic intent_overflow;
    logic trade_overflow;
    logic book_overflow;
    logic book_undone;      // a frame was taken back
    logic book_fault;       // an event could not be booked
    tickwire_pkg::execution_fault_t execution;  // of what the exchange says about our orders
    feed_incidents_t [tickwire_pkg::MostFeeds-1:0] feed;
    line_incidents_t [1:0] line;
  } incidents_t;

  typedef struct packed {
    logic [31:0] written;  // lines, modulo 2^32
    logic [31:0] lost;     // records that found no room
    logic [31:0] errors;   // writes that memory did not answer with OKAY
  } ring_status_t;

endpackage

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
    logic        frames;     // frames
    logic [63:0] base;       // its address, a multiple of 64
    logic [4:0]  size_log2;  // of its lines, 1 to 24
    logic [31:0] position;   // lines that the host has read, modulo 2^32
  } ring_setting_t;

  typedef struct packed {
    logic [31:0] written;  // lines, modulo 2^32
    logic [31:0] lost;     // records that found no room
    logic [31:0] errors;   // writes that memory did not answer with OKAY
  } ring_status_t;

endpackage

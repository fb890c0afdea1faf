// What the arbiter knows of a feed's protocol, and the types its modules share (docs/reference/arbitration.md).
package arbiter_pkg;

  // Offsets and lengths in bytes, from the packet's first (the first byte after the UDP header).
  typedef struct packed {
    int sequence_offset;
    int sequence_bytes;
    int sequence_bits;   // the bits that count; the number wraps there
    int count_offset;
    int count_bytes;     // 0: every packet holds one message
    int count_end;       // a count that means end of session; 0: none does
    int little_endian;
    int maximum_bytes;   // of a packet
    int length_offset;   // of the first message's length, 2 bytes, highest first; 0: packets need not be spaced (feed_select)
  } protocol_t;

  localparam protocol_t MoldUdp64 = '{
      sequence_offset: 10,
      sequence_bytes: 8,
      sequence_bits: 64,
      count_offset: 18,
      count_bytes: 2,
      count_end: 'hFFFF,
      little_endian: 0,
      maximum_bytes: 9000,
      length_offset: 20
  };
  localparam protocol_t Opra = '{
      sequence_offset: 6,
      sequence_bytes: 4,
      sequence_bits: 31,
      count_offset: 10,
      count_bytes: 1,
      count_end: 0,
      little_endian: 0,
      maximum_bytes: 1000,
      length_offset: 0
  };
  localparam protocol_t Arca = '{
      sequence_offset: 4,
      sequence_bytes: 4,
      sequence_bits: 32,
      count_offset: 3,
      count_bytes: 1,
      count_end: 0,
      little_endian: 1,
      maximum_bytes: 1400,
      length_offset: 0
  };
  localparam protocol_t Moex = '{
      sequence_offset: 0,
      sequence_bytes: 4,
      sequence_bits: 32,
      count_offset: 0,
      count_bytes: 0,
      count_end: 0,
      little_endian: 1,
      maximum_bytes: 1500,
      length_offset: 0
  };

  // The same, of packets that are at most so long.
  function automatic protocol_t limited(input protocol_t protocol, input int bytes);
    limited = protocol;
    limited.maximum_bytes = bytes < protocol.maximum_bytes ? bytes : protocol.maximum_bytes;
  endfunction

  // By number, for tools that can only pass integers: MoldUDP64, OPRA, ARCA, MOEX.
  function automatic protocol_t preset(input int number);
    case (number)
      0: return MoldUdp64;
      1: return Opra;
      2: return Arca;
      default: return Moex;
    endcase
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // a function needs some of a protocol only
  // Bytes up to and including the last of number and count, and the beat, from 0, in which that is.
  function automatic int header_bytes(input protocol_t protocol);
    int sequence_end, count_end;
    sequence_end = protocol.sequence_offset + protocol.sequence_bytes;
    count_end = protocol.count_offset + protocol.count_bytes;
    return sequence_end > count_end ? sequence_end : count_end;
  endfunction

  function automatic int number_beat(input int w, input protocol_t protocol);
    return (header_bytes(protocol) - 1) / (w / 8);
  endfunction

  // The sequence number is in registers two cycles before number and count are complete: its comparisons may be registered.
  function automatic bit number_early(input int w, input protocol_t protocol);
    return (protocol.sequence_offset + protocol.sequence_bytes - 1) / (w / 8) + 2 <= number_beat(w, protocol);
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  // A number less than 2^NearBits ahead is near. Proofs use a smaller value, as their depth is limited.
`ifndef NEAR_BITS
  `define NEAR_BITS 20
`endif
  localparam int NearBits = `NEAR_BITS;

  // What a packet's number was compared with: what follows from it comes after a register.
  // Whether it contains a number: if all bits of `nearby` are set, and one of the others.
  typedef struct packed {
    logic [2:0] nearby;
    logic       below;
    logic       same;
  } within_t;

  function automatic logic is_within(input within_t contained);
    return contained.nearby == '1 && (contained.below || contained.same);
  endfunction

  // Whether it is wanted: if all bits of `all` are set, or it contains what is expected.
  typedef struct packed {
    within_t    contained;
    logic [2:0] all;
  } wanted_t;

  function automatic logic is_wanted(input wanted_t wanted);
    return wanted.all == '1 || is_within(wanted.contained);
  endfunction

  typedef enum logic [1:0] {
    WINDOW_TIME,
    WINDOW_COUNT,
    WINDOW_TIME_AND_COUNT
  } window_e;

  localparam int CountBits = 16;  // of a packet's messages

  // Pulses for the host's counters; by line where there are two: 0 is A.
  typedef struct packed {
    logic [1:0] passed;         // low latency: a good packet was let through,
    logic [1:0] refused;        // cut off, its number is not wanted,
    logic [1:0] missed;         // it waited in vain,
    logic [1:0] bad;            // or proved bad
    logic [1:0] malformed;
    logic [1:0] distant;        // `far`, a name that some C++ compilers reserve
    logic [1:0] stale;
    logic [1:0] cut_through;    // high reliability: let through as it came,
    logic [1:0] kept;           // stored, and put in its place,
    logic [1:0] too_long;       // longer than the store,
    logic [1:0] overflow;       // or there was no room
    logic [1:0] line_silent;
    logic       released;       // a kept packet begins to leave
    logic       session_reset;
  } arbiter_event_t;

  // The decoder's input.
  typedef enum logic [1:0] {
    SOURCE_LINE_A,
    SOURCE_LINE_B,
    SOURCE_LOW_LATENCY,
    SOURCE_HIGH_RELIABILITY
  } source_e;

  // From registers.
  typedef struct packed {
    source_e     source;
    window_e     window;
    logic [31:0] time_window;   // cycles
    logic [15:0] count_window;  // messages
    logic [31:0] idle_limit;    // cycles; 0: none
    logic        flush;         // pulse
  } arbiter_config_t;

  // For the host; gaps by output: 0 is low latency.
  typedef struct packed {
    arbiter_event_t   events;
    logic             overflow;  // feed_select
    logic [1:0]       gap;
    logic [1:0][63:0] gap_from;
    logic [1:0][63:0] gap_to;
  } arbiter_status_t;

endpackage

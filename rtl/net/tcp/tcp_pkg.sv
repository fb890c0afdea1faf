// Types of the TCP client (RFC 9293).
package tcp_pkg;

  localparam int Time = 18;  // bits of a time, in ticks of 256 us: up to 67 s

  typedef enum logic [3:0] {
    TCP_CLOSED,
    TCP_SYN_SENT,
    TCP_SYN_RECEIVED,
    TCP_ESTABLISHED,
    TCP_FIN_WAIT_1,
    TCP_FIN_WAIT_2,
    TCP_CLOSE_WAIT,
    TCP_CLOSING,
    TCP_LAST_ACK,
    TCP_TIME_WAIT
  } tcp_state_e;

  // From registers; steady from connect until closed. Times in ticks of 256 us.
  typedef struct packed {
    logic [47:0]     local_mac;          // first octet in [47:40]
    logic [31:0]     local_ip;           // first octet in [31:24]
    logic [15:0]     local_port;
    logic [31:0]     peer_ip;
    logic [15:0]     peer_port;
    logic [15:0]     mss;                // the most payload we take in a segment, announced to the peer; and the most we send
    logic [31:0]     secret;             // the host's F() of RFC 6528, for the initial sequence number
    logic [Time-1:0] rto_initial;        // RFC 6298: 1 s
    logic [Time-1:0] rto_minimum;        // 1 s; Linux: 200 ms
    logic [Time-1:0] rto_maximum;        // 60 s
    logic [Time-1:0] keep_alive;         // of silence, until a probe; 0: none are sent
    logic [Time-1:0] time_wait;          // 2 MSL
    logic [3:0]      retries;            // retransmissions or probes without answer, until the session is given up
  } tcp_config_t;

  // What the host asks of a session: pulses.
  typedef struct packed {
    logic connect;  // as soon as the next hop's MAC is known
    logic finish;   // FIN, after what the host has written
    logic reset;    // RST
  } tcp_command_t;

  // A good segment of the session, as tcp_rx reports it.
  typedef struct packed {
    logic [31:0] sequence_number;
    logic [31:0] acknowledgment;
    logic [16:0] acknowledged;     // how far beyond SND.UNA its acknowledgment is, if `ack_within`
    logic [15:0] window;
    logic [15:0] length;           // of its payload
    logic [15:0] mss;              // its option; 536 if it has none (RFC 9293, 3.7.1)
    logic        ack;
    logic        rst;
    logic        syn;
    logic        fin;
    logic        in_order;         // its sequence number is the one expected
    logic        ack_within;       // its acknowledgment is within SND.UNA to SND.NXT
    logic        plausible;        // that, or old, but not older than a window (RFC 5961, 5)
    logic        taken;            // its payload was passed on
  } tcp_segment_t;

  // The state of a session (RFC 9293, 3.3.1).
  typedef struct packed {
    tcp_state_e  state;
    logic [31:0] send_unacknowledged;  // SND.UNA
    logic [31:0] send_next;            // SND.NXT
    logic [15:0] send_window;          // SND.WND
    logic [15:0] largest_window;       // the peer ever gave: MAX.SND.WND of RFC 5961
    logic [15:0] send_mss;             // the most payload in a segment
    logic [31:0] receive_next;         // RCV.NXT
    logic        fin_sent;             // the last of the sequence numbers up to SND.NXT is the FIN's
    logic [16:0] recover;              // sequence numbers still to be acknowledged until a loss is repaired (RFC 6582); 0: none
    logic [16:0] timed;                // the same until the one whose round trip is measured; 0: none is measured
    logic [1:0]  duplicates;           // acknowledgments
    logic [3:0]  retries;              // since the peer last answered
  } tcp_session_t;

  typedef enum logic [2:0] {
    FRAME_ORDER,
    FRAME_HOST,
    FRAME_RESEND,  // from the buffer
    FRAME_SYN,     // the option is its payload
    FRAME_FIN,
    FRAME_ACK,
    FRAME_PROBE,
    FRAME_RESET
  } tcp_frame_e;

  // What waits to be sent, in this order; orders go before all.
  typedef struct packed {
    logic reset;
    logic syn;
    logic fin;
    logic resend;
    logic ack;
    logic probe;
  } tcp_request_t;

  // What a segment does to the session, worked out by tcp_verdict (RFC 9293, 3.10.7).
  typedef struct packed {
    tcp_state_e state;        // the state that follows
    logic       refuse;       // it belongs to no session of ours: answer with RST
    logic       reset;        // a RST of the peer that counts
    logic       close;        // the session is over: a RST, or our FIN is acknowledged and nothing more is to come
    logic       synchronise;  // the peer's SYN
    logic       challenge;    // refused (RFC 5961); `answer` with it if an acknowledgment may be sent
    logic       answer;       // an acknowledgment is due
    logic       linger;       // TIME-WAIT restarts
    logic       acceptable;
    logic       advance;      // acknowledges something new
    logic       moved;        // SND.UNA will be another in the next cycle
    logic       window;       // its window is to be taken
    logic       measured;     // it acknowledges the number whose round trip is measured
    logic       duplicate;    // a duplicate acknowledgment
    logic       third;        // the third of them: a loss
    logic       partial;      // it acknowledges only part of what was out at the loss (RFC 6582)
    logic       receive;      // RCV.NXT moves
    logic       recovering;   // at the segment: a loss is being repaired
    logic       timing;       // at the segment: a round trip is being measured
  } tcp_verdict_t;

  // What is to be sent.
  typedef struct packed {
    tcp_frame_e  kind;
    logic [31:0] sequence_number;
    logic [31:0] acknowledgment;
    logic        ack;              // the other flags follow from the kind
    logic [15:0] window;
    logic [15:0] length;           // of the payload, the option included
  } tcp_frame_t;

  // Pulses, for counters.
  typedef struct packed {
    logic segment;          // a good one was received
    logic checksum_error;   // one with a bad TCP checksum
    logic out_of_order;     // its payload is not what is expected next: dropped, asked for again
    logic refused_rst;      // RFC 5961: not exactly what is expected, or far off
    logic refused_syn;
    logic refused_ack;
    logic challenge;        // acknowledgments sent for one of the three
    logic reset_received;   // the session was reset
    logic reset_sent;
    logic retransmission;   // by time or by three duplicates
    logic fast;             // of these, by three duplicates
    logic given_up;         // retries are used up
    logic full;             // no room for an order any more: in the buffer or in the peer's window
    logic host_refused;     // a message of the host was longer than a segment, or there was no session
    logic sent;             // a frame of any kind
  } tcp_event_t;

  localparam int TcpEvents = $bits(tcp_event_t);

  // The session's status.
  typedef struct packed {
    tcp_state_e  state;
    logic        connected;
    logic        connecting;   // waits for the next hop's MAC
    logic [16:0] outstanding;  // sequence numbers that wait for acknowledgment
    logic        order_full;   // no room for an order, in window or buffer
    tcp_event_t  events;
  } tcp_status_t;

endpackage

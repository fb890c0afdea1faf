// Several TCP clients on one line: SESSIONS engines side by side, what they send merged a frame at a time.
//
//   line ─┬─ tcp_engine 0 ─ payload, lanes (0)        out
//         ├─ tcp_engine 1 ─ payload, lanes (1)         └─ tx_merge ─┬─ tx_merge ─┬─ engine 0
//         ├─ tcp_engine 2 ─ …                                       │            └─ engine 1
//         └─ tcp_engine 3                                           └─ tx_merge ─┬─ engine 2
//                                                                                └─ engine 3
//
// Every port with an index is that of the engine of this number: see tcp_engine. Each takes from the line what has its addresses and ports, so a
// segment is seen, answered and counted by one session or by none; as of tcp_engine, one that is of no session is nobody's here: not answered,
// not counted, left to the host. No two sessions may have the same addresses and ports (asserted), not even while one of them is closed:
// it would answer the other's peer with a RST. One that is not used may have zeros.
//
// Of N sessions that wait to send, each sends a frame in at most N (rounded up to a power of two) frames; a frame is never interrupted. An order
// goes before all else of its own session, but waits for the frames of others: at most those N, with one that has begun.
//
// Engines share nothing: a session cannot hold up another, but by the line. They could share what is before the addresses are compared (frame_align,
// the captured header, both checksums) and the timer's adder, at the price of that. The core
// carries one session, without this module: more would need registers and the host's streams by session.
//
// Latency: as tcp_engine; after `order_valid` another cycle for each tx_merge, $clog2(SESSIONS) of them, that has last sent another's frame;
// with one session none. Throughput: line rate in and out.
// Parameters: W; SESSIONS, 1 or more; BUFFER, bytes kept for retransmission by each.
// Overflow: the writers wait, as in tcp_engine, and for their turn.
module tcp_sessions
  import tcp_pkg::*;
#(
    parameter int W = 64,
    parameter int SESSIONS = 1,
    parameter int BUFFER = 16384
) (
    input logic clk,
    input logic rst,
    input logic tick,  // once in 256 us

    input tcp_config_t [SESSIONS-1:0]       tcp_config,
    input logic        [SESSIONS-1:0]       connect,
    input logic        [SESSIONS-1:0]       close,
    input logic        [SESSIONS-1:0]       abort,
    input logic        [SESSIONS-1:0]       peer_mac_valid,
    input logic        [SESSIONS-1:0][47:0] peer_mac,
    input logic        [SESSIONS-1:0][15:0] receive_window,

    line_if.snk   line,
    input  logic  fcs_good,  // of the frame whose last beat was on the line in the cycle before
    input  logic  line_busy,  // a frame is coming in, on any line: what may wait does
    stream_if.src payload[SESSIONS],
    stream_if.src lanes[SESSIONS],

    input  logic [SESSIONS-1:0]        order_valid,
    output logic [SESSIONS-1:0]        order_ready,
    input  logic [SESSIONS-1:0][ 15:0] order_length,
    input  logic [SESSIONS-1:0][ 15:0] order_sum,
    output logic [SESSIONS-1:0]        order_payload_ready,
    input  logic [SESSIONS-1:0][W-1:0] order_payload,

    tx_stream_if.snk host[SESSIONS],
    tx_stream_if.src out,

    output tcp_state_e [SESSIONS-1:0]           state,
    output logic       [SESSIONS-1:0][    16:0] outstanding,
    output logic       [SESSIONS-1:0]           order_full,
    output logic       [SESSIONS-1:0][Time-1:0] rto,
    output tcp_event_t [SESSIONS-1:0]           events
);
  // The merges as a heap: 1 is `out`, node n merges 2n and 2n + 1, the engines are the leaves, from SESSIONS on.
  tx_stream_if #(.W(W)) node[2*SESSIONS] ();

  for (genvar i = 0; i < SESSIONS; i++) begin : g_session
    tcp_engine #(
        .W(W),
        .BUFFER(BUFFER)
    ) engine (
        .clk,
        .rst,
        .tick,
        .tcp_config(tcp_config[i]),
        .connect(connect[i]),
        .close(close[i]),
        .abort(abort[i]),
        .peer_mac_valid(peer_mac_valid[i]),
        .peer_mac(peer_mac[i]),
        .receive_window(receive_window[i]),
        .line,
        .fcs_good,
        .line_busy,
        .payload(payload[i]),
        .lanes(lanes[i]),
        .order_valid(order_valid[i]),
        .order_ready(order_ready[i]),
        .order_length(order_length[i]),
        .order_sum(order_sum[i]),
        .order_payload_ready(order_payload_ready[i]),
        .order_payload(order_payload[i]),
        .host(host[i]),
        .out(node[SESSIONS+i].src),
        .state(state[i]),
        .outstanding(outstanding[i]),
        .order_full(order_full[i]),
        .rto(rto[i]),
        .events(events[i])
    );

    for (genvar j = 0; j < i; j++) begin : g_other
      assert property (@(posedge clk) disable iff (rst) tcp_config[i].peer_ip == '0
          || {tcp_config[i].local_ip, tcp_config[i].local_port, tcp_config[i].peer_ip, tcp_config[i].peer_port}
          != {tcp_config[j].local_ip, tcp_config[j].local_port, tcp_config[j].peer_ip, tcp_config[j].peer_port});
      assert property (@(posedge clk) disable iff (rst) !(events[i].segment && events[j].segment) || tcp_config[i].peer_ip == '0);
    end
  end

  for (genvar n = 1; n < SESSIONS; n++) begin : g_merge
    logic from_b_unused;
    tx_merge merge (
        .clk,
        .rst,
        .a(node[2*n].snk),
        .b(node[2*n+1].snk),
        .from_b(from_b_unused),
        .out(node[n].src)
    );
  end

  assign out.valid = node[1].valid;
  assign out.data = node[1].data;
  assign out.keep = node[1].keep;
  assign out.last = node[1].last;
  assign node[1].ready = out.ready;

  // A heap has no node 0.
  logic unused;
  assign unused = &{1'b0, node[0].ready};
  assign {node[0].valid, node[0].data, node[0].keep, node[0].last, node[0].ready} = '0;
endmodule

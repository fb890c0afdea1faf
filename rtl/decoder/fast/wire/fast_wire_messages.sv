// Gives the engine the messages of a packet one after the other: what is after a message's last entry is a packet of its own to it.
//
//   in ─┬────────────────────────────────────────── out, to the engine
//       └─ ring ─ from the further message on ─ register ─┘
//
// The engine knows 15 cycles later, with SHORT 12, that a message has ended in a beat and another one begins there. It drops what it has by then, and is given everything from that message on once
// more, out of the ring: the rest of the packet, and packets that came after it, until nothing is left there. Then beats go to it as they come again.
//
// Latency: none of packets with one message; of a further one 17 cycles, with a scout 21, with SHORT 14, from its first beat, until the ring is empty. Throughput: a beat a cycle. Parameter: DEPTH, beats, a power
// of two. Overflow: beats that are needed no more are written over; the caller keeps no more than DEPTH without a verdict.
module fast_wire_messages
  import fast_wire_pkg::*;
#(
    parameter int DEPTH = 512
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,
    input logic ended,  // a beat has gone through the engine, in its turn
    input further_t further,  // of that beat: another message begins in it
    stream_if.src out,
    output logic busy
);
  localparam int AddressBits = $clog2(DEPTH);
  typedef logic [AddressBits-1:0] address_t;

  typedef struct packed {
    logic last;
    logic err;
    logic [Lanes-1:0] keep;
    logic [8*Lanes-1:0] data;
  } whole_t;

  (* no_rw_check, ram_style = "block" *) whole_t ring[DEPTH];
  whole_t read, given;
  logic reads, read_valid, given_valid, again;
  logic [Lanes-1:0] kept, read_kept;  // of the further message's first beat
  address_t put, get, get_now, place;  // place: of the beat that `ended` is about

  assign get_now = further.valid ? place : get;
  assign reads   = further.valid || (again && get != put);
  assign kept    = further.valid ? {Lanes{1'b1}} << further.lane : '1;

  always_ff @(posedge clk) begin
    if (in.valid) ring[put] <= '{last: in.last, err: in.err, keep: in.keep, data: in.data};
    read <= ring[get_now];
    read_kept <= kept;
    given <= read;
    given.keep <= read.keep & read_kept;
    read_valid <= reads;
    given_valid <= read_valid && !further.valid;

    put <= put + address_t'(in.valid);
    get <= get_now + address_t'(reads);
    place <= place + address_t'(ended && !further.valid);
    again <= further.valid || (again && (in.valid || reads || read_valid));
    if (rst) {put, get, place, again, read_valid, given_valid} <= '0;
  end

  assign out.valid = again ? given_valid : in.valid;
  assign {out.last, out.err, out.keep, out.data} = again ? given : {in.last, in.err, in.keep, in.data};
  assign busy = again;

  assert property (@(posedge clk) disable iff (rst) !further.valid || (ended && place != put));
  assert property (@(posedge clk) disable iff (rst) !in.valid || put + 1'b1 != place);
endmodule

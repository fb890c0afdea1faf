// FAST 1.1 of Moscow's feeds: UDP payload in, events and a verdict on the packet out, by a program and a table that are loaded while it runs.
//
//   in ─ fast_preamble ─┬─ fast_engine ─ fast_events ─ register ─ events
//                       ├─ whether it comes after a gap ─ FIFO ── status, from its first event on
//                       └─ what the packet's number means ─ FIFO ─ status, with the verdict
//   host ─ program, table
//
// Loading (operation 16, docs/reference/order-operations.md), which says the feed: hold, the words, release; packets that come meanwhile wait in the engine's buffer.
//
// Latency: those of its parts; 1 to 2 cycles of the preamble and 1 of the register. Throughput: the engine's: what it is slower than the line waits
// in its buffer. Parameters: W, bits in a beat, 8 or 64; FEED, the number by which the host loads it; GROUPS of the program; BUFFER, beats. Overflow: a packet for which there is no room is lost
// whole, counted (`status.overflow`), and a gap. A good frame that FAST or the table cannot read is a gap too: `status.packet` is malformed then, and `status.gap` pulses.
module decoder_fast
  import tickwire_pkg::*;
  import config_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
#(
    parameter int W = 64,
    parameter int FEED = 0,
    parameter int GROUPS = 256,
    parameter int BUFFER = 8192 / (W / 8)
) (
    input logic clk,
    input logic rst,
    config_if.snk host,
    input instrument_write_t instrument,
    stream_if.snk in,
    event_if.src events,  // event 0 alone
    output instrument_key_t key,  // of event 0 of the next cycle
    output event_ahead_t ahead,
    output feed_info_t feed,      // as of the verdict
    output feed_status_t status,
    output logic field_valid,  // of the engine, before they are events
    output field_t field,
    output fast_verdict_t verdict
);
  // A packet begins only with so much room that its end fits, whatever becomes of it.
  localparam int Reserve = 8;
  localparam int Packets = 512;

  // ---- the host loads ------------------------------------------------------------------------------

  // Words 0 to 3 and 7 are the engine's (load_e), 4 to 6 the table's (event_load_e).
  localparam logic [3:0] Hold = 4'd8;
  localparam logic [3:0] Release = 4'd9;

  logic begins, hold, held, restart, reset_each_packet, holding;
  logic [3:0] what;
  load_t load;
  event_load_t event_load;

  assign begins = host.valid && host.operation == CONFIG_FAST && host.operand[0][5:4] == 2'(FEED);
  assign what = host.operand[0][3:0];
  assign host.busy = holding;

  always_ff @(posedge clk) begin
    {restart, load.valid, event_load.valid} <= '0;
    load.what <= load_e'(what[2:0]);
    load.index <= host.index[10:0];
    load.data <= host.operand[5:1];
    event_load.what <= event_load_e'(what[1:0]);
    event_load.index <= host.index[12:0];
    event_load.data <= host.operand[3:1];
    if (host.valid) host.answer <= '0;
    if (begins) begin
      case (what)
        Hold: {hold, holding} <= '1;
        Release: begin
          restart <= held;
          reset_each_packet <= host.operand[1][0];
          host.answer.done <= held;
        end
        default: begin
          load.valid <= held && (what < 4'd4 || what == 4'd7);
          event_load.valid <= held && what >= 4'd4 && what < 4'd7;
          host.answer.done <= held && what < 4'd8;
        end
      endcase
    end
    if (restart) hold <= 1'b0;
    if (holding && held) begin
      holding <= 1'b0;
      host.answer.done <= 1'b1;
    end
    if (rst) {hold, holding, reset_each_packet, host.answer} <= '0;
  end

  // ---- the packet ------------------------------------------------------------------------------------

  stream_if #(.W(W)) packets ();
  logic
      begins_valid,
      begins_after_gap,
      begins_first,
      begins_from_first,
      packet_valid,
      old,
      malformed,
      refused,
      room,
      engine_overflow,
      events_overflow,
      fault_valid;
  packet_t ended, next, packet;
  logic [$clog2(BUFFER):0] waiting;
  fault_e fault;
  event_if #(.N(1)) raw ();

  always_ff @(posedge clk) room <= waiting < ($clog2(BUFFER) + 1)'(BUFFER - Reserve) && !rst;

  fast_preamble #(
      .W(W)
  ) preamble (
      .clk,
      .rst,
      .restart,
      .room,
      .in,
      .out(packets.src),
      .begins_valid,
      .after_gap(begins_after_gap),
      .begins_session(begins_first),
      .from_first(begins_from_first),
      .packet_valid,
      .packet(ended),
      .old,
      .malformed,
      .overflow(refused)
  );

  fast_engine #(
      .W(W),
      .GROUPS(GROUPS),
      .BUFFER(BUFFER)
  ) engine (
      .clk,
      .rst,
      .in(packets.snk),
      .hold,
      .held,
      .restart,
      .reset_each_packet,
      .load,
      .field_valid,
      .field,
      .verdict,
      .overflow(engine_overflow),
      .waiting
  );

  fast_events map (
      .clk,
      .rst,
      .load(event_load),
      .instrument,
      .field_valid,
      .field,
      .verdict,
      .out(raw.src),
      .fault_valid,
      .fault,
      .overflow(events_overflow)
  );

  logic [LagBits-1:0] cycle, next_cycle, lag;  // next_cycle: when the packet's last beat came
  logic none, full, fifo_overflow;
  logic [$clog2(Packets):0] count;
  fifo #(
      .WIDTH(LagBits + $bits(packet_t)),
      .DEPTH(Packets)
  ) numbers (
      .clk,
      .rst,
      .write(packet_valid),
      .write_data({cycle, ended}),
      .full,
      .overflow(fifo_overflow),
      .read(raw.verdict_valid && !none),
      .read_data({next_cycle, next}),
      .empty(none),
      .count
  );

  logic gap_before, first_of_all, number_1, gap_none, gap_full, gap_overflow;
  logic [$clog2(Packets):0] gap_count;
  fifo #(
      .WIDTH(3),
      .DEPTH(Packets)
  ) gaps (
      .clk,
      .rst,
      .write(begins_valid),
      .write_data({begins_after_gap, begins_first, begins_from_first}),
      .full(gap_full),
      .overflow(gap_overflow),
      .read(raw.verdict_valid && !gap_none),
      .read_data({gap_before, first_of_all, number_1}),
      .empty(gap_none),
      .count(gap_count)
  );

  // ---- out -------------------------------------------------------------------------------------------

  assign key = '{has_symbol: raw.valid[0] && raw.data[0].has_symbol, symbol: raw.data[0].symbol, default: '0};
  assign ahead = '{order_id: raw.data[0].order_id, default: '0};

  // A packet that is no packet of ours to decode is counted in a cycle in which no other ends.
  logic olds, malformeds, ends, good, after_gap, begins_session, from_first;
  logic [15:0] messages;
  logic [63:0] lost;

  always_ff @(posedge clk) begin
    events.valid <= '0;
    events.valid[0] <= raw.valid[0];
    events.data[0] <= raw.data[0];
    events.verdict_valid <= raw.verdict_valid;
    events.verdict_good <= raw.verdict_good;
    ends <= raw.verdict_valid;
    good <= raw.verdict_good;
    after_gap <= gap_before && !gap_none;
    begins_session <= first_of_all && !gap_none;
    from_first <= number_1;
    if (raw.verdict_valid) packet <= next;
    cycle <= cycle + 1'b1;
    lag   <= cycle - next_cycle;
    // Those of the packet that ends; the next one's first event comes later.
    if (raw.valid[0]) messages <= (events.verdict_valid ? '0 : messages) + 1'b1;
    else if (events.verdict_valid) messages <= '0;
    olds <= old || (olds && ends);
    malformeds <= malformed || (malformeds && (ends || olds));
    if (ends && packet.good) lost <= lost + 64'(packet.lost);
    if (rst) {events.verdict_valid, ends, olds, malformeds, messages, lost} <= '0;
    if (rst) events.valid <= '0;
  end

  for (genvar i = 1; i < events.N; i++) begin : gen_no_event
    assign events.data[i] = '0;
  end

  always_comb begin
    status = '0;
    status.packet_valid = ends ? packet.good : olds || malformeds;
    status.packet = ends ? (good ? MOLD_PACKET : MOLD_MALFORMED) : olds ? MOLD_OLD : MOLD_MALFORMED;
    status.new_session = ends && good && packet.first;
    status.after_gap = after_gap;
    status.begins_session = begins_session;
    status.from_first = from_first;
    status.gap = ends && packet.good && (packet.lost != '0 || !good);
    status.commit = ends && good;
    status.messages = messages;
    // After a packet that cannot be read, the next one's.
    status.first_sequence = 64'(packet.number) + 64'(ends && !good);
    status.lost = lost + (ends ? 64'(packet.lost) : '0);
    // Two packets' pulses never meet: between their ends are the bytes of a frame that are no payload.
    status.overflow = refused || engine_overflow;
    // A bad frame is counted elsewhere.
    status.fast.error_valid = verdict.valid && !verdict.good && verdict.frame_good;
    status.fast.error = verdict.code;
    status.fast.fault_valid = fault_valid;
    status.fast.fault = fault;
    status.fast.lag_valid = ends;
    status.fast.lag = lag;
    status.fast.waiting = WaitingBits'(waiting) << $clog2(W / 8);
    status.fast.restarted = restart;
    feed = '{session: "MOEX      ", first_sequence: 64'(packet.number), lost: status.lost, new_session: packet.first};
  end

  logic unused;
  assign unused = &{1'b0, events_overflow, full, count, gap_full, gap_count};

  assert property (@(posedge clk) disable iff (rst) !fifo_overflow);
  assert property (@(posedge clk) disable iff (rst) !gap_overflow);
  assert property (@(posedge clk) disable iff (rst) !((raw.valid[0] || raw.verdict_valid) && gap_none));
  assert property (@(posedge clk) disable iff (rst) !(raw.verdict_valid && none));
  assert property (@(posedge clk) disable iff (rst) !(ends && good && !packet.good));
endmodule

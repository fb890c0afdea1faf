// Writes every packet of a line into memory, and reads kept ones back.
//
//   line ─ write address ─ block RAM ─ register ─ read_data
//   slots: free ─ being received ─ ended: kept, or free again
//
// Latency: a packet's last beat to `ended` 1 cycle; `read` to read_data 2 cycles. Throughput: a beat in and a beat out a cycle.
// Parameters: W; PROTOCOL; SLOTS, packets of the protocol's longest. Overflow: a packet that finds no slot, or is too long, is told of with
// `ended_stored` low.
module packet_store
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int SLOTS = 4,
    localparam int S = PROTOCOL.sequence_bits,
    localparam int N = W / 8,
    localparam int Beats = (PROTOCOL.maximum_bytes + N - 1) / N,
    localparam int BeatBits = $clog2(Beats + 1),
    localparam int SlotBits = $clog2(SLOTS)
) (
    input  logic                 clk,
    input  logic                 rst,
    arbiter_line_if.snk          line,
    // A packet has ended, is good and has a number.
    output logic                 ended,
    output logic                 ended_stored,
    output logic [        S-1:0] ended_number,
    output logic [CountBits-1:0] ended_count,
    output logic                 ended_session,   // it ends the session
    output logic [ SlotBits-1:0] ended_slot,
    output logic [ BeatBits-1:0] ended_beats,
    output logic [        N-1:0] ended_keep,      // of the last beat
    output logic                 malformed,       // one has ended that is too short to have a number
    output logic                 too_long,
    output logic                 overflow,
    input  logic [    SLOTS-1:0] free,
    input  logic                 read_start,      // of a slot, beat by beat from the next cycle on
    input  logic [ SlotBits-1:0] read_slot,
    output logic [        W-1:0] read_data
);
  localparam int AddressBits = $clog2(SLOTS * Beats);

  function automatic logic [AddressBits-1:0] base(input logic [SlotBits-1:0] slot);
    base = '0;
    for (int i = 0; i < SLOTS; i++) if (slot == SlotBits'(i)) base = AddressBits'(i * Beats);
  endfunction

  logic [SLOTS-1:0] used;
  logic [SlotBits-1:0] next_slot, slot;
  logic [AddressBits-1:0] write_address, read_address, address;
  logic [BeatBits-1:0] beats;  // of the packet so far, without this one
  logic full, room, stored, ends;

  always_comb begin
    next_slot = '0;
    for (int i = SLOTS - 1; i >= 0; i--) if (!used[i]) next_slot = SlotBits'(i);
  end

  assign full = &used;
  assign address = line.first ? base(next_slot) : write_address;
  // A packet that is too long runs on to Beats and stays there: its last beats are not written.
  assign stored = line.first ? !full : room && beats != BeatBits'(Beats);
  assign ends = line.valid && line.last;

  (* no_rw_check, ram_style = "block" *)
  logic [W-1:0] memory[SLOTS*Beats];
  logic [W-1:0] memory_data;

  always_ff @(posedge clk) begin
    if (line.valid && stored) memory[address] <= line.data;
    memory_data  <= memory[read_address];
    read_data    <= memory_data;
    read_address <= read_start ? base(read_slot) : read_address + 1'b1;
  end

  always_ff @(posedge clk) begin
    if (line.valid) begin
      write_address <= address + 1'b1;
      room <= stored;
      beats <= line.first ? BeatBits'(1) : beats == BeatBits'(Beats) ? beats : beats + 1'b1;
      if (line.first) begin
        slot <= next_slot;
        if (!full) used[next_slot] <= 1'b1;
      end
    end
    // A packet that is refused its place gives its slot back at its end: nobody else knows of it.
    if (ends && (line.err || line.short_end || !stored)) begin
      if (line.first) used[next_slot] <= used[next_slot];
      else if (had_slot) used[slot] <= 1'b0;
    end
    for (int i = 0; i < SLOTS; i++) if (free[i]) used[i] <= 1'b0;
    ended <= ends && !line.err && !line.short_end;
    ended_stored <= stored;
    ended_number <= line.here ? line.sequence_now : line.sequence_held;
    ended_count <= line.here ? line.count_now : line.count_held;
    ended_session <= line.here ? line.end_now : line.end_held;
    ended_slot <= line.first ? next_slot : slot;
    ended_beats <= line.first ? BeatBits'(1) : beats + 1'b1;
    ended_keep <= line.keep;
    malformed <= ends && !line.err && line.short_end;
    too_long <= ends && !line.err && !line.short_end && !stored && !line.first && had_slot;
    overflow <= ends && !line.err && !line.short_end && !stored && (line.first || !had_slot);
    if (rst) begin
      used <= '0;
      ended <= 1'b0;
      malformed <= 1'b0;
      too_long <= 1'b0;
      overflow <= 1'b0;
    end
  end

  logic had_slot;  // the packet began in a slot
  always_ff @(posedge clk) if (line.valid && line.first) had_slot <= !full;

  assert property (@(posedge clk) disable iff (rst) (free & ~used) == '0);
endmodule

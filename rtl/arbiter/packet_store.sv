// Writes every packet of a line into memory, and reads kept ones back.
//
//   line ─ write address ─ block RAM ─ register ─ read_*
//   slots: free ─ being received ─ ended: kept, or free again
//
// Latency: a packet's last beat to `ended` 1 cycle; read_start to its first beat on read_* 3 cycles. Throughput: a beat in and a beat out a cycle;
// packets are read back to back if read_start comes with read_ends. Parameters: W; PROTOCOL; SLOTS, packets of the protocol's longest.
// Overflow: a packet that finds no slot, or is too long, is told of with ended_stored low.
module packet_store
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int SLOTS = 4,
    localparam int S = PROTOCOL.sequence_bits,
    localparam int N = W / 8,
    localparam int SlotBits = $clog2(SLOTS)
) (
    input  logic                               clk,
    input  logic                               rst,
           arbiter_line_if.snk                 line,
    // A packet has ended, is good and has a number.
    output logic                               ended,
    output logic                               ended_stored,
    output logic               [        S-1:0] ended_number,
    output logic               [CountBits-1:0] ended_count,
    output logic                               ended_session,  // it ends the session
    output logic               [ SlotBits-1:0] ended_slot,
    output logic                               malformed,      // one has ended that is too short to have a number
    output logic                               too_long,
    output logic                               overflow,
    input  logic               [    SLOTS-1:0] free,
    // A kept packet is read.
    input  logic                               read_start,
    input  logic               [ SlotBits-1:0] read_slot,
    output logic                               reading,
    output logic                               read_ends,      // with `reading`: this was the address of the last beat
    output logic                               read_valid,
    output logic                               read_last,
    output logic               [        N-1:0] read_keep,
    output logic               [        W-1:0] read_data
);
  localparam int Beats = (PROTOCOL.maximum_bytes + N - 1) / N;
  localparam int BeatBits = $clog2(Beats + 1);
  localparam int AddressBits = $clog2(SLOTS * Beats);

  function automatic logic [AddressBits-1:0] base(input logic [SlotBits-1:0] slot);
    base = '0;
    for (int i = 0; i < SLOTS; i++) if (slot == SlotBits'(i)) base = AddressBits'(i * Beats);
  endfunction

  // ---- slots ------------------------------------------------------------------------------------------

  logic [SLOTS-1:0] used;
  logic [SlotBits-1:0] next_slot, slot_reg, slot;
  logic had_slot_reg;  // the packet began in a slot
  logic full, ends, good_end;

  always_comb begin
    next_slot = '0;
    for (int i = SLOTS - 1; i >= 0; i--) if (!used[i]) next_slot = SlotBits'(i);
  end

  assign full = &used;
  assign slot = line.first ? next_slot : slot_reg;
  assign ends = line.valid && line.last;
  assign good_end = ends && !line.err && !line.short_end;

  // ---- write ------------------------------------------------------------------------------------------

  logic [AddressBits-1:0] write_address_reg, write_address;
  logic [BeatBits-1:0] beats_reg;  // of the packet so far, without this one
  logic stored_reg, stored;

  assign write_address = line.first ? base(next_slot) : write_address_reg;
  // Of a packet that is too long what is behind Beats is not written.
  assign stored = line.first ? !full : stored_reg && beats_reg != BeatBits'(Beats);

  always_ff @(posedge clk) begin
    if (line.valid) begin
      write_address_reg <= write_address + 1'b1;
      stored_reg <= stored;
      beats_reg <= line.first ? BeatBits'(1) : beats_reg + BeatBits'(beats_reg != BeatBits'(Beats));
      if (line.first) begin
        slot_reg <= next_slot;
        had_slot_reg <= !full;
        if (!full) used[next_slot] <= 1'b1;
      end
    end
    // A packet of which nobody will hear gives its slot back itself.
    if (ends && !(good_end && stored) && (line.first || had_slot_reg)) begin
      if (line.first) used[next_slot] <= used[next_slot];
      else used[slot_reg] <= 1'b0;
    end
    for (int i = 0; i < SLOTS; i++) if (free[i]) used[i] <= 1'b0;
    ended <= good_end;
    ended_stored <= stored;
    ended_number <= line.here ? line.sequence_now : line.sequence_held;
    ended_count <= line.here ? line.count_now : line.count_held;
    ended_session <= line.here ? line.end_now : line.end_held;
    ended_slot <= slot;
    malformed <= ends && !line.err && line.short_end;
    too_long <= good_end && !stored && !line.first && had_slot_reg;
    overflow <= good_end && !stored && (line.first || !had_slot_reg);
    if (rst) begin
      used <= '0;
      ended <= 1'b0;
      malformed <= 1'b0;
      too_long <= 1'b0;
      overflow <= 1'b0;
    end
  end

  // ---- memory -----------------------------------------------------------------------------------------
  // What is written is never what is being read: a slot is free only when its reader is ahead of the next writer.

  (* no_rw_check, ram_style = "block" *)
  logic [W-1:0] memory[SLOTS*Beats];
  (* no_rw_check *)
  logic [BeatBits+N-1:0] ends_of[SLOTS];  // beats behind the first, and keep of the last
  logic [W-1:0] memory_data;
  logic [AddressBits-1:0] read_address;
  logic [BeatBits-1:0] remaining;  // beats behind this one
  logic [N-1:0] keep;
  logic valid_reg, last_reg;
  logic [N-1:0] keep_reg;

  assign read_ends = remaining == '0;

  always_ff @(posedge clk) begin
    if (line.valid && stored) memory[write_address] <= line.data;
    if (ends && stored) ends_of[slot] <= {line.first ? BeatBits'(0) : beats_reg, line.keep};
    memory_data <= memory[read_address];
    read_data   <= memory_data;
    if (read_start) begin
      reading <= 1'b1;
      read_address <= base(read_slot);
      {remaining, keep} <= ends_of[read_slot];
    end else begin
      if (read_ends) reading <= 1'b0;
      read_address <= read_address + 1'b1;
      remaining <= remaining - 1'b1;
    end
    {valid_reg, last_reg, keep_reg} <= {reading, read_ends, read_ends ? keep : {N{1'b1}}};
    {read_valid, read_last, read_keep} <= {valid_reg, last_reg, keep_reg};
    if (rst) begin
      reading <= 1'b0;
      valid_reg <= 1'b0;
      read_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) (free & ~used) == '0);
  assert property (@(posedge clk) disable iff (rst) !read_start || !reading || read_ends);
endmodule

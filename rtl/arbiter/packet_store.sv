// Writes every packet of a line into memory, and reads kept ones back.
//
//   line ─ register ─ address ─ register ─ banks of block RAM ─ a register each ─ one of a group of banks ─ register ─ one of the groups ─ read_*
//   slots: free ─ being received ─ ended: kept, or free again
//
// Latency: a packet's last beat to `ended` 2 cycles; read_start to its first beat on read_* 4 cycles. Throughput: a beat in and a beat out a
// cycle; packets of two beats or more are read back to back if read_start comes as soon as read_busy is low. Parameters: W; PROTOCOL; SLOTS, packets
// of the protocol's longest.
// Overflow: a packet that finds no slot, or is too long, is reported with ended_stored low.
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
    input  logic               [ SlotBits-1:0] read_slot,      // in the cycle before read_start, too
    output logic                               reading,        // from the cycle after read_start, until two before the last beat on read_*
    output logic                               read_busy,      // the next packet must not be started yet
    output logic                               read_valid,
    output logic                               read_last,
    output logic               [        N-1:0] read_keep,
    output logic               [        W-1:0] read_data
);
  localparam int Beats = (PROTOCOL.maximum_bytes + N - 1) / N;
  localparam int BeatBits = $clog2(Beats + 1);
  // A bank is as many beats as block RAMs side by side hold: they are slow, so their outputs are registered before one is chosen; and as they
  // lie all over the part, one of four near each other is chosen and registered first.
  localparam int AllBits = $clog2(SLOTS * Beats);
  localparam int BankBits = W == 8 ? (AllBits < 12 ? AllBits : 12) : (AllBits < 9 ? AllBits : 9);
  localparam int Banks = (SLOTS * Beats + (1 << BankBits) - 1) >> BankBits;
  localparam int AddressBits = AllBits == BankBits ? AllBits + 1 : AllBits;
  localparam int Groups = (Banks + 3) / 4;

  function automatic logic [AddressBits-1:0] base(input logic [SlotBits-1:0] slot);
    base = '0;
    for (int i = 0; i < SLOTS; i++) if (slot == SlotBits'(i)) base = AddressBits'(i * Beats);
  endfunction

  // ---- the line, a cycle later: then the number is held --------------------------------------------------

  logic valid_in, first_in, last_in, err_in, short_in;
  logic [N-1:0] keep_in;
  logic [W-1:0] data_in;
  logic ends, good_end;

  always_ff @(posedge clk) begin
    valid_in <= line.valid && !rst;
    first_in <= line.first;
    last_in  <= line.last;
    err_in   <= line.err;
    short_in <= line.short_end;
    keep_in  <= line.keep;
    data_in  <= line.data;
  end

  assign ends = valid_in && last_in;
  assign good_end = ends && !err_in && !short_in;

  packet_end #(
      .S(S)
  ) packet_end (
      .clk,
      .rst,
      .line,
      .ended,
      .ended_number,
      .ended_count,
      .ended_session,
      .malformed
  );

  // ---- slots ------------------------------------------------------------------------------------------

  logic [SLOTS-1:0] used;
  logic [SlotBits-1:0] next_slot, next_slot_reg, slot_reg, slot;
  logic none_reg;  // no slot is free
  logic claimed;   // in the cycle before: next_slot_reg is no longer free (Ethernet's gap is longer than that)
  logic had_slot_reg;  // the packet began in a slot
  logic claims;

  always_comb begin
    next_slot = '0;
    for (int i = SLOTS - 1; i >= 0; i--) if (!used[i]) next_slot = SlotBits'(i);
  end

  assign claims = valid_in && first_in && !none_reg && !claimed;
  assign slot   = first_in ? next_slot_reg : slot_reg;

  // ---- write ------------------------------------------------------------------------------------------

  logic [AddressBits-1:0] write_address_reg, write_address;
  logic [BeatBits-1:0] beats_reg;  // of the packet so far, without this one
  logic limit_reg;  // these fill the slot
  logic stored_reg, stored;

  assign write_address = first_in ? base(next_slot_reg) : write_address_reg;
  // Of a packet that is too long, beats after Beats are not written.
  assign stored = first_in ? !none_reg && !claimed : stored_reg && !limit_reg;

  always_ff @(posedge clk) begin
    next_slot_reg <= next_slot;
    none_reg <= &used;
    claimed <= claims;
    if (valid_in) begin
      write_address_reg <= write_address + 1'b1;
      stored_reg <= stored;
      beats_reg <= first_in ? BeatBits'(1) : beats_reg + BeatBits'(!limit_reg);
      limit_reg <= first_in ? Beats == 1 : limit_reg || beats_reg == BeatBits'(Beats - 1);
      if (first_in) begin
        slot_reg <= next_slot_reg;
        had_slot_reg <= claims;
      end
    end
    if (claims) used[next_slot_reg] <= 1'b1;
    // A packet that is not reported gives its slot back itself.
    if (ends && !(good_end && stored)) begin
      if (claims) used[next_slot_reg] <= 1'b0;
      else if (!first_in && had_slot_reg) used[slot_reg] <= 1'b0;
    end
    for (int i = 0; i < SLOTS; i++) if (free[i]) used[i] <= 1'b0;
    ended_stored <= stored;
    ended_slot <= slot;
    too_long <= good_end && !stored && !first_in && had_slot_reg;
    overflow <= good_end && !stored && (first_in || !had_slot_reg);
    if (rst) begin
      used <= '0;
      claimed <= 1'b0;
      too_long <= 1'b0;
      overflow <= 1'b0;
    end
  end

  // ---- memory -----------------------------------------------------------------------------------------
  // A place is never written while it is read: a slot is free only when its reader is ahead of the next writer.

  (* no_rw_check *)
  logic [BeatBits+N-1:0] ends_of[SLOTS];  // beats after the first; keep of the last
  logic [W-1:0] memory_in;
  logic memory_write;
  logic [AddressBits-1:0] memory_address, read_address;
  logic [AddressBits-1:0] read_base;
  logic [BeatBits+N-1:0] read_ends;
  logic address_valid;
  logic [BeatBits-1:0] remaining;  // beats after this one
  logic [N-1:0] keep, keep_reg;
  logic address_last, valid_reg, last_reg;
  logic data_valid, data_last;
  logic [N-1:0] data_keep;
  logic [4*Groups-1:0][W-1:0] bank_data;
  logic [Groups-1:0][W-1:0] group_data;
  localparam int PlaceBits = AddressBits - BankBits > 3 ? AddressBits - BankBits : 3;
  logic [PlaceBits-1:0] place_before, place;  // group and bank where bank_data is,
  logic [PlaceBits-3:0] group;  // and where group_data is

  assign reading = address_valid || valid_reg;
  assign address_last = remaining == '0;

  always_ff @(posedge clk) begin
    memory_write <= valid_in && stored;
    memory_address <= write_address;
    memory_in <= data_in;
    if (ends && stored) ends_of[slot] <= {first_in ? BeatBits'(0) : beats_reg, keep_in};
    place_before <= PlaceBits'(read_address[AddressBits-1:BankBits]);
    place <= place_before;
    group <= place[PlaceBits-1:2];
    for (int i = 0; i < Groups; i++) group_data[i] <= bank_data[PlaceBits'(4*i)+PlaceBits'(place[1:0])];
    read_busy <= !rst && (read_start || (address_valid && remaining > BeatBits'(1)));
    read_base <= base(read_slot);
    read_ends <= ends_of[read_slot];
    if (read_start) begin
      address_valid <= 1'b1;
      read_address <= read_base;
      {remaining, keep} <= read_ends;
    end else begin
      if (address_last) address_valid <= 1'b0;
      read_address <= read_address + 1'b1;
      remaining <= remaining - 1'b1;
    end
    {valid_reg, last_reg, keep_reg} <= {address_valid, address_last, address_last ? keep : {N{1'b1}}};
    {data_valid, data_last, data_keep} <= {valid_reg, last_reg, keep_reg};
    {read_valid, read_last, read_keep} <= {data_valid, data_last, data_keep};
    if (rst) begin
      memory_write <= 1'b0;
      address_valid <= 1'b0;
      valid_reg <= 1'b0;
      data_valid <= 1'b0;
      read_valid <= 1'b0;
    end
  end

  for (genvar i = 0; i < Banks; i++) begin : gen_bank
    (* no_rw_check, ram_style = "block" *)
    logic [W-1:0] memory[1<<BankBits];
    logic [W-1:0] data, data_reg;
    always_ff @(posedge clk) begin
      if (memory_write && memory_address[AddressBits-1:BankBits] == (AddressBits - BankBits)'(i)) begin
        memory[memory_address[BankBits-1:0]] <= memory_in;
      end
      data <= memory[read_address[BankBits-1:0]];
      data_reg <= data;
    end
    assign bank_data[i] = data_reg;
  end

  for (genvar i = Banks; i < 4 * Groups; i++) begin : gen_no_bank
    assign bank_data[i] = 'x;
  end

  assign read_data = group_data[group];

  assert property (@(posedge clk) disable iff (rst) (free & ~used) == '0);
  assert property (@(posedge clk) disable iff (rst) !read_start || !read_busy);
  assert property (@(posedge clk) disable iff (rst) !read_start || $stable(read_slot));
endmodule

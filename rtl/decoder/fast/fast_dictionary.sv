// Previous values (FAST 1.1, 6.3.1), and a log of what the open packet changed, so that a bad packet leaves them as they were.
//
//   write ─┬─ entries ─ entry           log: what an entry was before the packet changed it first
//          └─────── log ─┘ back, one a cycle, if the packet is bad
//
// An entry is undefined unless its `generation` is the current one: a reset of all dictionaries is one addition. It is in the log if its `packet` is the
// current one. Both numbers wrap around: at the end of each packet one entry is read and written again without numbers that have passed (the
// execution does it), so that none is met again a round later.
//
// Latency: an entry is at `entry` the cycle after its address. Taking back: a cycle an entry and two more. `clear` empties all in 256 cycles.
// Overflow: none, an entry is logged once a packet.
module fast_dictionary
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic [7:0] slot,
    output entry_t entry,

    input logic write,
    input logic [7:0] write_slot,
    input entry_t write_entry,
    input logic log,  // the packet has not changed this entry before
    input entry_t old_entry,

    input  logic clear,  // pulse
    input  logic commit,  // pulse: the packet is good
    input  logic undo,  // pulse: it is bad
    output logic busy
);
  typedef struct packed {
    logic [7:0] slot;
    entry_t entry;
  } logged_t;

  (* no_rw_check, ram_style = "block" *) entry_t entries[256];
  (* no_rw_check, ram_style = "block" *) logged_t log_entries[256];

  logic undoing, clearing, back_valid;
  logic [8:0] logged;  // entries in the log
  logic [7:0] at;
  logged_t back;
  logic do_write;
  logic [7:0] do_slot;
  entry_t do_entry;

  assign busy = undoing || back_valid || clearing;

  always_comb begin
    do_write = write || back_valid || clearing;
    do_slot = back_valid ? back.slot : write_slot;
    do_entry = back_valid ? back.entry : write_entry;
    if (clearing) begin
      do_slot = at;
      do_entry.state = STATE_UNDEFINED;
      do_entry.packet = '0;
      do_entry.bank = '0;
      do_entry.kept = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (do_write) entries[do_slot] <= do_entry;
    entry <= entries[slot];
  end

  always_ff @(posedge clk) begin
    if (write && log) log_entries[logged[7:0]] <= '{slot: write_slot, entry: old_entry};
    back <= log_entries[at];
  end

  always_ff @(posedge clk) begin
    back_valid <= undoing && 9'(at) < logged;
    at <= undoing || clearing ? at + 8'd1 : '0;
    if (undoing && 9'(at) + 9'd1 >= logged) undoing <= 1'b0;
    if (clearing && at == '1) clearing <= 1'b0;
    if (write && log) logged <= logged + 9'd1;
    if (commit || clear || (back_valid && !undoing)) logged <= '0;
    if (undo && logged != 0) undoing <= 1'b1;
    if (undo || clear) at <= '0;
    if (clear || rst) clearing <= 1'b1;
    if (rst) begin
      undoing <= 1'b0;
      back_valid <= 1'b0;
      logged <= '0;
      at <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(write && busy));
  assert property (@(posedge clk) disable iff (rst) logged <= 9'd256);
  assert property (@(posedge clk) disable iff (rst) !(write && log && logged == 9'd256));
endmodule

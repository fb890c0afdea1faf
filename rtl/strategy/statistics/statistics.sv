// Count, minimum, maximum, volume and sum of each symbol and side, with complete frames committed or undone in one cycle.
//
//   update ─ state of the entry ─ slot ─ read ─ register ─ add ─ write
//   commit ─ state of every entry at once                   (block RAM; where updates are every 4 cycles, twice: one read by updates, one by the report)
//
// Each entry (symbol, side) has three slots in block RAM. `current` holds the running interval, `snapshot` the one being reported; either
// may be Empty. A frame writes into free slots only: `first` up to its boundary, `second` after it. Which those are follows from
// current and snapshot; `touched` says which of them hold something. So a good verdict changes two 2-bit numbers an entry, and a bad one
// none. A boundary comes only while no report is being read (second_tracker), so the snapshot's slot is free then.
//
// Latency: update to written 5 + READ_STAGES cycles; the commit comes 2 to 7 cycles after the frame's last update. Throughput: an update
// every 4 cycles, every 8 with two READ_STAGES (asserted). Parameters: INSTRUMENTS; READ_STAGES, registers after the RAMs: 1, or 2
// where the part is slow and the beats are narrow. Overflow: the values wrap.
module statistics #(
    parameter int INSTRUMENTS = 16,
    parameter int READ_STAGES = 1
) (
    input logic clk,
    input logic rst,
    input logic accumulate,

    input logic                       update_valid,
    input logic [$clog2(INSTRUMENTS)-1:0] update_index,
    input logic                       update_sell,
    input logic                       after_boundary,
    input logic [               31:0] price,
    input logic [               31:0] quantity,

    input logic commit_valid,
    input logic commit_good,
    input logic commit_boundary,  // with good: the interval ends, a report is read

    input logic                       clear,  // both sides of a symbol
    input logic [$clog2(INSTRUMENTS)-1:0] clear_index,

    // The report: the entry is steady for the 3 cycles that end with read; the data comes READ_STAGES cycles after read, with two READ_STAGES one more
    // where an update is read.
    input  logic [$clog2(INSTRUMENTS):0] read_entry,  // {symbol, sell}
    input  logic                     read,
    output logic                     read_valid,
    output logic [            223:0] read_data,   // count, minimum, maximum, volume, sum
    output logic                     read_none    // the entry is empty, the data means nothing
);
  localparam int Entries = 2 * INSTRUMENTS;
  localparam int Entry = $clog2(Entries);
  localparam int Group = 32;  // entries in a group: the first cycle chooses one state of each group
  localparam int Groups = Entries / Group;
  localparam int GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  localparam logic [1:0] Empty = 2'd3;

  typedef struct packed {
    logic [1:0] current;
    logic [1:0] snapshot;
    logic [1:0] touched;  // [0] before, [1] after the frame's boundary
  } state_t;

  typedef struct packed {
    logic [31:0] count;
    logic [31:0] minimum;
    logic [31:0] maximum;
    logic [63:0] volume;
    logic [63:0] total;  // of the prices
  } values_t;

  function automatic logic [1:0] free_slot(input logic [1:0] a, input logic [1:0] b);
    return a != 2'd0 && b != 2'd0 ? 2'd0 : a != 2'd1 && b != 2'd1 ? 2'd1 : 2'd2;
  endfunction

  function automatic logic [1:0] second_slot(input logic [1:0] current, input logic [1:0] snapshot);
    return free_slot(current, free_slot(current, snapshot));
  endfunction

  // What the interval before the boundary has become.
  function automatic logic [1:0] latest(input logic [1:0] current, input logic [1:0] snapshot, input logic touched);
    return touched ? free_slot(current, snapshot) : current;
  endfunction

  state_t [Entries-1:0] state;

  // ---- update ---------------------------------------------------------------------------------

  localparam int Write = 4 + READ_STAGES;  // the cycle in which an update is written

  logic [Write:1] pending;
  logic [Entry-1:0] entry;
  state_t [Groups-1:0] group_state;
  logic [GroupBits-1:0] group;
  state_t found;
  logic behind;
  logic [31:0] add_price, add_quantity;
  logic [Entry+1:0] read_address, write_address;
  logic none, none_stage, start_none;
  values_t old, old_stage, start, next;

  assign entry = {update_index, update_sell};

  if (Groups > 1) begin : g_group
    always_ff @(posedge clk) group <= entry[Entry-1-:GroupBits];
  end else begin : g_one_group
    assign group = '0;
  end

  logic [Entry-1:0] found_entry;
  logic [1:0] second;
  assign found  = group_state[group];
  assign second = second_slot(found.current, found.snapshot);

  always_ff @(posedge clk) begin
    pending <= {pending[Write-1:1], update_valid};
    if (rst) pending <= '0;
    // cycle 0: one state of each group
    for (int i = 0; i < Groups; i++) group_state[i] <= state[i*Group+32'(entry[$clog2(Group)-1:0])];
    if (clear && clear_index == update_index) group_state <= {Groups{Empty, Empty, 2'b00}};
    if (update_valid) begin
      found_entry <= entry;
      behind <= after_boundary;
      add_price <= price;
      add_quantity <= quantity;
    end
    // cycle 1: which slot is read, which is written
    if (pending[1]) begin
      if (behind && found.touched[1]) read_address <= {found_entry, second};
      else if (behind && !accumulate) read_address <= {found_entry, Empty};
      else read_address <= {found_entry, latest(found.current, found.snapshot, found.touched[0])};
      write_address <= {found_entry, behind ? second : free_slot(found.current, found.snapshot)};
    end
    // cycle 2: read
    none <= read_address[1:0] == Empty;
  end

  if (READ_STAGES == 2) begin : g_update_stage
    always_ff @(posedge clk) begin
      old_stage  <= old;
      none_stage <= none;
    end
  end else begin : g_no_update_stage
    assign old_stage  = old;
    assign none_stage = none;
  end

  // the two cycles before Write: clear an empty entry, add
  always_ff @(posedge clk) begin
    if (none_stage) start <= '0;
    else start <= old_stage;
    start_none   <= none_stage;
    next.count   <= start.count + 32'd1;
    next.minimum <= start_none || add_price < start.minimum ? add_price : start.minimum;
    next.maximum <= start_none || add_price > start.maximum ? add_price : start.maximum;
    next.volume  <= start.volume + 64'(add_quantity);
    next.total   <= start.total + 64'(add_price);
  end

  // ---- the values ---------------------------------------------------------------------------------

  logic [Entry+1:0] report_address;
  logic [223:0] report_values;
  logic reads, report_valid, report_none;  // reads: the report does, in this cycle

  // Reads and writes never meet at one address: updates are too far apart, and the report's snapshot is not written.
  (* no_rw_check, ram_style = "block" *)
  logic [223:0] values[4*Entries];

  if (READ_STAGES == 2) begin : gen_shared
    // An update needs its read in one cycle of eight.
    logic waits;
    assign reads = (read || waits) && !pending[2];
    always_ff @(posedge clk) begin
      waits <= read && pending[2] && !rst;
      old   <= values[reads?report_address : read_address];
      if (pending[Write]) values[write_address] <= next;
    end
    assign report_values = old_stage;
  end else begin : gen_copy
    (* no_rw_check, ram_style = "block" *)
    logic [223:0] report_copy[4*Entries];
    assign reads = read;
    always_ff @(posedge clk) begin
      old <= values[read_address];
      if (read) report_values <= report_copy[report_address];
      if (pending[Write]) begin
        values[write_address] <= next;
        report_copy[write_address] <= next;
      end
    end
  end

  // ---- the report's side ------------------------------------------------------------------------

  logic [Groups-1:0][1:0] group_snapshot;

  always_ff @(posedge clk) begin
    for (int i = 0; i < Groups; i++) group_snapshot[i] <= state[i*Group+32'(read_entry[$clog2(Group)-1:0])].snapshot;
    report_address <= {read_entry, group_snapshot[Groups>1?32'(read_entry>>$clog2(Group)) : 0]};
    if (reads) report_none <= report_address[1:0] == Empty;
    report_valid <= reads && !rst;
  end

  if (READ_STAGES == 2) begin : g_read_stage
    always_ff @(posedge clk) begin
      read_valid <= report_valid;
      read_none  <= report_none;
    end
    assign read_data = report_values;
  end else begin : g_no_read_stage
    assign read_valid = report_valid;
    assign read_data  = report_values;
    assign read_none  = report_none;
  end

  // ---- commit -----------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    for (int i = 0; i < Entries; i++) begin
      if (commit_valid) begin
        state[i].touched <= '0;
        if (commit_good) begin
          state[i].current <= latest(state[i].current, state[i].snapshot, state[i].touched[0]);
          if (commit_boundary) begin
            state[i].snapshot <= latest(state[i].current, state[i].snapshot, state[i].touched[0]);
            if (state[i].touched[1]) state[i].current <= second_slot(state[i].current, state[i].snapshot);
            else if (!accumulate) state[i].current <= Empty;
          end
        end
      end
      if (pending[1] && found_entry == Entry'(i)) state[i].touched[behind] <= 1'b1;
      if (rst || clear && clear_index == (Entry - 1)'(i >> 1)) state[i] <= {Empty, Empty, 2'b00};
    end
  end

  assert property (@(posedge clk) disable iff (rst) !update_valid || pending[3:1] == '0 && (READ_STAGES == 1 || pending == '0));
  // A frame's updates have touched their entries before its commit, and no other frame's have.
  assert property (@(posedge clk) disable iff (rst) !commit_valid || !update_valid && !pending[1]);
  // The report reads nothing that is about to change.
  logic [3:1] committed;
  always_ff @(posedge clk) committed <= rst ? '0 : {committed[2:1], commit_valid && commit_good && commit_boundary};
  assert property (@(posedge clk) disable iff (rst) !read || committed == '0 && !(commit_valid && commit_good && commit_boundary));
  assert property (@(posedge clk) disable iff (rst) !(reads && pending[Write] && report_address == write_address));
endmodule

// The part of a FAST program that the walk reads: groups of instructions, and the jump table by template identifier.
//
// Three reads a cycle, none of which knows what it is for: the group that follows, the group at the open sequence's start, and the row at the hash
// of a token that may be a template identifier. The row holds the template's first group, so that a message begins without a pause.
//
// The hash is the identifier's lowest seven bits, with a loaded pattern added (xor) for each of the next seven that is set: the assembler
// finds patterns that keep all identifiers apart.
//
// Latency: 1 cycle from an address to what is there. Parameter: GROUPS. Loaded while no packet is decoded.
module fast_program
  import fast_pkg::*;
#(
    parameter int GROUPS = 256
) (
    input logic clk,

    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,
    input  logic [8:0] next_address,
    input  logic [8:0] loop_address,
    /* verilator lint_on UNUSEDSIGNAL */
    output group_t next_group,
    output group_t loop_group,

    input  logic row_again,  // read the row of `row_number`
    input  ahead_t ahead,
    input  logic ahead_waits,  // the row of the one before it is read
    input  logic [RowBits-1:0] row_number,
    output logic [RowBits-1:0] row_address,  // that is read
    output row_t row
);
  localparam int Address = $clog2(GROUPS);

  (* no_rw_check, ram_style = "block" *) group_t groups_next[GROUPS];
  (* no_rw_check, ram_style = "block" *) group_t groups_loop[GROUPS];
  (* no_rw_check, ram_style = "block" *) row_t rows[1<<RowBits];
  logic [6:0][RowBits-1:0] patterns;

  // What needs no pattern is joined last: from the tokenizer to here it is the longest way of all.
  logic [RowBits-1:0] above, hash, waiting_hash, other;
  always_comb begin
    above = '0;
    for (int i = 0; i < 7; i++) if (ahead.bits[7+i]) above ^= patterns[i];
    hash = RowBits'(ahead.bits[6:0]) ^ (ahead.single ? '0 : above);
    other = row_again ? row_number : waiting_hash;
    row_address = row_again || ahead_waits ? other : hash;
  end
  always_ff @(posedge clk) if (!ahead_waits) waiting_hash <= hash;

  always_ff @(posedge clk) begin
    if (load.valid && load.what == LOAD_GROUP) groups_next[Address'(load.index)] <= group_t'(load.data[$bits(group_t)-1:0]);
    next_group <= groups_next[Address'(next_address)];
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == LOAD_GROUP) groups_loop[Address'(load.index)] <= group_t'(load.data[$bits(group_t)-1:0]);
    loop_group <= groups_loop[Address'(loop_address)];
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == LOAD_ROW) rows[RowBits'(load.index)] <= row_t'(load.data[$bits(row_t)-1:0]);
    row <= rows[row_address];
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == LOAD_HASH) patterns <= load.data[7*RowBits-1:0];
  end

endmodule

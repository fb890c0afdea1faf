// What the operations of the open frame did, so that a bad frame can be taken back: inverse operations, last first, through the same pipeline.
//
//   outcome ─ memory ─┬─ dropped, after a good verdict
//                     └─ undo: an add by a delete; a delete by an add of the order that left; a part by its return
//
// Latency: bad verdict to the first inverse operation 3 cycles. Throughput: an operation in 2 cycles, both ways. Parameter: DEPTH, operations,
// a power of two; PLACE, bits of an order's place in its table. Overflow: an operation that finds no room is refused, which is a fault (`full`, `almost_full`: room for one).
module book_log
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int DEPTH = 512,
    parameter int PLACE = 4
) (
    input logic clk,
    input logic rst,

    input  logic     outcome_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input  outcome_t outcome,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [PLACE-1:0] place,  // where its order is or was in the table: there it comes back
    output logic     full,
    output logic     filled,  // the same, without the verdict that comes in this cycle
    output logic     almost_full,
    output logic     empty,

    input  logic verdict_valid,  // when all outcomes of the frame are there
    input  logic verdict_good,
    output logic undoing,
    output logic undo_valid,
    output op_t  undo_op,
    input  logic undo_taken,
    output logic undone          // pulse: the book is as it was before the frame
);
  localparam int Address = $clog2(DEPTH);
  localparam logic [3:0] Rest = 4'd12;  // cycles from the last inverse operation to its level

  typedef struct packed {
    op_kind_e    kind;
    logic        left;
    instrument_t instrument;
    side_e       side;
    rank_t       rank;
    shares_t     shares;
    id_t         id;
    logic [PLACE-1:0] place;
  } entry_t;

  (* no_rw_check, ram_style = "block" *) entry_t memory[DEPTH];
  entry_t read1, read2;
  logic [Address:0] count;
  logic [Address-1:0] write_at;
  logic write, reading, kept;
  logic read1_valid, read2_valid;
  logic [3:0] rest;

  assign write = outcome_valid && outcome.done && !outcome.undo && !outcome.restore;
  assign write_at = kept ? '0 : count[Address-1:0];
  // The first operations of the next frame are decided while the verdict on this one comes.
  logic ends, almost;
  assign ends = (verdict_valid && verdict_good) || kept;
  assign filled = count[Address];
  assign full = filled && !ends;
  assign almost_full = almost && !ends;
  assign empty = count == '0;

  // Reading: one entry at read2, the next at read1.
  logic move;
  assign move = !read2_valid || undo_taken;
  assign reading = undoing && count != '0 && (!read1_valid || move);

  always_ff @(posedge clk) begin
    if (write)
      memory[write_at] <= '{outcome.kind, outcome.left, outcome.instrument, outcome.side, outcome.rank, outcome.shares, outcome.id, place};
    if (!read1_valid || move) read1 <= memory[Address'(count-1'b1)];
  end

  always_ff @(posedge clk) begin
    if (move) read2 <= read1;
    if (move) read2_valid <= read1_valid;
    if (!read1_valid || move) read1_valid <= reading;
    kept <= verdict_valid && verdict_good;
    almost <= !kept && ((count == (Address + 1)'(DEPTH - 2) && write) || (count == (Address + 1)'(DEPTH - 1) && !write && !reading));
    if (kept) count <= (Address + 1)'(write);
    else if (write) count <= count + 1'b1;
    else if (reading) count <= count - 1'b1;
    undone <= 1'b0;
    if (verdict_valid && !verdict_good) undoing <= 1'b1;
    rest <= !undoing || undo_taken ? '0 : rest == Rest ? rest : rest + 4'd1;
    if (undoing && count == '0 && !read1_valid && !read2_valid && !undo_taken && rest == Rest) begin
      undoing <= 1'b0;
      undone <= 1'b1;
    end
    if (rst) begin
      count <= '0;
      undoing <= 1'b0;
      undone <= 1'b0;
      kept <= 1'b0;
      almost <= 1'b0;
      read1_valid <= 1'b0;
      read2_valid <= 1'b0;
      rest <= '0;
    end
  end

  assign undo_valid = read2_valid;
  always_comb begin
    undo_op = '0;
    undo_op.undo = 1'b1;
    undo_op.named = 1'b1;
    undo_op.ranked = 1'b1;
    undo_op.instrument = read2.instrument;
    undo_op.side = read2.side;
    undo_op.rank = read2.rank;
    undo_op.shares = level_shares_t'(read2.shares);
    undo_op.id = read2.id;
    undo_op.price[PLACE-1:0] = read2.place;  // what comes back has no use for a price
    case (read2.kind)
      OP_ADD: undo_op.kind = OP_DELETE;
      OP_TRADE: undo_op.kind = OP_TRADE;
      default: undo_op.kind = read2.left ? OP_ADD : OP_RETURN;
    endcase
  end

  assert property (@(posedge clk) disable iff (rst) count <= (Address + 1)'(DEPTH));
  assert property (@(posedge clk) disable iff (rst) !(write && (undoing || verdict_valid)));
  // What takes something back cannot fail.
  assert property (@(posedge clk) disable iff (rst) !(outcome_valid && outcome.undo && !outcome.done));
endmodule

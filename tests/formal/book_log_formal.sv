// Proofs of book_log, for any length of time and any outcomes, verdicts and pauses of the pipeline:
// - after a bad verdict it gives the inverse of each operation that changed the book since the last verdict, once, the last one first, with all that
//   the operation was about; nothing else, and nothing after a good verdict;
// - `undone` comes when all of them have been taken, and the last one so long ago that it has reached the best levels;
// - an operation is refused only where there is no room: `full` with all places taken, `almost_full` with all but one; none is lost.
//
// One operation, any, is watched: how many were logged before it in its frame, and what it was. Only ports are looked at.
module book_log_formal
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int DEPTH = 4,
    parameter int PLACE = 2
) (
    input logic clk,

    input logic             outcome_valid,
    input op_kind_e         kind,
    input logic             done,
    input logic             undo,
    input logic             restore,
    input logic             replace,
    input logic             left,
    input instrument_t      instrument,
    input side_e            side,
    input rank_t            rank,
    input shares_t          shares,
    input id_t              id,
    input logic [PLACE-1:0] place,
    input logic             verdict_valid,
    input logic             verdict_good,
    input logic             undo_taken,
    input logic             watch
);
  localparam int Reaches = 10;  // cycles from the last inverse operation until the best levels have it
  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  outcome_t outcome;
  logic full, filled, almost_full, empty, undoing, undo_valid, undone;
  op_t undo_op;

  always_comb begin
    outcome = '0;
    outcome.kind = kind;
    outcome.done = done;
    outcome.undo = undo;
    outcome.restore = restore;
    outcome.left = left;
    outcome.instrument = instrument;
    outcome.side = side;
    outcome.rank = rank;
    outcome.shares = shares;
    outcome.id = id;
  end

  book_log #(
      .DEPTH(DEPTH),
      .PLACE(PLACE)
  ) dut (
      .clk,
      .rst,
      .outcome_valid,
      .outcome,
      .place,
      .full,
      .filled,
      .almost_full,
      .empty,
      .verdict_valid,
      .verdict_good,
      .undoing,
      .undo_valid,
      .undo_op,
      .undo_taken,
      .undone
  );

  // ---- what the pipeline guarantees -------------------------------------------------------------------------

  logic logs, logged_before, taken;
  logic room, room_for_two;  // a cycle ago, when the operation was decided
  logic linked;  // the delete of a replacement was the last: its add needs no room of its own
  logic judged;  // a bad verdict came, and the frame has not been taken back
  assign logs = outcome_valid && done && !undo && !restore;
  assign taken = undo_valid && undo_taken;

  always_comb begin
    assume (!rst || !(outcome_valid || verdict_valid));
    assume (!(outcome_valid && logged_before));  // 2 cycles apart
    assume (!outcome_valid || kind inside {OP_ADD, OP_REDUCE, OP_DELETE, OP_TRADE} || undo);
    assume (kind != OP_DELETE || left);
    assume (!(outcome_valid && undo) || (judged && done));
    if (logs) begin
      assume (!judged && !verdict_valid);  // a frame's are all there when its verdict comes, and those of the next come later
      assume (linked || (room && (!replace || room_for_two)));
      assume (!linked || !replace);
    end
    if (verdict_valid) assume (!judged && !linked);
    assume (!undo_taken || undo_valid);
  end

  always_ff @(posedge clk) begin
    logged_before <= outcome_valid;
    room <= !full;
    room_for_two <= !almost_full && !full;
    if (logs) linked <= replace && kind == OP_DELETE;
    judged <= (judged || (verdict_valid && !verdict_good)) && !undone;
    if (rst) {logged_before, linked, judged} <= '0;
  end

  // ---- the model ----------------------------------------------------------------------------------------------

  logic [3:0] logged;  // operations of the open frame, less those that were taken back
  logic watched;
  logic [3:0] at;  // so many were before it
  op_kind_e inverse, inverse_now;
  op_t expected, expected_now;
  logic [4:0] since;  // the last inverse operation was taken
  logic many;  // taken in this undo: more than one

  always_comb begin
    case (kind)
      OP_ADD: inverse_now = OP_DELETE;
      OP_TRADE: inverse_now = OP_TRADE;
      OP_DELETE: inverse_now = OP_ADD;
      default: inverse_now = left ? OP_ADD : OP_RETURN;
    endcase
    expected_now = '0;
    expected_now.kind = inverse_now;
    expected_now.undo = 1'b1;
    expected_now.named = 1'b1;
    expected_now.ranked = 1'b1;
    expected_now.instrument = instrument;
    expected_now.side = side;
    expected_now.rank = rank;
    expected_now.shares = level_shares_t'(shares);
    expected_now.id = id;
    expected_now.price[PLACE-1:0] = place;
  end

  always_ff @(posedge clk) begin
    logged <= logged + 4'(logs) - 4'(taken);
    if (logs && watch && !watched) {watched, at, expected} <= {1'b1, logged, expected_now};
    if (taken && watched && logged == at + 1'b1) watched <= 1'b0;
    if (verdict_valid && verdict_good) {logged, watched} <= '0;
    since <= taken ? '0 : since + 5'(since != '1);
    many <= judged && (many || (taken && logged > 4'd1));
    if (rst) begin
      {logged, watched, many} <= '0;
      since <= '1;
    end
  end

  logic was_full, kept_before;
  always_ff @(posedge clk) begin
    was_full <= !rst && (was_full || (logged == 4'(DEPTH) && judged));
    kept_before <= !rst && (kept_before || (verdict_valid && verdict_good && logged == 4'd2));
  end

  always_ff @(posedge clk) begin
    if (!rst) begin
      if (undo_valid) begin
        assert (judged && logged != '0);
        assert (undo_op.undo && undo_op.named && undo_op.ranked && undo_op.kind inside {OP_ADD, OP_DELETE, OP_RETURN, OP_TRADE});
        if (watched && logged == at + 1'b1) assert (undo_op == expected);
      end
      if (undone) assert (judged && logged == '0 && !watched && since >= 5'(Reaches));
      if (full) assert (logged == 4'(DEPTH));
      if (almost_full) assert (logged >= 4'(DEPTH - 1));
      if (logged != '0 && !judged) assert (!empty);
      assert (logged <= 4'(DEPTH));
      assert (undoing == (judged && !undone));

      cover (undone && many && was_full);
      cover (undone && many && kept_before && !was_full);
      cover (taken && watched && logged == at + 1'b1 && at == 4'd1 && kept_before && expected.kind == OP_RETURN);
      cover (logged == 4'(DEPTH) && linked == 1'b0 && full);
    end
  end
endmodule

// Where the walk is in the program: the number of its group, of the next one, of the one after that, and of the first of the open sequence, or of the message.
//
//   place ─ follows ─ second ─ third ─┬─ address of the group that is read
//   loop_place ─ loop_next ───────────┘
//
// The memory is asked two groups ahead, so that a walk from group to group never waits; after a jump, and where a template begins, only `follows`
// is right, and the others are found in the next cycle.
//
// Latency: 1 cycle. Throughput: a step of the walk a cycle. No parameters. Nothing overflows.
module fast_place (
    input logic clk,
    input logic rst,

    // What the walk does: it leaves its group, for the sequence's or the message's first, by a jump, or for the next one; it leaves a sequence, or begins one or a
    // reference.
    input logic leaves,
    input logic goes_back,
    input logic jumps,
    input logic [8:0] target,
    input logic runs,
    input logic follow_on,
    input logic closes,
    input logic [8:0] pop_place,  // of the sequence around it
    input logic begins_loop,
    input logic begins_template,  // its first group comes out of the jump table's row,
    input logic [8:0] row_follows,  // the next one has this number
    input logic outer,  // it is no reference: the walk comes back to its first group
    input logic fills,  // the group after a jump has come

    output logic template_begun,  // a cycle later
    output logic [8:0] place,
    output logic [8:0] loop_place,
    output logic [8:0] next_address,
    output logic [8:0] loop_address
);
  logic fresh;  // of the numbers below only `follows` is right, the others are found now
  logic [8:0] follows, second, third, loop_next;  // of `follows` and `loop_place` the group after, and that one's
  logic [8:0] follows_next, third_next, leave_address;

  assign follows_next = follows + 9'd1;
  assign third_next = fresh ? follows + 9'd2 : third + 9'd1;
  assign leave_address = goes_back ? loop_next : jumps ? target : third;

  // The group after the next one, or the next one where that is not there yet. Where a row has just given the first group, the next one's number comes out of a
  // block RAM: it is asked for a cycle later.
  always_comb begin
    next_address = leaves ? leave_address : template_begun ? follows : fresh ? follows_next : second;
    loop_address = loop_place;
    if (begins_loop) loop_address = follows;
    else if (closes) loop_address = pop_place;
  end

  always_ff @(posedge clk) begin
    template_begun <= begins_template;
    if (follow_on || (leaves && goes_back) || fills) place <= runs && goes_back ? loop_place : follows;
    if (template_begun) place <= follows - 9'd1;
    // After a message or before a reference nothing follows that is known here.
    if (leaves) follows <= goes_back ? loop_next : jumps ? target : second;
    else if (begins_template) follows <= row_follows;
    else if (fills) follows <= follows_next;
    if (leaves) second <= third;
    else if (fresh) second <= follows_next;
    if (leaves || fresh) third <= third_next;
    fresh <= (leaves && (goes_back || jumps)) || begins_template || fills;
    if (begins_loop) begin
      loop_place <= follows;
      loop_next  <= second;
    end else if (closes) begin
      loop_place <= pop_place;
      loop_next  <= pop_place + 9'd1;
    end else if (template_begun && outer) begin
      loop_place <= follows - 9'd1;
      loop_next  <= follows;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(follow_on && fresh));
endmodule

// The slots of the stops: what each waits for, how far it is, and what the host does to it.
//
//   empty or fired ─ set ─ armed ─ match ─ firing ─ left ─ fired
//                          └ change: armed; cancel: empty
//
// An operation takes effect between two events, in one cycle: an event is compared with the slot as it was before, or as it is after. It waits
// for a pause of SETTLE and two cycles; if there is none for 256 cycles, events are held back until it is done (`pause`). An event that would begin in the
// very cycle in which an operation may take effect begins a cycle later.
//
// Latency: an operation 5 cycles, without events; a slot's state follows `match` and `left` the next cycle. Throughput: an operation at a time; a
// match a cycle. Parameters: SLOTS, 8 to 256, a power of two; GROUP: see stop_compare; SETTLE. Overflow: none; `left` waits while others are written.
module stop_table
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int GROUP = SLOTS / 4,
    parameter int SETTLE = 4,  // cycles from one in which an event is active until its matches are in state_of
    localparam int Slot = $clog2(SLOTS),
    localparam int Groups = SLOTS / GROUP,
    localparam int Group = $clog2(Groups)
) (
    input logic clk,
    input logic rst,

    input  logic                       write_valid,
    output logic                       write_ready,
    input  stop_operation_e            write_operation,
    input  logic            [Slot-1:0] write_slot,
    input  stop_watch_t                write_watch,
    output logic                       answer_valid,  // in the cycle after that in which it takes effect
    output stop_answer_t               answer,

    // See stop_compare.
    input  logic                    active,
    output logic                    pause,
    input  logic        [Group-1:0] group,
    output stop_watch_t [GROUP-1:0] watch,
    output logic        [GROUP-1:0] armed,
    input  logic        [GROUP-1:0] match,
    input  logic        [Group-1:0] match_group,

    input  logic            left,        // the order of this slot
    output logic            left_ready,
    input  logic [Slot-1:0] left_slot,   // steady since the cycle before
    output logic [  Slot:0] armed_count  // and firing; a cycle late
);
  localparam int Lane = $clog2(GROUP);

  if (SLOTS < 8 || SLOTS > 256 || SLOTS != 1 << Slot) begin : gen_slots
    $fatal(1, "stop_table: SLOTS is %0d; it must be a power of two from 8 to 256", SLOTS);
  end

  function automatic logic [Group-1:0] group_of(input logic [Slot-1:0] slot);
    return Group'(slot >> Lane);
  endfunction

  // ---- the host's operation ------------------------------------------------------------------------

  logic busy, clearing;  // clearing: after rst
  stop_operation_e operation;
  logic [Slot-1:0] slot;
  stop_watch_t written;
  logic [SETTLE:1] active_before;
  logic [7:0] waited;
  logic judged;  // the slot's state has settled, `allowed` is of it; it takes effect if no event began in the last cycle
  logic judges, allows, allowed, commit;
  stop_state_e state_of, previous;

  assign write_ready = !busy && !clearing;
  assign judges = busy && waited[7:1] != '0 && active_before == '0 && !judged && !rst;
  assign allows = operation == STOP_SET ? state_of inside {STOP_EMPTY, STOP_FIRED} : state_of == STOP_ARMED;
  assign commit = judged && !active_before[1];

  always_ff @(posedge clk) begin
    active_before <= {active_before[SETTLE-1:1], active};
    judged <= judges;
    allowed <= allows;
    previous <= state_of;
    answer_valid <= commit;
    answer <= '{done: allowed, previous: previous};
    waited <= busy ? waited + 8'(waited != '1) : '0;
    pause <= (busy && !commit && waited == '1) || judges || clearing;
    busy <= busy ? !commit : write_valid && !clearing;
    if (!busy) begin
      operation <= write_operation;
      slot <= write_slot;
      written <= write_watch;
    end
    if (rst) begin
      active_before <= '1;
      answer_valid <= 1'b0;
      busy <= 1'b0;
      pause <= 1'b1;
    end
  end

  logic arms, disarms, leaves;  // in the cycle before

  // ---- the slots -------------------------------------------------------------------------------------

  // A lane writes one state at a time: what fires, what the host did, what left. After rst all are empty.
  logic put_left;
  logic [Group-1:0] clear_group;
  stop_state_e written_state;
  logic [GROUP-1:0] slot_hot, write_hot, left_hot;  // write_hot: of an operation that is judged and allowed
  stop_state_e [GROUP-1:0] state, state_in_group;  // of the group that is compared; of the slot that is asked for

  // Not while an operation is judged, even if it does not take effect yet: its place and state are at the lane's write port then.
  assign left_ready = !clearing && match == '0 && !judged;
  assign put_left   = left && left_ready;

  for (genvar i = 0; i < GROUP; i++) begin : g_lane
    logic write, put;
    logic [Group-1:0] put_group;
    stop_state_e put_state;
    logic [1:0] state_bits, asked_bits;

    assign write = write_hot[i] && !active_before[1];
    assign put = match[i] || write || (put_left && left_hot[i]) || clearing;
    assign armed[i] = state[i] == STOP_ARMED;
    assign state[i] = stop_state_e'(state_bits);
    assign state_in_group[i] = stop_state_e'(asked_bits);
    always_comb begin
      put_group = group_of(left_slot);
      put_state = STOP_FIRED;
      if (write_hot[i]) begin
        put_group = group_of(slot);
        put_state = written_state;
      end
      if (match[i]) begin
        put_group = match_group;
        put_state = STOP_FIRING;
      end
      if (clearing) begin
        put_group = clear_group;
        put_state = STOP_EMPTY;
      end
    end

    stop_memory #(
        .WIDTH ($bits(stop_watch_t)),
        .GROUPS(Groups)
    ) watches (
        .clk,
        .write,
        .write_group(group_of(slot)),
        .write_data(written),
        .read_group(group),
        .read_data(watch[i])
    );

    // Twice, for there are two who read them.
    stop_memory #(
        .WIDTH (2),
        .GROUPS(Groups)
    ) states (
        .clk,
        .write(put),
        .write_group(put_group),
        .write_data(put_state),
        .read_group(group),
        .read_data(state_bits)
    );
    stop_memory #(
        .WIDTH (2),
        .GROUPS(Groups)
    ) states_asked (
        .clk,
        .write(put),
        .write_group(put_group),
        .write_data(put_state),
        .read_group(group_of(slot)),
        .read_data(asked_bits)
    );
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < GROUP; i++) begin
      slot_hot[i] <= slot[Lane-1:0] == Lane'(i);
      write_hot[i] <= slot_hot[i] && judges && allows;
      left_hot[i]  <= left_slot[Lane-1:0] == Lane'(i);
    end
    state_of <= state_in_group[slot[Lane-1:0]];
    written_state <= operation == STOP_CANCEL ? STOP_EMPTY : STOP_ARMED;
    clearing <= rst || (clearing && clear_group != '1);
    clear_group <= rst || !clearing ? '0 : clear_group + 1'b1;
    {arms, disarms, leaves} <= {commit && allowed && operation == STOP_SET, commit && allowed && operation == STOP_CANCEL, put_left};
    armed_count <= armed_count + (Slot + 1)'(arms) - (Slot + 1)'(disarms) - (Slot + 1)'(leaves);
    if (rst) {armed_count, arms, disarms, leaves} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !commit || match == '0);
  assert property (@(posedge clk) disable iff (rst) !(clearing && (match != '0 || commit)));
  assert property (@(posedge clk) disable iff (rst) !leaves || armed_count != '0);
  assert property (@(posedge clk) disable iff (rst) (commit && allowed) == ((write_hot & {GROUP{!active_before[1]}}) != '0));
endmodule

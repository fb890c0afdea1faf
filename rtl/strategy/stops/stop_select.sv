// Lets the stops that fired leave one by one: those of an event in the order in which its groups are compared, of a group the lowest slot first,
// and before those of the next event.
//
//   match ─┬──────────────────── lowest slot ─ intent
//          └─ queue ─ current ─ register ──┘     (while stops fired earlier still leave)
//
// Latency: match to intent 0 cycles, if none waits. Throughput: an intent every 5 cycles, up to two more for each event or group that fired meanwhile.
// Parameters: SLOTS; GROUP: see stop_compare; INSTRUMENTS. Overflow: none: an entry of the queue holds at least one slot that is firing, and a
// slot is not armed again before it left; so the queue has room for all.
module stop_select
  import order_pkg::*;
  import stop_pkg::*;
#(
    parameter int SLOTS = 64,
    parameter int GROUP = SLOTS / 4,
    parameter int INSTRUMENTS = 16,
    localparam int Slot = $clog2(SLOTS),
    localparam int Group = $clog2(SLOTS / GROUP),
    localparam int Fours = (GROUP + 3) / 4,
    localparam int Index = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    input logic             comparing,         // there may be a match in the next cycle
    input logic [GROUP-1:0] match,             // for one cycle
    input stop_four_t [Fours-1:0] match_fours,  // the same by fours
    input logic [Group-1:0] match_group,
    input logic [Index-1:0] match_instrument,

    intent_if.src intent,

    output logic            left,              // the intent of this slot was taken: see stop_table
    input  logic            left_ready,
    output logic [Slot-1:0] left_slot
);
  localparam int Lane = $clog2(GROUP);

  typedef struct packed {
    logic [GROUP-1:0] slots;
    logic [Group-1:0] group;
    logic [Index-1:0] instrument;
  } fired_t;

  // The lowest of each four, of each four of those, and so on: a digit to base four a step, beside the steps of the others. 0 if there is none.
  function automatic logic [7:0] lowest_of_256(input logic [255:0] s);
    logic [63:0] some_1;
    logic [15:0] some_2;
    logic [3:0] some_3;
    logic [63:0][1:0] digit_1;  // of each four slots; digit_2 of each sixteen
    logic [15:0][3:0] digit_2;
    logic [3:0][5:0] digit_3;
    logic [1:0] digit_4;
    for (int i = 0; i < 64; i++) begin
      some_1[i]  = |s[4*i+:4];
      digit_1[i] = lowest_of_four(s[4*i+:4]);
    end
    for (int i = 0; i < 16; i++) begin
      automatic logic [1:0] which = lowest_of_four(some_1[4*i+:4]);
      some_2[i]  = |some_1[4*i+:4];
      digit_2[i] = {which, digit_1[4*i+32'(which)]};
    end
    for (int i = 0; i < 4; i++) begin
      automatic logic [1:0] which = lowest_of_four(some_2[4*i+:4]);
      some_3[i]  = |some_2[4*i+:4];
      digit_3[i] = {which, digit_2[4*i+32'(which)]};
    end
    digit_4 = lowest_of_four(some_3);
    return {digit_4, digit_3[digit_4]};
  endfunction

  function automatic logic [Lane-1:0] lowest(input logic [GROUP-1:0] slots);
    return Lane'(lowest_of_256(256'(slots)));
  endfunction

  logic [Fours-1:0] some;  // of four slots one matches
  logic any;
  logic [7:0] first_four;
  always_comb for (int f = 0; f < Fours; f++) some[f] = match_fours[f].some;
  assign any = some != '0;
  assign first_four = lowest_of_256(256'(some));

  logic busy;  // `current` or the queue has some: what fires now waits its turn
  fired_t current, late, queue_front;
  logic late_any, queue_empty, queue_read, queue_full, queue_overflow;
  logic looked;  // these two are of what is in `current` now
  logic [Lane-1:0] current_lowest;
  logic current_some;
  logic taken, removing, matching;  // matching: there may be a match
  logic [Slot-1:0] slot;
  logic [$clog2(SLOTS):0] queue_count;

  assign slot = busy ? {current.group, current_lowest} : {match_group, Lane'({first_four, match_fours[first_four].lowest})};
  // That one left is written down before the next is shown.
  assign intent.valid = !left && !removing && (busy ? looked && current_some : any);
  assign intent.soon = comparing || matching || busy;
  assign intent.withdraw = 1'b0;
  assign intent.handle = HandleWidth'(slot);
  assign intent.instrument = InstrumentWidth'(busy ? current.instrument : match_instrument);
  assign {intent.computed, intent.price, intent.price_soon} = '0;
  assign taken = intent.valid && intent.ready;
  assign queue_read = looked && !current_some && !queue_empty;

  fifo #(
      .WIDTH($bits(fired_t)),
      .DEPTH(SLOTS)
  ) queue (
      .clk,
      .rst,
      .write(late_any),
      .write_data(late),
      .full(queue_full),
      .overflow(queue_overflow),
      .read(queue_read),
      .read_data(queue_front),
      .empty(queue_empty),
      .count(queue_count)
  );

  always_ff @(posedge clk) begin
    matching <= comparing && !rst;
    late <= '{slots: match, group: match_group, instrument: match_instrument};
    late_any <= busy && any && !rst;
    // What was taken is removed in the next cycle.
    removing <= taken && !rst;
    if (taken) left_slot <= slot;
    for (int i = 0; i < GROUP; i++) if (removing && left_slot[Lane-1:0] == Lane'(i)) current.slots[i] <= 1'b0;
    if (queue_read) current <= queue_front;
    if (!busy) current <= '{slots: match, group: match_group, instrument: match_instrument};
    looked <= busy && !removing && !taken && !queue_read && !rst;
    current_lowest <= lowest(current.slots);
    current_some <= current.slots != '0;
    busy <= busy ? !looked || current_some || !queue_empty || late_any || any : any;
    left <= removing || (left && !left_ready);
    if (rst) {busy, left} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, queue_full, queue_count};

  assert property (@(posedge clk) disable iff (rst) !queue_overflow);
  assert property (@(posedge clk) disable iff (rst) !(left && removing));
endmodule

// Which instruction does a token belong to? Walks the program, one token a cycle, and hands each instruction with its token to the execution.
//
//   token ──────────────────────┐
//   map ─ what the group has ─┬─┴─ the first that has something to do ─ step
//   group ┘ to do             └─── what the next group will have to do
//
// Of a group's four instructions those without work are passed over: a field without its presence-map bit that has no value to give. What the next group
// has to do is known before this one is done, so that groups, entries and their maps follow without a pause; where a message ends, the walk goes back to
// its template's first group, so that one of the same template follows without a pause too. A message of another template, the end of a sequence and a
// group with a presence map cost a cycle in which that is found out; a group in which no instruction has work costs one; a jump costs two. Where a length
// or an exponent is not in the token but in the dictionary, the walk waits for the execution, and a jump costs three. It also waits for a string that is
// put together or comes out of the text memory. A template reference is walked as a message inside the message: what is put aside for a sequence is put
// aside for it, and where a sequence has its first group it has the one to return to.
//
// After an error the rest of the packet is dropped. After a packet the walk waits until the execution has finished it.
//
// Latency: 1 cycle from token to step. Throughput: a token a cycle. Parameters: GROUPS of the program; DEPTH, nesting of sequences and groups in a
// template, a power of two. Overflow: tokens wait, and the assembler counts groups and nesting; a template reference inside DEPTH others, sequences and
// groups is an error of the packet.
module fast_walker
  import fast_pkg::*;
#(
    parameter int GROUPS = 256,
    parameter int DEPTH = 8
) (
    input logic clk,
    input logic rst,

    input  logic hold,  // begin no packet
    output logic held,  // none is being decoded
    input  logic restart,  // pulse, while held: forget the last template
    input  logic reset_each_packet,
    input  load_t load,

    input  logic token_valid,
    input  token_t token,
    output logic token_take,
    output logic token_cut,  // pulse: only its first bytes are taken
    output logic [3:0] cut_count,
    input  ahead_t ahead,  // of the token that the tokenizer gives; it is here in the next cycle,
    input  logic ahead_waits,  // but the one before that waits, and comes first

    output step_t step,
    output logic [10:0] instruction,  // of the next cycle's step
    output logic [7:0] slot,
    // With the step of a template identifier: whether the table's row is used, without instructions, and whose it is.
    output logic row_is_used,
    output logic row_is_empty,
    output logic [31:0] row_id,

    input logic failed,  // there is an error: nothing more of this packet is needed
    input logic long_result,  // pulse: the dictionary gets a string of more than eight bytes, which the walk waits for
    input reply_t reply,
    input logic finished,  // pulse: the packet is done with
    input logic finished_good
);
  typedef enum logic [3:0] {
    WAITS_MAP,  // for a message's presence map
    WAITS_ID,  // for its template identifier
    COPIES,  // the last template's row is being read
    STARTS,  // finds out what the group has to do
    RUNS,
    BYTES,  // of a vector
    WAITS_VALUE,  // for the execution
    REPLIED,  // the length that was waited for is there
    FILLS,  // the group after a jump is being read
    DROPS,  // the rest of a bad packet
    FINISHES
  } walk_state_e;

  walk_state_e state;
  // The template that begins has no instructions: known too late for `state`, which says STARTS though the next message's map is waited for.
  logic empties, waits_map, starts;
  assign waits_map = state == WAITS_MAP || empties;
  assign starts = state == STARTS && !empties;

  // ---- the token

  logic is_token, ends_token, at_least_two, is_longer, ends_in_zero;
  logic [31:0] value;
  entity_t entity;

  fast_entity entities (
      .clk,
      .rst,
      .take(token_take),
      .token,
      .entity,
      .value,
      .ends_in_zero
  );

  assign is_token = token_valid && !token.finish;
  assign ends_token = token_valid && token.last;  // nor is it the packet's end then
  // Pieces but the last have eight bytes.
  assign at_least_two = !token.first || token.count > 4'd1;
  assign is_longer = !token.first || token.count > 4'd2;

  // ---- the instruction: the first of the group that has something to do

  group_t group, next, next_group, loop_read, loop_group;  // loop_group: where the open sequence's entries begin
  logic next_valid;
  logic [3:0] todo, sets;  // of the group's instructions: has something to do; has its presence-map bit set
  first_t first, first_own, first_next, first_loop, first_after;  // of `todo`; of what it may be in the next cycle
  logic [3:0] behind_one, chosen, after_chosen, after_todo, is_branch, has_bytes, is_raw;
  walk_t walk;
  logic map_more;  // a piece of a presence map has been taken, and there are more
  logic none, set, needs, starts_map, takes_group_map, go, can, complete, waits, absent, leaves, blocked, needs_next;
  logic stays, waits_now, replied;
  logic [1:0] index;
  // Dictionary entries that may have strings of more than eight bytes, by number modulo 8: two entries that share a bit wait for each other's long strings,
  // which costs cycles and changes no value.
  logic [7:0] long_entries;
  logic [2:0] long_place;  // of the string that the walk waits for
  logic uneven, uneven_before;  // the string's first piece is not of eight bytes, though there are more

  assign chosen = first.chosen;
  assign needs  = first.needs;
  assign none   = chosen == '0;

  always_comb begin
    behind_one = {todo[2:0] != 0, todo[1:0] != 0, todo[0], 1'b0};
    walk = '0;
    set = 1'b0;
    index = '0;
    for (int i = 0; i < GroupSize; i++) begin
      is_branch[i] = group.walk[i].kind == WALK_GROUP || group.walk[i].kind == WALK_BRANCH;
      has_bytes[i] = group.walk[i].kind == WALK_TEXT && !group.walk[i].takes;
      is_raw[i] = has_bytes[i] && sets[i];
      if (chosen[i]) begin
        walk |= group.walk[i];
        set |= sets[i];
        index |= 2'(i);
      end
    end
  end

  assign waits_now = first.waits || (first.copies && uneven_before && !token.first) || (first.recalls && long_entries[first.place]);
  assign starts_map = group.begins_map && todo[0];
  assign takes_group_map = needs && walk.kind == WALK_GROUP;
  assign go = state == RUNS && !failed && !blocked;
  assign can = go && (!needs || is_token);
  assign complete = go && (!needs || ends_token);
  assign waits = complete && waits_now;
  assign absent = first.skips && token.is_null;
  assign after_chosen = todo & behind_one & (absent ? ~(chosen << 1) : 4'hF);
  assign stays = starts_map || waits_now;
  assign replied = state == REPLIED && !failed;
  assign leaves = replied || (complete && !stays && (absent ? first.alone_but_skipped && !group.takes_more : first.alone));

  // The group after this one must be there, if this may be its last instruction and that is where it goes on.
  logic last_entry, at_entry_end;
  assign at_entry_end = group.ends == END_ENTRY || group.ends == END_ENTRY_MAP;
  assign needs_next = group.ends != END_MESSAGE && !(at_entry_end && !last_entry);
  assign blocked = needs_next && !next_valid && !starts_map && first.alone_but_skipped;

  // ---- the bytes of a vector

  logic bytes_follow, is_bytes, bytes_end, bytes_leave, bytes_left_some, bytes_gone;
  logic [3:0] bytes_count;
  logic [7:0][7:0] bytes_data;

  assign bytes_follow = complete && !absent && (todo & (chosen << 1) & is_raw) != 0;
  assign is_bytes = state == BYTES || (state == RUNS && (chosen & is_raw) != 0);

  fast_vector vector (
      .clk,
      .begins(state == RUNS && !is_bytes),
      .length(is_longer ? '1 : value[13:0] - 14'(first.skips)),
      .is_open(state == BYTES && !failed),
      .is_token,
      .token,
      .left_some(bytes_left_some),
      .ends(bytes_end),
      .leave(bytes_leave),
      .gone(bytes_gone),
      .count(bytes_count),
      .data(bytes_data),
      .cut(token_cut),
      .cut_count
  );

  // ---- what comes after it

  logic waiting_length;  // what is waited for is a length, the last of its group; an exponent's mantissa comes after it
  logic [3:0] waiting_next;  // what an absent value skips: the next instruction; of a vector's subtraction length two
  logic is_length, no_entries, begins_sequence, takes_map_token, begins_group, jump, jumps, absent_group;
  logic ends_entry, ends_message, goes_back, loop_back, would_pop, opens, closes, may_go_on, goes_on, follow_on;
  logic in_reference, begins_reference, returns, starts_over;
  logic may_start;  // the group's work is found out, if the message is one
  logic again, in_first, is_empty, same, follows_same;  // see "the same template again"
  logic [13:0] entries, entries_left;  // of the open sequence, this one included; all ones: as many or more
  logic one_entry;  // `entries` is 1
  logic [13:0] replied_entries;
  logic replied_none, replied_one;

  // A length that comes back is looked at a cycle later. That costs nothing: what the next group has to do is known by then, and the walk goes on there at once.
  always_ff @(posedge clk) begin
    replied_entries <= reply.beyond ? '1 : reply.value;
    replied_none <= reply.absent || (reply.value == 0 && !reply.beyond);
    replied_one <= !reply.beyond && reply.value == 14'd1;
  end

  assign is_length = leaves && group.has_length;
  always_comb begin
    if (state == REPLIED) begin
      no_entries = replied_none;
      entries = replied_entries;
      one_entry = replied_one;
    end else begin
      // A length of one byte is this token's first. No comparison by size: yosys would make it of carries.
      no_entries = !at_least_two && token.data[0][6:1] == '0 && (!token.data[0][0] || group.nullable_length);
      entries = is_longer ? '1 : value[13:0] - 14'(group.nullable_length);
      one_entry = !is_longer && token.data[0][6:0] == (group.nullable_length ? 7'd2 : 7'd1) && (!at_least_two || token.data[1][6:0] == '0);
    end
  end

  // All but `leaves` is known from registers and from the token.
  assign returns = group.ends == END_MESSAGE && in_reference;
  assign goes_back = (at_entry_end && !last_entry) || returns;
  assign would_pop = (at_entry_end && last_entry) || group.ends == END_GROUP || returns;
  assign absent_group = (todo & ~sets & is_branch) != 0;
  assign may_go_on = !(group.ends inside {END_MESSAGE, END_REFERENCE}) && !goes_back && !absent_group;
  assign goes_on = may_go_on && !(group.has_length && no_entries);
  assign takes_map_token = can && (starts_map || takes_group_map);
  assign begins_sequence = is_length && !no_entries;
  assign begins_group = can && takes_group_map && !map_more;
  assign jumps = (group.has_length && no_entries) || absent_group;
  assign jump = leaves && jumps;
  assign ends_entry = leaves && at_entry_end;
  assign ends_message = leaves && group.ends == END_MESSAGE && !in_reference;
  assign begins_reference = leaves && group.ends == END_REFERENCE;
  assign loop_back = leaves && goes_back;
  assign opens = begins_sequence || begins_group || begins_reference;
  assign closes = leaves && would_pop;
  assign follow_on = leaves && goes_on;

  // ---- the presence map

  logic hold_now, begun, message_map, starts_message, remains, map_error, absent_before, after_map, is_map, one_byte;
  logic [MapBits-1:0] bits;
  logic extra;
  logic [2:0] shift_by;
  logic [8:0] place, loop_place, pop_place;
  logic [13:0] pop_left;
  logic pop_last, pop_in_reference, half;

  assign hold_now = hold && !begun;
  assign message_map = waits_map && is_token && !hold_now && !failed;
  assign starts_message = waits_map && ends_token && !hold_now && !failed;
  assign map_error = at_least_two && ends_in_zero;
  assign one_byte = token.count == 4'd1;
  assign is_map = waits_map || (state == RUNS && (starts_map || takes_group_map));
  // The map is where the next group's bits begin. Whether a mantissa took its bit is known after its group.
  always_comb begin
    if (may_start) shift_by = group.begins_map && !after_map ? 3'd0 : group.map_bits;
    else if (goes_back || absent_group) shift_by = 3'd0;
    else if (group.takes_more) shift_by = 3'(!absent_before);
    else shift_by = next.begins_map ? 3'd0 : next.map_bits;
  end
  assign remains = bits[MapBits-2:0] != 0 || (bits[MapBits-1] && !(group.takes_more && !absent_before && state == RUNS)) || extra;

  fast_map #(
      .DEPTH(2 * DEPTH)
  ) map (
      .clk,
      .rst,
      .restart(waits_map && !in_reference),
      .token,
      .is_map,
      .take((message_map || takes_map_token) && !map_more),
      .take_more((message_map || takes_map_token) && map_more),
      .drop_first(waits_map),
      .take_shift(waits_map ? 3'd1 : starts_map ? group.map_bits : 3'd0),
      .would_pop(would_pop && state == RUNS),
      .pop(closes),
      .push(opens),
      .shift(starts || follows_same || (leaves && !would_pop && !takes_group_map)),
      .shift_by,
      .push_data({in_reference, last_entry, entries_left, loop_place}),
      .pop_data({pop_in_reference, pop_last, pop_left, pop_place}),
      .bits,
      .extra,
      .half
  );

  // What this group has to do, where that is not known before; and the next one.
  logic [3:0] own_sets, own_acts, next_sets, next_acts;
  fast_acts own (
      .group,
      .next_bits(state == RUNS ? token.data[0][6:3] : bits[MapBits-1-:4]),
      .sets(own_sets),
      .acts(own_acts)
  );
  fast_acts following (
      .group(next),
      .next_bits(bits[MapBits-1-:4]),
      .sets(next_sets),
      .acts(next_acts)
  );

  // The first of them.
  logic [3:0] own_todo, next_todo;
  logic starts_with_map;
  assign may_start = state == STARTS || state == WAITS_ID;
  assign starts_with_map = may_start && group.begins_map && !after_map;
  assign own_todo = starts_with_map ? 4'b0001 : own_acts & {3'b111, !(state == RUNS || after_map)};
  assign next_todo = next.begins_map ? 4'b0001 : next_acts;
  assign after_todo = state == WAITS_VALUE ? todo & ~waiting_next : after_chosen;
  fast_first own_first (
      .walk (group.walk),
      .todo (own_todo),
      .sets (own_sets),
      .first(first_own)
  );
  fast_first following_first (
      .walk (next.walk),
      .todo (next_todo),
      .sets (next_sets),
      .first(first_next)
  );
  fast_first after_first (
      .walk (group.walk),
      .todo (after_todo),
      .sets (sets),
      .first(first_after)
  );
  // Without a presence map of their own, no instruction of the entries has a bit: all are as if set.
  logic [3:0] loop_todo;
  always_comb for (int i = 0; i < GroupSize; i++) loop_todo[i] = group.ends == END_ENTRY_MAP ? i == 0 : loop_group.walk[i].act_set;
  fast_first loop_first (
      .walk (loop_group.walk),
      .todo (loop_todo),
      .sets ('1),
      .first(first_loop)
  );

  // ---- the template

  logic [31:0] template_id;
  logic knows, id_follows, has_id, id_taken, copies_id, copied, resets, first_message;
  logic row_was_used;
  logic [31:0] row_was_id;
  logic [RowBits-1:0] row_address, row_at;
  /* verilator lint_off UNUSEDSIGNAL */  // the identifier is compared in the execution
  row_t row;
  /* verilator lint_on UNUSEDSIGNAL */

  assign has_id = map_more ? id_follows : entity.sign_first;
  assign id_taken = state == WAITS_ID && ends_token && !failed;
  assign copies_id = starts_message && !has_id;
  assign copied = state == COPIES;
  assign resets = row.reset && !in_reference;
  // The row that was read while the identifier came to `token`.
  always_ff @(posedge clk) begin
    row_was_used <= row.used;
    row_was_id   <= row.id;
    row_is_empty <= row.empty;
  end
  assign row_is_used = row_was_used;
  assign row_id = row_was_id;

  fast_template last_template (
      .clk,
      .rst,
      .restart,
      .reset_each_packet,
      .taken(id_taken),
      .taken_id(value),
      .taken_row(row_address),
      .resets,
      .copies(copies_id),
      .finished,
      .finished_good,
      .first_message,
      .knows,
      .id(template_id),
      .row(row_at)
  );

  // ---- where it goes on

  logic finish;
  logic [8:0] next_address, loop_address;

  always_comb begin
    case (state)
      WAITS_ID, DROPS: token_take = token_valid;
      RUNS: token_take = needs && token_valid && !failed && !blocked;
      BYTES: token_take = bytes_left_some && token_valid && !failed && !token_cut;
      default: token_take = 1'b0;
    endcase
    if (waits_map) token_take = token_valid && !hold_now;
  end
  assign finish = token_take && token.finish;

  logic begins_template, template_begun;
  assign begins_template = (id_taken && !same) || copied;

  fast_place places (
      .clk,
      .rst,
      .leaves,
      .goes_back(goes_back || starts_over),
      .jumps,
      .target(group.target),
      .runs(state == RUNS),
      .follow_on,
      .closes,
      .pop_place,
      .begins_loop(begins_sequence || begins_reference),
      .begins_template,
      .row_follows(row.follows),
      .outer(!in_reference),
      .fills(state == FILLS),
      .template_begun,
      .place,
      .loop_place,
      .next_address,
      .loop_address
  );

  fast_program #(
      .GROUPS(GROUPS)
  ) program_memory (
      .clk,
      .load,
      .next_address,
      .loop_address,
      .next_group,
      .loop_group(loop_read),
      .row_again(waits_map && !has_id),  // if the map ends here; else no row is wanted
      .ahead,
      .ahead_waits,
      .row_number(row_at),
      .row_address,
      .row
  );

  always_ff @(posedge clk) begin
    if (follow_on || (!next_valid && state != FILLS)) next <= next_group;
    // From a register, for from block RAM it is far. A sequence may have one token: its first group, which is the next one, is here at once.
    loop_group <= group.has_length ? next : loop_read;
    next_valid <= !(loop_back || ends_message || jump || begins_template || template_begun || state == FILLS);
    if (follow_on || loop_back || state == FILLS) group <= state == FILLS ? next_group : goes_back ? loop_group : next;
    if (ends_message && !in_first) group <= loop_group;
    if (begins_template) group <= row.group;
  end

  // ---- the same template again: its first two groups are fetched where a message ends, so that the next one begins without a pause

  logic [3:1] begun_before;  // so many cycles before, a template began: its first group is not in `loop_group` yet
  logic [RowBits-1:0] row_was, message_row;

  assign starts_over = group.ends == END_MESSAGE && !in_reference;
  assign same = again && row_was == message_row;
  assign follows_same = id_taken && same;

  always_ff @(posedge clk) begin
    row_was <= row_address;
    begun_before <= {begun_before[2:1], begins_template};
    if (id_taken && !in_reference) message_row <= row_was;
    else if (copied && !in_reference) message_row <= row_at;
    if (leaves) in_first <= ends_message;
    if (begins_template) begin
      in_first <= !in_reference;
      is_empty <= row.empty;
    end
    if (ends_message) again <= (in_first || begun_before == '0) && !is_empty;
    if (id_taken || copied || finished || rst) again <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (complete) begin
      todo <= starts_map ? own_todo : after_todo;
      first <= starts_map ? first_own : first_after;
      absent_before <= absent_before || absent;
      if (starts_map) sets <= own_sets;
    end
    if (state == WAITS_VALUE && reply.valid && reply.absent) begin
      todo <= after_todo;
      first <= first_after;
      absent_before <= 1'b1;
    end
    if (leaves) begin
      absent_before <= 1'b0;
      todo <= next_todo;
      sets <= next_sets;
      first <= first_next;
      if (goes_back) begin
        todo <= loop_todo;
        sets <= '1;
        first <= first_loop;
      end
    end
    if (may_start) begin
      absent_before <= 1'b0;
      todo <= own_todo;
      sets <= own_sets;
      first <= first_own;
    end
    if (state == RUNS) begin
      waiting_next <= chosen << 1 | (chosen << 2 & has_bytes);
      waiting_length <= first.alone && group.has_length;
      after_map <= starts_map;
    end else if (state != STARTS) after_map <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (begins_sequence || begins_reference) begin
      entries_left <= entries;
      last_entry <= one_entry;
    end else if (closes) begin
      entries_left <= pop_left;
      last_entry <= pop_last;
    end else if (loop_back && entries_left != '1) begin
      entries_left <= entries_left - 14'd1;
      last_entry <= entries_left == 14'd2;
    end
    if (begins_reference) in_reference <= 1'b1;
    else if (closes) in_reference <= pop_in_reference;
    if (rst || finished) in_reference <= 1'b0;
  end

  // ---- state

  always_ff @(posedge clk) begin
    if (message_map || takes_map_token) map_more <= !token.last;
    if (message_map) id_follows <= has_id;
    if (message_map) begun <= 1'b1;
    empties <= id_taken && row.empty && !in_reference && !rst;
    case (state)
      WAITS_MAP: if (starts_message) state <= has_id ? WAITS_ID : COPIES;
      WAITS_ID: if (id_taken) state <= same ? RUNS : STARTS;
      COPIES: state <= STARTS;
      STARTS: state <= !empties ? RUNS : !starts_message ? WAITS_MAP : has_id ? WAITS_ID : COPIES;
      RUNS, REPLIED: begin
        state <= RUNS;
        if (waits) state <= WAITS_VALUE;
        else if (bytes_follow) state <= BYTES;
        else if (jump) state <= FILLS;
        else if (ends_message || begins_reference) state <= WAITS_MAP;
        else if (complete && starts_map && (map_more || !one_byte)) state <= STARTS;
        else if (leaves && (would_pop || group.takes_more || takes_group_map)) state <= STARTS;
      end
      BYTES: if (!bytes_left_some) state <= RUNS;
      WAITS_VALUE: if (reply.valid) state <= waiting_length ? REPLIED : RUNS;
      FILLS: state <= STARTS;
      default: ;
    endcase
    if (failed && state != FINISHES) state <= DROPS;
    if (finish) state <= FINISHES;
    if (state == FINISHES && finished) state <= WAITS_MAP;
    if (finished) begin
      map_more <= 1'b0;
      begun <= 1'b0;
    end
    if (rst) begin
      state <= WAITS_MAP;
      map_more <= 1'b0;
      begun <= 1'b0;
    end
  end

  assign held = state == WAITS_MAP && hold_now;

  // ---- strings in pieces

  logic passes_text;  // a string with copy, whose pieces may go as they come
  assign passes_text = state == RUNS && walk.by_kind && !walk.kind[0];
  assign uneven = token.first ? !token.last && (token.count != 4'd8 || entity.zero_first) : uneven_before;

  always_ff @(posedge clk) begin
    if (token_take) uneven_before <= uneven;
    if (state == RUNS) long_place <= walk.slot[2:0];
    if (passes_text && needs && is_token && !token.last) long_entries[walk.slot[2:0]] <= 1'b1;
    if (long_result) long_entries[long_place] <= 1'b1;
    if (rst || restart) long_entries <= '0;
  end

  // ---- the step

  logic [13:0] offset;  // of the end of the last token, or of the last byte vector that is complete
  logic entity_ends;
  assign entity_ends = token_take && token.last && (state != BYTES || bytes_end);
  logic runs_step, map_ends, finish_step;
  fast_error_e finish_error;
  logic [7:0] sweep;  // the dictionary entry that is read and written again at the packet's end
  assign runs_step = can && (!needs || token.last || walk.kind == WALK_TEXT) && (!none || group.ends != END_NONE);
  assign map_ends = group.ends == END_MESSAGE || group.ends == END_ENTRY_MAP || group.ends == END_GROUP;
  assign instruction = {place, index};
  assign slot = finish_step ? sweep : walk.slot;

  // The packet's end is a step of its own, after its last token was taken.
  always_ff @(posedge clk) begin
    finish_step <= finish && !rst;
    finish_error <= token.error;
    if (token.error == FAST_GOOD && state != DROPS && !(waits_map && !map_more && !in_reference)) finish_error <= FAST_TRUNCATED;
    if (finish_step) sweep <= sweep + 8'd1;
    if (rst) sweep <= '0;
  end

  always_ff @(posedge clk) begin
    if (entity_ends) offset <= token.offset;
    if (token_cut) offset <= token.offset - 14'(token.count - cut_count);
    if (rst || finished) offset <= '0;
    step.valid <= (runs_step || bytes_leave || copies_id || id_taken || finish_step || (starts_message && map_error)) && !rst;
    step.idle <= !((runs_step && !none) || bytes_leave);
    step.take <= state == RUNS ? needs || is_bytes : bytes_leave || id_taken;
    step.set <= set;
    step.is_null <= token.is_null && !is_bytes;
    step.text <= (state == RUNS && walk.kind == WALK_TEXT) || bytes_leave;
    step.raw <= is_bytes;
    step.first <= is_bytes ? !bytes_gone : token.first || !needs;
    step.last <= state != BYTES && (token.last || !needs);
    step.gathers <= !passes_text || uneven;
    step.message <= id_taken || copies_id;
    step.copied <= copies_id;
    step.inner <= in_reference;
    step.reset <= (id_taken && resets) || (reset_each_packet && first_message);
    step.finish <= finish_step;
    step.replies <= waits;
    step.entry_end <= ends_entry;
    step.message_end <= ends_message;
    // Of a template's identifier: if the template is empty. The execution knows whether it is.
    step.late <= ((leaves && map_ends) || (id_taken && !in_reference)) && remains ? FAST_R8 :
        begins_reference && half ? FAST_TOO_DEEP : FAST_GOOD;
    step.slot <= slot;
    step.count <= is_bytes ? bytes_count : token.count;
    step.entity <= is_bytes ? '0 : entity;
    step.offset <= entity_ends ? token.offset : offset;
    step.data <= token.data;
    if (is_bytes) step.data[7:0] <= bytes_data;
    if (copies_id) begin
      for (int k = 0; k < 5; k++) step.data[k] <= 8'({3'd0, template_id} >> (7 * k)) & 8'h7F;
      step.entity.total <= 4'd5;
    end
    step.early <= FAST_GOOD;
    if (finish_step) step.early <= finish_error;
    else if ((starts_message || (takes_map_token && token.last)) && map_error) step.early <= FAST_R7;
    else if (copies_id && !knows) step.early <= FAST_D5;
  end

  assert property (@(posedge clk) disable iff (rst) !(none && waits));
  assert property (@(posedge clk) disable iff (rst) !(is_length && group.ends != END_NONE));
  assert property (@(posedge clk) disable iff (rst) !(follow_on && !next_valid));
  assert property (@(posedge clk) disable iff (rst) !(jump && ends_message));
  assert property (@(posedge clk) disable iff (rst) state != RUNS || chosen == (todo & ~behind_one));
endmodule

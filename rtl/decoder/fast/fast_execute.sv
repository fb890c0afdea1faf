// Executes the steps of the walk: operators, values, errors, and the packet's verdict (FAST 1.1, 6.3 and 10).
//
//   step ─┬─ instruction, entry ─ operand and base ─ sum ─┬─ field
//         │        │                  ↑                   │
//         └── dictionary ←────────────┴───────────────────┘ written, and forwarded
//
// Every value is a sum: of what the stream says (a field), or the base (copy), or both (delta, increment). What a step writes is forwarded to the four after
// it. A string whose bytes have to be put together, or that is in the text memory, waits before the sum until `fast_text` gives it, piece by piece; the walk
// waits too.
//
// Latency: 4 cycles from a step to its field, 6 from a packet's last step to the verdict. Throughput: a step a cycle. A bad packet is taken back
// before the next one begins, which takes a cycle a dictionary entry that it changed and three more. A field in which an error is found may leave,
// and the one after it.
// Parameter: GROUPS of the program. Overflow: a string of more than LongestText bytes that the dictionary is to keep is an error of the packet.
module fast_execute
  import fast_pkg::*;
#(
    parameter int GROUPS = 256
) (
    input logic clk,
    input logic rst,

    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,
    input logic [10:0] instruction,  // of the next step
    /* verilator lint_on UNUSEDSIGNAL */
    input logic restart,  // pulse, between packets: forget all previous values
    input step_t step,
    input logic [7:0] slot,
    input logic row_is_used,
    input logic row_is_empty,
    input logic [31:0] row_id,

    output reply_t reply,
    output logic failed,
    output logic finished,
    output logic finished_good,
    output logic busy,  // previous values are being forgotten, or taken back
    output logic long_result,  // pulse: the dictionary gets a string of more than eight bytes

    output logic field_valid,
    output field_t field,
    output fast_verdict_t verdict
);
  localparam int Address = $clog2(GROUPS * GroupSize);

  // ---- 1: the instruction and the dictionary entry are there

  (* no_rw_check, ram_style = "block" *) execute_t instructions[GROUPS*GroupSize];
  execute_t word1, word2;
  entry_t entry1, entry2, out_entry, last_entry, out_old;
  logic out_write, last_write, out_log, commit, undo;
  logic [7:0] out_slot;

  always_ff @(posedge clk) begin
    if (load.valid && load.what == LOAD_EXECUTE) instructions[Address'(load.index)] <= execute_t'(load.data[$bits(execute_t)-1:0]);
    word1 <= instructions[Address'(instruction)];
  end

  fast_dictionary dictionary (
      .clk,
      .rst,
      .slot,
      .entry(entry1),
      .write(out_write),
      .write_slot(out_slot),
      .write_entry(out_entry),
      .log(out_log),
      .old_entry(out_old),
      .clear(restart),
      .commit,
      .undo,
      .busy
  );

  /* verilator lint_off UNUSEDSIGNAL */
  step_t step2;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [71:0] data2;
  logic [Window-1:0] covers2;  // which bytes the token has
  logic replies2;  // it is a string that the walk waits for
  logic known2;  // the jump table has a row for the template identifier
  logic [34:0] id;
  logic near, nearer;  // the step before has this entry, or the one before that
  logic [7:0] slot3;
  logic same3, same_out, same_in, same_last;  // whether it is the same: compared a cycle before
  logic text_stays;  // `step2` is put together

  always_comb begin
    id = '0;
    for (int k = 0; k < 5; k++) if (step.entity.total > 4'(k)) id[7*k+:7] = step.data[k][6:0];
  end

  always_ff @(posedge clk) begin
    if (!text_stays) begin
      replies2 <= step.valid && step.replies && !step.idle && word1.kind == VALUE_TEXT;
      known2 <= row_is_used && row_id == id[31:0] && id[34:32] == '0 && step.entity.total <= 4'd5;
      step2  <= step;
      if (step.message && !step.copied && !step.inner) begin
        step2.message_end <= row_is_empty;
        if (!row_is_empty) step2.late <= FAST_GOOD;
      end
      word2  <= step.idle ? '0 : word1;
      entry2 <= entry1;
      if (last_write && same_last) entry2 <= last_entry;
      data2 <= '0;
      for (int k = 0; k < Window; k++) begin
        covers2[k] <= step.entity.total > 4'(k);
        if (!step.text && step.entity.total > 4'(k)) data2[7*k+:7] <= step.data[k][6:0];
      end
      for (int k = 0; k < 8; k++)
      if (step.text) data2[8*k+:8] <= step.count > 4'(k) ? {step.raw && step.data[k][7], step.data[k][6:0]} : 8'd0;
    end
    same3 <= text_stays || step2.slot == step.slot;
    same_out <= text_stays ? slot3 == step2.slot : slot3 == step.slot;
    // Of the step that comes here in the next cycle.
    same_in   <= slot3 == slot;
    same_last <= out_slot == slot;
    if (out_write && (text_stays ? same_out : same_in)) entry2 <= out_entry;
    if (rst) {step2.valid, replies2} <= '0;
  end

  // ---- 2: what the operator makes of it

  logic [21:0] generation, good_generation;
  logic [9:0] packet;
  logic write3, absent3, exponent3, valid3, logged3;
  entry_t change3;  // what step 3 writes, but for the value
  logic in_packet;
  state_e state;
  /* verilator lint_off UNUSEDSIGNAL */
  entry_t previous;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    nearer = write3 && same3;
    near = out_write && same_out;
    previous = nearer ? change3 : near ? out_entry : entry2;
    // What was written just before is of this generation: between a reset and a field are two steps at least.
    if (nearer) state = change3.state;
    else if (near) state = out_entry.state;
    else state = entry2.generation == generation ? entry2.state : STATE_UNDEFINED;
    in_packet = nearer || near || entry2.packet == packet;
  end

  logic null2, is_tail, is_length, absent_exponent, exponent_was_absent, mismatch;
  logic has_value, is_absent, from_entry, from_initial, add_one, writes;
  state_e new_state;
  fast_error_e state_error;

  assign null2 = step2.take && word2.nullable && step2.is_null;
  assign is_tail = word2.operation == OPERATOR_TAIL;
  // Of a byte vector: only its NULL is of concern to the dictionary.
  assign is_length = word2.kind == VALUE_EXPONENT && !word2.signed_value;
  assign mismatch = state != STATE_UNDEFINED && previous.value_type != word2.value_type;
  // A mantissa that is not in the stream is absent with its exponent.
  assign absent_exponent = word2.kind == VALUE_MANTISSA && !step2.take && (exponent3 ? absent3 : exponent_was_absent);

  always_comb begin
    has_value = step2.take && !null2;
    is_absent = null2;
    from_entry = 1'b0;
    from_initial = 1'b0;
    add_one = 1'b0;
    writes = 1'b0;
    new_state = null2 ? STATE_EMPTY : STATE_ASSIGNED;
    state_error = FAST_GOOD;
    if (!absent_exponent && !(is_length && !null2)) begin
      case (word2.operation)
        OPERATOR_CONSTANT: begin
          has_value = step2.set;
          is_absent = !step2.set;
          from_initial = 1'b1;
        end
        OPERATOR_DEFAULT: begin
          if (!step2.take) begin
            has_value = word2.has_initial;
            is_absent = !word2.has_initial;
            from_initial = 1'b1;
          end
        end
        OPERATOR_COPY, OPERATOR_INCREMENT, OPERATOR_TAIL: begin
          if (step2.take) begin
            writes = 1'b1;
            from_entry = is_tail && !null2 && state == STATE_ASSIGNED;
            from_initial = is_tail && !null2 && state != STATE_ASSIGNED;
          end else begin
            case (state)
              STATE_ASSIGNED: begin
                has_value = 1'b1;
                from_entry = 1'b1;
                add_one = word2.operation == OPERATOR_INCREMENT;
                writes = add_one;
              end
              STATE_UNDEFINED: begin
                has_value = word2.has_initial;
                is_absent = !word2.has_initial;
                from_initial = 1'b1;
                writes = 1'b1;
                new_state = word2.has_initial ? STATE_ASSIGNED : STATE_EMPTY;
                if (!word2.has_initial && !word2.nullable) state_error = is_tail ? FAST_D6 : FAST_D5;
              end
              default: begin
                // The section on the tail operator (6.3.8) numbers these one higher than those on the others.
                is_absent = 1'b1;
                if (!word2.nullable) state_error = is_tail ? FAST_D7 : FAST_D6;
              end
            endcase
          end
          if (mismatch) state_error = FAST_D4;
        end
        OPERATOR_DELTA: begin
          if (!null2) begin
            from_entry = state == STATE_ASSIGNED;
            from_initial = state == STATE_UNDEFINED;
            writes = 1'b1;
            if (state == STATE_EMPTY) state_error = FAST_D6;
            if (mismatch) state_error = FAST_D4;
          end
        end
        default: ;
      endcase
    end
    if (step2.message) has_value = 1'b1;
    if (step2.finish) begin
      // The entry is written again as it is.
      from_entry = 1'b1;
      writes = !near && !nearer;
    end
  end

  // What is wrong with the token itself.
  logic overlong, too_long;
  entity_t entity;
  assign entity = step2.entity;
  logic is_map;  // the token is a presence map
  assign is_map = (word2.kind == VALUE_NONE || word2.kind == VALUE_GROUP) && !step2.message;
  assign too_long = step2.take && !step2.text && !is_map && entity.total > 4'(Window);
  always_comb begin
    overlong = 1'b0;
    if (step2.text) begin
      overlong = entity.zero_first && (!entity.zero_second || word2.nullable && entity.has_third && !entity.zero_third);
    end else if (word2.signed_token) begin
      overlong = entity.zero_first && !entity.sign_second || entity.ones_first && entity.sign_second;
    end else begin
      overlong = entity.zero_first;
    end
    overlong &= step2.take && step2.last && !is_map && entity.total > 4'd1;
  end

  // The stream's part of the sum: NULL has its place between -1 and 1 (10.6.1), so that what is above is one too high.
  logic fill, down;
  logic [71:0] extended;
  logic [3:0] stream_length;
  logic [6:0] length;
  assign fill = word2.signed_token && entity.sign_first;
  assign down = step2.take && word2.nullable && !step2.text && !fill;
  always_comb begin
    extended = data2;
    for (int k = 0; k < Window; k++) if (!step2.text && !covers2[k] && fill) extended[7*k+:7] = '1;
    if (!step2.text && fill) extended[71:70] = '1;
    stream_length = step2.count;
    if (step2.first && entity.zero_first) stream_length = step2.count - (word2.nullable && entity.zero_second ? 4'd2 : 4'd1);
    length = step2.take ? 7'(stream_length) : from_entry ? previous.length : word2.extra;
  end

  /* verilator lint_off UNUSEDSIGNAL */
  step_t step3;
  execute_t word3;
  /* verilator lint_on UNUSEDSIGNAL */
  entry_t old3;
  logic [71:0] token3;
  logic [63:0] base3;
  logic text3;  // a piece that was put together
  logic direct3, value3, wraps3, overlong3, too_long3, known3;
  fast_error_e state_error3;
  logic [3:0] length3;

  // ---- strings that are put together: `step2` stays until they are

  logic text_diverts, passes;
  logic [1:0] next_bank, copy_bank;
  logic text_copies, copies_long, copy_too_long, text_resumes;
  logic [6:0] copy_length;
  logic subtracts_front, subtracts_too_many;
  logic [6:0] subtracted;
  text_base_t text_base;
  text_piece_t text_piece;

  // A bank that is neither the entry's nor the one from before the packet.
  function automatic logic [1:0] free_bank(input logic [1:0] bank, input logic [1:0] kept, input logic changed);
    if (changed && bank != kept) return 2'd3 - bank - kept;
    return bank == 2'd2 ? 2'd0 : bank + 2'd1;
  endfunction

  // For what is put together the entry has come to `entry2` when this is read.
  always_comb begin
    copy_bank = free_bank(previous.bank, previous.kept, in_packet);
    next_bank = free_bank(entry2.bank, entry2.kept, entry2.packet == packet);
    text_base.from_entry = from_entry;
    text_base.from_initial = from_initial;
    text_base.entry_length = entry2.length;
    text_base.entry_place = {entry2.bank, step2.slot[$clog2(Texts)-1:0], {$clog2(LongestText / 8) {1'b0}}};
    text_base.bank = next_bank;
    text_base.negative = subtracts_front;
    text_base.subtracted = subtracted;
    text_base.too_many = subtracts_too_many;
    text_base.wrong = state_error != FAST_GOOD;
  end

  fast_text text (
      .clk,
      .rst,
      .load,
      .step(step2),
      .word(word2),
      .replies(replies2),
      .is_null(null2),
      .characters(data2[63:0]),
      .count(stream_length),
      .copy_bank,
      .base_now(text_base),
      .base_value(base3),
      .failed,
      .stays(text_stays),
      .diverts(text_diverts),
      .resumes(text_resumes),
      .copies(text_copies),
      .copy_length,
      .copy_is_long(copies_long),
      .copy_too_long,
      .piece(text_piece),
      .long_result
  );
  assign passes = text_piece.valid || (step2.valid && !text_diverts);

  always_ff @(posedge clk) begin
    step3 <= step2;
    word3 <= word2;
    valid3 <= passes && !rst;
    token3 <= step2.take || step2.copied ? extended - 72'(down) : 72'(add_one);
    if (step2.finish) token3 <= '0;
    text3 <= text_piece.valid;
    if (text_piece.valid) begin
      step3.first <= text_piece.first;
      step3.last <= text_piece.last;
      token3 <= 72'(text_piece.data);
    end
    base3 <= from_initial ? word2.initial_value : from_entry ? (near ? out_entry.value : entry2.value) : '0;
    direct3 <= from_entry && nearer;
    value3 <= has_value;
    absent3 <= is_absent && word2.kind != VALUE_TEXT;
    exponent3 <= step2.valid && word2.kind == VALUE_EXPONENT;
    if (exponent3) exponent_was_absent <= absent3;
    write3 <= passes && writes && (text_piece.valid ? text_piece.last : !text_copies || step2.last) && !rst;
    slot3 <= step2.slot;
    logged3 <= in_packet || step2.finish;
    old3 <= entry2;
    change3.value <= '0;
    change3.length <= step2.finish ? entry2.length : text_piece.valid ? text_piece.length : text_copies ? copy_length : length;
    change3.bank <= text_piece.valid ? text_piece.bank : copies_long ? copy_bank : previous.bank;
    change3.kept <= in_packet || step2.finish ? previous.kept : previous.bank;
    change3.value_type <= step2.finish ? entry2.value_type : word2.value_type;
    change3.generation <= step2.finish ? entry2.generation : generation;
    change3.packet <= step2.finish ? (entry2.packet == packet ? packet : '0) : packet;
    change3.state <= new_state;
    if (step2.finish) begin
      change3.state <= entry2.generation == generation || entry2.generation == good_generation ? entry2.state : STATE_UNDEFINED;
    end
    wraps3 <= add_one;
    overlong3 <= overlong;
    too_long3 <= too_long;
    known3 <= known2;
    state_error3 <= state_error;
    if (state_error == FAST_GOOD && text_piece.valid) state_error3 <= text_piece.error;
    else if (state_error == FAST_GOOD && copy_too_long) state_error3 <= FAST_TOO_LONG;
    length3 <= text_piece.valid ? text_piece.count : length[3:0];
  end

  always_ff @(posedge clk) begin
    if (step2.valid && step2.message && step2.reset) generation <= generation + 22'd1;
    if (commit) begin
      good_generation <= generation;
      packet <= packet == '1 ? 10'd1 : packet + 10'd1;
    end
    if (undo) generation <= good_generation;
    if (rst) begin
      generation <= 22'd1;
      good_generation <= 22'd1;
      packet <= 10'd1;
    end
  end

  // ---- 3: the sum

  logic [63:0] base;
  logic [71:0] sum, wrapped;
  logic carry_sign;
  for (genvar k = 0; k < 8; k++) begin : gen_base
    assign base[8*k+:8] = text3 ? 8'd0 : direct3 ? out_entry.value[8*k+:8] : base3[8*k+:8];
  end
  assign sum = token3 + {{8{word3.signed_value && base[63] && !step3.text}}, base};

  // After the greatest comes the least. Of 64 bits nothing is to be done: only the bits above would show it, which count for nothing then.
  always_comb begin
    case (word3.width)
      2'd0: carry_sign = sum[7];
      2'd1: carry_sign = sum[15];
      default: carry_sign = sum[31];
    endcase
    carry_sign &= word3.signed_value;
    wrapped = sum;
    if (wraps3) begin
      if (word3.width < 2'd3) wrapped[71:32] = {40{carry_sign}};
      if (word3.width < 2'd2) wrapped[31:16] = {16{carry_sign}};
      if (word3.width < 2'd1) wrapped[15:8] = {8{carry_sign}};
    end
  end

  // ---- out

  logic out_fits;  // a sum of 64 bits that wraps around
  logic out_valid, out_absent, out_value, out_overlong, out_too_long, out_known;
  logic [7:0] out_above;  // of the sum
  step_t out_step;
  execute_t out_word;
  fast_error_e out_state_error;
  field_e kind3;
  logic gives3;

  always_comb begin
    kind3 = FIELD_MARK;
    if (step3.message) kind3 = step3.inner ? FIELD_REFERENCE : FIELD_MESSAGE;
    else if (word3.wanted) begin
      case (word3.kind)
        VALUE_UNSIGNED: kind3 = value3 ? FIELD_UNSIGNED : FIELD_ABSENT;
        VALUE_SIGNED: kind3 = value3 ? FIELD_SIGNED : FIELD_ABSENT;
        VALUE_EXPONENT: kind3 = value3 ? FIELD_MARK : FIELD_ABSENT;
        VALUE_MANTISSA: kind3 = value3 ? FIELD_DECIMAL : FIELD_MARK;
        VALUE_DECIMAL: kind3 = value3 ? FIELD_DECIMAL : FIELD_ABSENT;
        VALUE_TEXT: kind3 = value3 ? FIELD_TEXT : FIELD_ABSENT;
        VALUE_GROUP: kind3 = step3.set ? FIELD_MARK : FIELD_ABSENT;
        default: kind3 = FIELD_MARK;
      endcase
    end
    gives3 = kind3 != FIELD_MARK || step3.entry_end || step3.message_end;
  end

  logic [6:0] exponent;
  always_ff @(posedge clk) begin
    out_valid <= valid3 && !rst;
    field_valid <= valid3 && gives3 && !failed && !rst;
    field.kind <= kind3;
    field.tag <= word3.tag;
    field.count <= length3;
    field.first <= step3.first;
    field.last <= step3.last;
    field.entry_end <= step3.entry_end;
    field.message_end <= step3.message_end;
    out_step <= step3;
    out_word <= word3;
    out_absent <= absent3;
    out_value <= value3;
    out_overlong <= overlong3;
    out_fits <= wraps3 && word3.width == 2'd3;
    out_too_long <= too_long3;
    out_known <= known3;
    out_state_error <= state_error3;
    out_write <= write3 && !rst;
    out_slot <= slot3;
    out_log <= !logged3;
    out_old <= old3;
    out_entry <= change3;
    {out_above, out_entry.value} <= wrapped;
    last_write <= out_write;
    last_entry <= out_entry;
    if (out_valid && out_word.kind == VALUE_EXPONENT) exponent <= out_entry.value[6:0];
    if (out_valid && out_word.kind == VALUE_EXPONENT && out_word.value_type == TypeSubtraction) begin
      // Excess-1: -1 takes nothing off the front.
      subtracts_front <= out_entry.value[63];
      subtracted <= out_entry.value[6:0] ^ {7{out_entry.value[63]}};
      subtracts_too_many <= out_entry.value[31:7] != {25{out_entry.value[63]}};
    end
  end
  assign field.value = out_entry.value;
  assign field.exponent = out_word.kind == VALUE_DECIMAL ? out_word.extra : exponent;

  // A string says before it has left that the walk can go on.
  assign reply.valid = (out_valid && out_step.replies && out_word.kind != VALUE_TEXT) || text_resumes;
  assign reply.absent = out_absent && !text_resumes;
  assign reply.value = out_entry.value[13:0];
  assign reply.beyond = out_entry.value[63:14] != '0;

  fast_judge judge (
      .clk,
      .rst,
      .valid(out_valid),
      .step(out_step),
      .word(out_word),
      .value({out_above, out_entry.value}),
      .has_value(out_value),
      .always_fits(out_fits),
      .overlong(out_overlong),
      .too_long(out_too_long),
      .known(out_known),
      .state_error(out_state_error),
      .busy,
      .commit,
      .undo,
      .failed,
      .finished,
      .finished_good,
      .verdict
  );

  logic unused;
  assign unused = &{1'b0, out_step, out_word, last_entry};

  assert property (@(posedge clk) disable iff (rst) same3 == (slot3 == step2.slot) && same_out == (out_slot == step2.slot));
  assert property (@(posedge clk) disable iff (rst) same_in == (out_slot == step.slot));
  assert property (@(posedge clk) disable iff (rst) replies2 == (step2.valid && step2.replies && word2.kind == VALUE_TEXT));
  assert property (@(posedge clk) disable iff (rst) !(step2.valid && nearer) || change3.generation == generation);
  assert property (@(posedge clk) disable iff (rst) !(step2.valid && near) || out_entry.generation == generation);
endmodule

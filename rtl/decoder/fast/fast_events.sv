// Fields of the FAST engine to events, by a table that is loaded while it runs (docs/reference/fast-events.md).
//
//   field ─ FIFO ─┬─ digits, names, powers of ten ─┐
//                 ├─ meaning of a value (RAM) ─────┼─ members of the entry ─ the entry ends ─ event ─ held until another ─ out
//                 └─ time ─────────────────────────┘                                                  or the verdict comes
//   verdict ─ FIFO ────────────────────────────────────────────────────────────────────────────────────────────────── out
//
// Which member a field is stands in bits 31:28 of its number in the program. An event is held until it is known whether it is the last of its packet. An entry
// that the table cannot take makes the packet bad; `fault` is the first of the packet, with its verdict.
//
// Latency: 4 cycles from an entry's last field to its event, if the next field follows, or the verdict. Throughput: a cycle a field; a price or quantity one
// more for each power of ten; a string one for each character; the end of an entry 1. The engine's tokens are more than that, as a rule.
// Parameter: DEPTH of the FIFO. Overflow: fields that find no room make their packet bad, and `overflow` pulses; the last quarter is for verdicts.
//
// The table is loaded while the engine is held.
module fast_events
  import tickwire_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
#(
    parameter int DEPTH = 64
) (
    input logic clk,
    input logic rst,
    input event_load_t load,

    input logic field_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input field_t field,
    input fast_verdict_t verdict,
    /* verilator lint_on UNUSEDSIGNAL */

    event_if.src out,
    output logic fault_valid,
    output fault_e fault,
    output logic overflow
);
  // ---- what waits

  typedef struct packed {
    logic is_verdict;
    logic good;
    logic lost;  // fields before it found no room
    member_e member;
    field_e kind;
    logic [63:0] value;
    logic [6:0] exponent;
    logic [3:0] count;
    logic first;
    logic last;
    logic entry_end;
    logic message_end;
  } word_t;

  word_t put, head, word;
  logic write, read, empty, full, fifo_overflow, crowded, lost, word_valid, next;
  logic [$clog2(DEPTH):0] waiting;
  member_e member_in;

  assign member_in = field.tag[31:28] < 4'(Members) ? member_e'(field.tag[31:28]) : MEMBER_NONE;
  assign crowded = waiting >= ($clog2(DEPTH) + 1)'(DEPTH - DEPTH / 4);

  always_comb begin
    put = '{
        is_verdict: verdict.valid,
        good: verdict.good,
        lost: lost,
        member: member_in,
        kind: field.kind,
        value: field.value,
        exponent: field.exponent,
        count: field.count,
        first: field.first,
        last: field.last,
        entry_end: field.entry_end,
        message_end: field.message_end
    };
    write = field_valid && (member_in != MEMBER_NONE || field.kind == FIELD_MESSAGE || field.entry_end || field.message_end) && !crowded && !lost;
    if (verdict.valid) write = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (field_valid && crowded) lost <= 1'b1;
    if (verdict.valid) lost <= 1'b0;
    overflow <= (field_valid && crowded && !lost) || fifo_overflow;
    if (rst) {lost, overflow} <= '0;
  end

  fifo #(
      .WIDTH($bits(word_t)),
      .DEPTH(DEPTH)
  ) fields (
      .clk,
      .rst,
      .write,
      .write_data(put),
      .full,
      .overflow(fifo_overflow),
      .read,
      .read_data(head),
      .empty,
      .count(waiting)
  );

  // ---- the table

  event_row_t rows[EventTemplates];
  event_row_t row;
  logic [EventRowBits-1:0] row_number, found_number;
  logic found;
  logic [4:0] price_scale, quantity_scale;
  (* no_rw_check, ram_style = "block" *) logic [3:0] codes[EventTemplates*4*256];
  logic [1:0] head_code;
  meaning_e code;

  always_comb begin
    found = 1'b0;
    found_number = '0;
    for (int i = 0; i < EventTemplates; i++) begin
      if (rows[i].used && rows[i].id == word.value[31:0]) begin
        found = 1'b1;
        found_number = EventRowBits'(i);
      end
    end
    case (head.member)
      MEMBER_ACTION: head_code = 2'd0;
      MEMBER_ENTRY_TYPE: head_code = 2'd1;
      default: head_code = 2'd2;
    endcase
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == EVENT_ROW) rows[load.index[EventRowBits-1:0]] <= event_row_t'(load.data[$bits(event_row_t)-1:0]);
    if (load.valid && load.what == EVENT_SCALES) {quantity_scale, price_scale} <= load.data[9:0];
    if (load.valid && load.what == EVENT_CODE) codes[load.index] <= load.data[3:0];
    if (next) code <= meaning_e'(codes[{row_number, head_code, head.value[7:0]}]);
    if (rst) for (int i = 0; i < EventTemplates; i++) rows[i].used <= 1'b0;
  end

  // ---- the work on a field

  typedef enum logic [2:0] {
    WORK_BEGIN,   // the field's first cycle
    WORK_ROW,     // the template's row is there
    WORK_SCALE,   // times ten
    WORK_DIGITS,
    WORK_NAME,    // characters of a long name
    WORK_FILL,    // spaces after a short one
    WORK_FINISH,  // the sum is a member
    WORK_END      // the entry is complete
  } work_e;

  work_e work, work_next;
  logic is_text, is_number, is_negative, mapped;
  logic [63:0] sum, sum_next, magnitude;
  logic [69:0] scaled;
  logic [3:0] left;  // characters, or spaces
  logic [4:0] powers;  // of ten
  logic [4:0] length;  // characters of a string so far
  logic long_name, wrong, wrong_next, negative;
  logic [7:0] character;
  logic [5:0] name_digit;
  logic is_digit, is_name;
  logic [7:0] shift;
  logic done;  // with the field

  assign is_text = word.kind == FIELD_TEXT;
  assign is_number = word.kind == FIELD_UNSIGNED || word.kind == FIELD_SIGNED;
  assign is_negative = (word.kind == FIELD_SIGNED || word.kind == FIELD_DECIMAL) && word.value[63];
  assign magnitude = is_negative ? -word.value : word.value;
  assign character = word.value[8*(3'(left-4'd1))+:8];
  assign is_digit = character inside {[8'h30 : 8'h39]};
  // Exponent and scale. What is negative has more decimals than the scale.
  assign shift = (word.kind == FIELD_DECIMAL ? {word.exponent[6], word.exponent} : 8'd0) + 8'(word.member == MEMBER_PRICE ? price_scale : quantity_scale);

  always_comb begin
    is_name = 1'b1;
    name_digit = 6'd37;
    if (character inside {[8'h41 : 8'h5a]}) name_digit = 6'(character - 8'h40);
    else if (is_digit) name_digit = 6'(character - 8'h30) + 6'd27;
    else is_name = character == 8'h5f;
    case (work)
      WORK_NAME: scaled = (70'(sum) << 5) + (70'(sum) << 2) + (70'(sum) << 1) + 70'(name_digit);
      WORK_DIGITS: scaled = (70'(sum) << 3) + (70'(sum) << 1) + 70'(character[3:0]);
      default: scaled = (70'(sum) << 3) + (70'(sum) << 1);
    endcase
  end

  // A short name is printable, and begins and ends without a space.
  logic printable;
  always_comb begin
    printable = word.count != '0 && word.count <= 4'd8 && word.value[7:0] != 8'h20;
    for (int i = 0; i < 8; i++) begin
      if (4'(i) < word.count) begin
        if (!(word.value[8*i+:8] inside {[8'h20 : 8'h7e]})) printable = 1'b0;
        if (4'(i + 1) == word.count && word.value[8*i+:8] == 8'h20) printable = 1'b0;
      end
    end
  end

  logic time_start, time_busy, time_bad;
  logic [47:0] nanoseconds;
  fast_time clock (
      .clk,
      .rst,
      .start(time_start),
      .value(word.value),
      .decimals(row.time_decimals),
      .forget(load.valid),
      .busy(time_busy),
      .nanoseconds,
      .bad(time_bad)
  );

  logic ends;  // this field is the last of an event
  assign ends = mapped && (row.per_entry ? word.entry_end : word.message_end);

  always_comb begin
    work_next = work;
    done = 1'b0;
    sum_next = scaled[63:0];
    wrong_next = wrong;
    time_start = 1'b0;
    case (work)
      WORK_BEGIN: begin
        done = 1'b1;
        sum_next = word.value;
        wrong_next = 1'b0;
        if (!word.is_verdict && word.kind == FIELD_MESSAGE) begin
          done = 1'b0;
          work_next = WORK_ROW;
        end else if (!word.is_verdict && mapped && word.kind != FIELD_ABSENT && word.kind != FIELD_MARK) begin
          case (word.member)
            MEMBER_TIME: begin
              time_start = 1'b1;
            end
            MEMBER_PRICE, MEMBER_QUANTITY: begin
              done = 1'b0;
              sum_next = magnitude;
              wrong_next = shift[7] || (magnitude != '0 && shift > 8'd18) || (word.kind == FIELD_UNSIGNED && word.value[63]);
              work_next = shift[7] || shift == '0 || shift > 8'd18 || magnitude == '0 ? WORK_FINISH : WORK_SCALE;
            end
            MEMBER_ORDER_ID: begin
              if (is_text) begin
                done = 1'b0;
                sum_next = word.first ? '0 : sum;
                wrong_next = word.first ? word.count == '0 : wrong;
                work_next = word.count == '0 ? WORK_FINISH : WORK_DIGITS;
              end else begin
                done = 1'b0;
                wrong_next = is_negative;
                work_next = WORK_FINISH;
              end
            end
            MEMBER_SYMBOL: begin
              done = 1'b0;
              work_next = WORK_FINISH;
              if (!is_text) wrong_next = is_negative || word.value[63:56] != '0;
              else if (word.first && word.last) begin
                wrong_next = !printable;
                if (word.count < 4'd8) work_next = WORK_FILL;
              end else begin
                sum_next = word.first ? '0 : sum;
                wrong_next = word.first ? 1'b0 : wrong;
                if (word.count != '0) work_next = WORK_NAME;
              end
            end
            default: ;
          endcase
        end
      end
      WORK_ROW: begin
        done = 1'b1;
        sum_next = sum;
      end
      WORK_SCALE: begin
        wrong_next = wrong || scaled[69:64] != '0;
        if (powers == 5'd1) work_next = WORK_FINISH;
      end
      WORK_DIGITS: begin
        // A leading zero would be lost.
        wrong_next = wrong || !is_digit || scaled[69:64] != '0 || (length != '0 && sum == '0);
        if (left == 4'd1) work_next = WORK_FINISH;
      end
      WORK_NAME: begin
        wrong_next = wrong || !is_name || length >= 5'd12;
        if (left == 4'd1) work_next = WORK_FINISH;
      end
      WORK_FILL: begin
        sum_next = {sum[55:0], 8'h20};
        if (left == 4'd1) work_next = WORK_FINISH;
      end
      WORK_FINISH: begin
        done = 1'b1;
        sum_next = sum;
      end
      default: begin
        sum_next = sum;
        done = !time_busy;
      end
    endcase
    // The event is put together in a cycle of its own.
    if (done && work != WORK_END && !word.is_verdict && ends) begin
      done = 1'b0;
      work_next = WORK_END;
    end
    // Two times in a row: the second waits for the first.
    if (time_start && time_busy) begin
      time_start = 1'b0;
      done = 1'b0;
      work_next = work;
    end
    if (!word_valid) begin
      done = 1'b1;
      time_start = 1'b0;
      work_next = WORK_BEGIN;
    end else if (done) work_next = WORK_BEGIN;
  end

  assign next = done;
  assign read = next && !empty;

  always_ff @(posedge clk) begin
    work <= work_next;
    if (next) begin
      word <= head;
      word_valid <= !empty;
    end
    if (word_valid) begin
      sum <= sum_next;
      wrong <= wrong_next;
      left <= left - 4'd1;
      powers <= powers - 5'd1;
      if (work == WORK_BEGIN) begin
        left <= work_next == WORK_FILL ? 4'd8 - word.count : word.count;
        powers <= shift[4:0];
        negative <= is_negative;
        if (word.first) begin
          length <= '0;
          long_name <= is_text && !word.last;
        end
      end
      if (work == WORK_DIGITS || work == WORK_NAME) length <= length == '1 ? length : length + 5'd1;
    end
    if (rst) begin
      work <= WORK_BEGIN;
      word_valid <= 1'b0;
    end
  end

  // ---- the members

  logic [Members-1:0] has;
  meaning_e action, entry_type;
  logic ignored, ignored_header;
  side_e side;
  logic [63:0] sequence_number, symbol, order_id, price, quantity, orders, status;
  logic message_fault, entry_fault;
  fault_e message_fault_code, entry_fault_code;

  logic member_done, failing;  // the field of this cycle is a member; it is a fault
  fault_e failing_code;
  meaning_e meant;
  logic coded;

  assign coded = word.member inside {MEMBER_ACTION, MEMBER_ENTRY_TYPE, MEMBER_SIDE};

  always_comb begin
    // A value of more than a byte, or a string that is not one character, has no meaning.
    meant = code;
    if (is_text ? word.count != 4'd1 || !word.first || !word.last : !is_number || word.value[63:8] != '0) meant = MEANING_UNKNOWN;
    if (word.kind == FIELD_ABSENT) begin
      case (word.member)
        MEMBER_ACTION: meant = row.absent[0];
        MEMBER_ENTRY_TYPE: meant = row.absent[1];
        default: meant = row.absent[2];
      endcase
    end

    member_done = 1'b0;
    failing = 1'b0;
    failing_code = FAULT_NUMBER;
    if (word_valid && mapped && !word.is_verdict && word.kind != FIELD_MARK && word.kind != FIELD_MESSAGE) begin
      if (work == WORK_BEGIN && coded) begin
        member_done = word.kind != FIELD_ABSENT || meant != MEANING_UNKNOWN;
        failing = meant == MEANING_UNKNOWN && member_done && (!is_text || word.last);
        case (word.member)
          MEMBER_ACTION: failing_code = FAULT_UNKNOWN_ACTION;
          MEMBER_ENTRY_TYPE: failing_code = FAULT_UNKNOWN_ENTRY_TYPE;
          default: failing_code = FAULT_UNKNOWN_SIDE;
        endcase
      end else if (work == WORK_BEGIN && word.member inside {MEMBER_SEQUENCE, MEMBER_ORDERS, MEMBER_STATUS} && word.kind != FIELD_ABSENT) begin
        member_done = 1'b1;
        failing = is_negative;
      end else if (work == WORK_BEGIN && word.member == MEMBER_TIME && word.kind != FIELD_ABSENT) begin
        member_done = !(time_busy && !time_start);
        failing = is_negative;
        failing_code = FAULT_TIME;
      end else if (work == WORK_FINISH && (!is_text || word.last)) begin
        member_done = 1'b1;
        failing = wrong;
        case (word.member)
          MEMBER_SYMBOL: failing_code = FAULT_SYMBOL;
          MEMBER_ORDER_ID: failing_code = FAULT_ORDER_ID;
          MEMBER_PRICE: begin
            failing_code = FAULT_PRICE_SCALE;
            failing = wrong || (negative ? sum > 64'h8000_0000_0000_0000 : sum[63]);
          end
          default: begin
            failing_code = FAULT_QUANTITY_SCALE;
            failing = wrong || sum[63] || (negative && sum != '0);
          end
        endcase
      end
    end
  end

  // ---- the event

  meaning_e meaning;
  fault_e entry_code;
  logic entry_wrong, complete, is_ignored;
  logic takes_side, takes_symbol, takes_order_id, takes_price, takes_quantity;  // what the kind needs
  logic may_side, may_order_id, may_price, may_quantity;  // or has
  event_kind_e kind;
  event_t event_now, event_held;
  logic held_valid, packet_fault;
  fault_e packet_fault_code;

  always_comb begin
    meaning = entry_type != MEANING_UNKNOWN ? entry_type : action != MEANING_UNKNOWN ? action : row.kind;
    case (meaning)
      MEANING_ADD: kind = KIND_ADD;
      MEANING_MODIFY: kind = KIND_MODIFY;
      MEANING_EXECUTE: kind = KIND_EXECUTE;
      MEANING_REDUCE: kind = KIND_REDUCE;
      MEANING_DELETE: kind = KIND_DELETE;
      MEANING_TRADE: kind = KIND_TRADE;
      MEANING_CLEAR: kind = KIND_CLEAR;
      MEANING_LEVEL, MEANING_REMOVE_LEVEL: kind = KIND_LEVEL;
      default: kind = KIND_STATUS;
    endcase
    takes_side = meaning inside {MEANING_ADD, MEANING_LEVEL, MEANING_REMOVE_LEVEL};
    takes_symbol = takes_side || meaning inside {MEANING_TRADE, MEANING_CLEAR};
    takes_order_id = meaning inside {MEANING_ADD, MEANING_MODIFY, MEANING_EXECUTE, MEANING_REDUCE, MEANING_DELETE};
    takes_price = takes_side || meaning == MEANING_TRADE;
    takes_quantity = meaning inside {MEANING_ADD, MEANING_MODIFY, MEANING_EXECUTE, MEANING_REDUCE, MEANING_TRADE, MEANING_LEVEL};
    may_side = takes_side || meaning inside {MEANING_MODIFY, MEANING_TRADE};
    may_order_id = takes_order_id || meaning == MEANING_TRADE;
    may_price = takes_price || meaning inside {MEANING_MODIFY, MEANING_EXECUTE};
    may_quantity = takes_quantity;

    entry_wrong = 1'b1;
    if (message_fault) entry_code = message_fault_code;
    else if (has[MEMBER_TIME] && time_bad && !row.in_entry[MEMBER_TIME]) entry_code = FAULT_TIME;
    else if (entry_fault) entry_code = entry_fault_code;
    else if (has[MEMBER_TIME] && time_bad) entry_code = FAULT_TIME;
    else if (meaning inside {MEANING_UNKNOWN, MEANING_BUY, MEANING_SELL, MEANING_IGNORE}) entry_code = FAULT_NO_ACTION;
    else if (takes_side && !has[MEMBER_SIDE]) entry_code = FAULT_NO_SIDE;
    else if (takes_symbol && !has[MEMBER_SYMBOL]) entry_code = FAULT_NO_SYMBOL;
    else if (takes_order_id && !has[MEMBER_ORDER_ID]) entry_code = FAULT_NO_ORDER_ID;
    else if (takes_price && !has[MEMBER_PRICE]) entry_code = FAULT_NO_PRICE;
    else if (takes_quantity && !has[MEMBER_QUANTITY]) entry_code = FAULT_NO_QUANTITY;
    else begin
      entry_wrong = 1'b0;
      entry_code  = FAULT_NUMBER;
    end

    event_now = '0;
    event_now.kind = kind;
    event_now.source = EVENT_FEED;
    event_now.message_type = row.message_type;
    event_now.side = may_side && has[MEMBER_SIDE] ? side : SIDE_BUY;
    event_now.has_symbol = has[MEMBER_SYMBOL];
    event_now.symbol = has[MEMBER_SYMBOL] ? symbol : '0;
    event_now.price = may_price && has[MEMBER_PRICE] ? price : '0;
    event_now.quantity = may_quantity && has[MEMBER_QUANTITY] ? quantity : '0;
    event_now.order_id = may_order_id && has[MEMBER_ORDER_ID] ? order_id : '0;
    event_now.nanoseconds = has[MEMBER_TIME] ? nanoseconds : '0;
    event_now.sequence_number = has[MEMBER_SEQUENCE] ? sequence_number : '0;
    if (kind == KIND_STATUS) event_now.quantity = has[MEMBER_STATUS] ? status : '0;
    if (kind == KIND_LEVEL && event_now.quantity != '0) event_now.order_id = has[MEMBER_ORDERS] ? orders : '0;
  end

  assign is_ignored = ignored || ignored_header;
  assign complete = word_valid && work == WORK_END && !time_busy;

  always_ff @(posedge clk) begin
    if (member_done) begin
      if (!failing) begin
        if (!coded) has[word.member] <= 1'b1;
        case (word.member)
          MEMBER_SEQUENCE: sequence_number <= word.value;
          MEMBER_ORDERS: orders <= word.value;
          MEMBER_STATUS: status <= word.value;
          MEMBER_SYMBOL: symbol <= long_name && is_text ? {1'b1, sum[62:0]} : sum;
          MEMBER_ORDER_ID: order_id <= sum;
          MEMBER_PRICE: price <= negative ? -sum : sum;
          MEMBER_QUANTITY: quantity <= sum;
          default: ;
        endcase
        if (coded) begin
          if (meant inside {MEANING_BUY, MEANING_SELL}) begin
            has[MEMBER_SIDE] <= 1'b1;
            side <= meant == MEANING_BUY ? SIDE_BUY : SIDE_SELL;
          end else if (meant == MEANING_IGNORE) begin
            if (row.in_entry[word.member]) ignored <= 1'b1;
            else ignored_header <= 1'b1;
          end else if (word.member == MEMBER_ENTRY_TYPE) entry_type <= meant;
          else action <= meant;
        end
      end else if (row.in_entry[word.member]) begin
        entry_fault <= 1'b1;
        if (!entry_fault) entry_fault_code <= failing_code;
      end else begin
        message_fault <= 1'b1;
        if (!message_fault) message_fault_code <= failing_code;
      end
    end
    if (complete) begin
      has <= has & ~row.in_entry;
      // Each of the three may say a side or an action; the host loads no table in which only some of them are in the entry.
      if (|row.in_entry[MEMBER_SIDE:MEMBER_ACTION]) begin
        has[MEMBER_SIDE] <= 1'b0;
        {action, entry_type} <= {MEANING_UNKNOWN, MEANING_UNKNOWN};
      end
      ignored <= 1'b0;
      entry_fault <= 1'b0;
    end
    if (word_valid && !word.is_verdict && work == WORK_BEGIN && word.kind == FIELD_MESSAGE) begin
      row <= rows[found_number];
      row_number <= found_number;
      mapped <= found;
      has <= '0;
      {action, entry_type} <= {MEANING_UNKNOWN, MEANING_UNKNOWN};
      {ignored, ignored_header, message_fault, entry_fault} <= '0;
    end
    if (rst) mapped <= 1'b0;
  end

  always_ff @(posedge clk) begin
    out.valid <= 1'b0;
    out.verdict_valid <= 1'b0;
    fault_valid <= 1'b0;
    if (complete && !is_ignored) begin
      if (entry_wrong) begin
        packet_fault <= 1'b1;
        if (!packet_fault) packet_fault_code <= entry_code;
      end else begin
        out.valid <= held_valid;
        out.data <= event_held;
        event_held <= event_now;
        held_valid <= 1'b1;
      end
    end
    if (word_valid && word.is_verdict) begin
      out.valid <= held_valid;
      out.data <= event_held;
      out.data[0].last <= 1'b1;
      out.verdict_valid <= 1'b1;
      out.verdict_good <= word.good && !packet_fault && !word.lost;
      fault_valid <= word.good && (packet_fault || word.lost);
      fault <= packet_fault ? packet_fault_code : FAULT_OVERFLOW;
      held_valid <= 1'b0;
      packet_fault <= 1'b0;
    end
    if (rst) begin
      out.valid <= 1'b0;
      out.verdict_valid <= 1'b0;
      fault_valid <= 1'b0;
      held_valid <= 1'b0;
      packet_fault <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, full, row};

  assert property (@(posedge clk) disable iff (rst) !(field_valid && verdict.valid));
  assert property (@(posedge clk) disable iff (rst) !fifo_overflow);
endmodule

// Fields of the FAST engine to events, by a table that is loaded while it runs (docs/reference/fast-events.md).
//
//   field ─┬─ FIFO ─┬─┬─ digits, names, powers of ten ─┐
//          └────────┘ ├─ meaning of a value (RAM) ─────┼─ members of the entry ─ the entry ends ─ event ─ held until another ─ out
//   if nothing waits  └─ time ─────────────────────────┘                                                  or the verdict comes
//   verdict ─ the same way ───────────────────────────────────────────────────────────────────────────────────────────── out
//
// Which member a field is stands in bits 31:28 of its number in the program. An event is held until it is known whether it is the last of
// its packet. An entry that the table cannot take makes the packet bad if it is one of our instruments', or does not say whose it is; else it is passed over.
// `fault` is the first of the packet, with its verdict.
//
// Latency: 3 cycles from an entry's last field to its event, if the next field follows, or the verdict. Throughput: a cycle a field; more
// for prices, quantities, strings and the end of an entry, as docs/reference/fast-events.md says. The engine's tokens take longer, as a
// rule. The next entry's end and the verdict wait for the look at an entry that the table cannot take (fast_ours). Parameter: DEPTH of the FIFO. Overflow: fields that find no room make their packet bad, and `overflow` pulses; the last eighth is
// for verdicts.
//
// The table is loaded while the engine is held.
module fast_events
  import tickwire_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
#(
    parameter int DEPTH = 512
) (
    input logic clk,
    input logic rst,
    input event_load_t load,
    input tickwire_pkg::instrument_write_t instrument,

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

  event_word_t put, waits, head, spare, word;
  logic matters, comes, write, read, empty, full, fifo_overflow, crowded, lost, word_valid, next;
  logic spare_valid;  // a field has been taken out of the FIFO before the one before it was done: whether it is done is known late
  logic [$clog2(DEPTH):0] waiting;
  member_e member_in;

  assign member_in = field.tag[31:28] < 4'(Members) ? member_e'(field.tag[31:28]) : MEMBER_NONE;
  assign crowded = waiting >= ($clog2(DEPTH) + 1)'(DEPTH - DEPTH / 8);

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
    matters = field_valid && (member_in != MEMBER_NONE || field.kind == FIELD_MESSAGE || field.entry_end || field.message_end);
    comes   = verdict.valid || (matters && !crowded && !lost);
    head    = spare_valid ? spare : empty ? put : waits;
  end

  always_ff @(posedge clk) begin
    if (matters && crowded) lost <= 1'b1;
    if (verdict.valid) lost <= 1'b0;
    overflow <= (matters && crowded && !lost) || fifo_overflow;
    if (rst) {lost, overflow} <= '0;
  end

  fifo_registered #(
      .WIDTH($bits(event_word_t)),
      .DEPTH(DEPTH)
  ) fields (
      .clk,
      .rst,
      .write,
      .write_data(put),
      .full,
      .overflow(fifo_overflow),
      .read,
      .read_data(waits),
      .empty,
      .count(waiting)
  );

  // ---- the table

  event_row_t rows[EventTemplates];
  logic [EventTemplates-1:0] used;
  logic [EventTemplates-1:0][31:0] ids;
  event_row_t row, loaded;
  assign loaded = event_row_t'(load.data[$bits(event_row_t)-1:0]);
  logic [EventRowBits-1:0] row_number, found_number;
  logic found;
  logic [4:0] price_scale, quantity_scale;
  (* no_rw_check, ram_style = "block" *) logic [3:0] codes[EventTemplates*4*256];
  logic [1:0] head_code;
  meaning_e code;
  logic head_single, single;  // its value is a byte or one character: others mean nothing

  always_comb begin
    found = 1'b0;
    found_number = '0;
    for (int i = 0; i < EventTemplates; i++) begin
      if (used[i] && ids[i] == word.value[31:0]) begin
        found = 1'b1;
        found_number = EventRowBits'(i);
      end
    end
    case (head.member)
      MEMBER_ACTION: head_code = 2'd0;
      MEMBER_ENTRY_TYPE: head_code = 2'd1;
      default: head_code = 2'd2;
    endcase
    case (head.kind)
      FIELD_TEXT: head_single = head.count == 4'd1 && head.first && head.last;
      FIELD_UNSIGNED, FIELD_SIGNED: head_single = head.value[63:8] == '0;
      default: head_single = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == EVENT_ROW) begin
      rows[load.index[EventRowBits-1:0]] <= loaded;
      used[load.index[EventRowBits-1:0]] <= loaded.used;
      ids[load.index[EventRowBits-1:0]]  <= loaded.id;
    end
    if (load.valid && load.what == EVENT_SCALES) {quantity_scale, price_scale} <= load.data[9:0];
    if (load.valid && load.what == EVENT_CODE) codes[load.index] <= load.data[3:0];
    if (next) code <= meaning_e'(codes[{row_number, head_code, head.value[7:0]}]);
    if (rst) used <= '0;
  end

  logic mapped, begins_message, ends, settles;
  event_class_t word_class;
  event_value_t value;
  logic [47:0] nanoseconds;
  logic time_bad;

  assign read = !spare_valid && !empty;
  assign write = comes && (spare_valid || !empty);
  assign begins_message = value.begins && word_class.message;
  assign ends = mapped && (row.per_entry ? word_class.entry_end : word_class.message_end);

  always_ff @(posedge clk) begin
    if (next) begin
      word <= head;
      word_class <= class_of(head);
      single <= head_single;
      word_valid <= spare_valid || !empty || comes;
    end
    if (!spare_valid) spare <= empty ? put : waits;
    spare_valid <= !next && (spare_valid || !empty || comes);
    if (begins_message) begin
      row <= rows[found_number];
      row_number <= found_number;
      mapped <= found;
    end
    if (rst) {word_valid, spare_valid, mapped} <= '0;
  end

  // What is wrong is known late, so it is registered before it is looked at.
  logic asking, doubt, looks, known, ours, all_ours;

  fast_event_values values (
      .clk,
      .rst,
      .word_valid,
      .word,
      .word_class,
      .mapped,
      .ends,
      .settles,
      .waits(asking),
      .time_decimals(row.time_decimals),
      .price_scale,
      .quantity_scale,
      .forget(load.valid),
      .done(next),
      .out(value),
      .nanoseconds,
      .time_bad
  );

  // ---- the event

  // The latest one is at hand in the cycle after its entry, without that its hundreds of bits wait for what is known late: whether the entry is complete.
  event_t event_now, event_new, event_held, event_latest;
  logic entry_wrong, is_keyless, is_ignored, held_valid, packet_fault, completes, completed, judges;
  logic [63:0] doubt_symbol;
  fault_e doubt_code;
  fault_e entry_code, packet_fault_code;

  fast_event_entry entry (
      .clk,
      .begins_message,
      .word,
      .row,
      .mapped,
      .code,
      .single,
      .value,
      .nanoseconds,
      .time_bad,
      .settles,
      .out(event_now),
      .out_ignored(is_ignored),
      .out_wrong(entry_wrong),
      .out_keyless(is_keyless),
      .out_fault(entry_code)
  );

  fast_ours of_ours (
      .clk,
      .rst,
      .write(instrument),
      .start(doubt),
      .symbol(doubt_symbol),
      .busy(looks),
      .done(known),
      .ours,
      .all(all_ours)
  );

  assign asking = doubt || looks;
  assign completes = value.complete && !is_ignored;
  assign judges = word_valid && word.is_verdict && !asking;
  assign event_latest = completed ? event_new : event_held;

  always_ff @(posedge clk) begin
    completed <= completes && !entry_wrong;
    doubt <= completes && entry_wrong && event_now.has_symbol && !rst;
    if (completes) {doubt_symbol, doubt_code} <= {event_now.symbol, entry_code};
    event_new <= event_now;
    event_held <= event_latest;
    out.valid <= 1'b0;
    out.data <= event_latest;
    out.verdict_valid <= 1'b0;
    fault_valid <= 1'b0;
    if (completes) begin
      // What is wrong is no event: the one before is held on.
      out.valid <= held_valid && !entry_wrong;
      if (!entry_wrong) held_valid <= 1'b1;
      else if (!event_now.has_symbol && (!is_keyless || all_ours)) begin
        packet_fault <= 1'b1;
        if (!packet_fault) packet_fault_code <= entry_code;
      end
    end
    if (known && ours) begin
      packet_fault <= 1'b1;
      if (!packet_fault) packet_fault_code <= doubt_code;
    end
    if (judges) begin
      out.valid <= held_valid;
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
  assert property (@(posedge clk) disable iff (rst) !(completed && completes));
  assert property (@(posedge clk) disable iff (rst) !fifo_overflow);
endmodule

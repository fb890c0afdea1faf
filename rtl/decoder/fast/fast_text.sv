// Keeps strings of more than eight bytes that are previous values, gives them again, and puts strings together whose bytes come from two places: tail, delta,
// initial values.
//
//   pieces in the stream ─┐                 ┌─ pieces of the result
//                         ├─ memory ─ byte ─┤
//   initial values ───────┘     ↑           └─ bank of the entry
//                               └───────────────┘
//
// The memory has four quarters: three banks of all entries that may be strings, and the initial values, after which the bytes of the stream wait. A result
// goes to a bank that is neither the entry's own nor the one from before the packet, so that the base stays until it is read, and a bad packet is taken back
// with the entry's bank alone.
//
// A string with copy that comes in the stream goes on as it comes, and is kept beside that. For any other the stage before stands still, and the walk waits
// for its value: the previous value as it is, and what is put together.
//
// Latency: 0 cycles for a string with copy in the stream; 3 for a step that waits for nothing in the end; 5 for a previous value as it is, its first piece. Else 6,
// three for each piece of eight or fewer that is read, one for each given, and one for each byte of those that are not given as they are read. The walk goes on
// two cycles before a previous value's last piece.
// Throughput: a piece of the stream a cycle comes in, one string is put together at a time. Overflow: a string of more than LongestText bytes is an
// error of the packet.
module fast_text
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,

    input step_t step,  // that is here
    input execute_t word,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic replies,  // it is a string that the walk waits for
    input logic is_null,
    input logic [63:0] characters,  // of its piece
    input logic [3:0] count,
    input logic [1:0] copy_bank,  // where the string goes, if its pieces go as they come
    input text_base_t base_now,  // two cycles after the step has come
    input logic [63:0] base_value,  // of a short base: a cycle later
    input logic failed,

    output logic stays,  // the step, for another cycle
    output logic diverts,  // it is not to go on by itself
    output logic resumes,  // pulse: the walk can go on
    output logic copies,  // a string whose pieces go as they come
    output logic [6:0] copy_length,  // of it, up to this piece
    output logic copy_is_long,  // with its last piece: the dictionary gets more than eight bytes
    output logic copy_too_long,  // with its last piece
    output text_piece_t piece,
    output logic long_result  // pulse: the dictionary gets a string of more than eight bytes
);
  typedef enum logic [3:0] {
    IDLE,
    SETTLES,  // what was written just before it comes to the entry
    READS,  // the entry
    DECIDES,
    PLANS,
    SUMS,
    REPEATS,  // the previous value as it is, a piece a cycle
    ENDS,  // its last piece
    FETCHES,
    ARRIVES,
    FINDS,  // the piece is there: it is the next one as it is, or which of its bytes is the next
    TAKES,  // a byte
    GIVES  // a piece
  } text_state_e;

  typedef struct packed {
    logic [3:0]  count;
    logic [63:0] data;
  } stored_t;

  localparam int PieceBits = $clog2(LongestText / 8);
  localparam int StreamBits = $clog2(LongestText);  // pieces of one byte each
  localparam int EntryBits = $clog2(Texts);

  (* no_rw_check, ram_style = "block" *) stored_t memory[1<<TextBits];

  text_state_e state;
  text_base_t base;

  logic [6:0] base_length, chosen_length, base_end;  // the first and the last a cycle later; the last one less
  logic [TextBits-1:0] base_place;
  assign chosen_length = base.from_entry ? base.entry_length : base.from_initial ? word.extra : '0;

  // Compared before the choice: what the step needs is known late.
  logic entry_is_long, initial_is_long;  // more than eight bytes
  assign initial_is_long = word.extra > 7'd8;

  always_ff @(posedge clk) begin
    base <= base_now;
    entry_is_long <= base_now.entry_length > 7'd8;
    base_length <= chosen_length;
    base_end <= chosen_length - 7'd1;
    base_place <= base.from_entry ? base.entry_place : {2'd3, word.initial_value[TextBits-3:0]};
  end

  // ---- the stream's bytes, as they come

  logic keeps, has_stream, is_last_here, comes;
  logic [6:0] total;
  logic total_over;  // it is too long, before the last piece at least
  logic [StreamBits-1:0] pieces_before, pieces;  // of the stream
  logic stays_short;  // the dictionary has room for it without the text memory

  assign keeps = word.operation inside {OPERATOR_COPY, OPERATOR_TAIL, OPERATOR_DELTA};
  assign has_stream = step.text && step.take && keeps && !is_null;
  assign is_last_here = replies;
  assign comes = state == IDLE && step.valid && has_stream;
  assign pieces = step.first ? '0 : pieces_before;
  assign copies = step.valid && has_stream && word.operation == OPERATOR_COPY && !step.gathers;
  assign stays_short = step.first && step.last;
  assign copy_length = (step.first ? '0 : total) + 7'(count);
  assign copy_is_long = copies && step.last && !step.first;
  assign copy_too_long = copy_is_long && (total_over || total > 7'(LongestText) || copy_length > 7'(LongestText));

  always_ff @(posedge clk) begin
    if (comes) begin
      total <= copy_length;
      total_over <= !step.first && (total_over || total > 7'(LongestText));
      pieces_before <= pieces + StreamBits'(count != '0);
    end
  end

  // ---- which bytes of the base and of the stream

  logic base_first, needed, is_delta, is_tail, stream_over;
  logic [6:0] stream_length, kept;
  logic [7:0] length;
  fast_error_e error;

  assign is_delta = word.operation == OPERATOR_DELTA;
  assign is_tail = word.operation == OPERATOR_TAIL;
  // What is in the stream was here a cycle before it is decided already: from the step it is far.
  logic had_stream, stream_needs, initial_needs;
  assign needed = had_stream ? stream_needs : base.from_entry ? entry_is_long : base.from_initial && initial_needs;

  always_ff @(posedge clk) begin
    had_stream <= has_stream;
    stream_needs <= is_tail || is_delta || !step.first;
    initial_needs <= initial_is_long;
    base_first <= !(is_delta && base.negative);
    stream_length <= has_stream ? total : '0;
    stream_over <= has_stream && (total_over || total > 7'(LongestText));
    // In PLANS what is kept of the base, in SUMS the length.
    if (state == PLANS) begin
      kept  <= base_length;
      error <= FAST_GOOD;
      if (has_stream && is_delta) begin
        kept <= base_length - base.subtracted;
        if (base.too_many || base.subtracted > base_length) error <= FAST_D7;
      end
      if (has_stream && is_tail) kept <= base_length > total ? base_length - total : '0;
    end
  end
  assign length = 8'(kept) + 8'(stream_length);

  // ---- byte by byte

  logic [6:0] result_length, left, base_left, stream_left;  // bytes; left of all
  logic [6:0] base_at;  // the next byte of the base
  logic [StreamBits-1:0] stream_piece;
  logic [PieceBits-1:0] given;  // pieces
  logic [2:0] filled, place;  // bytes of the piece; of the next byte in what is read, the last one 0
  logic in_base, takes_base, takes_value;  // the next byte is of the base; that is in a word
  logic fetches, is_first, is_last, nothing;  // nothing: the result has no bytes
  logic repeats, repeated, ends_repeat;  // the previous value goes as it is; a piece of it is in `gathered`; its last one has been read
  logic [PieceBits-1:0] read;  // pieces of it
  logic [TextBits-1:0] read_address, write_address;
  logic [63:0] source, gathered;
  logic [7:0] next_byte;
  stored_t stored, arrived, write_data;
  logic writes;
  fast_error_e result_error;

  assign in_base = base_first ? base_left != '0 : stream_left == '0;
  always_comb begin
    read_address = {2'd3, {(TextBits - 2 - StreamBits) {1'b1}}, stream_piece};
    if (in_base) read_address = base_place + TextBits'(base_at[6:3]);
    if (state == DECIDES) read_address = base.entry_place;
    if (state == REPEATS) read_address = base.entry_place | TextBits'(read);
  end
  assign source = takes_value ? base_value : arrived.data;

  always_comb begin
    next_byte = '0;
    for (int k = 0; k < 8; k++) if (place == 3'(k)) next_byte |= source[8*k+:8];
  end

  logic in_last_piece;  // which has its last byte lowest, as all have, however few it has
  assign in_last_piece = base_at[6:3] == base_end[6:3];

  // The stream's pieces a cycle later: which bank is known late.
  logic enters;
  logic [TextBits-1:0] enters_at;
  stored_t entering;
  always_ff @(posedge clk) begin
    enters <= comes && count != '0 && !(copies && stays_short);
    enters_at <= {2'd3, {(TextBits - 2 - StreamBits) {1'b1}}, pieces};
    if (copies) enters_at <= {copy_bank, step.slot[EntryBits-1:0], pieces[PieceBits-1:0]};
    entering <= '{count: count, data: characters};
  end

  always_comb begin
    writes = enters;
    write_address = enters_at;
    write_data = entering;
    if (state == GIVES) begin
      writes = keeps && !nothing;
      write_address = {base.bank, step.slot[EntryBits-1:0], given};
      write_data.data = gathered;
    end
    if (load.valid) begin
      writes = load.what == LOAD_TEXT;
      write_address = {2'd3, load.index[TextBits-3:0]};
      write_data.data = load.data[63:0];
    end
  end

  always_ff @(posedge clk) begin
    if (writes) memory[write_address] <= write_data;
    stored <= memory[read_address];
  end

  // A piece is given as it is, if the result is at the start of one, and all of it, eight bytes or what is left of both, comes from here. What is known
  // before the piece is there is found out while it comes.
  logic
      from_base, from_value, base_passes, stream_may;  // from the base; which is in a word; it is given as it is; one of the stream may be
  logic [3:0] found, base_found, base_found_next;  // bytes of the piece from the next one on
  logic [2:0] base_from;  // of the next one in the base's piece
  logic passes;
  assign base_found_next = !in_last_piece ? 4'd8 : 4'(base_end[2:0]) + 4'd1;
  assign found  = from_base ? base_found : arrived.count;
  assign passes = from_base ? base_passes : stream_may && (found == 4'd8 || 7'(found) == left);

  always_ff @(posedge clk) begin
    from_base <= in_base;
    from_value <= in_base && base_length <= 7'd8;
    base_found <= base_found_next;
    base_from <= in_last_piece ? base_end[2:0] - base_at[2:0] : ~base_at[2:0];
    base_passes <= filled == '0 && base_at[2:0] == '0 && base_left >= 7'(base_found_next) &&
        (base_found_next == 4'd8 || 7'(base_found_next) == left);
    stream_may <= filled == '0;
  end

  logic ends_source;  // with this byte
  assign ends_source = place == '0 || (takes_base ? base_left : stream_left) == 7'd1;

  always_ff @(posedge clk) begin
    case (state)
      IDLE: if (is_last_here && !failed) state <= SETTLES;
      SETTLES: state <= READS;
      READS: state <= DECIDES;
      DECIDES: begin
        state <= repeats ? REPEATS : needed || base.wrong ? PLANS : IDLE;
        read <= PieceBits'(1);
        nothing <= 1'b0;
        filled <= '0;
        result_error <= FAST_GOOD;
      end
      REPEATS: begin
        gathered <= stored.data;
        read <= read + PieceBits'(1);
        is_first <= read == PieceBits'(1);
        is_last <= ends_repeat;
        if (ends_repeat) begin
          filled <= base_length[2:0];
          state  <= ENDS;
        end
      end
      ENDS: state <= IDLE;
      PLANS: state <= SUMS;
      SUMS: begin
        state <= FETCHES;
        result_error <= error;
        result_length <= length[6:0];
        left <= length[6:0];
        gathered <= '0;
        base_left <= kept;
        stream_left <= stream_length;
        base_at <= is_delta && base.negative ? base.subtracted : '0;
        stream_piece <= '0;
        given <= '0;
        filled <= '0;
        is_first <= 1'b1;
        is_last <= 1'b0;
        nothing <= 1'b0;
        if (length == '0 || error != FAST_GOOD || base.wrong) {nothing, is_last} <= '1;
        if (error == FAST_GOOD && (stream_over || length > 8'(LongestText))) begin
          {nothing, is_last} <= '1;
          result_error <= FAST_TOO_LONG;
        end
      end
      FETCHES: state <= nothing ? GIVES : ARRIVES;
      ARRIVES: begin
        // From block RAM it would be the slowest path.
        arrived <= stored;
        state   <= FINDS;
      end
      FINDS: begin
        state <= passes ? GIVES : TAKES;
        takes_base <= from_base;
        takes_value <= from_value;
        place <= from_base ? base_from : arrived.count[2:0] - 3'd1;
        if (passes) begin
          gathered <= from_value ? base_value : arrived.data;
          filled <= found[2:0];
          left <= left - 7'(found);
          if (from_base) begin
            base_left <= base_left - 7'(found);
            base_at   <= base_at + 7'(found);
          end else begin
            stream_left  <= stream_left - 7'(found);
            stream_piece <= stream_piece + StreamBits'(1);
          end
          fetches <= 1'b1;
          is_last <= left == 7'(found);
        end
      end
      TAKES: begin
        gathered <= {filled == '0 ? 56'd0 : gathered[55:0], next_byte};
        filled <= filled + 3'd1;
        place <= place - 3'd1;
        left <= left - 7'd1;
        if (takes_base) begin
          base_left <= base_left - 7'd1;
          base_at   <= base_at + 7'd1;
        end else begin
          stream_left <= stream_left - 7'd1;
          if (place == '0) stream_piece <= stream_piece + StreamBits'(1);
        end
        fetches <= ends_source;
        is_last <= left == 7'd1;
        state <= filled == '1 || left == 7'd1 ? GIVES : ends_source ? FETCHES : TAKES;
      end
      default: begin  // GIVES
        state <= is_last ? IDLE : fetches ? FETCHES : TAKES;
        given <= given + PieceBits'(1);
        is_first <= 1'b0;
      end
    endcase
    repeated <= state == REPEATS;
    if (rst || failed) state <= IDLE;
  end


  assign repeats = state == DECIDES && needed && !base.wrong && !had_stream && base.from_entry;
  assign ends_repeat = PieceBits'(read - PieceBits'(1)) == base_end[5:3];

  // ---- what fast_execute gets

  logic goes_on;  // as it is
  assign goes_on = state == DECIDES && !needed && !base.wrong;
  assign stays = !failed && (state == IDLE ? is_last_here : !goes_on && !(piece.valid && piece.last));
  assign diverts = state == IDLE ? (comes && !step.last && !copies) || (is_last_here && !failed) : !goes_on;
  // The next step comes here three cycles later at the earliest. From a register: to the walk's next group it is far.
  always_ff @(posedge clk) begin
    resumes <= goes_on || (state == GIVES && is_last);
    if (repeats && chosen_length <= 7'd16) resumes <= 1'b1;
    if (state == REPEATS && PieceBits'(read + PieceBits'(1)) == base_end[5:3]) resumes <= 1'b1;
    if (rst || failed) resumes <= 1'b0;
  end
  assign piece.valid = (state == GIVES || repeated) && !failed;
  assign piece.data = gathered;
  assign piece.count = nothing ? 4'd0 : filled == '0 ? 4'd8 : 4'(filled);
  assign piece.first = is_first;
  assign piece.last = is_last;
  assign piece.bank = base.bank;
  assign piece.length = result_length;  // of what was put together
  assign piece.error = result_error;
  assign long_result = state == GIVES && keeps && result_length > 7'd8;

  assert property (@(posedge clk) disable iff (rst) state == IDLE || (is_last_here || failed));
  assert property (@(posedge clk) disable iff (rst) !(load.valid && state != IDLE));
  // Above a piece's bytes there is nothing.
  assert property (@(posedge clk) disable iff (rst) !(state == GIVES && filled != '0) || gathered >> {filled, 3'd0} == '0);
  // All bytes have left with the last piece.
  logic ends_here;
  assign ends_here = state == GIVES && piece.last && piece.count != '0;
  assert property (@(posedge clk) disable iff (rst) !ends_here || (base_left | stream_left) == '0);
endmodule

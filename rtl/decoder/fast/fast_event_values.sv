// The value of a field: digits and names to 64 bits, decimals to their scale, times to nanoseconds; and the end of an entry in its order.
//
// Digits are taken two a cycle, characters of a long name one; a decimal is multiplied by ten or a hundred until it has its scale. One sum
// does it all. Times are worked out beside it; only the end of the entry waits for them.
//
// Latency: as docs/reference/fast-events.md says; `done` in the field's last cycle. No parameters. Nothing overflows.
module fast_event_values
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic word_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input event_word_t word,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic mapped,  // its template is in the table
    input logic ends,  // an event ends with it
    input logic [1:0] time_decimals,
    input logic [4:0] price_scale,
    input logic [4:0] quantity_scale,
    input logic forget,  // the time before

    output logic done,  // with the field, or there is none
    output event_value_t out,
    output logic [47:0] nanoseconds,  // of the last time, when an entry is complete
    output logic time_bad
);
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
  logic is_text, is_negative;
  logic [63:0] sum, sum_next, magnitude;
  logic [71:0] scaled;
  logic [3:0][71:0] terms;
  logic two;  // powers of ten in this cycle, or digits
  logic [6:0] pair;  // of digits
  logic [3:0] left, left_next;  // characters, or spaces
  logic is_symbol_short;
  logic [4:0] powers;  // of ten
  logic [4:0] length;  // characters of a string so far
  logic long_name, wrong, wrong_next, negative;
  logic [7:0] character, second;
  logic [5:0] name_digit;
  logic is_digit, are_digits, is_name;
  logic [7:0] own_exponent, shift;

  assign is_text = word.kind == FIELD_TEXT;
  assign is_symbol_short = word.member == MEMBER_SYMBOL && word.first && word.last;
  assign is_negative = (word.kind == FIELD_SIGNED || word.kind == FIELD_DECIMAL) && word.value[63];
  assign magnitude = is_negative ? -word.value : word.value;
  assign pair = (7'(character[3:0]) << 3) + (7'(character[3:0]) << 1) + 7'(second[3:0]);
  assign are_digits = is_digit && (!two || second inside {[8'h30 : 8'h39]});
  assign is_digit = character inside {[8'h30 : 8'h39]};
  // Exponent and scale. What is negative has more decimals than the scale.
  assign own_exponent = word.kind == FIELD_DECIMAL ? {word.exponent[6], word.exponent} : 8'd0;
  assign shift = own_exponent + 8'(word.member == MEMBER_PRICE ? price_scale : quantity_scale);

  always_comb begin
    is_name = 1'b1;
    name_digit = 6'd37;
    if (character inside {[8'h41 : 8'h5a]}) name_digit = 6'(character - 8'h40);
    else if (is_digit) name_digit = 6'(character - 8'h30) + 6'd27;
    else is_name = character == 8'h5f;
    // Times 38, 100 or 10.
    two = (work == WORK_DIGITS && left >= 4'd2) || (work == WORK_SCALE && powers >= 5'd2);
    terms = '0;
    if (work == WORK_NAME) terms = '{72'(sum) << 5, 72'(sum) << 2, 72'(sum) << 1, 72'(name_digit)};
    else if (two) terms = '{72'(sum) << 6, 72'(sum) << 5, 72'(sum) << 2, 72'd0};
    else terms = '{72'(sum) << 3, 72'(sum) << 1, 72'd0, 72'd0};
    if (work == WORK_DIGITS) terms[0] = two ? 72'(pair) : 72'(character[3:0]);
    scaled = terms[3] + terms[2] + terms[1] + terms[0];
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

  logic time_start, time_busy;
  fast_time clock (
      .clk,
      .rst,
      .start(time_start),
      .value(word.value),
      .decimals(time_decimals),
      .forget,
      .busy(time_busy),
      .nanoseconds,
      .bad(time_bad)
  );

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
        wrong_next = wrong || scaled[71:64] != '0;
        if (powers == (two ? 5'd2 : 5'd1)) work_next = WORK_FINISH;
      end
      WORK_DIGITS: begin
        // A leading zero would be lost.
        wrong_next = wrong || !are_digits || scaled[71:64] != '0;
        if (length != '0 && sum == '0) wrong_next = 1'b1;
        if (length == '0 && two && character == 8'h30) wrong_next = 1'b1;
        if (left == (two ? 4'd2 : 4'd1)) begin
          work_next = WORK_FINISH;
          done = !word.last;
        end
      end
      WORK_NAME: begin
        wrong_next = wrong || !is_name || length >= 5'd12;
        if (left == 4'd1) begin
          work_next = WORK_FINISH;
          done = !word.last;
        end
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

  always_comb begin
    left_next = left - (two ? 4'd2 : 4'd1);
    if (work == WORK_BEGIN) left_next = is_symbol_short ? 4'd8 - word.count : word.count;
  end

  always_ff @(posedge clk) begin
    work <= work_next;
    if (word_valid) begin
      sum <= sum_next;
      wrong <= wrong_next;
      left <= left_next;
      // The characters of the next cycle.
      character <= word.value[8*(3'(left_next-4'd1))+:8];
      second <= word.value[8*(3'(left_next-4'd2))+:8];
      powers <= powers - (two ? 5'd2 : 5'd1);
      if (work == WORK_BEGIN) begin
        powers <= shift[4:0];
        negative <= is_negative;
        if (word.first) begin
          length <= '0;
          long_name <= is_text && !word.last;
        end
      end
      if (work == WORK_DIGITS || work == WORK_NAME) length <= length == '1 ? length : length + 5'd1;
    end
    if (rst) work <= WORK_BEGIN;
  end

  assign out = '{
          begins: word_valid && work == WORK_BEGIN,
          finishes: word_valid && work == WORK_FINISH,
          complete: word_valid && work == WORK_END && !time_busy,
          time_taken: time_start,
          wrong: wrong,
          negative: negative,
          long_name: long_name,
          value: sum
      };
endmodule

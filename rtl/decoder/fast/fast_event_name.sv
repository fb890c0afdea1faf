// The key of an instrument: a name of up to eight characters as they are, spaces after them; a longer one as a number of base 38 with the highest bit set
// (docs/reference/fast-events.md, "Keys"); an integer as it is.
//
// Latency: 2 cycles from the last piece to `done`, and one for each character, of a short name eight in all; 1 of an integer. Throughput: a character a cycle. No
// parameters. Overflow: a piece waits outside while `room` is low; a name of more than twelve characters is `wrong`.
module fast_event_name
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic start,  // the field, or a piece of it
    /* verilator lint_off UNUSEDSIGNAL */
    input event_word_t word,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic room,
    input logic drop,  // what is not done

    output logic busy,  // until the cycle after `done`
    output logic done,  // pulse
    output logic wrong,
    output logic [63:0] value
);
  localparam int Longest = 12;

  logic is_text, valid, begins, ends, text_room, starts_long, fills;
  logic [1:0] gives;
  logic [7:0] character, second;

  assign is_text = word.kind == FIELD_TEXT;
  assign room = is_text && !word.first ? text_room : !busy;
  assign busy = valid || fills || done;

  fast_characters characters (
      .clk,
      .rst,
      .start(start && is_text),
      .value(word.value),
      .count(word.count),
      .first(word.first),
      .last(word.last),
      .room(text_room),
      .drop,
      .valid,
      .character,
      .second,
      .gives,
      .begins,
      .is_long(starts_long),
      .ends
  );

  logic long_name, is_long, is_digit, in_name, printable;
  logic [3:0] length;  // characters so far
  logic [5:0] digit;  // of base 38
  logic [62:0] number, sum;

  assign long_name = begins ? starts_long : is_long;
  assign is_digit = character inside {[8'h30 : 8'h39]};
  assign printable = character inside {[8'h20 : 8'h7e]};
  assign sum = begins ? '0 : value[62:0];
  assign number = (sum << 5) + (sum << 2) + (sum << 1) + 63'(digit);

  always_comb begin
    in_name = 1'b1;
    digit   = 6'd37;
    if (character inside {[8'h41 : 8'h5a]}) digit = 6'(character - 8'h40);
    else if (is_digit) digit = 6'(character - 8'h30) + 6'd27;
    else in_name = character == 8'h5f;
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (valid) begin
      is_long <= long_name;
      length <= begins ? 4'd1 : length + 4'(length != '1);
      if (long_name) begin
        done <= ends;
        value <= {1'b1, number};
        wrong <= !in_name || (!begins && (wrong || length >= 4'(Longest)));
        if (gives == '0) begin
          value <= {1'b1, sum};
          wrong <= !begins && wrong;
        end
      end else begin
        // It begins and ends without a space.
        value <= {begins ? 56'd0 : value[55:0], character};
        wrong <= gives == '0 || !printable || ((begins || ends) && character == 8'h20) || (!begins && wrong);
        fills <= ends && !(!begins && length == 4'd7);
        done  <= ends && !begins && length == 4'd7;
      end
    end
    if (fills) begin
      value <= {value[55:0], 8'h20};
      length <= length + 4'd1;
      fills <= length != 4'd7;
      done <= length == 4'd7;
    end
    if (start && !is_text) begin
      done  <= 1'b1;
      value <= word.value;
      wrong <= word.value[63:56] != '0;
    end
    if (rst || drop) {done, fills} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, second};
endmodule

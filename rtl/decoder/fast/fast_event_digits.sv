// An order id: digits to a number of 64 bits, two a cycle, or an integer as it is.
//
// Latency: 2 cycles from a text's last piece to `done`, and one for each two digits, those of the piece before included where they are not done; 1 of an integer.
// Throughput: two digits a cycle. No parameters. Overflow: a piece waits outside while `room` is low; a number of more than 64 bits is `wrong`.
module fast_event_digits
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
    output logic wrong,  // no number, not of 64 bits, or with a zero before it
    output logic [63:0] value
);
  logic is_text, valid, begins, ends, text_room, is_long;
  logic [1:0] gives;
  logic [7:0] character, second;

  assign is_text = word.kind == FIELD_TEXT;
  assign room = is_text && !word.first ? text_room : !busy;
  assign busy = valid || done;

  fast_characters #(
      .PAIRS(1'b1)
  ) characters (
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
      .is_long,
      .ends
  );

  logic [63:0] sum;
  logic [71:0] product;
  logic [6:0] pair;
  logic are_digits;

  assign pair = (7'(character[3:0]) << 3) + (7'(character[3:0]) << 1) + 7'(second[3:0]);
  assign are_digits = character inside {[8'h30 : 8'h39]} && (gives != 2'd2 || second inside {[8'h30 : 8'h39]});
  assign sum = begins ? '0 : value;

  // What is beyond 64 bits is looked at a cycle after the sum, which takes a cycle by itself.
  logic [7:0] beyond;
  logic bad, was_beyond;
  assign wrong = bad || was_beyond || beyond != '0;

  // Times 100 or 10.
  always_comb begin
    if (gives == 2'd2) product = (72'(sum) << 6) + (72'(sum) << 5) + (72'(sum) << 2) + 72'(pair);
    else product = (72'(sum) << 3) + (72'(sum) << 1) + 72'(character[3:0]);
  end

  always_ff @(posedge clk) begin
    done <= valid && ends;
    if (valid && gives != '0) begin
      {beyond, value} <= product;
      was_beyond <= !begins && (was_beyond || beyond != '0);
      bad <= !are_digits || (begins ? character == 8'h30 && (!ends || gives == 2'd2) : bad);
    end else if (valid && begins) bad <= 1'b1;
    if (start && !is_text) begin
      done  <= 1'b1;
      value <= word.value;
      bad <= word.kind == FIELD_SIGNED && word.value[63] || word.kind == FIELD_DECIMAL && word.value[63];
      {beyond, was_beyond} <= '0;
    end
    if (rst || drop) done <= 1'b0;
  end

  logic unused;
  assign unused = is_long;
endmodule

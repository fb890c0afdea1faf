// fast_event_name and fast_event_digits on the same fields, with plain ports.
module fast_event_texts_tb
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        start_name,
    input logic        start_digits,
    input logic [ 2:0] kind,
    input logic [63:0] value,
    input logic [ 3:0] count,
    input logic        first,
    input logic        last,
    input logic        drop,

    output logic        name_room,
    output logic        name_busy,
    output logic        name_done,
    output logic        name_wrong,
    output logic [63:0] name_value,

    output logic        digits_room,
    output logic        digits_busy,
    output logic        digits_done,
    output logic        digits_wrong,
    output logic [63:0] digits_value
);
  event_word_t word;

  always_comb begin
    word = '0;
    word.kind = field_e'(kind);
    word.value = value;
    word.count = count;
    word.first = first;
    word.last = last;
  end

  fast_event_name of_name (
      .clk,
      .rst,
      .start(start_name),
      .word,
      .room(name_room),
      .drop,
      .busy(name_busy),
      .done(name_done),
      .wrong(name_wrong),
      .value(name_value)
  );

  fast_event_digits of_digits (
      .clk,
      .rst,
      .start(start_digits),
      .word,
      .room(digits_room),
      .drop,
      .busy(digits_busy),
      .done(digits_done),
      .wrong(digits_wrong),
      .value(digits_value)
  );
endmodule

// fast_wire_name, fast_wire_digits, fast_wire_scale and fast_wire_time with plain ports.
module fast_wire_values_tb
  import fast_events_pkg::*;
(
    input logic clk,

    input  logic [83:0] text,
    input  logic [ 3:0] count,
    output logic        name_wrong,
    output logic [63:0] name_key,
    output logic        digits_wrong,
    output logic [63:0] digits,

    input  logic [63:0] mantissa,
    input  logic [ 6:0] exponent,
    input  logic [ 4:0] scale,
    output logic        scale_wrong,
    output logic        scale_zero,
    output logic        scale_negative,
    output logic [63:0] scaled,

    input  logic [63:0] value,
    input  logic [ 1:0] decimals,
    input  logic        second_known,
    input  logic [ 1:0] second_groups,
    input  logic [63:0] second_digits,
    input  logic [47:0] second_nanoseconds,
    input  logic        next_known,
    input  logic [63:0] next_digits,
    input  logic [47:0] next_nanoseconds,
    output logic        time_wrong,
    output logic        time_in_next,
    output logic [47:0] nanoseconds
);
  // What will be in the flip-flops a cycle later.
  logic [63:0] key_ahead, number_ahead;
  assert property (@(posedge clk) {name_key, digits} == $past({key_ahead, number_ahead}));

  fast_wire_name name_of (
      .clk,
      .value (text),
      .count,
      .wrong3(name_wrong),
      .key3  (key_ahead),
      .key4  (name_key)
  );

  fast_wire_digits digits_of (
      .clk,
      .value  (text),
      .count,
      .wrong3 (digits_wrong),
      .number3(number_ahead),
      .number4(digits)
  );

  fast_wire_scale scale_of (
      .clk,
      .mantissa,
      .exponent,
      .scale,
      .wrong2(scale_wrong),
      .zero2(scale_zero),
      .negative2(scale_negative),
      .value3(scaled)
  );

  fast_wire_time time_of (
      .clk,
      .value,
      .decimals,
      .now('{
          known: second_known,
          learnt: 1'b0,
          second: '0,
          minute: '0,
          groups: second_groups,
          digits: second_digits,
          nanoseconds: second_nanoseconds
      }),
      .next_known,
      .next_digits,
      .next_nanoseconds,
      .wrong3(time_wrong),
      .in_next3(time_in_next),
      .nanoseconds4(nanoseconds)
  );
endmodule

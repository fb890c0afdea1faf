// fast_wire_second with plain ports.
module fast_wire_second_tb
  import fast_events_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  logic        known,
    input  logic        learnt,
    input  logic [ 5:0] second,
    input  logic [ 5:0] minute,
    input  logic [ 1:0] groups,
    input  logic [63:0] digits,
    input  logic [47:0] nanoseconds,
    input  logic        advance,
    input  logic        forget,
    input  logic        listens,
    output logic        now_known,
    output logic [63:0] now_digits,
    output logic [47:0] now_nanoseconds,
    output logic        next_known,
    output logic [63:0] next_digits,
    output logic [47:0] next_nanoseconds,
    output logic        steady
);
  /* verilator lint_off UNUSEDSIGNAL */
  second_t now;
  /* verilator lint_on UNUSEDSIGNAL */
  assign {now_known, now_digits, now_nanoseconds} = {now.known, now.digits, now.nanoseconds};

  fast_wire_second dut (
      .clk,
      .rst,
      .worked_out('{
          known: known,
          learnt: learnt,
          second: second,
          minute: minute,
          groups: groups,
          digits: digits,
          nanoseconds: nanoseconds
      }),
      .forget,
      .listens,
      .advance,
      .now,
      .next_known,
      .next_digits,
      .next_nanoseconds,
      .steady
  );
endmodule

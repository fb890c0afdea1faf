// The low-latency output: every packet whose number is at or past the expected one, at once, from whichever line brings it first.
//
//   A, B ─ line_select ─ out
//              └─ near at or past `expected` ?
//
// Latency: 1 cycle, as line_select. Throughput: a beat a cycle. Parameters: W; PROTOCOL. Overflow: see line_select.
module low_latency
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    localparam int S = PROTOCOL.sequence_bits,
    localparam bit Early = number_early(W, PROTOCOL)
) (
    input  logic               clk,
    input  logic               rst,
    arbiter_line_if.snk        a,
    arbiter_line_if.snk        b,
    input  logic               restart,        // a session reset
    input  logic       [S-1:0] restart_number,
    stream_if.src              out,
    output logic               known,          // a packet has passed: `expected` means something
    output logic       [S-1:0] expected,
    output logic       [  1:0] passed,         // pulses, by line
    output logic       [  1:0] refused,
    output logic       [  1:0] bad,
    output logic       [  1:0] missed,
    output logic               gap,            // with its bounds: messages from gap_from up to, not including, gap_to are lost
    output logic       [S-1:0] gap_from,
    output logic       [S-1:0] gap_to
);
  logic [S-1:0] number, next;
  logic [1:0][2:0] near_now, near_held, wanted_now, wanted_late;
  logic passes, line, unused_active;
  logic [1:0] restarted;  // in the cycles after a restart: what passes then was compared with the old number
  logic unused;
  assign unused = &{1'b0, unused_active};

  number_near #(
      .S(S),
      .PIPELINED(Early)
  ) near_a_now (
      .clk,
      .number(a.sequence_now),
      .base(expected),
      .near(near_now[0])
  );
  number_near #(
      .S(S),
      .PIPELINED(Early)
  ) near_a_held (
      .clk,
      .number(a.sequence_held),
      .base(expected),
      .near(near_held[0])
  );
  number_near #(
      .S(S),
      .PIPELINED(Early)
  ) near_b_now (
      .clk,
      .number(b.sequence_now),
      .base(expected),
      .near(near_now[1])
  );
  number_near #(
      .S(S),
      .PIPELINED(Early)
  ) near_b_held (
      .clk,
      .number(b.sequence_held),
      .base(expected),
      .near(near_held[1])
  );

  line_select #(
      .W(W),
      .PROTOCOL(PROTOCOL)
  ) select (
      .clk,
      .rst,
      .a,
      .b,
      .hold(1'b0),
      .abort(restart || restarted != '0),
      .active(unused_active),
      .wanted_now,
      .wanted_late,
      .stored_valid(1'b0),
      .stored_data('0),
      .stored_keep('0),
      .stored_last(1'b0),
      .out,
      .passed(passes),
      .passed_line(line),
      .passed_number(number),
      .passed_next(next),
      .refused,
      .bad,
      .missed
  );

  number_wanted #(
      .EARLY(Early)
  ) wanted (
      .clk,
      .known,
      .here({b.here, a.here}),
      .is_held(near_held),
      .is_now(near_now),
      .wanted_now,
      .wanted_late
  );

  always_ff @(posedge clk) begin
    restarted <= rst ? '0 : {restarted[0], restart};
    if (passes) known <= 1'b1;
    if (restart) expected <= restart_number;
    else if (passes) expected <= next;
    passed <= passes ? (line ? 2'b10 : 2'b01) : 2'b00;
    gap <= known && passes && number != expected;
    gap_from <= expected;
    gap_to <= number;
    if (rst) begin
      known  <= 1'b0;
      passed <= '0;
      gap <= 1'b0;
    end
  end
endmodule

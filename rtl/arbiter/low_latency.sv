// The low-latency output: every packet that has something new, at once, from whichever line brings it first.
//
//   A, B ─ line_select ─ out
//              └─ near at or past `expected`, or `expected` within the packet ?
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
  wanted_t [1:0] is_now, is_held, wanted_now, wanted_late;
  logic passes, line, unused_active;
  logic [1:0] restarted;  // in the cycles after a restart: what passes then was compared with the old number
  // The comparisons, by line: of the number in this cycle's beat, and of the one that came before.
  logic [1:0] here, due;
  logic [1:0][S-1:0] sequence_now, sequence_held;
  assign here = {b.here, a.here};
  assign due = {b.due, a.due};
  assign sequence_now = {b.sequence_now, a.sequence_now};
  assign sequence_held = {b.sequence_held, a.sequence_held};
  logic unused;
  assign unused = &{1'b0, unused_active, due};

  for (genvar i = 0; i < 2; i++) begin : gen_line
    number_near #(
        .S(S),
        .PIPELINED(Early)
    ) near_now (
        .clk,
        .number(sequence_now[i]),
        .base(expected),
        .near(is_now[i].all)
    );
    number_near #(
        .S(S),
        .PIPELINED(Early)
    ) near_held (
        .clk,
        .number(sequence_held[i]),
        .base(expected),
        .near(is_held[i].all)
    );
    if (PROTOCOL.count_bytes == 0) begin : gen_one_message
      assign is_now[i].contained = '0;
      assign is_held[i].contained = '0;
    end else begin : gen_count
      logic [CountBits-1:0] count_field, count_held;
      logic end_now;
      assign count_field = i == 0 ? a.count_field : b.count_field;
      assign end_now = i == 0 ? a.end_now : b.end_now;
      assign count_held = i == 0 ? a.count_held : b.count_held;
      number_within #(
          .S(S),
          .PIPELINED(Early)
      ) within_now (
          .clk,
          .expected,
          .number(sequence_now[i]),
          .count(Early && !due[i] ? count_held : count_field),
          .none(end_now && (!Early || due[i])),
          .contained(is_now[i].contained)
      );
      number_within #(
          .S(S),
          .PIPELINED(Early)
      ) within_held (
          .clk,
          .expected,
          .number(sequence_held[i]),
          .count(count_held),
          .none(1'b0),
          .contained(is_held[i].contained)
      );
    end
  end

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
      .here,
      .is_held,
      .is_now,
      .wanted_now,
      .wanted_late
  );

  // A packet that passes is near: the low bits tell whether its number is past `expected`, or its first messages have come already. It is found a cycle later, as
  // nobody waits for it: the next one passes two cycles later at the earliest.
  logic [NearBits:0] ahead;
  logic past, passed_known;
  assign ahead = gap_to[NearBits:0] - gap_from[NearBits:0];
  assign past  = PROTOCOL.count_bytes == 0 ? gap_to != gap_from : ahead != '0 && !ahead[NearBits];

  always_ff @(posedge clk) begin
    restarted <= rst ? '0 : {restarted[0], restart};
    if (passes) known <= 1'b1;
    if (restart) expected <= restart_number;
    else if (passes) expected <= next;
    passed <= passes ? (line ? 2'b10 : 2'b01) : 2'b00;
    passed_known <= known && passes;
    if (passes) {gap_from, gap_to} <= {expected, number};
    gap <= passed_known && past;
    if (rst) begin
      known  <= 1'b0;
      passed <= '0;
      {passed_known, gap} <= '0;
    end
  end
endmodule

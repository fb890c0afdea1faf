// Lets packets of two lines through, one at a time, and cuts off what proves not to be wanted.
//
//   A ─ line_history ─┐
//                     ├─ beat ─ register ─ out
//   B ─ line_history ─┘    └─ wanted? ─ cut, or passed
//
// Which packet comes next is decided at its first beat, before its number is known; one whose number is not wanted ends there, with err.
// A packet that begins meanwhile waits in its line's history, as long as such a guess takes.
//
// Whoever decides what is wanted says so of both lines: of the number in this cycle's beat, and, from a register, of one that came before.
// Choosing is left for last, and what is not wanted is cut off behind the register: `last` and `err` are a gate away from flip-flops.
//
// Latency: 1 cycle from a beat to the output, up to Cycles more for a packet that waited. Throughput: a beat a cycle; a packet whose
// number is in its second or first beat begins 1 or 2 cycles behind one that passed. Parameters: W; PROTOCOL.
// Overflow: a packet that waited in vain is missed, and told.
module line_select
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64,
    localparam int S = PROTOCOL.sequence_bits
) (
    input  logic                       clk,
    input  logic                       rst,
    arbiter_line_if.snk                a,
    arbiter_line_if.snk                b,
    input  logic                       hold,           // no packet begins
    output logic                       busy,           // one is being let through, or was begun in this cycle
    input  logic       [          1:0] wanted_now,     // by line
    input  logic       [          1:0] wanted_late,    // registered
    // What takes the place of the packets, while `hold` is high and `busy` is not.
    input  logic                       stored_valid,
    input  logic       [        W-1:0] stored_data,
    input  logic       [      W/8-1:0] stored_keep,
    input  logic                       stored_last,
    stream_if.src                      out,
    // With the packet's last beat on `out`: it was let through and is good.
    output logic                       passed,
    output logic                       passed_line,    // 1 is B
    output logic       [        S-1:0] passed_number,
    output logic       [CountBits-1:0] passed_count,
    output logic       [          1:0] refused,        // pulses, by line
    output logic       [          1:0] bad,
    output logic       [          1:0] missed
);
  localparam int NumberBeat = number_beat(W, PROTOCOL);
  localparam logic Early = NumberBeat == 0;  // the number is in the first beat
  // What is wanted next is known, and in a register, two cycles after a packet has ended: its number must not be here before.
  localparam int Pause = NumberBeat >= 2 ? 0 : 2 - NumberBeat;
  localparam int Cycles = NumberBeat + 1 + Pause;  // a wrong guess ends with its number's beat

  typedef struct packed {
    logic           valid;
    logic           last;
    logic           err;
    logic           here;
    logic [W/8-1:0] keep;
    logic [W-1:0]   data;
  } beat_t;

  logic [1:0] take, continues, waits, begins, direct, direct_reg;
  beat_t [1:0] beats;
  beat_t beat;
  logic here_reg, wanted_reg, last_reg, err_reg, ended_reg, bad_reg;  // of the beat that is on `out`
  logic running_reg, running, line_reg, line, cut, begin_now, choice, b_waits_longer, last_right;

  line_history #(
      .W(W),
      .CYCLES(Cycles)
  ) history_a (
      .clk,
      .rst,
      .line(a),
      .take(take[0]),
      .continues(continues[0]),
      .waits(waits[0]),
      .missed(missed[0]),
      .direct(direct[0]),
      .direct_reg(direct_reg[0]),
      .valid(beats[0].valid),
      .data(beats[0].data),
      .keep(beats[0].keep),
      .last(beats[0].last),
      .err(beats[0].err),
      .here(beats[0].here)
  );

  line_history #(
      .W(W),
      .CYCLES(Cycles)
  ) history_b (
      .clk,
      .rst,
      .line(b),
      .take(take[1]),
      .continues(continues[1]),
      .waits(waits[1]),
      .missed(missed[1]),
      .direct(direct[1]),
      .direct_reg(direct_reg[1]),
      .valid(beats[1].valid),
      .data(beats[1].data),
      .keep(beats[1].keep),
      .last(beats[1].last),
      .err(beats[1].err),
      .here(beats[1].here)
  );

  logic pause;
  if (Pause == 0) begin : gen_no_pause
    assign pause = 1'b0;
  end else if (Pause == 1) begin : gen_pause
    assign pause = passed;
  end else begin : gen_long_pause
    logic passed_before;
    always_ff @(posedge clk) passed_before <= passed && !rst;
    assign pause = passed || passed_before;
  end

  // ---- which line ---------------------------------------------------------------------------------

  assign begins = {b.first, a.first};
  assign running = running_reg && !cut;
  assign begin_now = !running && !hold && !pause && (waits != '0 || begins != '0);

  always_comb begin
    unique case (waits)
      2'b01: choice = 1'b0;
      2'b10: choice = 1'b1;
      2'b11: choice = b_waits_longer;
      default: choice = begins == 2'b11 ? last_right : begins[1];
    endcase
  end

  assign line = running ? line_reg : choice;
  assign busy = running || begin_now;
  assign take = begin_now ? (choice ? 2'b10 : 2'b01) : 2'b00;
  assign continues = running ? (line_reg ? 2'b10 : 2'b01) : 2'b00;

  always_ff @(posedge clk) begin
    // Of two that wait: the one that was there first; if they began together, the line that was last right.
    if (begins == 2'b11) b_waits_longer <= last_right;
    else if (begins[0]) b_waits_longer <= 1'b1;
    else if (begins[1]) b_waits_longer <= 1'b0;
    if (passed) last_right <= passed_line;
    if (rst) last_right <= 1'b0;
  end

  // ---- the packet ---------------------------------------------------------------------------------

  logic number_line, number_direct, number_here, ends;

  // Behind the first beat the line is known from registers: the way to the number is short then.
  assign number_line   = Early ? line : line_reg;
  assign number_direct = Early ? direct[number_line] : direct_reg[number_line];
  assign number_here   = Early ? busy && beat.valid && beat.here : running && beat.valid && beat.here;

  assign beat = beats[line];
  assign ends = busy && beat.valid && beat.last;

  assign cut = here_reg && !wanted_reg;
  assign out.last = last_reg || cut;
  assign out.err = err_reg || cut;
  assign passed = ended_reg && !cut;
  assign passed_line = line_reg;

  always_ff @(posedge clk) begin
    running_reg <= busy && !ends;
    line_reg <= line;
    here_reg <= number_here;
    wanted_reg <= number_direct ? wanted_now[number_line] : wanted_late[number_line];
    ended_reg <= ends && !beat.err;
    bad_reg <= ends && beat.err;
    if (number_here) begin
      if (number_line) passed_number <= number_direct ? b.sequence_now : b.sequence_held;
      else passed_number <= number_direct ? a.sequence_now : a.sequence_held;
      if (number_line) passed_count <= number_direct ? b.count_now : b.count_held;
      else passed_count <= number_direct ? a.count_now : a.count_held;
    end
    out.valid <= stored_valid || (busy && beat.valid);
    out.data  <= stored_valid ? stored_data : beat.data;
    out.keep  <= stored_valid ? stored_keep : beat.keep;
    last_reg  <= stored_valid ? stored_last : beat.last;
    err_reg   <= !stored_valid && beat.last && beat.err;
    refused   <= cut ? (line_reg ? 2'b10 : 2'b01) : 2'b00;
    bad       <= bad_reg && !cut ? (line_reg ? 2'b10 : 2'b01) : 2'b00;
    if (rst) begin
      running_reg <= 1'b0;
      here_reg <= 1'b0;
      ended_reg <= 1'b0;
      bad_reg <= 1'b0;
      out.valid <= 1'b0;
      refused <= '0;
      bad <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !stored_valid || !busy);
  assert property (@(posedge clk) disable iff (rst) !(busy && beat.valid && beat.here) || number_here);
endmodule

// Lets packets of two lines through, one at a time, and cuts off what proves not to be wanted.
//
//   A ─ line_history ─ register ─┐
//                                ├─ out
//   B ─ line_history ─ register ─┘   wanted? ─ cut, or passed
//
// Which packet comes next is decided at its first beat, before its number is known; one that is not wanted ends in the beat of its number, with err.
// A packet that begins meanwhile waits in its line's history, as long as such a guess takes.
//
// Both lines are registered; which of them is let through is a register too, so `out` is a gate away from flip-flops, and the
// decision has a small fan-out.
//
// Latency: 1 cycle from a beat to the output, up to Cycles more for a packet that waited. Throughput: a beat a cycle; a packet whose
// number is in its second or first beat begins 1 or 2 cycles after one that passed. Parameters: W; PROTOCOL.
// Overflow: a packet that waited in vain is missed, and reported.
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
    input  logic                       abort,          // what is on `out` in the next cycle is no longer wanted
    output logic                       active,         // a packet is on `out`; when low, with `hold` before, none is on its way either
    input  wanted_t    [1:0]           wanted_now,     // by line: whether the packet is wanted whose number is in this cycle's beat,
    input  wanted_t    [1:0]           wanted_late,    // and, registered, one whose number came before
    // What takes the place of the packets a cycle later, while `hold` is high and `active` is not.
    input  logic                       stored_valid,
    input  logic       [        W-1:0] stored_data,
    input  logic       [      W/8-1:0] stored_keep,
    input  logic                       stored_last,
    stream_if.src                      out,
    // With the packet's last beat on `out`: it was let through and is good.
    output logic                       passed,
    output logic                       passed_line,    // 1 is B
    output logic       [        S-1:0] passed_number,
    output logic       [        S-1:0] passed_next,    // the number after it
    output logic       [          1:0] refused,        // pulses, by line
    output logic       [          1:0] bad,
    output logic       [          1:0] missed
);
  localparam int NumberBeat = number_beat(W, PROTOCOL);
  // The next wanted number is in a register two cycles after a packet has ended: the next packet's number must not come before.
  localparam int Pause = NumberBeat >= 2 ? 0 : 2 - NumberBeat;
  localparam int Cycles = NumberBeat + 1 + Pause;  // a wrong guess ends in the beat of its number

  typedef struct packed {
    logic                 valid;
    logic                 last;
    logic                 err;
    logic                 cut;
    logic                 ends;
    logic                 passes;
    logic                 fails;
    logic [W/8-1:0]       keep;
    logic [W-1:0]         data;
    logic [S-1:0]         number;
    logic [CountBits-1:0] count;
  } beat_t;

  logic [1:0] taken;  // by line: a packet of it is on `out` in the next cycle;
  logic [1:0] resumes;  // and it does not begin now
  logic [1:0] waits, begins, passes;
  beat_t [1:0] beats;  // on `out`, if it is the line's turn
  logic kill, killed;  // aborted, perhaps between two beats; this beat ends it
  logic [1:0] on_reg;  // by line: its packet is on `out`,
  logic [1:0] runs;    // and goes on after this beat,
  logic [1:0] stays;   // or has passed with it, and then nothing may begin
  logic line_reg, line, cut, ends, b_waits_longer, last_right, pause;

  line_history #(
      .W(W),
      .S(S),
      .CYCLES(Cycles),
      .EARLY(number_early(W, PROTOCOL))
  ) history_a (
      .clk,
      .rst,
      .line(a),
      .wanted_now(wanted_now[0]),
      .wanted_late(wanted_late[0]),
      .taken(taken[0]),
      .resumes(resumes[0]),
      .begins(begins[0]),
      .waits(waits[0]),
      .missed(missed[0]),
      .valid(beats[0].valid),
      .data(beats[0].data),
      .keep(beats[0].keep),
      .last(beats[0].last),
      .err(beats[0].err),
      .cut(beats[0].cut),
      .ends(beats[0].ends),
      .passes(beats[0].passes),
      .fails(beats[0].fails),
      .number(beats[0].number),
      .count(beats[0].count)
  );

  line_history #(
      .W(W),
      .S(S),
      .CYCLES(Cycles),
      .EARLY(number_early(W, PROTOCOL))
  ) history_b (
      .clk,
      .rst,
      .line(b),
      .wanted_now(wanted_now[1]),
      .wanted_late(wanted_late[1]),
      .taken(taken[1]),
      .resumes(resumes[1]),
      .begins(begins[1]),
      .waits(waits[1]),
      .missed(missed[1]),
      .valid(beats[1].valid),
      .data(beats[1].data),
      .keep(beats[1].keep),
      .last(beats[1].last),
      .err(beats[1].err),
      .cut(beats[1].cut),
      .ends(beats[1].ends),
      .passes(beats[1].passes),
      .fails(beats[1].fails),
      .number(beats[1].number),
      .count(beats[1].count)
  );

  // ---- the packet on `out` ------------------------------------------------------------------------

  logic stored_valid_reg, stored_last_reg;
  logic [W-1:0] stored_data_reg;
  logic [W/8-1:0] stored_keep_reg;
  logic [1:0][S-1:0] next;

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      passes[i] = on_reg[i] && beats[i].passes;
      next[i] = beats[i].number + S'(beats[i].count);
      runs[i] = on_reg[i] && !(kill && beats[i].valid) && !beats[i].ends;
      stays[i] = on_reg[i] && !(kill && beats[i].valid) && !(Pause == 0 ? beats[i].ends : beats[i].fails);
    end
  end

  assign killed = kill && beats[line_reg].valid;
  assign active = on_reg != '0;
  assign cut = active && (killed || beats[line_reg].cut);
  assign ends = killed || beats[line_reg].ends;

  assign out.valid = stored_valid_reg || (active && beats[line_reg].valid);
  assign out.data = stored_valid_reg ? stored_data_reg : beats[line_reg].data;
  assign out.keep = stored_valid_reg ? stored_keep_reg : beats[line_reg].keep;
  assign out.last = stored_valid_reg ? stored_last_reg : ends;
  assign out.err = !stored_valid_reg && (cut || (beats[line_reg].last && beats[line_reg].err));
  assign passed = !kill && passes != '0;
  assign passed_line = line_reg;
  assign passed_number = beats[line_reg].number;
  assign passed_next = next[line_reg];

  always_ff @(posedge clk) begin
    on_reg <= rst ? '0 : taken;
    kill <= (abort || (kill && runs != '0)) && !rst;
    line_reg <= line;
    stored_valid_reg <= stored_valid && !rst;
    stored_data_reg <= stored_data;
    stored_keep_reg <= stored_keep;
    stored_last_reg <= stored_last;
    refused <= cut && !rst ? (line_reg ? 2'b10 : 2'b01) : 2'b00;
    bad <= active && ends && !cut && beats[line_reg].err && !rst ? (line_reg ? 2'b10 : 2'b01) : 2'b00;
  end

  // ---- which line is next ----------------------------------------------------------------------------

  // `stays` keeps out a line that may not begin after a packet that has just passed.
  if (Pause < 2) begin : gen_no_pause
    assign pause = 1'b0;
  end else begin : gen_pause
    always_ff @(posedge clk) pause <= passed && !rst;
  end

  // A packet that waits goes before one that begins; the choice of each depends on few flip-flops.
  logic [1:0] waiting_pick, new_pick;
  logic open;
  assign waiting_pick = {waits[1] && (!waits[0] || b_waits_longer), waits[0] && !(waits[1] && b_waits_longer)};
  assign new_pick = waits != '0 ? 2'b00 : {begins[1] && (!begins[0] || last_right), begins[0] && !(begins[1] && last_right)};
  assign open = stays == '0 && !hold && !pause;
  assign resumes = runs | (open ? waiting_pick : 2'b00);
  assign taken = resumes | (open ? new_pick : 2'b00);
  assign line = runs[1] || (!runs[0] && (waiting_pick[1] || new_pick[1]));

  always_ff @(posedge clk) begin
    // Of two that wait: the one that came first; if they began together, the line that was last right.
    if (begins == 2'b11) b_waits_longer <= last_right;
    else if (begins[0]) b_waits_longer <= 1'b1;
    else if (begins[1]) b_waits_longer <= 1'b0;
    if (passed) last_right <= passed_line;
    if (rst) last_right <= 1'b0;
  end

  assert property (@(posedge clk) disable iff (rst) !stored_valid_reg || !active);
  assert property (@(posedge clk) disable iff (rst) on_reg != 2'b11);
endmodule

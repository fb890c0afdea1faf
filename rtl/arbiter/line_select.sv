// Lets packets of two lines through, one at a time, and cuts off what proves not to be wanted.
//
//   A ─ line_history ─┐
//                     ├─ beat ─ register ─ out
//   B ─ line_history ─┘    └─ sequence number ─ passes? ─ expected
//
// Which packet comes next is decided at its first beat, before its number is known; one whose number does not pass ends there, with err.
// A packet that begins meanwhile waits in its line's history, as long as such a guess takes.
//
// Latency: 1 cycle from a beat to the output, up to number_beat + 1 more for a packet that waited. Throughput: a beat a cycle.
// Parameters: W; PROTOCOL. Overflow: a packet that waited in vain is missed, and told.
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
    input  logic                       hold,         // no packet begins
    output logic                       busy,         // one is being let through, or was begun in this cycle
    output logic       [        S-1:0] number,       // of the packet that is let through, in the cycle of `here`
    input  logic                       number_passes,
    // What takes the place of the packets, while `hold` is high and `busy` is not.
    input  logic                       stored_valid,
    input  logic       [        W-1:0] stored_data,
    input  logic       [      W/8-1:0] stored_keep,
    input  logic                       stored_last,
    stream_if.src                      out,
    // In the cycle before the packet's last beat is on `out`: it was let through and is good.
    output logic                       passed,
    output logic                       line,         // which is being let through: 1 is B
    output logic       [        S-1:0] passed_number,
    output logic       [        S-1:0] passed_next,  // the number behind it
    output logic       [CountBits-1:0] passed_count,
    output logic       [          1:0] refused,      // by line
    output logic       [          1:0] bad,
    output logic       [          1:0] missed
);
  localparam int Cycles = number_beat(W, PROTOCOL) + 1;

  typedef struct packed {
    logic                 valid;
    logic                 last;
    logic                 err;
    logic                 here;
    logic [W/8-1:0]       keep;
    logic [W-1:0]         data;
    logic [S-1:0]         number;
    logic [CountBits-1:0] count;
  } beat_t;

  logic [1:0] take, continues, waits, begins;
  beat_t [1:0] beats;
  beat_t beat;
  logic running_reg, line_reg, begin_now, choice, b_waits_longer, last_right;

  line_history #(
      .W(W),
      .S(S),
      .CYCLES(Cycles)
  ) history_a (
      .clk,
      .rst,
      .line(a),
      .take(take[0]),
      .continues(continues[0]),
      .waits(waits[0]),
      .missed(missed[0]),
      .valid(beats[0].valid),
      .data(beats[0].data),
      .keep(beats[0].keep),
      .last(beats[0].last),
      .err(beats[0].err),
      .here(beats[0].here),
      .sequence_number(beats[0].number),
      .count(beats[0].count)
  );

  line_history #(
      .W(W),
      .S(S),
      .CYCLES(Cycles)
  ) history_b (
      .clk,
      .rst,
      .line(b),
      .take(take[1]),
      .continues(continues[1]),
      .waits(waits[1]),
      .missed(missed[1]),
      .valid(beats[1].valid),
      .data(beats[1].data),
      .keep(beats[1].keep),
      .last(beats[1].last),
      .err(beats[1].err),
      .here(beats[1].here),
      .sequence_number(beats[1].number),
      .count(beats[1].count)
  );

  // ---- which line ---------------------------------------------------------------------------------

  assign begins = {b.first, a.first};
  assign begin_now = !running_reg && !hold && (waits != '0 || begins != '0);

  always_comb begin
    unique case (waits)
      2'b01: choice = 1'b0;
      2'b10: choice = 1'b1;
      2'b11: choice = b_waits_longer;
      default: choice = begins == 2'b11 ? last_right : begins[1];
    endcase
  end

  assign line = running_reg ? line_reg : choice;
  assign busy = running_reg || begin_now;
  assign take = begin_now ? (choice ? 2'b10 : 2'b01) : 2'b00;
  assign continues = running_reg ? (line_reg ? 2'b10 : 2'b01) : 2'b00;

  always_ff @(posedge clk) begin
    // Of two that wait: the one that was there first; if they began together, the line that was last right.
    if (begins == 2'b11) b_waits_longer <= last_right;
    else if (begins[0]) b_waits_longer <= 1'b1;
    else if (begins[1]) b_waits_longer <= 1'b0;
    if (passed) last_right <= line;
    if (rst) last_right <= 1'b0;
  end

  // ---- the packet ---------------------------------------------------------------------------------

  logic cut, ends;
  logic [S-1:0] next_now, number_reg, next_reg;
  logic [CountBits-1:0] count_reg;

  assign beat = beats[line];
  assign number = beat.number;
  assign next_now = beat.number + S'(beat.count);
  assign cut = busy && beat.valid && beat.here && !number_passes;
  assign ends = busy && beat.valid && beat.last;
  assign passed = ends && !beat.err && !cut;
  assign passed_number = beat.here ? beat.number : number_reg;
  assign passed_next = beat.here ? next_now : next_reg;
  assign passed_count = beat.here ? beat.count : count_reg;

  always_ff @(posedge clk) begin
    running_reg <= busy && !cut && !ends;
    line_reg <= line;
    if (beat.here) begin
      number_reg <= beat.number;
      next_reg   <= next_now;
      count_reg  <= beat.count;
    end
    out.valid <= stored_valid || (busy && beat.valid);
    out.data  <= stored_valid ? stored_data : beat.data;
    out.keep  <= stored_valid ? stored_keep : beat.keep;
    out.last  <= stored_valid ? stored_last : beat.last || cut;
    out.err   <= !stored_valid && ((beat.last && beat.err) || cut);
    refused   <= cut ? (line ? 2'b10 : 2'b01) : 2'b00;
    bad       <= ends && beat.err && !cut ? (line ? 2'b10 : 2'b01) : 2'b00;
    if (rst) begin
      running_reg <= 1'b0;
      out.valid <= 1'b0;
      refused <= '0;
      bad <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !stored_valid || !busy);
  assert property (@(posedge clk) disable iff (rst) !(take[0] && take[1]));
endmodule

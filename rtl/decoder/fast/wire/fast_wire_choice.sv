// Which of the two FAST engines' events go on, packet by packet in their order; and what becomes of each packet in the store.
//
//   wire-rate engine's events, verdict ─ if the microcode engine has nothing before them ─┬─ out
//   microcode engine's events ────────────────────────────────────────────────────────────┘
//
// Events of the wire-rate engine go on as they come. If its verdict is not good then, because the packet is nothing that it can do, what went on is taken back by a
// bad verdict, and the microcode engine does the packet from the start: `ends` is low with the first verdict, high with the second. To those after this stage it is a bad
// frame that comes again. A packet that the microcode engine has lost the dictionaries for is bad. While the microcode engine has packets that came before, the next ones are done there too.
//
// The event's symbol and order id leave from flip-flops of their own too: what compares them with many others is far away.
//
// Latency: none. Throughput: an event a cycle. No parameters. Nothing overflows: at most 1023 packets can be with the microcode engine.
module fast_wire_choice
  import tickwire_pkg::*;
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic passed,  // a packet begins that does not ask

    input logic wire_valid,
    input event_t wire_event,
    input logic [63:0] wire_symbol,    // of the event of the next cycle
    input logic [63:0] wire_order_id,
    /* verilator lint_off UNUSEDSIGNAL */
    input fast_wire_pkg::verdict_t wire_verdict,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic lost,  // with it: the microcode engine cannot do the packet, for want of its dictionaries

    event_if.snk microcode,
    input logic [63:0] microcode_symbol,
    input logic [63:0] microcode_order_id,

    event_if.src out,
    output logic [63:0] symbol,
    output logic [63:0] order_id,
    output logic ends,  // with the verdict: it is the packet's last

    output logic decision_valid,
    output logic decision_on,  // to the microcode engine

    output logic listens,     // the microcode engine has packets that are its own to do
    output logic done,        // pulse: a good packet of the wire-rate engine
    output logic handed_over  // pulse: a packet that it cannot do, or did while another was before it
);
  localparam int CountBits = 10;

  // Packets that the microcode engine has, or will have before the next that asks.
  logic [CountBits-1:0] earlier;
  logic known, direct, direct_next, none_next, gave, ends_here, trapped;

  // Decided with a packet's first event, or its verdict, and kept until that.
  assign none_next = !passed && !handed_over && earlier == CountBits'(microcode.verdict_valid);
  assign direct_next = wire_verdict.valid || !(wire_valid || known) ? none_next : direct;
  // A bad frame ends with its verdict, and so does what nobody can decode.
  assign ends_here = wire_verdict.reason == WIRE_FRAME || lost;
  assign trapped = !wire_verdict.good && !ends_here;

  assign listens = earlier != '0;
  assign decision_valid = wire_verdict.valid;
  assign decision_on = !direct || trapped;
  assign done = wire_verdict.valid && direct && wire_verdict.good;
  assign handed_over = wire_verdict.valid && decision_on;

  always_comb begin
    out.valid = '0;
    out.valid[0] = microcode.valid[0] || (wire_valid && direct);
    out.data = '0;
    out.data[0] = direct ? wire_event : microcode.data[0];
    out.verdict_valid = microcode.verdict_valid;
    out.verdict_good = microcode.verdict_good;
    ends = microcode.verdict_valid;
    if (wire_verdict.valid && direct) begin
      out.verdict_valid = !trapped || gave || wire_valid;
      out.verdict_good = wire_verdict.good;
      ends = !trapped;
    end
  end

  always_ff @(posedge clk) begin
    earlier <= earlier + CountBits'(passed) + CountBits'(handed_over) - CountBits'(microcode.verdict_valid);
    if (wire_valid || wire_verdict.valid) begin
      known <= !wire_verdict.valid;
      gave <= !wire_verdict.valid && direct;
    end
    direct <= direct_next || rst;
    symbol <= direct_next ? wire_symbol : microcode_symbol;
    order_id <= direct_next ? wire_order_id : microcode_order_id;
    if (rst) {earlier, known, gave} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(microcode.valid[0] || microcode.verdict_valid) || earlier != '0);
  assert property (@(posedge clk) disable iff (rst) !(microcode.valid[0] && direct));
  assert property (@(posedge clk) disable iff (rst) !out.valid[0] || {symbol, order_id} == {out.data[0].symbol, out.data[0].order_id});
  assert property (@(posedge clk) disable iff (rst) !(earlier == '1 && (passed || handed_over)));
endmodule
